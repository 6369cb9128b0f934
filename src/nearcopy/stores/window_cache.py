"""The window cache: the candidate index of the days queried, and recently used fingerprints.

A store that keeps its articles in a database looks candidates up in memory. It loads the day
partitions of a window when they are first queried, and adds what was inserted since. So a lookup
does not grow with what lies outside the window, and a fresh process reads the window once.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from typing import Protocol

from nearcopy.config.units import MICROSECOND, to_micros
from nearcopy.match.candidate_index import (
    ALL_DAYS,
    CandidateIndex,
    IndexedArticle,
    day_partition,
    day_partitions_around,
    days_around,
)
from nearcopy.models import Fingerprint
from nearcopy.stores.base import Candidates, Probe

MAX_FINGERPRINTS = 50_000  # about 3 KB each
MAX_OTHER_ARTICLES = 1_000_000  # outside the window queried, half a KB each

Matches = list[tuple[list[int], int]]  # for each probe sequence numbers, and how many are truncated


class PartitionDays(Protocol):
    """On which days the articles of each day partition were added."""

    def all_partitions(self) -> set[int]:
        """Every partition that holds an article."""

    def partitions_added(self, first: int, last: int) -> set[int]:
        """The partitions of articles that were added between two days."""


def required_partitions(
    days: PartitionDays, probes: Sequence[Probe], window: timedelta | None
) -> set[int]:
    """The day partitions in which candidates of these articles may be."""
    if window is None or window > ALL_DAYS:
        return days.all_partitions()
    articles = [article for article, _ in probes]
    partitions = {part for article in articles for part in day_partitions_around(article, window)}
    times = (to_micros(article.seen) for article in articles if article.published is None)
    undated = [time for time in times if time is not None]
    if undated:  # compared with whatever was added about then, of any date
        partitions |= days.partitions_added(
            *days_around(min(undated), max(undated), window // MICROSECOND)
        )
    return partitions


class WindowCache:
    """Articles by their keys, of the day partitions loaded; a sequence number names each."""

    def __init__(self) -> None:
        self.index = CandidateIndex()
        self.partitions: frozenset[int] = frozenset()
        self.fingerprints: OrderedDict[int, Fingerprint] = OrderedDict()

    def evict(self, partitions: set[int]) -> bool:
        """Start over if too many articles of other partitions are in memory; whether it did."""
        if self.index.count_outside(partitions) <= MAX_OTHER_ARTICLES:
            return False
        self.index, self.partitions = CandidateIndex(), frozenset()
        return True

    def load(self, partitions: Iterable[int], articles: Iterable[IndexedArticle]) -> None:
        """Add all articles of partitions that are not loaded yet."""
        rows = iter(articles)
        while batch := list(islice(rows, self.index.batch_size)):
            self.index.add(batch)
        self.partitions |= set(partitions)

    def add(self, articles: Iterable[IndexedArticle]) -> None:
        """Add new articles, where their partition is loaded."""
        self.index.add(
            [a for a in articles if day_partition(a.published, a.seen) in self.partitions]
        )

    def remember(self, fingerprints: Mapping[int, Fingerprint]) -> list[int]:
        """Keep fingerprints; the numbers of the oldest, which are evicted."""
        self.fingerprints.update(fingerprints)
        excess = max(0, len(self.fingerprints) - MAX_FINGERPRINTS)
        return [self.fingerprints.popitem(last=False)[0] for _ in range(excess)]


def collect_candidates(
    matches: Matches, fingerprints: Mapping[int, Fingerprint]
) -> list[Candidates]:
    """The candidates of each probe that are still stored."""
    return [
        Candidates([fingerprints[n] for n in numbers if n in fingerprints], truncated)
        for numbers, truncated in matches
    ]
