"""Keys: every way to find a duplicate is a 64-bit key; articles that share one are candidates.

An article is filed under its address, the digest of its text, pairs of blocks of its SimHash, the
bands of its MinHash, pairs of the rare words of its title, and its heaviest rare terms. Two texts
share a band as `nearcopy.config.lsh_probability` says. A short part of a long text has little
overlap with it, so it is found by its title or its terms.

A key is even, and one of them in common is enough to look at two articles. Those of titles and
terms are odd, and of these it takes two; one of a title where a title has few of them. The second
bit tells the two apart: a term that very many articles hold finds nothing.

Of five blocks of SimHash, three bits that differ leave two alike, always: an article is filed under
each of the ten pairs. A pair is 25 bits and more, so a stranger shares one with two articles in
ten million; under single blocks of 16 bits it would share one with one article in 16,000.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.config import SLOTS, Recipe
from nearcopy.kernels.reference.sketches import mix
from nearcopy.model import Fingerprint
from nearcopy.titles import title_keys

Keys = NDArray[np.uint64]

# The kinds of keys: hashes of different kinds never meet but by chance.
ADDRESS, DIGEST, SIMHASH, MINHASH, TITLE, TERM = range(1, 7)
KIND_SHIFT = 56
VERSION = 2  # of the keys that stores hold: another number makes them worthless
TERMS = 16  # an article is filed under
RARE, LEAST_RARE = 300, 200  # in hundredths: short articles are found by commoner terms too
BLOCKS = (0x1FFF, 0x1FFF << 13, 0x1FFF << 26, 0x1FFF << 39, 0xFFF << 52)
BLOCK_PAIRS = np.array([a | b for a, b in combinations(BLOCKS, 2)], np.uint64)


def keys(found: Sequence[Fingerprint], recipe: Recipe) -> list[Keys]:
    """The keys of each article, ascending; none for an article with nothing to find it by."""
    rows: list[list[Keys]] = [_named(each) for each in found]
    _add_simhash(rows, found)
    _add_minhash(rows, found, recipe)
    titles = title_keys([each.gist for each in found])
    profiles = [each.profile for each in found]
    starts, hashes = kernels.term_keys(profiles, TERMS, RARE, LEAST_RARE)
    terms = np.split(mix(hashes ^ np.uint64(TERM << KIND_SHIFT)), starts[1:].astype(np.int64))[:-1]
    return [np.unique(_told_apart(*row)) for row in zip(rows, titles, terms, strict=True)]


def _told_apart(strong: list[Keys], title: Keys, terms: Keys) -> Keys:
    """All keys of an article: the strong even; those of its title and its terms odd."""
    weak = mix(title ^ np.uint64(TITLE << KIND_SHIFT)) & ~np.uint64(3) | np.uint64(1)
    return np.concatenate([np.concatenate(strong) & ~np.uint64(1), weak, terms | np.uint64(3)])


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
    """A key for each pair of blocks, its number part of the key."""
    places = [place for place, each in enumerate(found) if each.simhash is not None]
    bits = np.array([found[place].simhash for place in places], np.uint64)
    tags = np.uint64(SIMHASH << KIND_SHIFT) | np.arange(len(BLOCK_PAIRS), dtype=np.uint64)
    made = mix(mix(bits[:, None] & BLOCK_PAIRS) ^ tags)
    for place, each in zip(places, made, strict=True):
        rows[place].append(each)


def _add_minhash(rows: list[list[Keys]], found: Sequence[Fingerprint], recipe: Recipe) -> None:
    """A key for each band."""
    places = [place for place, each in enumerate(found) if each.minhash is not None]
    stored = b"".join(found[place].minhash or b"" for place in places)
    signatures = np.frombuffer(stored, "<u4").reshape(-1, SLOTS).astype(np.uint32, copy=False)
    made = kernels.band_keys(signatures, recipe.bands, recipe.rows)
    for place, bands in zip(places, mix(made ^ np.uint64(MINHASH << KIND_SHIFT)), strict=True):
        rows[place].append(bands)
