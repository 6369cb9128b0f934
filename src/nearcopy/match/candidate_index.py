"""The candidate index: articles found by their blocking keys, in memory.

Stores that keep articles elsewhere load them by day partition: that of the day of publication, or
for undated articles that of the day of arrival, in a range of its own.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.config.units import FIRST, LAST, MICROSECOND, NO_TIME, to_micros
from nearcopy.fingerprint.blocking_keys import Keys
from nearcopy.match.eligibility import within_window
from nearcopy.models import Fingerprint

UNDATED = 1 << 32  # the first partition of undated articles
DAY = timedelta(days=1) // MICROSECOND
ALL_DAYS = timedelta(days=36_525)  # a window of this width includes all partitions
MIN_BATCH = 50_000  # articles, when a window is loaded
MIN_REMOVED = 10_000  # articles, before the index is rebuilt
FEW_TITLE_KEYS = 6  # with no more keys than this, one shared title key suffices
MIN_CANDIDATES = 64  # of one article
MIN_TERM_ARTICLES = 500  # terms of more articles find nothing
MAX_PAIRS = 4_000_000  # compared in all; below it no candidate is dropped
TITLE, TERM = 1, 3  # the last two bits of their keys
# The score of a shared key, and that of a candidate: two weak keys. A strong key scores more than
# all weak keys together.
TERM_SCORE, TITLE_SCORE, STRONG_SCORE, MIN_SCORE = 2, 3, 1 << 9, 4
# The index counts terms, titles and strong keys in one number, by the last two bits of a key.
COUNT_BITS = 20
KEY_COUNTS = np.array([1 << 2 * COUNT_BITS, 1 << COUNT_BITS, 1 << 2 * COUNT_BITS, 1], np.uint64)
MIN_TERMS = 2  # or any other key: one term is not enough
NO_LIMIT = (1 << 32) - 1

Numbers = NDArray[np.int64]


class IndexedArticle(NamedTuple):
    """An article in the index: its sequence number, times and keys."""

    number: int
    published: int | None
    seen: int | None
    keys: bytes  # as little-endian 64-bit integers


class IndexRun(NamedTuple):
    """Articles of an index as a file keeps them: a column of each field, and the keys' entries."""

    numbers: Numbers
    published: Numbers
    seen: Numbers
    title_counts: Numbers
    starts: NDArray[np.uint32]  # of the buckets of entries
    entries: Keys
    checksums: Keys  # of the blocks of entries, verified when read; none: not verified


def index_entry(number: int, article: Fingerprint, keys: Keys) -> IndexedArticle:
    """The entry of an article."""
    packed = keys.astype("<u8", copy=False).tobytes()
    return IndexedArticle(number, to_micros(article.published), to_micros(article.seen), packed)


def day_partition(published: int | None, seen: int | None) -> int:
    """The day partition of an article."""
    return UNDATED + (seen or 0) // DAY if published is None else published // DAY


def partition_day(partition: int) -> int:
    """The day of a partition: of publication, or of arrival.

    >>> partition_day(19_000), partition_day(UNDATED + 19_000), partition_day(UNDATED - 2)
    (19000, 19000, -2)
    """
    return partition if partition < UNDATED // 2 else partition - UNDATED


