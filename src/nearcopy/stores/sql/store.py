"""A store in an SQL database, composed of parts that each have their own tables.

Articles are appended, with their keys beside them; candidates are looked up in the window cache,
which each process keeps up to date. So inserting an article is one short write.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from nearcopy.config.units import to_micros
from nearcopy.errors import NearcopyError, StoreError
from nearcopy.match.candidate_index import DAY
from nearcopy.models import Check, Relation
from nearcopy.stores.base import (
    NO_LATENCIES,
    ArticleCounts,
    ComposedStore,
    LatencyCounts,
    StoreCounts,
)
from nearcopy.stores.integrity import check_duplicates
from nearcopy.stores.sql.articles import SqlArticles
from nearcopy.stores.sql.database import ArticleIds, Database, Row, SqlSettings, State
from nearcopy.stores.sql.edges import SqlEdges
from nearcopy.stores.sql.feedback import SqlFeedback
from nearcopy.stores.sql.fingerprints import SqlFingerprints
from nearcopy.stores.sql.schema import index_names_of, table_name
from nearcopy.stores.sql.stories import SqlStories
from nearcopy.stores.sql.window_cache import SqlWindow

CLOSING_TIMEOUT = 0.2  # seconds
INCOMPLETE_ARTICLES = """
SELECT count(*) FROM articles LEFT JOIN fingerprints USING (number)
LEFT JOIN arrivals USING (number)
WHERE deleted = 0 AND (fingerprints.number IS NULL OR arrivals.number IS NULL)
"""
STRAY_ROWS = """
SELECT count(*) FROM {0} WHERE NOT EXISTS (
    SELECT 1 FROM articles WHERE articles.number = {0}.number AND deleted = 0
)
"""
# A duplicate names the kept copy of its own story, which is itself no duplicate.
ORPHANED_DUPLICATES = """
SELECT articles.id FROM members JOIN articles USING (number)
LEFT JOIN (
    SELECT articles.id AS name, members.story AS home FROM members JOIN articles USING (number)
    WHERE deleted = 0 AND duplicate_of IS NULL
) AS kept ON kept.name = members.duplicate_of AND kept.home = members.story
WHERE members.duplicate_of IS NOT NULL AND kept.name IS NULL
"""
MEMBERS_SINCE = "members JOIN arrivals USING (number) WHERE day >= ?"
# All articles, then how many of these are duplicates: only members of stories can be.
BY_COLUMN = (
    "SELECT {0}, count(*) FROM arrivals WHERE day >= ? GROUP BY {0}",
    f"SELECT {{0}}, count(*) FROM {MEMBERS_SINCE} AND duplicate_of IS NOT NULL GROUP BY {{0}}",
)
BY_RELATION = (
    f"SELECT day, relation, count(*) FROM {MEMBERS_SINCE} AND relation IS NOT NULL"
    " GROUP BY day, relation"
)
BY_SIZE = (
    "SELECT size, count(*) FROM (SELECT count(*) AS size FROM {} GROUP BY story) AS sizes"
    " GROUP BY size"
)
EVER = -(1 << 62)  # a day before all others


class SqlStatistics:
    """Counts by day."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._term_counts: bytes | None = None  # None: not read

    def forget_cache(self) -> None:
        self._term_counts = None

    def term_counts(self) -> bytes:
        if self._term_counts is None:
            row = self._database.one("SELECT value FROM blobs WHERE name = 'term_counts'")
            self._term_counts = bytes(row[0]) if row else b""
        return self._term_counts

    def save_term_counts(self, counts: bytes) -> None:
        row = ("term_counts", counts)
        self._database.replace("blobs", ("name", "value"), [row], key=("name",))
        self._term_counts = counts

    def count_articles(self, since: int | None) -> StoreCounts:
        first = EVER if since is None else since
        days = self._article_counts("day", first)
        sizes: dict[int, int] = dict(self._story_sizes(first))
        in_stories = sum(size * count for size, count in sizes.items())
        alone = sum(counts.articles for counts in days.values()) - in_stories
        if alone:
            sizes[1] = sizes.get(1, 0) + alone
        rows = self._database.run(BY_RELATION, (first,))
        related = {(day, Relation(name)): count for day, name, count in rows}
        return StoreCounts(days, self._article_counts("arrivals.source", first), related, sizes)

    def _story_sizes(self, first: int) -> list[Row]:
        """The number of stories by their number of articles added since a day."""
        earlier = "SELECT 1 FROM arrivals WHERE day < ? LIMIT 1"
        if first == EVER or self._database.one(earlier, (first,)) is None:
            return self._database.run(BY_SIZE.format("members"))
        return self._database.run(BY_SIZE.format(MEMBERS_SINCE), (first,))

    def _article_counts(self, column: str, first: int) -> dict[Any, ArticleCounts]:
        all_articles, only_duplicates = (statement.format(column) for statement in BY_COLUMN)
        articles: dict[Any, int] = dict(self._database.run(all_articles, (first,)))
        duplicates: dict[Any, int] = dict(self._database.run(only_duplicates, (first,)))
        return {
            group: ArticleCounts(count, duplicates.get(group, 0))
            for group, count in articles.items()
        }

    def add_latencies(self, counts: LatencyCounts) -> None:
        for key, count in counts.items():
            self._database.run(
                "INSERT INTO latencies VALUES (?, ?, ?, ?) ON CONFLICT (day, operation, bucket)"
                " DO UPDATE SET count = latencies.count + excluded.count",
                (*key, count),
            )

    def latencies(self, since: int | None) -> LatencyCounts:
        rows = self._database.run(
            "SELECT day, operation, bucket, count FROM latencies WHERE day >= ?",
            (EVER if since is None else since,),
        )
        return {(day, operation, bucket): count for day, operation, bucket, count in rows}

    def delete_latencies(self, before: int) -> None:
        """Delete those from before a day."""
        self._database.run("DELETE FROM latencies WHERE day < ?", (before,))


