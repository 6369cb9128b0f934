"""Blocking keys: 64-bit hashes; articles that share enough of them are candidates.

The keys of an article are hashes of its addresses, the digest of its text, pairs of blocks of its
SimHash, the LSH bands of its MinHash, pairs of rare title words, and its heaviest rare terms.
`nearcopy.config.lsh_probability` is the probability of a shared band. A short part of a long text
has little overlap with it and is found by its title or its terms.

Strong keys are even: one shared key makes a candidate. Keys of titles and terms are weak and odd: a
candidate shares two of them, or one title key where a title has few. The second bit distinguishes
titles from terms: a term of very many articles finds nothing.

SimHash is split into five blocks: with a Hamming distance of three, at least two are equal, so
each of the ten pairs of blocks is a key. A pair has 25 bits or more, so an unrelated article shares
one with two in ten million; with single blocks of 16 bits it would be one in 16,000.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.config import SLOTS, Policy, Recipe
from nearcopy.kernels.reference.sketches import mix
from nearcopy.models import Fingerprint

Keys = NDArray[np.uint64]
Owners = NDArray[np.int64]
OwnedKeys = tuple[Owners, Keys]  # keys, and the index of the article of each
ODD = np.uint64(1)

# The kinds of keys: part of the hash, so that kinds collide only by chance.
ADDRESS, DIGEST, SIMHASH, MINHASH, TITLE, TERM = range(1, 7)
KIND_SHIFT = 56
VERSION = 2  # of the keys in stores; another version does not find them
MAX_TERMS = 16  # of an article
MIN_RARITY, MIN_RARITY_SHORT = 300, 200  # term weight; short articles use commoner ones
BLOCKS = (0x1FFF, 0x1FFF << 13, 0x1FFF << 26, 0x1FFF << 39, 0xFFF << 52)
BLOCK_PAIRS = np.array([a | b for a, b in combinations(BLOCKS, 2)], np.uint64)


def blocking_keys(fingerprints: Sequence[Fingerprint], recipe: Recipe) -> list[Keys]:
    """The blocking keys of each article, ascending."""
    strong = (_hash_ids(fingerprints), _simhash(fingerprints), _minhash(fingerprints, recipe))
    owners, strong_keys = (np.concatenate(column) for column in zip(*strong, strict=True))
    gists = [fingerprint.gist for fingerprint in fingerprints]
    profiles = [fingerprint.profile for fingerprint in fingerprints]
    of_titles, titles = _weak_keys(TITLE, *kernels.title_keys(gists))
    heaviest = kernels.term_keys(profiles, MAX_TERMS, MIN_RARITY, MIN_RARITY_SHORT)
    of_terms, terms = _weak_keys(TERM, *heaviest)
    every = np.concatenate([strong_keys & ~ODD, titles & ~np.uint64(3) | ODD, terms | np.uint64(3)])
    return _unique_by_owner(np.concatenate([owners, of_titles, of_terms]), every, len(fingerprints))


def lookup_keys(article_keys: Sequence[Keys], policy: Policy) -> list[Keys]:
    """The keys of each article to look candidates up by.

    A policy that reads SimHashes only needs no weak keys: with the crawler's these found 49 of 50
    candidates in vain.
    """
    if not policy.simhash_only:
        return list(article_keys)
    return [row[row & ODD == 0] for row in article_keys]


def _unique_by_owner(owners: Owners, hashes: Keys, count: int) -> list[Keys]:
    """The distinct keys of each owner, ascending."""
    if count == 0:
        return []
    counts = np.bincount(owners, minlength=count)
    used = np.arange(counts.max()) < counts[:, None]
    table = np.full(used.shape, np.iinfo(np.uint64).max, np.uint64)  # a row for each owner
    table[used] = hashes[np.argsort(owners, kind="stable")]
    table.sort(axis=1)
    used[:, 1:] &= table[:, 1:] != table[:, :-1]
    return np.split(table[used], np.cumsum(used.sum(axis=1))[:-1])


def _hash_ids(fingerprints: Sequence[Fingerprint]) -> OwnedKeys:
    """The keys of the addresses and the digests."""
    hashed = [
        (place, kernels.murmur3_64(name, kind))
        for place, fingerprint in enumerate(fingerprints)
        for name, kind in _ids(fingerprint)
    ]
    owners, hashes = zip(*hashed, strict=True) if hashed else ((), ())
    return np.array(owners, np.int64), np.array(hashes, np.uint64)


def _ids(fingerprint: Fingerprint) -> Iterator[tuple[bytes, int]]:
    for url in (fingerprint.url, fingerprint.declared_url):
        if url is not None:
            yield url.encode("utf-8", "surrogatepass"), ADDRESS
    if fingerprint.digest is not None:
        yield fingerprint.digest, DIGEST


def _simhash(fingerprints: Sequence[Fingerprint]) -> OwnedKeys:
    """A key for each pair of blocks; the number of the pair is part of the key."""
    places = [
        place for place, fingerprint in enumerate(fingerprints) if fingerprint.simhash is not None
    ]
    bits = np.array([fingerprints[place].simhash for place in places], np.uint64)
    tags = np.uint64(SIMHASH << KIND_SHIFT) | np.arange(len(BLOCK_PAIRS), dtype=np.uint64)
    return _repeat_owners(places, mix(mix(bits[:, None] & BLOCK_PAIRS) ^ tags))


def _minhash(fingerprints: Sequence[Fingerprint], recipe: Recipe) -> OwnedKeys:
    """A key for each band."""
    places = [
        place for place, fingerprint in enumerate(fingerprints) if fingerprint.minhash is not None
    ]
    stored = b"".join(fingerprints[place].minhash or b"" for place in places)
    signatures = np.frombuffer(stored, "<u4").reshape(-1, SLOTS).astype(np.uint32, copy=False)
    bands = kernels.band_keys(signatures, recipe.bands, recipe.rows)
    return _repeat_owners(places, mix(bands ^ np.uint64(MINHASH << KIND_SHIFT)))


def _weak_keys(kind: int, starts: NDArray[np.uint64], hashes: Keys) -> OwnedKeys:
    """The keys of rare words or terms; article i owns `hashes[starts[i]:starts[i + 1]]`."""
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts).astype(np.int64))
    return owners, mix(hashes ^ np.uint64(kind << KIND_SHIFT))


def _repeat_owners(places: Sequence[int], hashes: Keys) -> OwnedKeys:
    """The rows of keys flattened, with the owner of each key."""
    return np.repeat(np.array(places, np.int64), hashes.shape[1]), hashes.ravel()
