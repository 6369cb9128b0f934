"""Shelves: articles found by their keys, in memory.

A store that keeps articles elsewhere brings them here by the day: an article stands on the shelf of
the day it was published, one without a date on that of the day it was seen, in a room apart.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.config.units import FIRST, LAST, MICROSECOND, to_micros
from nearcopy.fingerprint.blocking_keys import Keys
from nearcopy.models import Fingerprint

UNDATED = 1 << 32  # the first shelf of the room for those without a date
DAY = timedelta(days=1) // MICROSECOND
NEVER = -(1 << 62)  # no date

AGES = timedelta(days=36_525)  # in a window as wide are more days than shelves: all of them
FILED_AT_ONCE = 50_000  # at least, when a window is read
MANY = 10_000  # articles
FEW_OF_TITLE = 6  # keys of a title with no more of them: one in common is enough
CANDIDATES = 64  # of one article, at least, where there are so many
UNDER_TERM = 500  # articles, at least; a term that more of them hold finds nothing
PAIRS = 4_000_000  # there is time to look at; among so few that all fit, nothing is left out
TITLE, TERM = 1, 3  # the last two bits of their keys
# How much a key in common is worth, and how much of it makes a candidate: two of the weak ones.
# One that is strong is worth more than all others together.
OF_TERM, OF_TITLE, STRONG, ENOUGH = 2, 3, 1 << 9, 4
# The index counts terms, titles and strong keys in one number, by the last two bits of a key.
COUNT_BITS = 20
COUNTED = np.array([1 << 2 * COUNT_BITS, 1 << COUNT_BITS, 1 << 2 * COUNT_BITS, 1], np.uint64)
TWO_TERMS = 2  # or anything else: one term is not enough
ANY_NUMBER = (1 << 32) - 1

Numbers = NDArray[np.int64]


class Filed(NamedTuple):
    """An article as it is filed: its number, when it was published and seen, its keys."""

    number: int
    published: int | None
    seen: int | None
    keys: bytes  # as little-endian 64-bit integers


def filed(number: int, article: Fingerprint, keys: Keys) -> Filed:
    """An article, to be filed."""
    packed = keys.astype("<u8", copy=False).tobytes()
    return Filed(number, to_micros(article.published), to_micros(article.seen), packed)


def shelf_of(published: int | None, seen: int | None) -> int:
    """The number of the shelf that an article stands on."""
    return UNDATED + (seen or 0) // DAY if published is None else published // DAY


def shelves_around(article: Fingerprint, window: timedelta) -> Iterator[int]:
    """The shelves to look at for an article, but for the dated ones of an undated."""
    published, seen, width = (
        to_micros(article.published),
        to_micros(article.seen),
        window // MICROSECOND,
    )
    if published is not None:
        first, last = days_around(published, published, width)
        yield from range(first, last + 1)
    if seen is not None:
        first, last = days_around(seen, seen, width)
        yield from range(UNDATED + first, UNDATED + last + 1)


def days_around(first: int, last: int, width: int) -> tuple[int, int]:
    """The first and the last day within a width of two times; there are none beyond the years."""
    return max(first - width, FIRST) // DAY, min(last + width, LAST) // DAY


def most_candidates(filed: int) -> int:
    """How many articles are looked at for one, where so many are filed.

    What is left out depends on the order of arrival, so nothing is as long as they are few.
    """
    return max(CANDIDATES, PAIRS // max(1, filed))


def most_under_term(filed: int) -> int:
    """How many articles a term may be in to find them, where so many are filed."""
    return max(UNDER_TERM, PAIRS // max(1, filed))


class Shelves:
    """Articles under their keys; a number stands for each."""

    def __init__(self) -> None:
        self._index = kernels.KeyIndex()
        self._removed = 0
        self._numbers, self._published, self._seen = array("q"), array("q"), array("q")
        self._of_title = array("q")  # how many keys of its title each has
        self._ascending = True  # whether the numbers are

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def nbytes(self) -> int:
        """The memory held."""
        return self._index.nbytes + 4 * 8 * len(self)

    @property
    def at_once(self) -> int:
        """How many of very many to file at once: more the more there are, as all are moved."""
        return max(FILED_AT_ONCE, len(self) // 4)

    def elsewhere(self, shelves: Collection[int]) -> int:
        """How many articles stand on other shelves than these."""
        published, seen = _view(self._published) // DAY, _view(self._seen) // DAY
        standing = np.where(_view(self._published) == NEVER, UNDATED + seen, published)
        return int((~np.isin(standing, list(shelves))).sum())

    def file(self, articles: Sequence[Filed]) -> None:
        """File articles under their keys."""
        flat = np.frombuffer(b"".join(article.keys for article in articles), "<u8")
        starts = _starts(len(article.keys) // 8 for article in articles)
        for column in (self._numbers, self._published, self._seen, self._of_title):
            del column[len(self._index) + self._removed :]  # what an interrupt left of another call
        start = max(0, len(self._numbers) - 1)
        self._numbers.extend(article.number for article in articles)
        self._ascending &= bool(np.all(np.diff(_view(self._numbers)[start:]) > 0))
        self._published.extend(NEVER if a.published is None else a.published for a in articles)
        self._seen.extend(NEVER if a.seen is None else a.seen for a in articles)
        self._of_title.extend(_title_counts(flat, starts).tolist())
        self._index.insert(flat.astype(np.uint64, copy=False), starts)

    def remove(self, numbers: Collection[int]) -> None:
        """Take articles off the shelves, where they are on them."""
        if numbers:
            places = self._places(np.fromiter(numbers, np.int64))
            ever = len(self._index) + self._removed
            try:
                self._index.remove(places.astype(np.uint32))
            finally:  # an interrupt may come just then
                self._removed = ever - len(self._index)

    def _places(self, numbers: Numbers) -> Numbers:
        """Where articles stand that are on the shelves."""
        filed = _view(self._numbers)
        if not self._ascending:
            return np.flatnonzero(np.isin(filed, numbers))
        places: Numbers = np.searchsorted(filed, numbers)
        present = np.isin(numbers, filed[places[places < len(filed)]])
        return places[present]

    def older(self, before: int) -> list[int]:
        """The articles published before a time, else seen, those taken off among them."""
        published = _view(self._published)
        times = np.where(published == NEVER, _view(self._seen), published)
        old: list[int] = _view(self._numbers)[(times != NEVER) & (times < before)].tolist()
        return old

    def keep_first(self, count: int) -> None:
        """Take all off the shelves that was filed after so many."""
        ever = len(self._index) + self._removed
        try:
            self._index.remove(np.arange(count, ever, dtype=np.uint32))
        finally:
            self._removed = ever - len(self._index)

    @property
    def mostly_gone(self) -> bool:
        """Whether what was taken off takes more room than what is there."""
        return self._removed > max(MANY, len(self._index))

    def find(
        self,
        probes: Sequence[tuple[Fingerprint, Keys]],
        window: timedelta | None,
        limit: int | None,
        existing: Callable[[list[int]], Collection[int]],
    ) -> list[tuple[list[int], int]]:
        """For each probe the articles in the window that share a key, and how many are left out.

        Beyond the limit those that share the most are given, of these the first filed.
        Removed articles stay in the index: `existing` returns those still stored, so that
        removed articles do not take the place of others.
        """
        limit = most_candidates(len(self)) if limit is None else limit
        rows, positions, common = self._sharing([keys for _, keys in probes])
        if window is not None:
            near = self._within([article for article, _ in probes], rows, positions, window)
            rows, positions, common = rows[near], positions[near], common[near]
        ends = np.searchsorted(rows, np.arange(len(probes) + 1))
        numbers = _view(self._numbers)[positions]
        return [
            (numbers[start:end].tolist(), 0)
            if end - start <= limit
            else _strongest(numbers[start:end], common[start:end], limit, existing)
            for start, end in pairwise(ends.tolist())
        ]

    def _sharing(self, keys: Sequence[Keys]) -> tuple[Numbers, NDArray[np.uint32], Numbers]:
        """The rows and the positions that share enough keys, ascending, and how much they share."""
        flat, starts = _joined(keys), _starts(map(len, keys))
        kind = flat & np.uint64(3)
        most = np.where(kind == TERM, most_under_term(len(self)), ANY_NUMBER).astype(np.uint32)
        ends, positions, shared = self._index.find(flat, starts, COUNTED[kind], most, TWO_TERMS)
        rows = np.repeat(np.arange(len(keys)), np.diff(ends).astype(np.int64))
        strong, titles, terms = (
            (shared >> np.uint64(place * COUNT_BITS)).astype(np.int64) & (1 << COUNT_BITS) - 1
            for place in (2, 1, 0)
        )
        probe_counts, indexed_counts = (
            _title_counts(flat, starts)[rows],
            _view(self._of_title)[positions],
        )
        of_title = np.where(
            np.minimum(probe_counts, indexed_counts) <= FEW_OF_TITLE, ENOUGH, OF_TITLE
        )
        common = STRONG * strong + of_title * titles + OF_TERM * terms
        enough = common >= ENOUGH
        return rows[enough], positions[enough], common[enough]

    def _within(
        self,
        probes: Sequence[Fingerprint],
        rows: Numbers,
        positions: NDArray[np.uint32],
        window: timedelta,
    ) -> NDArray[np.bool_]:
        """By when both were published, where both say so; else by when they came in."""
        published = np.array([_or_never(to_micros(probe.published)) for probe in probes], np.int64)
        seen = np.array([_or_never(to_micros(probe.seen)) for probe in probes], np.int64)
        probe_times, indexed_times = published[rows], _view(self._published)[positions]
        undated = (probe_times == NEVER) | (indexed_times == NEVER)
        probe_times = np.where(undated, seen[rows], probe_times)
        indexed_times = np.where(undated, _view(self._seen)[positions], indexed_times)
        unknown = (probe_times == NEVER) | (indexed_times == NEVER)
        near: NDArray[np.bool_] = unknown | (
            abs(probe_times - indexed_times) <= window // MICROSECOND
        )
        return near


def _strongest(
    numbers: Numbers, common: Numbers, limit: int, existing: Callable[[list[int]], Collection[int]]
) -> tuple[list[int], int]:
    """Of many those with the most in common, and how many are left out."""
    still = np.isin(numbers, np.array(sorted(existing(numbers.tolist())), np.int64))
    numbers, common = numbers[still], common[still]
    best: list[int] = numbers[np.argsort(-common, kind="stable")[:limit]].tolist()
    return best, max(0, len(numbers) - limit)


def _title_counts(flat: Keys, starts: NDArray[np.uint64]) -> Numbers:
    """How many keys of its title each row has."""
    before = np.concatenate([[0], np.cumsum(flat & np.uint64(3) == TITLE)]).astype(np.int64)
    counts: Numbers = np.diff(before[starts.astype(np.int64)])
    return counts


def _or_never(time: int | None) -> int:
    return NEVER if time is None else time


def _view(numbers: "array[int]") -> Numbers:
    return np.frombuffer(numbers, np.int64) if numbers else np.zeros(0, np.int64)


def _starts(lengths: Iterable[int]) -> NDArray[np.uint64]:
    counts = list(lengths)
    starts = np.zeros(len(counts) + 1, np.uint64)
    np.cumsum(counts, out=starts[1:])
    return starts


def _joined(rows: Sequence[Keys]) -> Keys:
    return np.concatenate(rows) if rows else np.zeros(0, np.uint64)