def partition_days(partitions: Numbers) -> Numbers:
    """The day of each partition."""
    return np.where(partitions < UNDATED // 2, partitions, partitions - UNDATED)


def day_partitions_around(article: Fingerprint, window: timedelta) -> Iterator[int]:
    """The partitions within the window of an article; for an undated one the undated ones only."""
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
    """The first and the last day within `width` of two times, clamped to the years 1 to 9999."""
    return max(first - width, FIRST) // DAY, min(last + width, LAST) // DAY


def candidate_limit(articles: int) -> int:
    """The most candidates of one article, in an index of this size.

    Which candidates are dropped depends on the order of arrival, so small indexes drop none.
    """
    return max(MIN_CANDIDATES, MAX_PAIRS // max(1, articles))


def max_term_articles(articles: int) -> int:
    """The most articles of a term that still finds candidates, in an index of this size."""
    return max(MIN_TERM_ARTICLES, MAX_PAIRS // max(1, articles))


class CandidateIndex:
    """The keys of articles, by sequence number."""

    def __init__(self) -> None:
        self._index = kernels.KeyIndex()
        self._removed = 0
        self._numbers, self._published, self._seen = array("q"), array("q"), array("q")
        self._of_title = array("q")  # the number of title keys of each
        self._columns = (self._numbers, self._published, self._seen, self._of_title)
        self._ascending = True  # whether the sequence numbers are

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def nbytes(self) -> int:
        """The memory in use, without the entries of attached runs."""
        return self._index.nbytes + 4 * 8 * len(self)

    @property
    def batch_size(self) -> int:
        """The number of articles to add at once: it grows with the index, which each add copies."""
        return max(MIN_BATCH, len(self) // 4)

    @property
    def numbers(self) -> Numbers:
        """The sequence number of each article."""
        return _view(self._numbers)

    def partitions(self) -> Numbers:
        """The day partition of each article."""
        published, seen = _view(self._published), _view(self._seen)
        arrival = np.where(seen == NO_TIME, 0, seen) // DAY
        return np.where(published == NO_TIME, UNDATED + arrival, published // DAY)

    def add(self, articles: Sequence[IndexedArticle]) -> None:
        """Add articles under their keys."""
        flat = np.frombuffer(b"".join(article.keys for article in articles), "<u8")
        starts = _starts(len(article.keys) // 8 for article in articles)
        for column in self._columns:
            del column[len(self._index) + self._removed :]  # left by an interrupted call
        start = max(0, len(self._numbers) - 1)
        self._numbers.extend(article.number for article in articles)
        self._ascending &= bool(np.all(np.diff(_view(self._numbers)[start:]) > 0))
        self._published.extend(NO_TIME if a.published is None else a.published for a in articles)
        self._seen.extend(NO_TIME if a.seen is None else a.seen for a in articles)
        self._of_title.extend(_title_counts(flat, starts).tolist())
        self._index.insert(flat.astype(np.uint64, copy=False), starts)

    def attach(self, run: IndexRun) -> None:
        """Add the articles of a run, which is queried in place."""
        columns = (run.numbers, run.published, run.seen, run.title_counts)
        for column, values in zip(self._columns, columns, strict=True):
            del column[len(self._index) + self._removed :]  # left by an interrupted call
            column.frombytes(np.ascontiguousarray(values, np.int64).data.cast("B"))
        self._ascending &= bool(np.all(np.diff(self.numbers) > 0))
        self._index.attach(run.starts, run.entries, run.checksums, len(run.numbers))

    def export(self, keep: NDArray[np.bool_]) -> IndexRun:
        """A run of the articles with `keep`, which has a value for each that was ever added."""
        starts, entries = self._index.export(keep.astype(np.uint8))
        numbers, published, seen, title_counts = (_view(column)[keep] for column in self._columns)
        checksums = kernels.block_checksums(entries)
        return IndexRun(numbers, published, seen, title_counts, starts, entries, checksums)

    def remove(self, numbers: Collection[int]) -> None:
        """Remove the articles with these sequence numbers, if present."""
        if numbers:
            self._remove(self._places(np.fromiter(numbers, np.int64)))

    def _remove(self, positions: Numbers) -> None:
        total = len(self._index) + self._removed
        try:
            self._index.remove(positions.astype(np.uint32))
        finally:  # also after an interrupt
            self._removed = total - len(self._index)

    def _places(self, numbers: Numbers) -> Numbers:
        """The positions of the articles that are present."""
        indexed = _view(self._numbers)
        if not self._ascending:
            return np.flatnonzero(np.isin(indexed, numbers))
        positions: Numbers = np.searchsorted(indexed, numbers)
        present = np.isin(numbers, indexed[positions[positions < len(indexed)]])
        return positions[present]

    def numbers_before(self, before: int) -> list[int]:
        """The articles published, or else seen, before a time, removed ones included."""
        published = _view(self._published)
        times = np.where(published == NO_TIME, _view(self._seen), published)
        numbers_before: list[int] = _view(self._numbers)[
            (times != NO_TIME) & (times < before)
        ].tolist()
        return numbers_before

    def truncate(self, count: int) -> None:
        """Remove all but the first `count` articles added."""
        self._remove(np.arange(count, len(self._index) + self._removed))

    @property
    def mostly_removed(self) -> bool:
        """Whether removed articles outnumber the present ones."""
        return self._removed > max(MIN_REMOVED, len(self._index))

    def find(
        self,
        probes: Sequence[tuple[Fingerprint, Keys]],
        window: timedelta | None,
        limit: int | None,
        existing: Callable[[list[int]], Collection[int]],
    ) -> list[tuple[list[int], int]]:
        """The candidates of each probe, and the number dropped beyond the limit.

        Args:
            probes: The fingerprint and the keys of each article to look up.
            window: The largest distance in time; None for no limit.
            limit: The most candidates of a probe; by default `candidate_limit`. Those with the
                highest score are kept, of equals the first added.
            existing: Returns those of some sequence numbers that are still stored, so that
                removed articles do not displace others.
        """
        limit = candidate_limit(len(self)) if limit is None else limit
        rows, positions, common = self._sharing([keys for _, keys in probes])
        if window is not None:
            published = _times(article.published for article, _ in probes)[rows]
            seen = _times(article.seen for article, _ in probes)[rows]
            indexed = _view(self._published)[positions], _view(self._seen)[positions]
            near = within_window((published, seen), indexed, window)
            rows, positions, common = rows[near], positions[near], common[near]
        numbers = _view(self._numbers)[positions]
        if not self._ascending:
            order = np.lexsort((numbers, rows))
            rows, numbers, common = rows[order], numbers[order], common[order]
        ends = np.searchsorted(rows, np.arange(len(probes) + 1))
        return [
            (numbers[start:end].tolist(), 0)
            if end - start <= limit
            else _select_best(numbers[start:end], common[start:end], limit, existing)
            for start, end in pairwise(ends.tolist())
        ]

    def _sharing(self, keys: Sequence[Keys]) -> tuple[Numbers, NDArray[np.uint32], Numbers]:
        """The rows and positions with a sufficient score, ascending, and the scores."""
        flat = np.concatenate(keys) if keys else np.zeros(0, np.uint64)
        starts = _starts(map(len, keys))
        kind = flat & np.uint64(3)
        most = np.where(kind == TERM, max_term_articles(len(self)), NO_LIMIT).astype(np.uint32)
        ends, positions, shared = self._index.find(flat, starts, KEY_COUNTS[kind], most, MIN_TERMS)
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
            np.minimum(probe_counts, indexed_counts) <= FEW_TITLE_KEYS, MIN_SCORE, TITLE_SCORE
        )
        common = STRONG_SCORE * strong + of_title * titles + TERM_SCORE * terms
        enough = common >= MIN_SCORE
        return rows[enough], positions[enough], common[enough]


def _select_best(
    numbers: Numbers, common: Numbers, limit: int, existing: Callable[[list[int]], Collection[int]]
) -> tuple[list[int], int]:
    """The stored candidates with the highest scores, and the number dropped."""
    stored = existing(numbers.tolist())
    if len(stored) < len(numbers):
        rows = np.isin(numbers, np.array(sorted(stored), np.int64))
        numbers, common = numbers[rows], common[rows]
    best: list[int] = numbers[np.argsort(-common, kind="stable")[:limit]].tolist()
    return best, max(0, len(numbers) - limit)


def checksum(words: Keys) -> int:
    """One checksum of many words."""
    while len(words) > 1:
        words = kernels.block_checksums(words)
    return int(words.sum())


def _title_counts(flat: Keys, starts: NDArray[np.uint64]) -> Numbers:
    """The number of title keys of each row."""
    before = np.concatenate([[0], np.cumsum(flat & np.uint64(3) == TITLE)]).astype(np.int64)
    counts: Numbers = np.diff(before[starts.astype(np.int64)])
    return counts


def _times(moments: Iterable[datetime | None]) -> Numbers:
    return np.array([NO_TIME if m is None else to_micros(m) for m in moments], np.int64)


def _view(numbers: "array[int]") -> Numbers:
    return np.frombuffer(numbers, np.int64) if numbers else np.zeros(0, np.int64)


def _starts(lengths: Iterable[int]) -> NDArray[np.uint64]:
    counts = list(lengths)
    starts = np.zeros(len(counts) + 1, np.uint64)
    np.cumsum(counts, out=starts[1:])
    return starts
