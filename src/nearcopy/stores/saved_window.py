"""How a window is kept on disk: opened by a fresh process, and saved by whichever process is ahead.

A process saves when it holds more in memory than a fresh one should have to read. It adds a run to
the chain, merged with the last ones unless these are larger, so that a chain has few runs and an
article is rarely written again. Days that nobody has queried since the last save are dropped when
they are a fifth of the chain.
"""

import logging
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nearcopy.match.candidate_index import (
    IndexedArticle,
    IndexRun,
    Numbers,
    partition_day,
    partition_days,
)
from nearcopy.stores.window_cache import WindowCache
from nearcopy.stores.window_files import Chain, RunFile, WindowFiles, article_digest

MAX_UNSAVED = 4096  # articles: loaded in a third of a second
EARLIEST = -(1 << 40)  # before all days
NEVER = 1 << 40  # after all days
DROPPED_SHARE = 4  # of the articles that stay: so many that are not needed are dropped
WITNESSES = 16  # of a run, half of them its last articles
log = logging.getLogger("nearcopy")


class WindowSource(Protocol):
    """What the window needs to know of a store, all of one state."""

    @property
    def last_number(self) -> int:
        """The sequence number up to which the window cache is complete."""

    def identity(self) -> str:
        """What names the store, its recipe and the version of its keys."""

    def removals(self) -> str | None:
        """How often articles were removed."""

    def all_partitions(self) -> set[int]:
        """Every day partition that holds an article."""

    def count(self, partitions: Collection[int]) -> int:
        """The number of articles in these partitions."""

    def load_batch(self, partitions: Sequence[int]) -> None:
        """Load partitions into the window cache."""

    def index_entries(self, numbers: Collection[int]) -> Iterable[IndexedArticle]:
        """Those of the articles that are stored."""

    def existing(self, numbers: list[int]) -> Collection[int]:
        """The sequence numbers of those that are stored."""


class Plan(NamedTuple):
    """A chain to write: the runs that stay, and from which article of the index on to add one."""

    first_day: int
    runs: tuple[RunFile, ...]
    begin: int


