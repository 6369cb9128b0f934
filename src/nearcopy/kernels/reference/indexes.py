"""Indexes in memory: fingerprints by Hamming distance, articles by key, signatures by overlap.

Every index numbers what it is given 0, 1, 2 ... in order of insertion: its position. The answers
of many queries come end to end: those of query i are `positions[starts[i]:starts[i + 1]]`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from math import ceil
from sys import getsizeof
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from nearcopy.config import SLOTS
from nearcopy.kernels.reference.sketches import GOLDEN, mix

Starts = NDArray[np.uint64]
Positions = NDArray[np.uint32]
Keys = NDArray[np.uint64]
Signatures = NDArray[np.uint32]

MAX_DISTANCE = 15
MAX_THREADS = 1024
NOT_A_TIME = -(2**63)
ONES = np.array([value.bit_count() for value in range(256)], np.uint8)


class HammingIndex:
    """All 64-bit fingerprints within `distance` bits of a query, none missed.

    >>> index = HammingIndex(distance=1)
    >>> index.insert(np.array([0b0000, 0b0011, 0b0001], np.uint64))
    >>> [found.tolist() for found in index.find(np.array([0b0001], np.uint64))]
    [[0, 3], [2, 0, 1], [0, 1, 1]]
    """

    def __init__(self, distance: int) -> None:
        if not 0 <= distance <= MAX_DISTANCE:
            raise ValueError(f"distance: expected 0 to 15 bits, found {distance}: lower it")
        self._distance = distance
        self._fingerprints: NDArray[np.uint64] = np.empty(0, np.uint64)

    def __len__(self) -> int:
        return len(self._fingerprints)

    @property
    def nbytes(self) -> int:
        """All memory held, in bytes."""
        return self._fingerprints.nbytes

    def insert(self, fingerprints: NDArray[np.uint64]) -> None:
        """File fingerprints at the next positions."""
        check(fingerprints, "fingerprints", np.uint64, axes=1)
        self._fingerprints = np.concatenate((self._fingerprints, fingerprints))

    def find(
        self, fingerprints: NDArray[np.uint64], threads: int = 1
    ) -> tuple[Starts, Positions, NDArray[np.uint8]]:
        """(starts, positions, distances): query i's matches, nearest first, then oldest."""
        check(fingerprints, "fingerprints", np.uint64, axes=1)
        check_threads(threads)
        rows = [self._matches(query) for query in fingerprints]
        distances = [distance for _, distance in rows]
        return *joined([positions for positions, _ in rows]), flat(distances, np.uint8)

    def _matches(self, query: np.uint64) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
        distances = bits_set(self._fingerprints ^ query)
        near = np.flatnonzero(distances <= self._distance)
        near = near[np.argsort(distances[near], kind="stable")]
        return near, distances[near]


