"""The key index: an inverted index from 64-bit blocking keys to articles, in memory.

Articles are numbered 0, 1, 2 ... in insertion order: their positions. Rows of keys come end to end:
row i is `keys[starts[i]:starts[i + 1]]`, and so do the answers to many queries.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice, pairwise
from sys import getsizeof
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearcopy.config import SLOTS
from nearcopy.kernels.reference.hashes import GOLDEN
from nearcopy.kernels.reference.sketches import mix

Starts = NDArray[np.uint64]
Positions = NDArray[np.uint32]
Keys = NDArray[np.uint64]
Weights = NDArray[np.uint64]
Signatures = NDArray[np.uint32]


class KeyIndex:
    """Articles indexed by 64-bit keys.

    The compiled index keeps 44 bits of a mixed key. It never misses an article, and it confuses two
    keys with a probability of about 2^-44, so candidates have to be verified.

    >>> index = KeyIndex()
    >>> index.insert(np.array([1, 2, 2, 3], np.uint64), starts=np.array([0, 2, 4], np.uint64))
    0
    >>> query, weights = np.array([2], np.uint64), np.array([1], np.uint64)
    >>> index.find(query, np.array([0, 1], np.uint64), weights, weights.astype(np.uint32) * 9, 1)[1]
    array([0, 1], dtype=uint32)
    """

    def __init__(self) -> None:
        self._postings: defaultdict[int, set[int]] = defaultdict(set)
        self._keys: dict[int, set[int]] = {}  # of the live articles
        self._next = 0

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def nbytes(self) -> int:
        """All memory held, in bytes, without the integers."""
        sets = (*self._postings.values(), *self._keys.values())
        return sum(map(getsizeof, (self._postings, self._keys, *sets)))

    def insert(self, keys: Keys, starts: Starts) -> int:
        """Index article i by `keys[starts[i]:starts[i + 1]]`; return the position of the first."""
        first = self._next
        for row in list(split_rows(keys, starts)):
            for key in row:
                self._postings[key].add(self._next)
            self._keys[self._next] = set(row)
            self._next += 1
        return first

    def find(
        self,
        keys: Keys,
        starts: Starts,
        weights: Weights,
        max_articles: NDArray[np.uint32],
        min_weight: int,
    ) -> tuple[Starts, Positions, Weights]:
        """(starts, positions, weights): the live articles that share keys with row i, ascending.

        The weight of an article is the sum of the weights of the shared keys; articles below
        `min_weight` are left out. A key of more than its `max_articles` counts nothing.
        """
        rows = list(split_rows(keys, starts))
        for name, values, dtype in (
            ("weights", weights, np.uint64),
            ("max_articles", max_articles, np.uint32),
        ):
            check_array(values, name, dtype, axes=1)
            if len(values) != len(keys):
                raise ValueError(
                    f"{name}: expected one for each of {len(keys)} keys, found {len(values)}: "
                    "pass as many as keys"
                )
        limits = zip(weights.tolist(), max_articles.tolist(), strict=True)
        totals = [
            self._sum_weights(list(zip(row, islice(limits, len(row)), strict=True))) for row in rows
        ]
        matches = [
            sorted((position, weight) for position, weight in total.items() if weight >= min_weight)
            for total in totals
        ]
        columns = np.array([pair for row in matches for pair in row], np.uint64).reshape(-1, 2)
        ends = np.cumsum([0, *map(len, matches)]).astype(np.uint64)
        return ends, columns[:, 0].astype(np.uint32), columns[:, 1].copy()

    def remove(self, positions: Positions) -> None:
        """Remove articles; removing one twice is no error."""
        check_array(positions, "positions", np.uint32, axes=1)
        for position in positions.tolist():
            if position >= self._next:
                raise IndexError(
                    f"positions: expected positions returned by insert, found {position}: "
                    "nothing was removed"
                )
        for position in positions.tolist():
            for key in self._keys.pop(position, ()):
                self._postings[key].discard(position)

    def _sum_weights(self, row: list[tuple[int, tuple[int, int]]]) -> Counter[int]:
        total: Counter[int] = Counter()
        for key, (weight, max_articles) in row:
            positions = self._postings.get(key, set())
            if weight and len(positions) <= max_articles:
                total.update(dict.fromkeys(positions, weight))
        return total


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


def split_rows(keys: Keys, starts: Starts) -> Iterator[list[int]]:
    """The row of keys between each start and the next."""
    check_array(keys, "keys", np.uint64, axes=1)
    check_starts(starts, len(keys))
    return (keys[a:b].tolist() for a, b in pairwise(starts.tolist()))


def check_array(array: NDArray[Any], name: str, dtype: type[np.generic], axes: int) -> None:
    """Raise unless this is a C-contiguous array of that type."""
    remedy = f"pass np.ascontiguousarray({name}, dtype=np.{dtype.__name__})"
    expected = f"{name}: expected a C-contiguous {dtype.__name__} array with {axes} "
    expected += "axis" if axes == 1 else "axes"
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{expected}, found {type(array).__name__}: {remedy}")
    actual = f"{array.dtype} of shape {array.shape}"
    if array.dtype != dtype:
        raise TypeError(f"{expected}, found {actual}: {remedy}")
    if array.ndim != axes:
        raise ValueError(f"{expected}, found {actual}: reshape it")
    if not array.flags.c_contiguous:
        raise ValueError(f"{expected}, found strides: {remedy}")


def check_bands(bands: int, rows: int) -> None:
    """Raise unless a signature has room for the bands."""
    if bands < 1 or rows < 1 or bands * rows > SLOTS:
        raise ValueError(
            "expected bands >= 1, rows >= 1 and bands * rows <= 128, found "
            f"{bands} bands of {rows} rows: lower one of them"
        )


def check_signatures(signatures: Signatures) -> None:
    """Raise unless these are signatures of 128 lanes."""
    check_array(signatures, "signatures", np.uint32, axes=2)
    if signatures.shape[1] != SLOTS:
        raise ValueError(
            f"signatures: expected 128 lanes a row, found {signatures.shape[1]}: "
            "make them with 128 slots"
        )


def check_starts(starts: Starts, keys: int) -> None:
    """Raise unless the offsets rise from 0 to the number of keys."""
    check_array(starts, "starts", np.uint64, axes=1)
    edges = starts.tolist()
    if not edges or edges[0] != 0 or edges[-1] != keys or edges != sorted(edges):
        raise ValueError(
            f"starts: expected n + 1 offsets rising from 0 to the number of keys, {keys}, found "
            "others: pass np.concatenate(([0], np.cumsum(lengths))).astype(np.uint64)"
        )
