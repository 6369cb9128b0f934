"""The SQLite store: one file that lasts, for one process or several on one machine.

Articles are appended, with their keys beside them; who looks for keys has the days that it looks at
in memory and catches up with what others added by number. So a look-up never grows with what lies
outside the window, an added article is one short write, and a fresh process reads the window once.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from itertools import islice

from nearcopy.config import Recipe
from nearcopy.errors import NearcopyError, RecipeMismatch, StoreError
from nearcopy.model import Article, Check, Fingerprint
from nearcopy.stores.base import NONE, Counts, Entry, Found, Keys
from nearcopy.stores.rows import (
    MICROSECOND,
    ArticleRow,
    FingerprintRow,
    article_rows,
    articles_of,
    fingerprint_of,
    fingerprint_row,
    micros,
    recipe_json,
    recipe_of,
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
from nearcopy.stores.sqlite_checks import checks
from nearcopy.stores.sqlite_feedback import SqliteFeedback
from nearcopy.stores.sqlite_file import SqliteFile
from nearcopy.stores.sqlite_stories import SqliteStories
from nearcopy.stores.sqlite_tally import SqliteTally

REMEMBERED = 50_000  # fingerprints kept in memory, about 3 KB each
KEPT_IN_MEMORY = 1_000_000  # articles beyond those of the window looked at, half a KB each
LOADED_AT_ONCE = 50_000
FILED = "number, published, seen, keys"
ARTICLE = ", ".join(ArticleRow._fields)
FINGERPRINT = ", ".join(FingerprintRow._fields)
PARTS = ("fingerprints", "article_keys", "arrivals", "members")
A_MOMENT = 0.2  # seconds


class SqliteStore(SqliteStories, SqliteFeedback, SqliteTally):
    """A store in a file."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._file = SqliteFile(address)
        self._run: int | None = None
        self._forget_memory()

    def _forget_memory(self) -> None:
        self._term_counts: bytes | None = None  # None: not read
        self._shelves = Shelves()
        self._loaded: set[int] = set()  # the shelves in memory
        self._caught_up = 0
        self._removals: str | None = None  # the count of them
        self._removals_when_empty: str | None = None  # the count when the shelves were
        self._fingerprints: OrderedDict[int, Fingerprint] = OrderedDict()

    def bind(self, recipe: Recipe | None, version: int) -> Recipe:
        """The recipe of this store, which the first to come decides; another one is refused."""
        with self.writing():
            found = dict(self._file.run("SELECT name, value FROM settings"))
            if "recipe" not in found:
                first = recipe or Recipe()
                stated = {"recipe": first.id, "recipe_json": recipe_json(first), "keys": version}
                self._file.many("INSERT INTO settings VALUES (?, ?)", list(stated.items()))
                return first
        if recipe is not None and recipe.id != found["recipe"]:
            raise RecipeMismatch(
                f"store {self.address} was filled with recipe {found['recipe']}, this is "
                f"{recipe.id}: open it with that recipe, or fill another store"
            )
        if found["keys"] != str(version):
            raise RecipeMismatch(
                f"store {self.address} was filled with keys of version {found['keys']}, this "
                f"nearcopy makes version {version}: fill another store"
            )
        return recipe or recipe_of(found["recipe_json"])

    def term_counts(self) -> bytes:
        """What was last kept of how often terms stand in the articles."""
        if self._term_counts is None:
            found = self._file.one("SELECT value FROM settings WHERE name = 'term_counts'")
            self._term_counts = bytes(found[0]) if found else b""
        return self._term_counts

    def keep_term_counts(self, counts: bytes) -> None:
        """Keep how often terms stand in the articles, in place of what was kept before."""
        self._file.run("INSERT OR REPLACE INTO settings VALUES ('term_counts', ?)", (counts,))
        self._term_counts = counts

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What is read inside is of one moment."""
        try:
            with self._file.transaction("DEFERRED"):
                self._catch_up()
                yield
        except NearcopyError:
            raise
        except BaseException:  # an interrupt may have come while something was put into memory
            self._forget_memory()
            raise

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What is read and written inside is one step."""
        try:
            with self._file.transaction("IMMEDIATE"):
                self._catch_up()
                yield
        except BaseException:  # numbers that were taken back will be given to others
            self._forget_memory()
            self._run = None
            raise

    def _catch_up(self) -> None:
        """Take note of what others added and removed since the last step."""
        (removals,) = self._file.one("SELECT max(value) FROM settings WHERE name = 'removals'")
        if removals != self._removals:
            self._removals = removals
            self._fingerprints.clear()
        if not len(self._shelves):
            self._removals_when_empty = removals
        (latest,) = self._file.one("SELECT coalesce(max(number), 0) FROM article_keys")
        if self._loaded and latest > self._caught_up:
            fresh = f"SELECT {FILED} FROM article_keys WHERE number > ? ORDER BY number"
            rows = map(Filed._make, self._file.run(fresh, (self._caught_up,)))
            self._shelves.file([r for r in rows if shelf_of(r.published, r.seen) in self._loaded])
        self._caught_up = latest

    def find(
        self, probes: Sequence[tuple[Fingerprint, Keys]], window: timedelta | None, limit: int
    ) -> list[Found]:
        """For each probe the articles that share a key and may be within the window."""
        self._load(self._wanted([article for article, _ in probes], window))
        found = self._shelves.find(probes, window, limit, self._there)
        known = self._by_number({number for numbers, _ in found for number in numbers})
        return [
            Found([known[number] for number in numbers if number in known], left_out)
            for numbers, left_out in found
        ]

    def _there(self, numbers: list[int]) -> list[int]:
        """Those of the numbers that were not removed, by this process or another."""
        if self._removals == self._removals_when_empty:
            return numbers
        wanted = "SELECT number FROM article_keys WHERE number IN ({})"
        return [number for (number,) in self._file.among(wanted, numbers)]

    def _wanted(self, articles: Sequence[Fingerprint], window: timedelta | None) -> set[int]:
        """The shelves to look at."""
        if window is None:
            return {shelf for (shelf,) in self._file.run("SELECT DISTINCT shelf FROM shelf_days")}
        found = {shelf for each in articles for shelf in shelves_around(each, window)}
        came_in = (micros(each.seen) for each in articles if each.published is None)
        undated = [when for when in came_in if when is not None]
        if undated:  # they may be something to whatever came in about then, of whatever date
            days = days_around(min(undated), max(undated), window // MICROSECOND)
            came = self._file.run("SELECT shelf FROM shelf_days WHERE day BETWEEN ? AND ?", days)
            found |= {shelf for (shelf,) in came}
        return found

    def _load(self, wanted: set[int]) -> None:
        """Have these shelves in memory, and not too much else."""
        missing = wanted - self._loaded
        if missing and self._shelves.elsewhere(wanted) > KEPT_IN_MEMORY:
            self._shelves, self._loaded, missing = Shelves(), set(), wanted
        if missing:
            rows = self._file.among(
                f"SELECT {FILED} FROM article_keys WHERE shelf IN ({{}}) AND number <= ?",
                missing,
                self._caught_up,
            )
            articles = map(Filed._make, rows)
            while some := list(islice(articles, LOADED_AT_ONCE)):
                self._shelves.file(some)
            self._loaded |= missing

    def _by_number(self, numbers: Collection[int]) -> dict[int, Fingerprint]:
        """The fingerprints of those that are still there."""
        known = {n: self._fingerprints[n] for n in numbers if n in self._fingerprints}
        missing = [n for n in numbers if n not in known]
        rows = self._file.among(
            f"SELECT number, {FINGERPRINT} FROM fingerprints WHERE number IN ({{}})", missing
        )
        read = {number: fingerprint_of(FingerprintRow(*row)) for number, *row in rows}
        self._remember(read)
        return known | read

    def _remember(self, read: dict[int, Fingerprint]) -> None:
        self._fingerprints.update(read)
        while len(self._fingerprints) > REMEMBERED:
            self._fingerprints.popitem(last=False)

    def put(self, entries: Sequence[Entry]) -> None:
        """File articles; one with a known id takes the other's place."""
        runs = self.runs([entry.article.id for entry in entries])
        self._replace(entries)
        (last,) = self._file.one("SELECT coalesce(max(seq), 0) FROM sqlite_sequence")
        numbers = range(last + 1, last + 1 + len(entries))
        this = self._this_run()
        rows = zip(numbers, article_rows(entry.article for entry in entries), strict=True)
        marks = ", ".join("?" * (len(ArticleRow._fields) + 2))
        self._file.many(
            f"INSERT INTO articles (number, {ARTICLE}, run) VALUES ({marks})",
            [(n, *row, runs.get(row.id, this)) for n, row in rows],
        )
        made = {n: entry.fingerprint for n, entry in zip(numbers, entries, strict=True)}
        self._file.many(
            f"INSERT INTO fingerprints (number, {FINGERPRINT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(n, *fingerprint_row(each)) for n, each in made.items()],
        )
        keyed = [filed(n, e.fingerprint, e.keys) for n, e in zip(numbers, entries, strict=True)]
        self._file.many(
            f"INSERT INTO article_keys (shelf, {FILED}) VALUES (?, ?, ?, ?, ?)",
            [(shelf_of(row.published, row.seen), *row) for row in keyed],
        )
        came = {((row.seen or 0) // DAY, shelf_of(row.published, row.seen)) for row in keyed}
        self._file.many("INSERT OR IGNORE INTO shelf_days VALUES (?, ?)", came)
        self._file.many(
            "INSERT INTO arrivals VALUES (?, ?, ?)",
            [(r.number, (r.seen or 0) // DAY, whole_or_none(made[r.number].source)) for r in keyed],
        )
        self._remember(made)
        self._catch_up()

    def _this_run(self) -> int:
        """The number of this run, which the first article that it adds begins."""
        if self._run is None:
            (value,) = self._file.one(
                "INSERT INTO settings VALUES ('runs', 1)"
                " ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value"
            )
            self._run = int(value)
        return self._run

    def _replace(self, entries: Sequence[Entry]) -> None:
        """Make room for articles whose ids are known; what they said otherwise is kept."""
        known = self._numbers({entry.article.id for entry in entries})
        if not known:
            return
        before = self.articles(known)
        changed = [
            (known[entry.article.id],)
            for entry in entries
            if (old := before.get(entry.article.id))
            and (old.title, old.text) != (whole(entry.article.title), entry.article.text)
        ]
        columns = ARTICLE.removeprefix("id, ")
        self._file.many(
            f"INSERT INTO revisions (id, number, {columns})"
            f" SELECT id, number, {columns} FROM articles WHERE number = ?",
            changed,
        )
        self._erase(known.values())
        self._file.change("DELETE FROM articles WHERE number IN ({})", known.values())

    def remove(self, ids: Collection[str]) -> int:
        """Forget articles, and all that was found about them; how many there were."""
        known = self._numbers(ids)
        self._erase(known.values())
        blank = (
            "UPDATE articles SET deleted = 1, title = '', text = x'', html = 0, url = NULL,"
            " canonical_url = NULL, source = NULL, language = NULL, tier = NULL"
            " WHERE number IN ({})"
        )
        self._file.change(blank, known.values())
        self._file.change("DELETE FROM revisions WHERE id IN ({})", known)
        return len(known)

    def _erase(self, numbers: Collection[int]) -> None:
        """Delete all that hangs on these numbers, and tell other processes that something went."""
        deletions = [f"DELETE FROM {part} WHERE number IN ({{}})" for part in PARTS]
        deletions += [f"DELETE FROM edges WHERE {end} IN ({{}})" for end in ("a", "b")]
        for deletion in deletions:
            self._file.change(deletion, numbers)
        for number in numbers:
            self._fingerprints.pop(number, None)
        if numbers:
            self._file.run(
                "INSERT INTO settings VALUES ('removals', 1)"
                " ON CONFLICT (name) DO UPDATE SET value = value + 1"
            )

    def older(self, before: datetime) -> list[str]:
        """The articles published before a time; of those without a date, seen before it."""
        rows = self._file.run(
            "SELECT id FROM articles WHERE deleted = 0 AND published < ?1"
            " UNION ALL SELECT id FROM articles WHERE deleted = 0 AND published IS NULL"
            " AND seen < ?1",
            (micros(before),),
        )
        return [name for (name,) in rows]

    def clear(self, before: datetime) -> None:
        """Drop what is left of removed articles from before a time."""
        self._file.run(
            "DELETE FROM articles WHERE deleted = 1 AND coalesce(published, seen) < ?",
            (micros(before),),
        )
        self._file.run("DELETE FROM times WHERE day < ?", ((micros(before) or 0) // DAY,))

    def fingerprints(self, ids: Collection[str]) -> dict[str, Fingerprint]:
        """What the articles are compared by."""
        return {each.id: each for each in self._by_number(self._numbers(ids).values()).values()}

    def articles(self, ids: Collection[str]) -> dict[str, Article]:
        """The articles as they came."""
        wanted = f"SELECT {ARTICLE} FROM articles WHERE number IN ({{}})"
        rows = map(ArticleRow._make, self._file.among(wanted, self._numbers(ids).values()))
        return {each.id: each for each in articles_of(rows)}

    def numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The numbers of the articles, which ascend as they came."""
        return self._numbers(ids)

    def runs(self, ids: Collection[str]) -> dict[str, int]:
        """The run in which each article first came."""
        wanted = "SELECT id, run FROM articles WHERE number IN ({})"
        return dict(self._file.among(wanted, self._numbers(ids).values()))

    def runs_so_far(self) -> int:
        """How many runs there were."""
        found = self._file.one("SELECT value FROM settings WHERE name = 'runs'")
        return int(found[0]) if found else 0

    def revisions(self, id: str) -> list[Article]:  # noqa: A002
        """What stood under the id before, earliest first."""
        wanted = f"SELECT {ARTICLE} FROM revisions WHERE id IN ({{}}) ORDER BY number"
        return list(articles_of(map(ArticleRow._make, self._file.among(wanted, [id]))))

    def ids(self) -> Iterator[str]:
        """All articles, in the order they came."""
        rows = self._file.run("SELECT id FROM articles WHERE deleted = 0 ORDER BY number")
        return (name for (name,) in rows.fetchall())

    def verify(self) -> list[Check]:
        """Whether the file is as it should be."""
        return checks(self._file)

    def migrate(self, to: int) -> list[str]:
        """Go to a schema, up or back; the steps taken."""
        self._forget_memory()
        return self._file.migrate(to)

    def close(self, counts: Counts = NONE) -> None:
        """Let go of the file."""
        if counts:
            with suppress(StoreError):  # somebody else is writing: times are not worth the wait
                self._file.wait_at_most(A_MOMENT)
                with self._file.transaction("IMMEDIATE"):
                    self.add_times(counts)
        self._file.close()