class KeyIndex:
    """Articles filed under 64-bit keys, forgotten one by one or by age.

    The compiled twin keeps 44 bits of a (mixed) key: it never misses an article, and for each pair
    of keys there is a chance of about 2^-44 that it takes them for one, so look at what it finds.

    >>> index = KeyIndex()
    >>> index.insert(np.array([[1, 2], [2, 3]], np.uint64), times=np.array([10, 20]))
    0
    >>> index.expire(before=15)
    1
    >>> [found.tolist() for found in index.find(np.array([[1, 3], [1, 4]], np.uint64))]
    [[0, 1, 1], [1]]
    """

    def __init__(self) -> None:
        self._filed: defaultdict[int, set[int]] = defaultdict(set)
        self._keys: dict[int, set[int]] = {}  # of the live articles
        self._times: dict[int, int] = {}  # of the live articles
        self._next = 0

    def __len__(self) -> int:
        return len(self._times)

    @property
    def nbytes(self) -> int:
        """All memory held, in bytes, but for the integers."""
        tables = (self._filed, self._keys, self._times)
        sets = (*self._filed.values(), *self._keys.values())
        return sum(map(getsizeof, (*tables, *sets)))

    def insert(self, keys: Keys, times: NDArray[np.int64]) -> int:
        """File one article a row of keys; the position of the first."""
        check(keys, "keys", np.uint64, axes=2)
        return self._insert(keys.tolist(), times)

    def insert_ragged(self, keys: Keys, starts: Starts, times: NDArray[np.int64]) -> int:
        """File article i under `keys[starts[i]:starts[i + 1]]`; the position of the first."""
        return self._insert(list(ragged(keys, starts)), times)

    def find(self, keys: Keys, threads: int = 1) -> tuple[Starts, Positions]:
        """(starts, positions): the live articles that share a key with row i, ascending."""
        check(keys, "keys", np.uint64, axes=2)
        check_threads(threads)
        return self._find(keys.tolist())

    def find_ragged(self, keys: Keys, starts: Starts, threads: int = 1) -> tuple[Starts, Positions]:
        """(starts, positions) as `find`, row i being `keys[starts[i]:starts[i + 1]]`."""
        check_threads(threads)
        return self._find(ragged(keys, starts))

    def remove(self, positions: Positions) -> None:
        """Forget articles; one that is gone already is no error."""
        check(positions, "positions", np.uint32, axes=1)
        for position in positions.tolist():
            if position >= self._next:
                raise IndexError(
                    f"positions: expected positions that insert has given, found {position}: "
                    "nothing was removed"
                )
        self._forget(positions.tolist())

    def expire(self, before: int) -> int:
        """Forget the articles with a time under `before`; how many they were."""
        old = [position for position, time in self._times.items() if time < before]
        self._forget(old)
        return len(old)

    def counts(self, keys: Keys, most: int = 2**32 - 1) -> NDArray[np.uint32]:
        """How many live articles are filed under each key, counted up to `most`."""
        check(keys, "keys", np.uint64, axes=1)
        found = (len(self._filed.get(key, ())) for key in keys.tolist())
        return np.array([min(count, most) for count in found], np.uint32)

    def weigh(
        self,
        keys: Keys,
        starts: Starts,
        worth: NDArray[np.uint64],
        most: NDArray[np.uint32],
        least: int,
        threads: int = 1,
    ) -> tuple[Starts, Positions, NDArray[np.uint64]]:
        """(starts, positions, worths): what is worth at least so much by the keys it shares.

        Those are the live articles that share keys with row i, ascending, and what these keys are
        worth together; a key that more than its `most` articles have is worth nothing.
        """
        rows = list(ragged(keys, starts))
        for name, given, kind in (("worth", worth, np.uint64), ("most", most, np.uint32)):
            check(given, name, kind, axes=1)
            if len(given) != len(keys):
                raise ValueError(
                    f"{name}: expected one for each of {len(keys)} keys, found {len(given)}: "
                    "pass as many as keys"
                )
        check_threads(threads)
        told = zip(worth.tolist(), most.tolist(), strict=True)
        found = [self._weighed(list(zip(row, islice(told, len(row)), strict=True))) for row in rows]
        kept = [sorted((p, w) for p, w in each.items() if w and w >= least) for each in found]
        worths = np.array([w for each in kept for _, w in each], np.uint64)
        return *joined([[p for p, _ in each] for each in kept]), worths

    def _weighed(self, row: list[tuple[int, tuple[int, int]]]) -> Counter[int]:
        total: Counter[int] = Counter()
        for key, (worth, most) in row:
            filed = self._filed.get(key, set())
            if len(filed) <= most:
                total.update(dict.fromkeys(filed, worth))
        return total

    def _insert(self, rows: Sequence[list[int]], times: NDArray[np.int64]) -> int:
        check_times(times, len(rows))
        first = self._next
        for keys, time in zip(rows, times.tolist(), strict=True):
            for key in keys:
                self._filed[key].add(self._next)
            self._keys[self._next] = set(keys)
            self._times[self._next] = time
            self._next += 1
        return first

    def _find(self, rows: Iterable[list[int]]) -> tuple[Starts, Positions]:
        found = [set().union(*(self._filed.get(key, ()) for key in row)) for row in rows]
        return joined([sorted(positions) for positions in found])

    def _forget(self, positions: Iterable[int]) -> None:
        for position in positions:
            self._times.pop(position, None)
            for key in self._keys.pop(position, ()):
                self._filed[key].discard(position)


class SignatureIndex:
    """MinHash signatures found through their bands, verified lane by lane.

    Two texts with overlap j share a band with the chance of the curve:

    >>> bands, rows = 32, 4
    >>> [round(1 - (1 - j**rows) ** bands, 2) for j in (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)]
    [0.05, 0.23, 0.56, 0.87, 0.99, 1.0]
    """

    def __init__(self, bands: int, rows: int) -> None:
        check_bands(bands, rows)
        self._bands, self._rows = bands, rows
        self._signatures: Signatures = np.empty((0, SLOTS), np.uint32)
        self._index = KeyIndex()

    def __len__(self) -> int:
        return len(self._signatures)

    @property
    def nbytes(self) -> int:
        """All memory held, in bytes."""
        return self._signatures.nbytes + self._index.nbytes

    def insert(self, signatures: Signatures) -> int:
        """File signatures at the next positions; the first of them."""
        keys = band_keys(signatures, self._bands, self._rows)
        self._signatures = np.concatenate((self._signatures, signatures))
        return self._index.insert(keys, np.zeros(len(keys), np.int64))

    def find(
        self, signatures: Signatures, threshold: float, threads: int = 1
    ) -> tuple[Starts, Positions, NDArray[np.float32]]:
        """(starts, positions, shares): query i's matches, most alike first, then oldest."""
        if not 0 <= threshold <= 1:
            raise ValueError(
                f"threshold: expected a share 0..1, found {threshold:f}: pass 0.5 for one half"
            )
        keys = band_keys(signatures, self._bands, self._rows)
        starts, candidates = self._index.find(keys, threads)
        rows = [
            self._matches(query, candidates[start:end], ceil(threshold * SLOTS - 1e-9))
            for query, (start, end) in zip(signatures, pairwise(starts.tolist()), strict=True)
        ]
        shares = [equal / SLOTS for _, equal in rows]
        return *joined([positions for positions, _ in rows]), flat(shares, np.float32)

    def _matches(
        self, query: Signatures, candidates: Positions, wanted: int
    ) -> tuple[Positions, NDArray[np.intp]]:
        equal = np.count_nonzero(self._signatures[candidates] == query, axis=1)
        best = np.argsort(-equal, kind="stable")
        best = best[equal[best] >= wanted]
        return candidates[best], equal[best]


