"""The window cache: the candidate index of the days queried, and recently used fingerprints.

A store that keeps its articles in a database looks candidates up in an index of its own. It loads
the day partitions of a window when they are first queried, and adds what was inserted since. So a
lookup does not grow with what lies outside the window. What was loaded once is kept on disk
(`saved_window`): a fresh process maps it, and reads only what was inserted since.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from typing import Protocol

import numpy as np

from nearcopy.config.units import MICROSECOND, to_micros
from nearcopy.match.candidate_index import (
    ALL_DAYS,
    CandidateIndex,
    IndexedArticle,
    IndexRun,
    day_partition,
    day_partitions_around,
    days_around,
    partition_day,
    partition_days,
)
from nearcopy.models import Fingerprint
from nearcopy.stores.base import Candidates, Probe
from nearcopy.stores.window_files import Chain

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
        self.fingerprints: OrderedDict[int, Fingerprint] = OrderedDict()
        self.clear()

    def clear(self) -> None:
        """Forget all partitions."""
        self.index = CandidateIndex()
        self.partitions: frozenset[int] = frozenset()
        self.chain: Chain | None = None  # that is mapped: the partitions from its first day on
        self.runs: Sequence[IndexRun] = ()  # of the chain
        self.settled = 0  # articles in the index that need not be saved
        self.days_required: tuple[int, int] | None = None  # since the last save, first and last

    @property
    def is_empty(self) -> bool:
        """Whether nothing is loaded."""
        return not self.partitions and self.chain is None

    @property
    def mapped(self) -> int:
        """The number of articles in the runs of the chain: the first of the index."""
        return sum(len(run.numbers) for run in self.runs)

    def covers(self, partition: int) -> bool:
        """Whether all articles of the partition are loaded."""
        mapped = self.chain is not None and partition_day(partition) >= self.chain.first_day
        return mapped or partition in self.partitions

    def missing(self, partitions: Iterable[int]) -> set[int]:
        """Those of the partitions that are not loaded."""
        return {partition for partition in partitions if not self.covers(partition)}

    def require(self, partitions: Collection[int]) -> set[int]:
        """Those that are not loaded, of the partitions that a query needs."""
        if partitions:
            days = [partition_day(partition) for partition in partitions]
            days += self.days_required or ()
            self.days_required = min(days), max(days)
        return self.missing(partitions)

    def attach(self, chain: Chain, runs: Sequence[IndexRun]) -> None:
        """Replace the chain, and keep what else is loaded and is not in it."""
        partitions = self.index.partitions()
        self.partitions = frozenset(
            partition for partition in self.partitions if partition_day(partition) < chain.first_day
        )
        others = np.isin(partitions, np.array(sorted(self.partitions), np.int64))
        newer = self.index.numbers > chain.last_number
        others |= newer & (partition_days(partitions) >= chain.first_day)
        others[: self.mapped] = False
        rest = self.index.export(others)
        self.index, self.chain, self.runs = CandidateIndex(), chain, runs
        for run in (*runs, rest):
            self.index.attach(run)
        self.settled = self.mapped

    def evict(self, partitions: set[int]) -> bool:
        """Start over if too many articles of other partitions are in memory; whether it did."""
        in_memory = self.index.partitions()[self.mapped :]
        outside = ~np.isin(in_memory, np.array(sorted(partitions), np.int64))
        if int(outside.sum()) <= MAX_OTHER_ARTICLES:
            return False
        self.partitions = frozenset()
        if self.chain:
            self.attach(self.chain, self.runs)
        else:
            self.clear()
        return True

    def load(self, partitions: Iterable[int], articles: Iterable[IndexedArticle]) -> None:
        """Add all articles of partitions that are not loaded yet."""
        rows = iter(articles)
        while batch := list(islice(rows, self.index.batch_size)):
            self.index.add(batch)
        self.partitions |= set(partitions)

    def add(self, articles: Iterable[IndexedArticle]) -> None:
        """Add new articles, where their partition is loaded."""
        self.index.add([a for a in articles if self.covers(day_partition(a.published, a.seen))])

    def recall(self, numbers: Iterable[int]) -> dict[int, Fingerprint]:
        """The fingerprints that are kept; those least recently recalled are evicted first."""
        kept = {n: item for n in numbers if (item := self.fingerprints.get(n)) is not None}
        for number in kept:
            self.fingerprints.move_to_end(number)
        return kept

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
