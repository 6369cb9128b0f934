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

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.config import SLOTS, Policy, Recipe
from nearcopy.kernels.reference.sketches import mix
from nearcopy.models import Fingerprint

Keys = NDArray[np.uint64]
Owners = NDArray[np.int64]
Owned = tuple[Owners, Keys]  # keys, and the place of the article that each is of
NO_KEYS = np.zeros(0, np.uint64)
ODD = np.uint64(1)

# The kinds of keys: hashes of different kinds never meet but by chance.
ADDRESS, DIGEST, SIMHASH, MINHASH, TITLE, TERM = range(1, 7)
KIND_SHIFT = 56
VERSION = 2  # of the keys that stores hold: another number makes them worthless
TERMS = 16  # an article is filed under
RARE, LEAST_RARE = 300, 200  # in hundredths: short articles are found by commoner terms too
BLOCKS = (0x1FFF, 0x1FFF << 13, 0x1FFF << 26, 0x1FFF << 39, 0xFFF << 52)
BLOCK_PAIRS = np.array([a | b for a, b in combinations(BLOCKS, 2)], np.uint64)


def keys(fingerprints: Sequence[Fingerprint], recipe: Recipe) -> list[Keys]:
    """The keys of each article, ascending; none for an article with nothing to find it by."""
    strong = (_named(fingerprints), _simhash(fingerprints), _minhash(fingerprints, recipe))
    owners, strong_keys = (np.concatenate(column) for column in zip(*strong, strict=True))
    of_titles, titles = _titles(fingerprints)
    of_terms, terms = _terms(fingerprints)
    every = np.concatenate([strong_keys & ~ODD, titles & ~np.uint64(3) | ODD, terms | np.uint64(3)])
    return _distinct(np.concatenate([owners, of_titles, of_terms]), every, len(fingerprints))


def looked_by(article_keys: Sequence[Keys], policy: Policy) -> list[Keys]:
    """Of the keys of each article those to look for others by.

    Where texts are told by the bits of SimHashes, words in common find strangers: for a crawler's
    policy these were 49 of 50 candidates.
    """
    return (
        [row[row & ODD == 0] for row in article_keys] if policy.simhash_only else list(article_keys)
    )


def _distinct(owners: Owners, hashes: Keys, count: int) -> list[Keys]:
    """The keys of each owner, ascending, each once."""
    if count == 1:
        return [np.unique(hashes)]
    order = np.lexsort((hashes, owners))
    owners, hashes = owners[order], hashes[order]
    new = np.ones(len(hashes), np.bool_)
    new[1:] = (owners[1:] != owners[:-1]) | (hashes[1:] != hashes[:-1])
    ends = np.searchsorted(owners[new], np.arange(1, count))
    return np.split(hashes[new], ends) if count else []


def _named(fingerprints: Sequence[Fingerprint]) -> Owned:
    """The keys of the addresses and the digests."""
    hashed = [
        (place, kernels.murmur3_64(name, kind))
        for place, fingerprint in enumerate(fingerprints)
        for name, kind in _names(fingerprint)
    ]
    owners, hashes = zip(*hashed, strict=True) if hashed else ((), ())
    return np.array(owners, np.int64), np.array(hashes, np.uint64)


def _names(fingerprint: Fingerprint) -> Iterator[tuple[bytes, int]]:
    for url in (fingerprint.url, fingerprint.declared_url):
        if url is not None:
            yield url.encode("utf-8", "surrogatepass"), ADDRESS
    if fingerprint.digest is not None:
        yield fingerprint.digest, DIGEST


def _simhash(fingerprints: Sequence[Fingerprint]) -> Owned:
    """A key for each pair of blocks, its number part of the key."""
    places = [
        place for place, fingerprint in enumerate(fingerprints) if fingerprint.simhash is not None
    ]
    bits = np.array([fingerprints[place].simhash for place in places], np.uint64)
    tags = np.uint64(SIMHASH << KIND_SHIFT) | np.arange(len(BLOCK_PAIRS), dtype=np.uint64)
    return _owned(places, mix(mix(bits[:, None] & BLOCK_PAIRS) ^ tags))


def _minhash(fingerprints: Sequence[Fingerprint], recipe: Recipe) -> Owned:
    """A key for each band."""
    places = [
        place for place, fingerprint in enumerate(fingerprints) if fingerprint.minhash is not None
    ]
    stored = b"".join(fingerprints[place].minhash or b"" for place in places)
    signatures = np.frombuffer(stored, "<u4").reshape(-1, SLOTS).astype(np.uint32, copy=False)
    bands = kernels.band_keys(signatures, recipe.bands, recipe.rows)
    return _owned(places, mix(bands ^ np.uint64(MINHASH << KIND_SHIFT)))


def _titles(fingerprints: Sequence[Fingerprint]) -> Owned:
    """The keys of the rare words of titles."""
    keys_of_titles = title_keys([item.gist for item in fingerprints])
    owners = np.repeat(np.arange(len(keys_of_titles)), [len(item) for item in keys_of_titles])
    return owners, mix(np.concatenate([NO_KEYS, *keys_of_titles]) ^ np.uint64(TITLE << KIND_SHIFT))


def title_keys(normals: Sequence[str]) -> list[Keys]:
    """The keys of each normal title, ten at most: titles with a key in common may be alike.

    >>> [a, b] = title_keys(["ferry runs aground off norway", "norway ferry aground again"])
    >>> len(a), len(set(a.tolist()) & set(b.tolist()))
    (10, 3)
    """
    starts, keys = kernels.title_keys(normals)
    return [keys[start:end] for start, end in pairwise(starts.tolist())]


def _terms(fingerprints: Sequence[Fingerprint]) -> Owned:
    """The keys of the heaviest rare terms."""
    profiles = [fingerprint.profile for fingerprint in fingerprints]
    starts, hashes = kernels.term_keys(profiles, TERMS, RARE, LEAST_RARE)
    owners = np.repeat(np.arange(len(fingerprints)), np.diff(starts).astype(np.int64))
    return owners, mix(hashes ^ np.uint64(TERM << KIND_SHIFT))


def _owned(places: Sequence[int], hashes: Keys) -> Owned:
    """A row of keys for each place, in one list."""
    return np.repeat(np.array(places, np.int64), hashes.shape[1]), hashes.ravel()