class SavedWindow:
    """The window of a store on disk."""

    def __init__(self, files: WindowFiles | None, source: WindowSource) -> None:
        self._files, self._source = files, source
        self.max_unsaved = MAX_UNSAVED

    def open(self, cache: WindowCache) -> None:
        """Map the chain, if there is one of this state of the store."""
        mapped = self._files and self._files.map_chain()
        if mapped and self._is_usable(mapped[0]):
            cache.attach(*mapped)

    def discard(self, reason: object) -> None:
        """Delete the chain, and say why."""
        if self._files:
            self._files.discard(str(reason))

    def is_due(self, cache: WindowCache) -> bool:
        """Whether the cache holds so much that is not saved that `save` should be called."""
        return self._files is not None and len(cache.index) - cache.settled > self.max_unsaved

    def save(self, cache: WindowCache) -> None:
        """Save what is in memory, or forget it where another process has saved more."""
        if not self._files:
            return
        try:
            with self._files.lock() as locked:
                if locked:
                    self._save(cache, self._files)
        except BufferError as damaged:
            self.discard(damaged)
            cache.clear()
        except OSError as error:
            self._files = None
            log.warning("the window is not kept on disk, so opening takes longer: %s", error)
        cache.settled = len(cache.index)  # what could not be saved is not tried again at once

    def _save(self, cache: WindowCache, files: WindowFiles) -> None:
        current = files.read_chain()
        is_current = current is not None and current == cache.chain
        if current and not is_current and self._is_usable(current):
            cache.clear()  # the next query maps it
            return
        plan = self._plan(cache, is_current=is_current)
        if plan is None:
            return
        run = cache.index.export(self._rows(cache, plan))
        chain = self._write(files, plan, run)
        mapped = files.map_chain()
        if mapped and mapped[0] == chain:
            cache.attach(*mapped)
        cache.days_required = None

    def _is_usable(self, chain: Chain) -> bool:
        """Whether the chain is of this store; one that is not is deleted."""
        if chain.last_number > self._source.last_number:
            return False  # by a process that has seen more, or of a store that has lost something
        reason = self._mismatch(chain)
        if reason:
            self.discard(reason)
        return not reason

    def _mismatch(self, chain: Chain) -> str | None:
        """Why the chain is of another store, if it is."""
        if chain.identity != self._source.identity():
            return "it is of another store, recipe or version"
        witnesses = {n: digest for run in chain.runs for n, digest in run.witnesses.items()}
        entries = self._source.index_entries(witnesses)
        stored = {entry.number: article_digest(entry) for entry in entries}
        if any(digest != witnesses[number] for number, digest in stored.items()):
            return "it is of other articles"
        if not stored.keys() & chain.runs[-1].witnesses.keys():
            return "its newest articles are gone"
        return None

    # What is written.

    def _plan(self, cache: WindowCache, *, is_current: bool) -> Plan | None:
        """What to write; None where it is too little."""
        first, last = cache.days_required or (NEVER, EARLIEST)
        self._load_after(cache, last)
        start = max(first, self._complete_from(cache))
        days, chain = partition_days(cache.index.partitions()), cache.chain
        if start <= last and (chain is None or self._is_better(cache, chain.first_day, start)):
            plan = Plan(start, (), 0)
        elif chain is None:
            return None
        elif is_current:
            plan = self._merge(chain, int((days[cache.mapped :] >= chain.first_day).sum()))
        else:
            plan = Plan(chain.first_day, (), 0)
        count = int((days[plan.begin :] >= plan.first_day).sum())
        return plan if 2 * count > self.max_unsaved else None

    def _load_after(self, cache: WindowCache, last: int) -> None:
        """Load the partitions after those queried, where they are small: of dates that are wrong.

        A chain has all articles from its first day on.
        """
        later = {p for p in self._source.all_partitions() if partition_day(p) > last}
        missing = sorted(cache.missing(later))
        if missing and self._source.count(missing) <= self.max_unsaved:
            self._source.load_batch(missing)

    def _complete_from(self, cache: WindowCache) -> int:
        """The first day from which on all partitions are loaded."""
        missing = cache.missing(self._source.all_partitions())
        return max(map(partition_day, missing), default=EARLIEST) + 1

    def _is_better(self, cache: WindowCache, first_day: int, start: int) -> bool:
        """Whether a chain from another first day on is worth writing it as a whole."""
        days = partition_days(cache.index.partitions())
        if start < first_day:
            gained = (days[cache.mapped :] >= start) & (days[cache.mapped :] < first_day)
            return int(gained.sum()) > self.max_unsaved
        needed, others = (
            int((days >= start).sum()),
            int(((days >= first_day) & (days < start)).sum()),
        )
        return needed // DROPPED_SHARE < others <= needed

    def _merge(self, chain: Chain, count: int) -> Plan:
        """A run of the newest articles and of the last runs, unless these are larger."""
        runs = list(chain.runs)
        while runs and runs[-1].articles <= 2 * count:
            count += runs.pop().articles
        return Plan(chain.first_day, tuple(runs), sum(run.articles for run in runs))

    def _rows(self, cache: WindowCache, plan: Plan) -> NDArray[np.bool_]:
        """Which articles of the index go into the new run: those that are still stored."""
        numbers = cache.index.numbers
        rows = partition_days(cache.index.partitions()) >= plan.first_day
        rows[: plan.begin] = False
        chosen = numbers[rows].tolist()
        stored = self._source.existing(chosen)
        if len(stored) < len(chosen):
            rows &= np.isin(numbers, np.array(sorted(stored), np.int64))
        return rows

    def _write(self, files: WindowFiles, plan: Plan, run: IndexRun) -> Chain:
        source = self._source
        entries = source.index_entries(_sample(run.numbers))
        witnesses = {entry.number: article_digest(entry) for entry in entries}
        file = files.write_run(run, source.removals(), witnesses)
        chain = Chain(source.identity(), plan.first_day, source.last_number, (*plan.runs, file))
        files.replace_chain(chain)
        if not plan.runs:
            log.info("the window of %d articles is kept in %s", file.articles, files.folder)
        return chain


def _sample(numbers: Numbers) -> list[int]:
    """Some of the articles: the last ones, and others from all over."""
    half = WITNESSES // 2
    places = np.linspace(0, len(numbers) - 1, half if len(numbers) else 0).astype(np.int64)
    return sorted({*numbers[-half:].tolist(), *numbers[places].tolist()})
