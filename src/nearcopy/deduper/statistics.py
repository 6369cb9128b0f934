"""Statistics: counts of articles, stories and mistakes, and latency percentiles of each day."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil, log2
from threading import Lock
from typing import NamedTuple

from nearcopy.errors import BadPolicy
from nearcopy.models import RELATION_RANK, Relation
from nearcopy.stores import Store
from nearcopy.stores.base import ArticleCounts, LatencyCounts

EPOCH = date(1970, 1, 1)
BUCKETS_PER_DOUBLING = 8  # of a latency, which is known to within 9 %
MAX_BUCKET = 40 * BUCKETS_PER_DOUBLING  # twelve days
MAX_COUNTS = 4096  # held in memory while nothing is written
KEPT_DAYS = 4  # of these, once there are more; a day has 642 at most


class Latency(NamedTuple):
    """Percentiles of the time that an operation took."""

    times: int
    median: timedelta
    p95: timedelta
    p99: timedelta


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of the articles inserted since a day, of the feedback on them, and latencies."""

    since: date | None  # None: all
    articles: int
    duplicates: int
    relations: dict[Relation, int]  # of story members to the kept copy
    relations_by_day: dict[date, dict[Relation, int]]  # by the day of insertion
    sources: dict[str | None, ArticleCounts]  # most articles first
    days: dict[date, ArticleCounts]  # of insertion
    stories: int
    sizes: dict[int, int]  # the number of stories by their number of articles
    feedback: int  # labelled pairs
    false_alarms: int
    misses: int
    times: dict[str, Latency]  # of "check" and "add"
    times_by_day: dict[date, dict[str, Latency]]

    @property
    def duplicate_rate(self) -> float | None:
        """The share of duplicates among the articles; None where there are none."""
        return self.duplicates / self.articles if self.articles else None


def count(store: Store, days: int | None, now: datetime, unsaved: LatencyCounts) -> Stats:
    """The statistics of the last `days`, today included, or of all.

    `unsaved` are latencies that the store does not have yet.
    """
    since = _first_day(days, now)
    first = None if since is None else (since - EPOCH).days
    counts = store.count_articles(first)
    recent = {key: n for key, n in unsaved.items() if first is None or key[0] >= first}
    latencies = add_counts(store.latencies(first), recent)
    mistakes = [
        feedback.mistake
        for feedback in store.all_feedback()
        if since is None or feedback.when.date() >= since
    ]
    return Stats(
        since=since,
        articles=sum(day.articles for day in counts.days.values()),
        duplicates=sum(day.duplicates for day in counts.days.values()),
        relations=counts.relations,
        relations_by_day=_by_day(counts.related),
        sources=dict(sorted(counts.sources.items(), key=lambda s: (-s[1].articles, s[0] or ""))),
        days={_date(day): counts.days[day] for day in sorted(counts.days)},
        stories=sum(counts.sizes.values()),
        sizes=dict(sorted(counts.sizes.items())),
        feedback=len(mistakes),
        false_alarms=mistakes.count("false alarm"),
        misses=mistakes.count("miss"),
        times=summarize(latencies),
        times_by_day=summarize_by_day(latencies),
    )


def _first_day(days: int | None, now: datetime) -> date | None:
    if days is None:
        return None
    if isinstance(days, bool) or not isinstance(days, int) or days < 1:
        raise BadPolicy(f"days is {days!r}: give a whole number above zero, or None for all")
    today = now.date()
    return today - timedelta(days=min(days - 1, (today - date.min).days))


def _date(day: int) -> date:
    return EPOCH + timedelta(days=day)


def _by_day(related: dict[tuple[int, Relation], int]) -> dict[date, dict[Relation, int]]:
    table: dict[date, dict[Relation, int]] = {}
    for day, relation in sorted(related, key=lambda key: (key[0], RELATION_RANK[key[1]])):
        table.setdefault(_date(day), {})[relation] = related[day, relation]
    return table


class LatencyHistogram:
    """The latencies of this process that are not in a store yet, in logarithmic buckets.

    It is thread-safe, and bounded: of many counts only the last days stay.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts = Counter[tuple[int, str, int]]()

    @property
    def counts(self) -> LatencyCounts:
        """A copy of the counts, by day since 1970, operation and bucket."""
        with self._lock:
            return dict(self._counts)

    def record(self, day: date, operation: str, seconds: float, times: int = 1) -> None:
        """Count an operation that took this long."""
        number = (day - EPOCH).days
        with self._lock:
            self._counts[number, operation, bucket_of(seconds)] += times
            if len(self._counts) > MAX_COUNTS:
                recent = {k: n for k, n in self._counts.items() if k[0] > number - KEPT_DAYS}
                self._counts = Counter(recent)

    def subtract(self, saved: LatencyCounts) -> None:
        """Remove counts that were saved; what was recorded since stays."""
        with self._lock:
            self._counts -= Counter(saved)  # only positive counts stay


def bucket_of(seconds: float) -> int:
    """The bucket of a latency: the first is a microsecond, eight more are twice as long.

    >>> [bucket_of(seconds) for seconds in (0, 1e-6, 2e-6, 0.001)]
    [0, 0, 8, 80]
    """
    bucket = ceil(BUCKETS_PER_DOUBLING * log2(max(seconds, 1e-9) * 1e6))
    return min(max(bucket, 0), MAX_BUCKET)


def upper_bound(bucket: int) -> timedelta:
    """The longest latency of a bucket."""
    return timedelta(microseconds=round(2 ** (bucket / BUCKETS_PER_DOUBLING)))


def add_counts(one: LatencyCounts, other: LatencyCounts) -> LatencyCounts:
    """The sum of both histograms."""
    return {**one, **{key: one.get(key, 0) + n for key, n in other.items()}}


def summarize(counts: LatencyCounts) -> dict[str, Latency]:
    """The latency of each operation."""
    histograms = defaultdict[str, Counter[int]](Counter)
    for (_, operation, bucket), n in counts.items():
        histograms[operation][bucket] += n
    return {operation: _percentiles(histograms[operation]) for operation in sorted(histograms)}


def summarize_by_day(counts: LatencyCounts) -> dict[date, dict[str, Latency]]:
    """The latency of each operation on each day."""
    days: dict[int, dict[tuple[int, str, int], int]] = {}
    for key, n in counts.items():
        days.setdefault(key[0], {})[key] = n
    return {_date(day): summarize(days[day]) for day in sorted(days)}


def _percentiles(histogram: Mapping[int, int]) -> Latency:
    total = sum(histogram.values())
    median, p95, p99 = (_percentile(histogram, share * total) for share in (0.5, 0.95, 0.99))
    return Latency(total, median, p95, p99)


def _percentile(histogram: Mapping[int, int], rank: float) -> timedelta:
    cumulative = 0
    for bucket in sorted(histogram):
        cumulative += histogram[bucket]
        if cumulative >= rank:
            return upper_bound(bucket)
    return timedelta(0)
