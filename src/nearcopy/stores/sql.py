"""The part of a store that is the same in every SQL database.

Articles are appended, with their keys beside them; who looks for keys has the days that it looks at
in memory and catches up with what others added by number. So a look-up never grows with what lies
outside the window, an added article is one short write, and a fresh process reads the window once.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

import numpy as np

from nearcopy.errors import NearcopyError, StoreError
from nearcopy.model import Article, Fingerprint
from nearcopy.stores.base import NO_RUNS, NONE, Counts, Entry, Found, Keys, Runs
from nearcopy.stores.rows import (
    FIRST,
    MICROSECOND,
    ArticleRow,
    FingerprintRow,
    article_rows,
    articles_of,
    fingerprint_of,
    fingerprint_row,
    micros,
    moment,
    whole,
    whole_or_none,
)
from nearcopy.stores.shelves import (
    DAY,
    Filed,
    Shelves,
    days_around,
    filed,
    shelf_of,
    shelves_around,
)
from nearcopy.stores.sql_acts import SqlActs
from nearcopy.stores.sql_database import STATE, Database, State
from nearcopy.stores.sql_feedback import SqlFeedback
from nearcopy.stores.sql_listing import SqlListing
from nearcopy.stores.sql_settings import SqlSettings
from nearcopy.stores.sql_stories import ENDS, SqlStories
from nearcopy.stores.sql_tally import SqlTally

REMEMBERED = 50_000  # fingerprints kept in memory, about 3 KB each
LISTED_AT_ONCE = 1000
KEPT_IN_MEMORY = 1_000_000  # articles beyond those of the window looked at, half a KB each
FEWEST_SHELVES, MOST_PARTS = 4, 8  # that the window is read in, lest a cut loses all of it
FILED = "number, published, seen, keys"
ARTICLE = ", ".join(ArticleRow._fields)
FINGERPRINT = ", ".join(FingerprintRow._fields)
BLANK = """
UPDATE articles
SET deleted = 1, title = '', text = substr(text, 1, 0), html = 0, url = NULL, canonical_url = NULL,
    source = NULL, language = NULL, tier = NULL
