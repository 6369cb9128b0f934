"""What an SQL store has in memory: the keys of the days looked at, and fingerprints.

It catches up with what others added by number, and what a lost step put there is forgotten.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice
from typing import NamedTuple

from nearcopy.errors import NearcopyError, StoreError
from nearcopy.fingerprint.blocking_keys import Keys
from nearcopy.match.candidate_index import (
    AGES,
    Filed,
    Shelves,
    days_around,
    shelf_of,
    shelves_around,
)
from nearcopy.models.model import Fingerprint
from nearcopy.models.timestamps import MICROSECOND, micros, moment
from nearcopy.stores.base import Found
from nearcopy.stores.row_codec import FingerprintRow, fingerprint_of
from nearcopy.stores.sql.actions import SqlActs
from nearcopy.stores.sql.database import State
from nearcopy.stores.sql.feedback import SqlFeedback
from nearcopy.stores.sql.settings import SqlSettings
from nearcopy.stores.sql.stories import NONE, Came, Names, SqlStories

REMEMBERED = 50_000  # fingerprints kept in memory, about 3 KB each
KEPT_IN_MEMORY = 1_000_000  # articles beyond those of the window looked at, half a KB each
FEWEST_SHELVES, MOST_PARTS = 4, 8  # that the window is read in, lest a cut loses all of it
FILED = "number, published, seen, keys"
FINGERPRINT = ", ".join(FingerprintRow._fields)
# In the narrowest of the tables that have all, so that this hardly ever waits for a disk.
THERE = "SELECT number FROM arrivals WHERE number IN ({})"


class Lasting(NamedTuple):
    """What of the memory of a store is of what lasts."""

    filed: int  # on the shelves, those first
    loaded: frozenset[int]
    caught_up: int
    removals: str | None
    removals_when_empty: str | None


class SqlMemory(SqlSettings, SqlStories, SqlFeedback, SqlActs):
    """The part of the store that has the window in memory, and sees to it that it is true."""

    _lasting: Lasting | None

    def _forget_memory(self) -> None:
        self._term_counts = None
        self._shelves = Shelves()
        self._loaded: frozenset[int] = frozenset()  # the shelves in memory
        self._caught_up = 0
        self._removals: str | None = None  # the count of them
        self._removals_when_empty: str | None = None  # the count when the shelves were
        self._fingerprints: OrderedDict[int, Fingerprint] = OrderedDict()
        self._sure: set[int] = set()  # those that were there since the last removal
        self._gone: set[int] = set()  # on the shelves still, and not there
        self._noted_days: set[tuple[int, int]] = set()
        self._changes = self._lost = False  # whether this step changes anything, the last was lost
        self._settle()

    def _settle(self) -> None:
        """What is in memory now is of what lasts: a step that is lost leaves it as it is."""
        filed = len(self._shelves), self._loaded, self._caught_up
        self._lasting = Lasting(*filed, self._removals, self._removals_when_empty)

    def _forget_step(self) -> None:
        """Forget what a lost step put into memory, and keep what was there or read before."""
        kept = self._lasting
        if kept is None or self._shelves.mostly_gone:
            self._forget_memory()
            return
        self._shelves.keep_first(kept.filed)
        self._loaded, self._caught_up = kept.loaded, kept.caught_up
        self._removals, self._removals_when_empty = kept.removals, kept.removals_when_empty
        for number in [n for n in self._fingerprints if n > kept.caught_up]:
            del self._fingerprints[number]
        self._sure.clear()
        self._gone.clear()
        self._term_counts = None
        self._noted_days.clear()
        self._lost = True

    def _is_where_it_was(self) -> bool:
        """Whether what lasted when a step was lost is still there."""
        return True

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What is read inside is of one moment."""
        try:
            with self._database.step(writes=False) as state, self._knowing():
                self._catch_up(state)
                yield
        except StoreError:  # something may be in memory in part
            self._forget_step()
            raise
        except NearcopyError:
            raise
        except BaseException:  # an interrupt may have come while something was put into memory
            self._forget_memory()
            raise

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What is read and written inside is one step."""
        try:
            with self._database.step(writes=True) as state, self._knowing():
                self._catch_up(state)
                yield
        except NearcopyError:  # numbers that were taken back will be given to others
            self._forget_step()
            self._run = None
            raise
        except BaseException:
            self._forget_memory()
            self._run = None
            raise
        self._settle()

    @contextmanager
    def _knowing(self) -> Iterator[None]:
        """What is found of ids holds as long as a step."""
        self._known = Names()
        self._unlinked = NONE
        self._changes = False
        if self._lost and not self._is_where_it_was():
            self._forget_memory()
        self._lost = False
        try:
            yield
        finally:
            self._known = None
            self._nothing_told = self._nothing_kept = False

    def _catch_up(self, state: State) -> None:
        """Take note of what others added and removed since the last step."""
        removals, latest = state.get("removals"), int(state.get("numbers", 0))
        if latest < self._caught_up:  # this is a store from before what is in memory
            self._forget_memory()
        self._nothing_told, self._nothing_kept = "told" not in state, "kept" not in state
        if removals != self._removals:
            self._removals = removals
            self._sure.clear()
        if not len(self._shelves):
            self._removals_when_empty = removals
        if self._loaded and latest > self._caught_up:
            fresh = f"SELECT {FILED} FROM article_keys WHERE number > ? ORDER BY number"
            rows = map(Filed._make, self._database.run(fresh, (self._caught_up,)))
            self._shelves.file([r for r in rows if shelf_of(r.published, r.seen) in self._loaded])
        self._caught_up = latest
        self._settle_unchanged()

    def _settle_unchanged(self) -> None:
        """What a step read before it changed anything lasts, whatever becomes of it."""
        if not self._changes:
            self._settle()

    def find(
        self,
        probes: Sequence[tuple[Fingerprint, Keys]],
        window: timedelta | None,
        limit: int | None = None,
    ) -> list[Found]:
        """For each probe the articles that share a key and may be within the window."""
        self._load(self._wanted([article for article, _ in probes], window))
        matches = self._shelves.find(probes, window, limit, self._there)
        fingerprints = self._by_number({number for numbers, _ in matches for number in numbers})
        if self._known is not None:
            self._known.learn(
                (number, fingerprint.id) for number, fingerprint in fingerprints.items()
            )
        return [
            Found([fingerprints[number] for number in numbers if number in fingerprints], left_out)
            for numbers, left_out in matches
        ]

    def _there(self, numbers: list[int]) -> list[int]:
        """Those of the numbers that were not removed, by this process or another."""
        if self._removals == self._removals_when_empty:
            return numbers
        return [number for (number,) in self._database.among(THERE, numbers)]

    def _wanted(self, articles: Sequence[Fingerprint], window: timedelta | None) -> set[int]:
        """The shelves to look at."""
        if window is None or window > AGES:
            return {
                shelf for (shelf,) in self._database.run("SELECT DISTINCT shelf FROM shelf_days")
            }
        selected = {shelf for article in articles for shelf in shelves_around(article, window)}
        came_in = (micros(article.seen) for article in articles if article.published is None)
        undated = [when for when in came_in if when is not None]
        if undated:  # they may be something to whatever came in about then, of whatever date
            days = days_around(min(undated), max(undated), window // MICROSECOND)
            came = self._database.run(
                "SELECT shelf FROM shelf_days WHERE day BETWEEN ? AND ?", days
            )
            selected |= {shelf for (shelf,) in came}
        return selected

    def _load(self, shelves: set[int]) -> None:
        """Have these shelves in memory, and not too much else."""
        missing = shelves - self._loaded
        if missing and self._shelves.elsewhere(shelves) > KEPT_IN_MEMORY:
            self._shelves, self._loaded, missing = Shelves(), frozenset(), shelves
            self._gone.clear()
            self._lasting = None
            self._settle_unchanged()
        ordered = sorted(missing)
        size = max(FEWEST_SHELVES, -(-len(ordered) // MOST_PARTS))
        for start in range(0, len(ordered), size):
            self._load_part(ordered[start : start + size])

    def _load_part(self, missing: Sequence[int]) -> None:
        """Have these shelves in memory; a step that is lost later keeps them."""
        rows = self._database.stream(
            f"SELECT {FILED} FROM article_keys WHERE shelf IN ({{}}) AND number <= ?",
            missing,
            self._caught_up,
        )
        articles = map(Filed._make, rows)
        while batch := list(islice(articles, self._shelves.at_once)):
            self._shelves.file(batch)
        self._loaded |= set(missing)
        self._settle_unchanged()

    def _by_number(self, numbers: Collection[int]) -> dict[int, Fingerprint]:
        """The fingerprints of those that are still there."""
        self._make_sure_of([n for n in numbers if n in self._fingerprints])
        cached = {n: self._fingerprints[n] for n in numbers if n in self._fingerprints}
        missing = [n for n in numbers if n not in cached and n not in self._gone]
        rows = self._database.among(
            f"SELECT number, {FINGERPRINT} FROM fingerprints WHERE number IN ({{}})", missing
        )
        read = {number: fingerprint_of(FingerprintRow(*row)) for number, *row in rows}
        self._gone.update(n for n in missing if n not in read)
        self._remember(read)
        return cached | read

    def _came(self, numbers: Collection[int]) -> dict[int, Came]:
        """The same as what is asked of the database, without a way there for those in memory."""
        here = {
            n: fingerprint
            for n in numbers
            if (fingerprint := self._fingerprints.get(n)) is not None
        }
        came = super()._came([n for n in numbers if n not in here])
        for number, fingerprint in here.items():
            times = (
                moment(micros(fingerprint.published)),
                moment(micros(fingerprint.seen)),
            )  # as they are stored
            came[number] = Came(fingerprint.id, *times)
        return came

    def _make_sure_of(self, numbers: Collection[int]) -> None:
        """Forget those in memory that somebody has removed."""
        unsure = [number for number in numbers if number not in self._sure]
        self._sure.update(number for (number,) in self._database.among(THERE, unsure))
        for number in unsure:
            if number not in self._sure:
                del self._fingerprints[number]
                self._gone.add(number)

    def _remember(self, read: dict[int, Fingerprint]) -> None:
        self._fingerprints.update(read)
        self._sure.update(read)
        while len(self._fingerprints) > REMEMBERED:
            number, _ = self._fingerprints.popitem(last=False)
            self._sure.discard(number)
