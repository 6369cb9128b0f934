"""The part of a store that is the same in every SQL database.

Articles are appended, with their keys beside them; who looks for keys has the days that it looks at
in memory and catches up with what others added by number. So a look-up never grows with what lies
outside the window, an added article is one short write, and a fresh process reads the window once.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

import numpy as np

from nearcopy.errors import StoreError
from nearcopy.fingerprint.blocking_keys import Keys
from nearcopy.match.candidate_index import DAY, Filed, filed, shelf_of
from nearcopy.models.model import Article, Fingerprint
from nearcopy.models.timestamps import FIRST, micros, moment
from nearcopy.stores.base import NO_RUNS, NONE, Counts, Entry, Runs
from nearcopy.stores.row_codec import (
    ArticleRow,
    FingerprintRow,
    article_rows,
    articles_of,
    fingerprint_row,
    whole,
    whole_or_none,
)
from nearcopy.stores.sql.counts import SqlTally
from nearcopy.stores.sql.database import STATE, Database
from nearcopy.stores.sql.pagination import SqlListing
from nearcopy.stores.sql.stories import ENDS, Names
from nearcopy.stores.sql.window_cache import SqlMemory

LISTED_AT_ONCE = 1000
ARTICLE = ", ".join(ArticleRow._fields)
BLANK = """
UPDATE articles
SET deleted = 1, title = '', text = substr(text, 1, 0), html = 0, url = NULL, canonical_url = NULL,
    source = NULL, language = NULL, tier = NULL
WHERE number IN ({})
"""
# By the index of dates: the sign keeps SQLite from that of what is deleted, which would have it go
# through all articles and sort them for every few.
OLDER = tuple(
    f"SELECT id, number, {time} FROM articles WHERE {live} AND {time} < ?"
    f" AND ({time}, number) > (?, ?) ORDER BY {time}, number LIMIT {LISTED_AT_ONCE}"
    for live, time in (
        ("+deleted = 0", "published"),
        ("deleted = 0 AND published IS NULL", "seen"),
    )
)
CLEARED = "deleted = 1 AND coalesce(published, seen) < ?"
DELETE = "DELETE FROM articles WHERE number IN ({})"
A_MOMENT = 0.2  # seconds


class SqlStore(SqlMemory, SqlTally, SqlListing):
    """A store in a database."""

    # What goes by an article's number.
    parts: tuple[str, ...] = ("fingerprints", "article_keys", "arrivals", "members")

    def __init__(self, database: Database) -> None:
        self.address = database.address
        self._database = database
        self._forget_memory()

    def put(self, entries: Sequence[Entry], runs: Runs = NO_RUNS) -> None:
        """File articles; one with a known id takes the other's place."""
        if not entries:
            return
        self._changes = True
        runs = self._runs_of([entry.article.id for entry in entries], runs)
        self._replace(entries)
        numbers = self._new_numbers(len(entries))
        fingerprints = {n: entry.fingerprint for n, entry in zip(numbers, entries, strict=True)}
        keyed = [filed(n, e.fingerprint, e.keys) for n, e in zip(numbers, entries, strict=True)]
        self._file_articles(numbers, [entry.article for entry in entries], runs)
        self._database.insert(
            "fingerprints",
            ("number", *FingerprintRow._fields),
            [(n, *fingerprint_row(fingerprint)) for n, fingerprint in fingerprints.items()],
        )
        self._database.insert(
            "article_keys",
            ("shelf", *Filed._fields),
            [(shelf_of(row.published, row.seen), *row) for row in keyed],
        )
        self._database.insert(
            "arrivals",
            ("number", "day", "source"),
            [
                (r.number, (r.seen or 0) // DAY, whole_or_none(fingerprints[r.number].source))
                for r in keyed
            ],
        )
        if self._known is not None:
            self._known.learn(
                (number, fingerprint.id) for number, fingerprint in fingerprints.items()
            )
        self._note_days(keyed)
        self._remember(fingerprints)
        self._unlinked = numbers
        self._catch_up(dict(self._database.run(STATE)))

    def _runs_of(self, ids: Sequence[str], chosen: Runs) -> Runs:
        """The run in which each article came: as given, as it is known, else this one."""
        self._had_runs(max(chosen.values(), default=0))
        runs = {**self.runs(ids), **chosen}
        new = [name for name in ids if name not in runs]
        return {**runs, **dict.fromkeys(new, self._this_run() if new else 0)}

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
        numbers = self._numbers({entry.article.id for entry in entries})
        if not numbers:
            return
        before = self.articles(numbers)
        changed = [
            numbers[entry.article.id]
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
        self._erase(numbers.values())
        self._database.change(DELETE, numbers.values())

    def remove(self, ids: Collection[str]) -> int:
        """Forget articles, and all that was found about them; how many there were."""
        return self._forget(ids, BLANK)

    def drop(self, ids: Collection[str]) -> int:
        """The same without a mark that they ever were there."""
        return self._forget(ids, DELETE)

    def _forget(self, ids: Collection[str], statement: str) -> int:
        numbers = self._numbers(ids)
        self._erase(numbers.values())
        self._database.change(statement, numbers.values())
        self._database.change("DELETE FROM revisions WHERE id IN ({})", numbers)
        return len(numbers)

    def _erase(self, numbers: Collection[int]) -> None:
        """Delete all that hangs on these numbers, and tell other processes that something went."""
        self._changes = True
        if self._known is not None:
            self._known = Names()
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
        statement = (
            "SELECT number, coalesce(published, seen) FROM article_keys WHERE number IN ({})"
        )
        times: dict[int, int | None] = dict(self._database.among(statement, numbers.values()))
        return {name: moment(times[n]) for name, n in numbers.items() if n in times}

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
        return {
            fingerprint.id: fingerprint
            for fingerprint in self._by_number(self._numbers(ids).values()).values()
        }

    def keys(self, ids: Collection[str]) -> dict[str, Keys]:
        """What the articles are found by."""
        statement = "SELECT number, keys FROM article_keys WHERE number IN ({})"
        numbers = self._numbers(ids)
        packed: dict[int, bytes] = dict(self._database.among(statement, numbers.values()))
        return {
            name: np.frombuffer(packed[number], "<u8").astype(np.uint64)
            for name, number in numbers.items()
            if number in packed
        }

    def articles(self, ids: Collection[str]) -> dict[str, Article]:
        """The articles as they came."""
        statement = f"SELECT {ARTICLE} FROM articles WHERE number IN ({{}})"
        rows = map(ArticleRow._make, self._database.among(statement, self._numbers(ids).values()))
        return {article.id: article for article in articles_of(rows)}

    def numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The numbers of the articles, which ascend as they came."""
        return self._numbers(ids)

    def runs(self, ids: Collection[str]) -> dict[str, int]:
        """The run in which each article first came."""
        statement = "SELECT id, run FROM articles WHERE number IN ({})"
        return dict(self._database.among(statement, self._numbers(ids).values()))

    def revisions(self, id: str) -> list[Article]:  # noqa: A002
        """What stood under the id before, earliest first."""
        return self.revised([id]).get(id, [])

    def revised(self, ids: Collection[str]) -> dict[str, list[Article]]:
        """The same for several ids."""
        statement = f"SELECT {ARTICLE} FROM revisions WHERE id IN ({{}}) ORDER BY number"
        revisions: dict[str, list[Article]] = {}
        for article in articles_of(map(ArticleRow._make, self._database.among(statement, ids))):
            revisions.setdefault(article.id, []).append(article)
        return revisions

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