WHERE number IN ({})
"""
# By the index of dates: the sign keeps SQLite from that of what is deleted, which would have it go
# through all articles and sort them for every few.
OLDER = tuple(
    f"SELECT id, number, {time} FROM articles WHERE {there} AND {time} < ?"
    f" AND ({time}, number) > (?, ?) ORDER BY {time}, number LIMIT {LISTED_AT_ONCE}"
    for there, time in (
        ("+deleted = 0", "published"),
        ("deleted = 0 AND published IS NULL", "seen"),
    )
)
CLEARED = "deleted = 1 AND coalesce(published, seen) < ?"
# In the narrowest of the tables that have all, so that this hardly ever waits for a disk.
THERE = "SELECT number FROM arrivals WHERE number IN ({})"
DELETE = "DELETE FROM articles WHERE number IN ({})"
A_MOMENT = 0.2  # seconds


class Lasting(NamedTuple):
    """What of the memory of a store is of what lasts."""

    filed: int  # on the shelves, those first
    loaded: frozenset[int]
    caught_up: int
    removals: str | None
    removals_when_empty: str | None


class SqlStore(SqlSettings, SqlStories, SqlFeedback, SqlActs, SqlTally, SqlListing):
    """A store in a database."""

    # What goes by an article's number.
    parts: tuple[str, ...] = ("fingerprints", "article_keys", "arrivals", "members")
    _lasting: Lasting | None

    def __init__(self, database: Database) -> None:
        self.address = database.address
        self._database = database
        self._forget_memory()

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
        self._known = {}
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
        found = self._shelves.find(probes, window, limit, self._there)
        known = self._by_number({number for numbers, _ in found for number in numbers})
        if self._known is not None:
            self._known.update((each.id, number) for number, each in known.items())
        return [
            Found([known[number] for number in numbers if number in known], left_out)
            for numbers, left_out in found
        ]

    def _there(self, numbers: list[int]) -> list[int]:
        """Those of the numbers that were not removed, by this process or another."""
        if self._removals == self._removals_when_empty:
            return numbers
        return [number for (number,) in self._database.among(THERE, numbers)]

    def _wanted(self, articles: Sequence[Fingerprint], window: timedelta | None) -> set[int]:
        """The shelves to look at."""
        if window is None:
            return {
                shelf for (shelf,) in self._database.run("SELECT DISTINCT shelf FROM shelf_days")
            }
        found = {shelf for each in articles for shelf in shelves_around(each, window)}
        came_in = (micros(each.seen) for each in articles if each.published is None)
        undated = [when for when in came_in if when is not None]
        if undated:  # they may be something to whatever came in about then, of whatever date
            days = days_around(min(undated), max(undated), window // MICROSECOND)
            came = self._database.run(
                "SELECT shelf FROM shelf_days WHERE day BETWEEN ? AND ?", days
            )
            found |= {shelf for (shelf,) in came}
        return found

    def _load(self, wanted: set[int]) -> None:
        """Have these shelves in memory, and not too much else."""
        missing = wanted - self._loaded
        if missing and self._shelves.elsewhere(wanted) > KEPT_IN_MEMORY:
            self._shelves, self._loaded, missing = Shelves(), frozenset(), wanted
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
        while some := list(islice(articles, self._shelves.at_once)):
            self._shelves.file(some)
        self._loaded |= set(missing)
        self._settle_unchanged()

    def _by_number(self, numbers: Collection[int]) -> dict[int, Fingerprint]:
        """The fingerprints of those that are still there."""
        self._make_sure_of([n for n in numbers if n in self._fingerprints])
        known = {n: self._fingerprints[n] for n in numbers if n in self._fingerprints}
        missing = [n for n in numbers if n not in known and n not in self._gone]
        rows = self._database.among(
            f"SELECT number, {FINGERPRINT} FROM fingerprints WHERE number IN ({{}})", missing
        )
        read = {number: fingerprint_of(FingerprintRow(*row)) for number, *row in rows}
        self._gone.update(n for n in missing if n not in read)
        self._remember(read)
        return known | read

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

    def put(self, entries: Sequence[Entry], runs: Runs = NO_RUNS) -> None:
        """File articles; one with a known id takes the other's place."""
        if not entries:
            return
        self._changes = True
        runs = self._runs_of([entry.article.id for entry in entries], runs)
        self._replace(entries)
        numbers = self._new_numbers(len(entries))
        made = {n: entry.fingerprint for n, entry in zip(numbers, entries, strict=True)}
        keyed = [filed(n, e.fingerprint, e.keys) for n, e in zip(numbers, entries, strict=True)]
        self._file_articles(numbers, [entry.article for entry in entries], runs)
        self._database.insert(
            "fingerprints",
            ("number", *FingerprintRow._fields),
            [(n, *fingerprint_row(each)) for n, each in made.items()],
        )
        self._database.insert(
            "article_keys",
            ("shelf", *Filed._fields),
            [(shelf_of(row.published, row.seen), *row) for row in keyed],
        )
        self._database.insert(
            "arrivals",
            ("number", "day", "source"),
            [(r.number, (r.seen or 0) // DAY, whole_or_none(made[r.number].source)) for r in keyed],
        )
        if self._known is not None:
            self._known.update(zip((entry.article.id for entry in entries), numbers, strict=True))
        self._note_days(keyed)
        self._remember(made)
        self._catch_up(dict(self._database.run(STATE)))

    def _runs_of(self, ids: Sequence[str], given: Runs) -> Runs:
        """The run in which each article came: as given, as it is known, else this one."""
        self._had_runs(max(given.values(), default=0))
        known = {**self.runs(ids), **given}
        new = [name for name in ids if name not in known]
        return {**known, **dict.fromkeys(new, self._this_run() if new else 0)}

    def _new_numbers(self, count: int) -> range:
        """The next numbers, which become visible to others in this order."""
        (last,) = self._database.one(
            "UPDATE settings SET value = CAST(CAST(value AS BIGINT) + ? AS TEXT)"
            " WHERE name = 'numbers' RETURNING value",
            (count,),
        )
        return range(int(last) - count + 1, int(last) + 1)

    def _file_articles(
        self, numbers: Sequence[int], articles: Iterable[Article], runs: Mapping[str, int]
    ) -> None:
        rows = zip(numbers, article_rows(articles), strict=True)
        self._database.insert(
            "articles",
            ("number", *ArticleRow._fields, "run"),
            [(n, *row, runs[row.id]) for n, row in rows],
        )

    def _note_days(self, rows: Iterable[Filed]) -> None:
        """Take note on which days articles of a shelf came in."""
        came = {((row.seen or 0) // DAY, shelf_of(row.published, row.seen)) for row in rows}
        for day in sorted(came - self._noted_days):
            self._database.run("INSERT INTO shelf_days VALUES (?, ?) ON CONFLICT DO NOTHING", day)
        self._noted_days |= came

    def _replace(self, entries: Sequence[Entry]) -> None:
        """Make room for articles whose ids are known; what they said otherwise is kept."""
        known = self._numbers({entry.article.id for entry in entries})
        if not known:
            return
        before = self.articles(known)
        changed = [
            known[entry.article.id]
            for entry in entries
            if (old := before.get(entry.article.id))
            and (old.title, old.text) != (whole(entry.article.title), entry.article.text)
        ]
        columns = ARTICLE.removeprefix("id, ")
        self._database.change(
            f"INSERT INTO revisions (id, number, {columns})"
            f" SELECT id, number, {columns} FROM articles WHERE number IN ({{}})",
            changed,
        )
        self._erase(known.values())
        self._database.change(DELETE, known.values())

    def remove(self, ids: Collection[str]) -> int:
        """Forget articles, and all that was found about them; how many there were."""
        return self._forget(ids, BLANK)

    def drop(self, ids: Collection[str]) -> int:
        """The same without a mark that they ever were there."""
        return self._forget(ids, DELETE)

    def _forget(self, ids: Collection[str], statement: str) -> int:
        known = self._numbers(ids)
        self._erase(known.values())
        self._database.change(statement, known.values())
        self._database.change("DELETE FROM revisions WHERE id IN ({})", known)
        return len(known)

    def _erase(self, numbers: Collection[int]) -> None:
        """Delete all that hangs on these numbers, and tell other processes that something went."""
        self._changes = True
        if self._known is not None:
            self._known.clear()
        for part in self.parts:
            self._database.change(f"DELETE FROM {part} WHERE number IN ({{}})", numbers)
        for end in ENDS:
            first = min(numbers, default=0)
            self._database.change(f"DELETE FROM edges WHERE {end}", numbers, first)
        for number in numbers:
            self._fingerprints.pop(number, None)
        if numbers:
            self._count("removals")

    def ages(self, ids: Collection[str]) -> dict[str, datetime | None]:
        """When the articles were published, else seen."""
        numbers = self._numbers(ids)
        wanted = "SELECT number, coalesce(published, seen) FROM article_keys WHERE number IN ({})"
        found: dict[int, int | None] = dict(self._database.among(wanted, numbers.values()))
        return {name: moment(found[n]) for name, n in numbers.items() if n in found}

    def older(self, before: datetime) -> Iterator[str]:
        """The articles published before a time; of those without a date, seen before it."""
        for statement in OLDER:
            last = (FIRST - 1, 0)
            while rows := self._database.run(statement, (micros(before), *last)):
                yield from (name for name, _, _ in rows)
                last = rows[-1][2], rows[-1][1]

    def clear(self, before: datetime) -> bool:
        """Drop some of what is left of removed articles; whether to come again for more."""
        self._database.run("DELETE FROM times WHERE day < ?", ((micros(before) or 0) // DAY,))
        return self._clear_some(micros(before) or 0)

    def _clear_some(self, before: int) -> bool:
        """Delete some of what is left of removed articles, or give back space."""
        raise NotImplementedError

    def fingerprints(self, ids: Collection[str]) -> dict[str, Fingerprint]:
        """What the articles are compared by."""
        return {each.id: each for each in self._by_number(self._numbers(ids).values()).values()}

    def keys(self, ids: Collection[str]) -> dict[str, Keys]:
        """What the articles are found by."""
        wanted = "SELECT number, keys FROM article_keys WHERE number IN ({})"
        numbers = self._numbers(ids)
        found: dict[int, bytes] = dict(self._database.among(wanted, numbers.values()))
        return {
            name: np.frombuffer(found[number], "<u8").astype(np.uint64)
            for name, number in numbers.items()
            if number in found
        }

    def articles(self, ids: Collection[str]) -> dict[str, Article]:
        """The articles as they came."""
        wanted = f"SELECT {ARTICLE} FROM articles WHERE number IN ({{}})"
        rows = map(ArticleRow._make, self._database.among(wanted, self._numbers(ids).values()))
        return {each.id: each for each in articles_of(rows)}

    def numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The numbers of the articles, which ascend as they came."""
        return self._numbers(ids)

    def runs(self, ids: Collection[str]) -> dict[str, int]:
        """The run in which each article first came."""
        wanted = "SELECT id, run FROM articles WHERE number IN ({})"
        return dict(self._database.among(wanted, self._numbers(ids).values()))

    def revisions(self, id: str) -> list[Article]:  # noqa: A002
        """What stood under the id before, earliest first."""
        return self.revised([id]).get(id, [])

    def revised(self, ids: Collection[str]) -> dict[str, list[Article]]:
        """The same for several ids."""
        wanted = f"SELECT {ARTICLE} FROM revisions WHERE id IN ({{}}) ORDER BY number"
        found: dict[str, list[Article]] = {}
        for each in articles_of(map(ArticleRow._make, self._database.among(wanted, ids))):
            found.setdefault(each.id, []).append(each)
        return found

    def ids(self) -> Iterator[str]:
        """All articles, in the order they came."""
        rows = self._database.run("SELECT id FROM articles WHERE deleted = 0 ORDER BY number")
        return (name for (name,) in rows)

    def migrate(self, to: int) -> list[str]:
        """Go to a schema, up or back; the steps taken."""
        self._forget_memory()
        return self._database.migrate(to)

    def close(self, counts: Counts = NONE) -> None:
        """Let go of the database."""
        if counts:
            with suppress(StoreError):  # somebody else is writing: times are not worth the wait
                self._database.wait_at_most(A_MOMENT)
                with self._database.step(writes=True):
                    self.add_times(counts)
        self._database.close()
