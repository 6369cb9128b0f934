"""Shelves: articles filed under keys in memory, a shelf for each day.

An article stands on the shelf of the day it was published; one without a date on that of the day it
was seen, in a room apart.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.model import Fingerprint
from nearcopy.stores.base import Keys

UNDATED = 1 << 32  # the first shelf of the room for those without a date
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)

Numbers = NDArray[np.int64]


def shelf_of(article: Fingerprint) -> int:
    """The number of the shelf that an article stands on."""
    if article.published is not None:
        return day(article.published)
    return UNDATED + (day(article.seen) if article.seen is not None else 0)


def day(moment: datetime) -> int:
    """The days since 1970, in UTC."""
    return (moment - EPOCH) // DAY


def spans(article: Fingerprint, window: timedelta) -> Iterator[tuple[int, int]]:
    """The shelves to look at for an article, from and to, but for the dated ones of an undated."""
    if article.published is not None:
        yield day(article.published - window), day(article.published + window)
    if article.seen is not None:
        yield UNDATED + day(article.seen - window), UNDATED + day(article.seen + window)


class Shelf:
    """Articles under their keys; a number stands for each."""

    def __init__(self) -> None:
        self._index = kernels.KeyIndex()
        self._numbers = array("q")

    @property
    def nbytes(self) -> int:
        """The memory held."""
        return self._index.nbytes + 8 * len(self._numbers)

    def file(self, numbers: Iterable[int], keys: Sequence[Keys]) -> None:
        """File an article under each row of keys."""
        flat, starts = _ragged(keys)
        self._index.insert_ragged(flat, starts, np.zeros(len(keys), np.int64))
        self._numbers.extend(numbers)

    def find(self, keys: Sequence[Keys]) -> list[Numbers]:
        """The articles that share a key with each row."""
        starts, positions = self._index.find_ragged(*_ragged(keys))
        numbers = np.frombuffer(self._numbers, np.int64)[positions]
        return np.split(numbers, starts[1:-1].astype(np.int64))

    def strongest(self, keys: Keys) -> dict[int, int]:
        """How many keys each article shares with one row."""
        _, positions = self._index.find(keys[:, None])
        numbers, counts = np.unique(
            np.frombuffer(self._numbers, np.int64)[positions], return_counts=True
        )
        return dict(zip(numbers.tolist(), counts.tolist(), strict=True))


def _ragged(rows: Sequence[Keys]) -> tuple[Keys, NDArray[np.uint64]]:
    starts = np.zeros(len(rows) + 1, np.uint64)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    return (np.concatenate(rows) if rows else np.zeros(0, np.uint64)), starts


class Shelves:
    """All shelves of a store that are in memory."""

    def __init__(self) -> None:
        self._shelves: dict[int, Shelf] = {}

    def __contains__(self, shelf: int) -> bool:
        return shelf in self._shelves

    def __iter__(self) -> Iterator[int]:
        return iter(self._shelves)

    @property
    def nbytes(self) -> int:
        """The memory held."""
        return sum(shelf.nbytes for shelf in self._shelves.values())

    def open(self, shelf: int) -> Shelf:
        """A shelf, new and empty where there is none."""
        return self._shelves.setdefault(shelf, Shelf())

    def drop(self, shelves: Iterable[int]) -> None:
        """Take shelves out of memory."""
        for shelf in shelves:
            self._shelves.pop(shelf, None)

    def find(
        self, keys: Sequence[Keys], shelves: Sequence[set[int]], limit: int
    ) -> list[tuple[list[int], int]]:
        """For each row of keys the articles on its shelves that share one, and how many are left
        out: beyond the limit those with the most keys in common come first, then the newest."""
        found: list[list[int]] = [[] for _ in keys]
        for number in set().union(*shelves) & self._shelves.keys():
            rows = [row for row, wanted in enumerate(shelves) if number in wanted]
            on_shelf = self._shelves[number].find([keys[row] for row in rows])
            for row, numbers in zip(rows, on_shelf, strict=True):
                found[row] += numbers.tolist()
        return [
            (numbers, 0)
            if len(numbers) <= limit
            else (self._strongest(keys[row], shelves[row], limit), len(numbers) - limit)
            for row, numbers in enumerate(found)
        ]

    def _strongest(self, keys: Keys, shelves: set[int], limit: int) -> list[int]:
        counts: dict[int, int] = {}
        for number in shelves & self._shelves.keys():
            counts |= self._shelves[number].strongest(keys)
        return sorted(counts, key=lambda each: (-counts[each], -each))[:limit]