def band_keys(signatures: Signatures, bands: int, rows: int) -> Keys:
    """The key of each band of each signature: a fold over its rows, started from its number.

    >>> band_keys(np.arange(128, dtype=np.uint32)[None], bands=2, rows=1).tolist()
    [[17148648726716389900, 3642135671146379249]]
    """
    check_bands(bands, rows)
    check_signatures(signatures)
    keys = np.empty((len(signatures), bands), np.uint64)
    for band in range(bands):
        key = np.full(len(signatures), mix(np.array([band + GOLDEN], np.uint64))[0])
        for row in range(rows):
            key = mix(key ^ signatures[:, band * rows + row]) * np.uint64(GOLDEN)
        keys[:, band] = key
    return keys


def bits_set(values: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """How many bits of each value are set."""
    counts: NDArray[np.uint8] = ONES[values.view(np.uint8)].reshape(-1, 8).sum(1, dtype=np.uint8)
    return counts


def flat(rows: Sequence[Any], dtype: DTypeLike) -> NDArray[Any]:
    """All rows in one array."""
    return np.concatenate([np.empty(0, dtype), *rows]).astype(dtype)


def joined(rows: Sequence[Any]) -> tuple[Starts, Positions]:
    """Where each row starts, and all rows in one array."""
    starts = np.cumsum([0, *map(len, rows)]).astype(np.uint64)
    return starts, flat(rows, np.uint32)


def ragged(keys: Keys, starts: Starts) -> Iterator[list[int]]:
    """The row of keys between each start and the next."""
    check(keys, "keys", np.uint64, axes=1)
    check_starts(starts, len(keys))
    return (keys[a:b].tolist() for a, b in pairwise(starts.tolist()))


def check(array: NDArray[Any], name: str, dtype: type[np.generic], axes: int) -> None:
    """Raise, saying how to make one, unless this is a C-contiguous array of that type."""
    remedy = f"pass np.ascontiguousarray({name}, dtype=np.{dtype.__name__})"
    wanted = f"{name}: expected a C-contiguous {dtype.__name__} array with {axes} "
    wanted += "axis" if axes == 1 else "axes"
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{wanted}, found {type(array).__name__}: {remedy}")
    found = f"{array.dtype} of shape {array.shape}"
    if array.dtype != dtype:
        raise TypeError(f"{wanted}, found {found}: {remedy}")
    if array.ndim != axes:
        raise ValueError(f"{wanted}, found {found}: reshape it")
    if not array.flags.c_contiguous:
        raise ValueError(f"{wanted}, found strides: {remedy}")


def check_threads(threads: int) -> None:
    """Raise unless it is a number of threads; one does the work here."""
    if not 0 <= threads <= MAX_THREADS:
        raise ValueError(
            f"threads: expected 0 (all cores) to 1024, found {threads}: "
            "pass the number of cores to use"
        )


def check_bands(bands: int, rows: int) -> None:
    """Raise unless a signature has room for the bands."""
    if bands < 1 or rows < 1 or bands * rows > SLOTS:
        raise ValueError(
            "expected bands >= 1, rows >= 1 and bands * rows <= 128, found "
            f"{bands} bands of {rows} rows: lower one of them"
        )


def check_signatures(signatures: Signatures) -> None:
    """Raise unless these are signatures of 128 lanes."""
    check(signatures, "signatures", np.uint32, axes=2)
    if signatures.shape[1] != SLOTS:
        raise ValueError(
            f"signatures: expected 128 lanes a row, found {signatures.shape[1]}: "
            "make them with 128 slots"
        )


def check_times(times: NDArray[np.int64], articles: int) -> None:
    """Raise unless there is a time for each article."""
    check(times, "times", np.int64, axes=1)
    if len(times) != articles:
        raise ValueError(
            f"times: expected one for each of {articles} articles, found {len(times)}: "
            "pass as many as rows"
        )
    missing = np.flatnonzero(times == NOT_A_TIME)
    if len(missing):
        raise ValueError(
            f"times: expected seconds above -2**63, found -2**63 (NaT) at {missing[0]}: "
            "give that article a time"
        )


def check_starts(starts: Starts, keys: int) -> None:
    """Raise unless the offsets rise from 0 to the number of keys."""
    check(starts, "starts", np.uint64, axes=1)
    edges = starts.tolist()
    if not edges or edges[0] != 0 or edges[-1] != keys or edges != sorted(edges):
        raise ValueError(
            f"starts: expected n + 1 offsets rising from 0 to the number of keys, {keys}, found "
            "others: pass np.concatenate(([0], np.cumsum(lengths))).astype(np.uint64)"
        )
