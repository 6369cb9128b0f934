"""The articles of an SQL store, with their fingerprints and keys."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from nearcopy.config.units import FIRST, from_micros, to_micros
from nearcopy.fingerprint.blocking_keys import Keys
from nearcopy.match.candidate_index import DAY
from nearcopy.models import Article, Fingerprint
from nearcopy.stores.base import NO_RUNS, UNLIMITED, Runs, StoredArticle
from nearcopy.stores.row_codec import (
    ArticleRow,
    articles_from_rows,
    articles_to_rows,
    replace_surrogates,
    replace_surrogates_or_none,
)
from nearcopy.stores.sql.database import ArticleIds, Database, SqlSettings
from nearcopy.stores.sql.edges import SqlEdges
from nearcopy.stores.sql.fingerprints import SqlFingerprints
from nearcopy.stores.sql.window_cache import SqlWindow

BATCH_SIZE = 1000
ARTICLE_COLUMNS = ", ".join(ArticleRow._fields)
CONTENT_COLUMNS = ARTICLE_COLUMNS.removeprefix("id, ")
MAKE_TOMBSTONES = """
UPDATE articles
SET deleted = 1, title = '', text = substr(text, 1, 0), html = 0, url = NULL, canonical_url = NULL,
    source = NULL, language = NULL, tier = NULL