class SqlStore(ComposedStore):
    """The parts of a store, and the transactions that they share."""

    def __init__(self, database: Database) -> None:
        self.address, self.database = database.address, database
        self._ids = ArticleIds(database)
        self._settings = SqlSettings(database)
        self._statistics = SqlStatistics(database)
        self._feedback = SqlFeedback(database)
        self._edges = SqlEdges(database, self._ids)
        fingerprints = SqlFingerprints(database, self._settings)
        self.window = SqlWindow(database, self._ids, fingerprints)
        self._stories = SqlStories(
            database, self._ids, lambda number: self.window.cache.fingerprints.get(number)
        )
        self._articles = SqlArticles(
            database, self._ids, self._settings, fingerprints, self._edges, self.window
        )
        self._failed = False  # whether the last transaction did
        super().__init__(
            self._articles, self._edges, self._stories, self._feedback, self._statistics
        )
        self.bind, self.settings = self._settings.bind, self._settings.settings
        self.note, self.set_note = self._settings.note, self._settings.set_note
        self.list_stories = self._stories.list_stories

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        try:
            with self.database.transaction(writes=False) as state, self._caches(state):
                yield
                self.window.save_if_due()
        except StoreError:  # the cache may hold something in part
            self._roll_back_caches()
            raise
        except NearcopyError:
            raise
        except BaseException:  # an interrupt may have come while the cache was written
            self._reset_caches()
            raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        try:
            with self.database.transaction(writes=True) as state, self._caches(state):
                yield
        except NearcopyError:  # its sequence numbers will be given to others
            self._roll_back_caches()
            self._settings.forget_run()
            raise
        except BaseException:
            self._reset_caches()
            self._settings.forget_run()
            raise
        self.window.commit()
        if self.window.is_save_due:
            with suppress(StoreError), self.snapshot():
                pass

    @contextmanager
    def _caches(self, state: State) -> Iterator[None]:
        """Bring the caches up to date with the database, for one transaction."""
        if self._failed and not self.database.kept_commits():
            self._reset_caches()
        self._failed = False
        if int(state.get("numbers", 0)) < self.window.last_number:  # restored from a backup
            self._reset_caches()
        self._ids.start_cache()
        self._edges.start_cache()
        self._feedback.start_transaction(state)
        self.window.is_changed = False
        try:
            self.window.catch_up(state)
            yield
        finally:
            self._ids.stop_cache()
            self._edges.stop_cache()
            self._feedback.end_transaction()

    def _roll_back_caches(self) -> None:
        """Forget what a failed transaction put into the caches."""
        self.window.roll_back()
        self._statistics.forget_cache()
        self.database.forget_state()
        self._failed = True

    def _reset_caches(self) -> None:
        self.window.reset()
        self._statistics.forget_cache()
        self.database.forget_state()

    def collect_garbage(self, before: datetime) -> bool:
        time = to_micros(before) or 0
        self._statistics.delete_latencies(time // DAY)
        return self.database.delete_tombstones(time, self.window.last_number)

    def migrate(self, to: int) -> list[str]:
        """Migrate to a schema version, up or down; the names of the migrations done."""
        self._reset_caches()
        return self.database.migrate(to)

    def verify(self) -> list[Check]:
        return [
            *self.database.check_durability(),
            self._check_migrations(),
            self._check_indexes(),
            self._check_articles(),
            self._check_duplicates(),
        ]

    def _check_migrations(self) -> Check:
        rows = self.database.run("SELECT number FROM migrations ORDER BY number")
        done, expected = [n for (n,) in rows], [m.number for m in self.database.migrations]
        return Check(
            "migrations", done == expected, f"{len(done)} of {len(expected)} in the ledger"
        )

    def _check_indexes(self) -> Check:
        names = index_names_of(self.database.migrations)
        expected = {table_name(name, self.database.pool) for name in names}
        missing = sorted(expected - self.database.index_names())
        detail = "missing: " + ", ".join(missing) if missing else ", ".join(sorted(expected))
        return Check("indexes", not missing, detail)

    def _check_articles(self) -> Check:
        """Whether all articles have fingerprint, and no rows are left of others."""
        count = self.database.one
        (articles,) = count("SELECT count(*) FROM articles WHERE deleted = 0")
        (incomplete,) = count(INCOMPLETE_ARTICLES)
        tables = (*self.database.article_tables, "edges")
        strays = sum(count(STRAY_ROWS.format(table))[0] for table in tables)
        return Check(
            "articles",
            incomplete == strays == 0,
            f"{articles} articles, {incomplete} without fingerprint, {strays} rows of none",
        )

    def _check_duplicates(self) -> Check:
        (count,) = self.database.one("SELECT count(*) FROM members WHERE duplicate_of IS NOT NULL")
        return check_duplicates(count, [name for (name,) in self.database.run(ORPHANED_DUPLICATES)])

    def close(self, counts: LatencyCounts = NO_LATENCIES) -> None:
        if counts:
            with suppress(StoreError):  # another writer is active: latencies are not worth the wait
                self.database.timeout = CLOSING_TIMEOUT
                with self.database.transaction(writes=True):
                    self.add_latencies(counts)
        self.database.close()
