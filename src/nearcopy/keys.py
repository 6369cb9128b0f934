"""Keys: every way to find a duplicate is a 64-bit key; articles that share one are candidates.

An article is filed under its address, the digest of its text, the four blocks of its SimHash, the
bands of its MinHash, and pairs of the rare words of its title. Two articles within three bits of
SimHash share a block, always; two texts share a band as `nearcopy.config.lsh_probability` says. A
short part of a long text has little overlap with it, so it is found by its title or not at all.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.config import SLOTS, Recipe
from nearcopy.kernels.reference.sketches import mix
from nearcopy.model import Fingerprint
from nearcopy.titles import title_keys

Keys = NDArray[np.uint64]

# The kinds of keys: hashes of different kinds never meet but by chance.
ADDRESS, DIGEST, SIMHASH, MINHASH, TITLE = range(1, 6)
BLOCKS = 4
BLOCK_BITS = 16
KIND_SHIFT = 56


def keys(found: Sequence[Fingerprint], recipe: Recipe) -> list[Keys]:
    """The keys of each article, ascending; none for an article with nothing to find it by."""
    rows: list[list[Keys]] = [_named(each) for each in found]
    _add_simhash(rows, found)
    _add_minhash(rows, found, recipe)
    for row, title in zip(rows, title_keys([each.gist for each in found]), strict=True):
        row.append(mix(title ^ np.uint64(TITLE << KIND_SHIFT)))
    return [np.unique(np.concatenate(row)) for row in rows]


def _named(each: Fingerprint) -> list[Keys]:
    """The keys of the addresses and the digest."""
    made = {
        kernels.murmur3_64(url.encode("utf-8", "surrogatepass"), ADDRESS)
        for url in (each.url, each.declared_url)
        if url is not None
    }
    if each.digest is not None:
        made.add(kernels.murmur3_64(each.digest, DIGEST))
    return [np.array(sorted(made), np.uint64)]


def _add_simhash(rows: list[list[Keys]], found: Sequence[Fingerprint]) -> None:
    """A key for each block of 16 bits, its number part of the key."""
    places = [place for place, each in enumerate(found) if each.simhash is not None]
    bits = np.array([found[place].simhash for place in places], np.uint64)
    numbers = np.arange(BLOCKS, dtype=np.uint64)
    blocks = bits[:, None] >> (numbers * np.uint64(BLOCK_BITS)) & np.uint64(0xFFFF)
    tags = np.uint64(SIMHASH << KIND_SHIFT) | numbers << np.uint64(BLOCK_BITS)
    for place, made in zip(places, mix(blocks | tags), strict=True):
        rows[place].append(made)


def _add_minhash(rows: list[list[Keys]], found: Sequence[Fingerprint], recipe: Recipe) -> None:
    """A key for each band."""
    places = [place for place, each in enumerate(found) if each.minhash is not None]
    stored = b"".join(found[place].minhash or b"" for place in places)
    signatures = np.frombuffer(stored, "<u4").reshape(-1, SLOTS).astype(np.uint32, copy=False)
    made = kernels.band_keys(signatures, recipe.bands, recipe.rows)
    for place, bands in zip(places, mix(made ^ np.uint64(MINHASH << KIND_SHIFT)), strict=True):
        rows[place].append(bands)