WHERE number IN ({})
"""
DELETE = "DELETE FROM articles WHERE number IN ({})"
SAVE_REVISIONS = f"""
INSERT INTO revisions (id, number, {CONTENT_COLUMNS})
SELECT id, number, {CONTENT_COLUMNS} FROM articles WHERE number IN ({{}})
"""
# By number, and not by an index on what is deleted, which hardly anything is: hence "+ 0".
LATEST = """
SELECT number, id FROM articles WHERE deleted + 0 = 0 AND number < ? ORDER BY number DESC LIMIT ?
"""
# By the index of dates: the sign keeps SQLite from that of what is deleted, which would have it
# scan and sort all articles for every batch.
BEFORE = tuple(
    f"SELECT id, number, {time} FROM articles WHERE {live} AND {time} < ?"
    f" AND ({time}, number) > (?, ?) ORDER BY {time}, number LIMIT {BATCH_SIZE}"
    for live, time in (
        ("+deleted = 0", "published"),
        ("deleted = 0 AND published IS NULL", "seen"),
    )
)


class SqlArticles:
    """Articles by sequence number."""

    def __init__(
        self,
        database: Database,
        ids: ArticleIds,
        settings: SqlSettings,
        fingerprints: SqlFingerprints,
        edges: SqlEdges,
        window: SqlWindow,
    ) -> None:
        self._database, self._ids, self._settings = database, ids, settings
        self._fingerprints, self._edges, self._window = fingerprints, edges, window
        self.find_candidates = window.find_candidates
        self.sequence_numbers, self.run_count = ids.numbers, settings.run_count

    def save_articles(self, articles: Sequence[StoredArticle], runs: Runs = NO_RUNS) -> None:
        if not articles:
            return
        self._window.is_changed = True
        runs = self._assign_runs([item.article.id for item in articles], runs)
        self._replace(articles)
        last = self._settings.increment("numbers", len(articles))
        numbers = range(last - len(articles) + 1, last + 1)
        self._database.reserve(numbers)
        self._insert_articles(numbers, [item.article for item in articles], runs)
        entries = self._fingerprints.insert(numbers, articles)
        fingerprints = {n: item.fingerprint for n, item in zip(numbers, articles, strict=True)}
        self._insert_arrivals(fingerprints)
        self._ids.add((number, item.id) for number, item in fingerprints.items())
        self._window.save_days(entries)
        self._window.remember(fingerprints)
        self._edges.add_articles(numbers)
        self._window.add(entries)

    def _assign_runs(self, ids: Sequence[str], chosen: Runs) -> Runs:
        """The run of each article: as chosen, as stored, else the current one."""
        self._settings.raise_run_count(max(chosen.values(), default=0))
        runs = {**self.runs(ids), **chosen}
        new = [name for name in ids if name not in runs]
        return {**runs, **dict.fromkeys(new, self._settings.current_run() if new else 0)}

    def _insert_articles(
        self, numbers: Sequence[int], articles: Sequence[Article], runs: Runs
    ) -> None:
        rows = list(zip(numbers, articles_to_rows(articles), strict=True))
        self._database.insert(
            "articles",
            ("number", *ArticleRow._fields, "run"),
            [(number, *row, runs[row.id]) for number, row in rows],
        )
        if "article_ids" in self._database.article_tables:
            ids = [(number, row.id) for number, row in rows]
            self._database.insert("article_ids", ("number", "id"), ids)

    def _insert_arrivals(self, fingerprints: Mapping[int, Fingerprint]) -> None:
        rows = [
            (number, (to_micros(item.seen) or 0) // DAY, replace_surrogates_or_none(item.source))
            for number, item in fingerprints.items()
        ]
        self._database.insert("arrivals", ("number", "day", "source"), rows)

    def _replace(self, articles: Sequence[StoredArticle]) -> None:
        """Delete stored articles of the same ids; those that differ become revisions."""
        numbers = self._ids.numbers({item.article.id for item in articles})
        if not numbers:
            return
        stored = self.articles(numbers)
        changed = [
            numbers[item.article.id]
            for item in articles
            if (old := stored.get(item.article.id))
            and (old.title, old.text) != (replace_surrogates(item.article.title), item.article.text)
        ]
        self._database.execute_in(SAVE_REVISIONS, changed)
        self._erase(numbers.values())
        self._database.execute_in(DELETE, numbers.values())

    def remove(self, ids: Collection[str]) -> int:
        return self._remove(ids, MAKE_TOMBSTONES)

    def drop(self, ids: Collection[str]) -> int:
        self._database.prepare_purge()
        return self._remove(ids, DELETE)

    def _remove(self, ids: Collection[str], statement: str) -> int:
        numbers = self._ids.numbers(ids)
        self._erase(numbers.values())
        self._database.execute_in(statement, numbers.values())
        self._database.execute_in("DELETE FROM revisions WHERE id IN ({})", numbers)
        return len(numbers)

    def _erase(self, numbers: Collection[int]) -> None:
        """Delete everything but the articles themselves, and let other processes know."""
        self._window.is_changed = True
        self._ids.forget()
        for table in self._database.article_tables:
            self._database.execute_in(f"DELETE FROM {table} WHERE number IN ({{}})", numbers)
        self._edges.erase(numbers)
        if numbers:
            self._window.erase(numbers, self._settings.increment("removals"))

    def dates(self, ids: Collection[str]) -> dict[str, datetime | None]:
        numbers = self._ids.numbers(ids)
        statement = "SELECT number, coalesce(published, seen) FROM articles WHERE number IN ({})"
        times: dict[int, int | None] = dict(self._database.select_in(statement, numbers.values()))
        return {name: from_micros(times[n]) for name, n in numbers.items() if n in times}

    def ids_before(self, before: datetime) -> Iterator[str]:
        for statement in BEFORE:
            last = (FIRST - 1, 0)
            while rows := self._database.run(statement, (to_micros(before), *last)):
                yield from (name for name, _, _ in rows)
                last = rows[-1][2], rows[-1][1]

    def fingerprints(self, ids: Collection[str]) -> dict[str, Fingerprint]:
        fingerprints = self._window.fingerprints(self._ids.numbers(ids).values())
        return {fingerprint.id: fingerprint for fingerprint in fingerprints.values()}

    def keys(self, ids: Collection[str]) -> dict[str, Keys]:
        numbers = self._ids.numbers(ids)
        keys = self._fingerprints.keys(numbers.values())
        return {name: keys[number] for name, number in numbers.items() if number in keys}

    def articles(self, ids: Collection[str]) -> dict[str, Article]:
        statement = f"SELECT {ARTICLE_COLUMNS} FROM articles WHERE number IN ({{}})"
        rows = self._database.select_in(statement, self._ids.numbers(ids).values())
        return {article.id: article for article in articles_from_rows(map(ArticleRow._make, rows))}

    def revisions(self, ids: Collection[str]) -> dict[str, list[Article]]:
        statement = f"SELECT {ARTICLE_COLUMNS} FROM revisions WHERE id IN ({{}}) ORDER BY number"
        rows = self._database.select_in(statement, ids)
        revisions: dict[str, list[Article]] = {}
        for article in articles_from_rows(map(ArticleRow._make, rows)):
            revisions.setdefault(article.id, []).append(article)
        return revisions

    def runs(self, ids: Collection[str]) -> dict[str, int]:
        statement = "SELECT id, run FROM articles WHERE number IN ({})"
        return dict(self._database.select_in(statement, self._ids.numbers(ids).values()))

    def ids(self) -> Iterator[str]:
        rows = self._database.run("SELECT id FROM articles WHERE deleted = 0 ORDER BY number")
        return (name for (name,) in rows)

    def latest_ids(self, before: int | None, limit: int) -> list[tuple[int, str]]:
        rows = self._database.run(LATEST, (UNLIMITED if before is None else before, limit))
        return [(number, name) for number, name in rows]
