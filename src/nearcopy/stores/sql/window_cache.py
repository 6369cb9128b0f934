"""The window cache of an SQL store, kept in step with the database by sequence number.

It adds what others inserted since the last transaction, and rolls back what a failed transaction
put into it. It is the source of the window that is kept on disk.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple

from nearcopy.match.candidate_index import DAY, IndexedArticle, day_partition
from nearcopy.models import Fingerprint
from nearcopy.stores.base import Candidates, Probe
from nearcopy.stores.saved_window import SavedWindow
from nearcopy.stores.sql.database import ArticleIds, Database, State
from nearcopy.stores.sql.fingerprints import SELECT, SqlFingerprints
from nearcopy.stores.window_cache import WindowCache, collect_candidates, required_partitions
from nearcopy.stores.window_files import Chain, WindowFiles

MIN_BATCH, MAX_BATCHES = 4, 8  # partitions read at once: a lost connection loses one batch only
# The narrowest of the tables with all articles, so that this hardly ever waits for a disk.
EXISTING = "SELECT number FROM arrivals WHERE number IN ({})"
IDENTITY = """
SELECT name, value FROM settings WHERE name IN ('recipe', 'keys')
UNION ALL SELECT 'created', CAST(applied_at AS TEXT) FROM migrations WHERE number = 1 ORDER BY 1
"""


class _Committed(NamedTuple):
    """What of the cache reflects committed transactions."""

    indexed: int
    partitions: frozenset[int]
    chain: Chain | None
    last_number: int
    removals: str | None
    removals_when_empty: str | None


class SqlWindow:
    """The articles of the window queried."""

    def __init__(self, database: Database, ids: ArticleIds, fingerprints: SqlFingerprints) -> None:
        self._database, self._ids, self._stored = database, ids, fingerprints
        folder = database.window_folder
        self._saved = SavedWindow(WindowFiles(folder) if folder else None, self)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.cache = WindowCache()
        self.last_number = 0  # up to which the cache is complete
        self._removals: str | None = None  # their count
        self._removals_when_empty: str | None = None  # their count when the index was empty
        self._verified: set[int] = set()  # fingerprints that exist since the last removal
        self._removed: set[int] = set()  # in the index, but no longer stored
        self._known_days: set[tuple[int, int]] = set()
        self.is_changed = False  # whether the transaction wrote anything
        self._committed: _Committed | None = None
        self.commit()

    def commit(self) -> None:
        """Everything in the cache is committed: a later rollback leaves it."""
        self._committed = _Committed(
            len(self.cache.index),
            self.cache.partitions,
            self.cache.chain,
            self.last_number,
            self._removals,
            self._removals_when_empty,
        )

    def _commit_reads(self) -> None:
        """What a transaction read before it wrote anything holds even if it fails."""
        if not self.is_changed:
            self.commit()

    def roll_back(self) -> None:
        """Forget what a failed transaction put into the cache."""
        committed = self._committed
        if (
            committed is None
            or committed.chain is not self.cache.chain
            or self.cache.index.mostly_removed
        ):
            self.reset()
            return
        self.cache.index.truncate(committed.indexed)
        self.cache.partitions = committed.partitions
        self.last_number, self._removals = committed.last_number, committed.removals
        self._removals_when_empty = committed.removals_when_empty
        for number in [n for n in self.cache.fingerprints if n > committed.last_number]:
            del self.cache.fingerprints[number]
        self._verified.clear()
        self._removed.clear()
        self._known_days.clear()

    def catch_up(self, state: State) -> None:
        """Add what others inserted, and note that they removed something."""
        removals, latest = state.get("removals"), int(state.get("numbers", 0))
        if removals != self._removals:
            self._removals = removals
            self._verified.clear()
        if not len(self.cache.index):
            self._removals_when_empty = removals
        if not self.cache.is_empty and latest > self.last_number:
            self._add_between(self.last_number, latest)
        self.last_number = latest
        self._commit_reads()

    def _add_between(self, after: int, last: int) -> None:
        rows = self._database.run(
            f"{SELECT} WHERE number > ? AND number <= ? ORDER BY number", (after, last)
        )
        self.cache.add(self._stored.entries(rows))

    def add(self, articles: Sequence[IndexedArticle]) -> None:
        """Add articles that this transaction inserted."""
        self.cache.add(articles)
        self.last_number = articles[-1].number

    def find_candidates(
        self, probes: Sequence[Probe], window: timedelta | None, limit: int | None = None
    ) -> list[Candidates]:
        required = required_partitions(self, probes, window)
        self.load(required)
        try:
            matches = self.cache.index.find(probes, window, limit, self.existing)
        except BufferError as damaged:
            self._saved.discard(damaged)
            self.cache.clear()
            self._committed = None
            self.load(required)
            matches = self.cache.index.find(probes, window, limit, self.existing)
        fingerprints = self.fingerprints({n for numbers, _ in matches for n in numbers})
        self._ids.add((number, item.id) for number, item in fingerprints.items())
        return collect_candidates(matches, fingerprints)

    def existing(self, numbers: list[int]) -> list[int]:
        """Those that were not removed, by this process or another."""
        if self._removals == self._removals_when_empty:
            return numbers
        return [number for (number,) in self._database.select_in(EXISTING, numbers)]

    def all_partitions(self) -> set[int]:
        rows = self._database.run("SELECT DISTINCT day_partition FROM partition_days")
        return {partition for (partition,) in rows}

    def partitions_added(self, first: int, last: int) -> set[int]:
        rows = self._database.run(
            "SELECT day_partition FROM partition_days WHERE day BETWEEN ? AND ?", (first, last)
        )
        return {partition for (partition,) in rows}

    def save_days(self, articles: Sequence[IndexedArticle]) -> None:
        """Record on which days articles of a partition were added."""
        days = {
            ((row.seen or 0) // DAY, day_partition(row.published, row.seen)) for row in articles
        }
        for day in sorted(days - self._known_days):
            self._database.run(
                "INSERT INTO partition_days VALUES (?, ?) ON CONFLICT DO NOTHING", day
            )
        self._known_days |= days

    # The window on disk.

    def save_if_due(self) -> None:
        """Save what was loaded or added, once it is much; within a transaction that only reads."""
        if self.is_save_due:
            self._saved.save(self.cache)
            self._commit_reads()

    @property
    def is_save_due(self) -> bool:
        """Whether there is much to save."""
        return self._saved.is_due(self.cache)

    def identity(self) -> str:
        return repr(self._database.run(IDENTITY))

    def removals(self) -> str | None:
        return self._removals

    def count(self, partitions: Collection[int]) -> int:
        statement = "SELECT count(*) FROM fingerprints WHERE day_partition IN ({})"
        return sum(count for (count,) in self._database.select_in(statement, partitions))

    def index_entries(self, numbers: Collection[int]) -> Iterator[IndexedArticle]:
        rows = self._database.select_in(f"{SELECT} WHERE number IN ({{}})", numbers)
        return self._stored.entries(rows)

    def _open(self) -> None:
        """Map what is on disk, and read what was inserted since."""
        self._saved.open(self.cache)
        if self.cache.chain:
            self._add_between(self.cache.chain.last_number, self.last_number)
            removals = (run.removals for run in self.cache.chain.runs)
            others = (count for count in removals if count != self._removals)
            self._removals_when_empty = next(others, self._removals)
            self._commit_reads()

    # Partitions.

    def load(self, partitions: set[int]) -> None:
        """Load these partitions, in batches."""
        if partitions and self.cache.is_empty:
            self._open()
        missing = self.cache.require(partitions)
        if missing and self.cache.evict(partitions):
            missing = self.cache.missing(partitions)
            self._removed.clear()
            self._committed = None
            self._commit_reads()
        ordered = sorted(missing)
        size = max(MIN_BATCH, -(-len(ordered) // MAX_BATCHES))
        for start in range(0, len(ordered), size):
            self.load_batch(ordered[start : start + size])

    def load_batch(self, partitions: Sequence[int]) -> None:
        """Load partitions; if the transaction fails later they stay."""
        rows = self._database.stream_in(
            f"{SELECT} WHERE day_partition IN ({{}}) AND number <= ?",
            partitions,
            self.last_number,
        )
        self.cache.load(partitions, self._stored.entries(rows))
        self._commit_reads()

    def fingerprints(self, numbers: Collection[int]) -> dict[int, Fingerprint]:
        """The fingerprints of those that are still stored."""
        self._verify([n for n in numbers if n in self.cache.fingerprints])
        cached = self.cache.recall(numbers)
        missing = [n for n in numbers if n not in cached and n not in self._removed]
        loaded = self._stored.select(missing)
        self._removed.update(n for n in missing if n not in loaded)
        self.remember(loaded)
        return cached | loaded

    def _verify(self, numbers: Collection[int]) -> None:
        """Drop cached fingerprints of articles that another process removed."""
        unsure = [number for number in numbers if number not in self._verified]
        self._verified.update(n for (n,) in self._database.select_in(EXISTING, unsure))
        for number in unsure:
            if number not in self._verified:
                del self.cache.fingerprints[number]
                self._removed.add(number)

    def remember(self, fingerprints: dict[int, Fingerprint]) -> None:
        """Cache fingerprints that are stored."""
        self._verified.update(fingerprints)
        self._verified.difference_update(self.cache.remember(fingerprints))

    def erase(self, numbers: Collection[int], removals: int) -> None:
        """Forget the fingerprints of articles that this transaction removes.

        `removals` is their count from now on.
        """
        self._removals = str(removals)
        for number in numbers:
            self.cache.fingerprints.pop(number, None)
