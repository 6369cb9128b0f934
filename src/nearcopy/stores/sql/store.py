"""A store in an SQL database, composed of parts that each have their own tables.

Articles are appended, with their keys beside them; candidates are looked up in the window cache,
which each process keeps up to date. So inserting an article is one short write.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime

from nearcopy.config.units import to_micros
from nearcopy.errors import NearcopyError, StoreError
from nearcopy.match.candidate_index import DAY
from nearcopy.models import Check
from nearcopy.stores.base import NO_LATENCIES, LatencyCounts
from nearcopy.stores.integrity import check_duplicates
from nearcopy.stores.sql.articles import SqlArticles
from nearcopy.stores.sql.database import ArticleIds, Database, State
from nearcopy.stores.sql.feedback import SqlFeedback
from nearcopy.stores.sql.schema import index_names_of, table_name
from nearcopy.stores.sql.settings import SqlSettings
from nearcopy.stores.sql.statistics import SqlStatistics
from nearcopy.stores.sql.stories import NO_NUMBERS, SqlEdges, SqlStories
from nearcopy.stores.sql.window import SqlWindow

CLOSING_TIMEOUT = 0.2  # seconds
INCOMPLETE_ARTICLES = """
SELECT count(*) FROM articles LEFT JOIN fingerprints USING (number)
LEFT JOIN article_keys USING (number)
LEFT JOIN arrivals USING (number)
WHERE deleted = 0 AND (
    fingerprints.number IS NULL OR article_keys.number IS NULL OR arrivals.number IS NULL
)
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


class SqlStore:
    """The parts of a store, and the transactions that they share."""

    def __init__(self, database: Database) -> None:
        self.address, self.database = database.address, database
        self._ids = ArticleIds(database)
        self._settings = SqlSettings(database)
        self._statistics = SqlStatistics(database)
        self._feedback = SqlFeedback(database)
        self._edges = SqlEdges(database, self._ids)
        self.window = SqlWindow(database, self._ids)
        self._stories = SqlStories(
            database, self._ids, lambda number: self.window.cache.fingerprints.get(number)
        )
        self._articles = SqlArticles(database, self._ids, self._settings, self._edges, self.window)
        self._failed = False  # whether the last transaction did
        self._delegate()

    def _delegate(self) -> None:
        """The methods of the contract are those of the parts."""
        settings = self._settings
        self.bind, self.settings = settings.bind, settings.settings
        self.note, self.set_note = settings.note, settings.set_note
        self.run_count = settings.run_count

        articles = self._articles
        self.find_candidates = self.window.find_candidates
        self.save_articles = articles.save_articles
        self.remove, self.drop = articles.remove, articles.drop
        self.dates, self.ids_before = articles.dates, articles.ids_before
        self.fingerprints, self.keys = articles.fingerprints, articles.keys
        self.articles, self.revisions = articles.articles, articles.revisions
        self.sequence_numbers, self.runs = self._ids.numbers, articles.runs
        self.ids, self.latest_ids = articles.ids, articles.latest_ids

        edges = self._edges
        self.save_edges, self.edges, self.edges_among = (
            edges.save_edges,
            edges.edges,
            edges.edges_among,
        )
        self.links, self.connected_ids = edges.links, edges.connected_ids

        stories = self._stories
        self.save_stories, self.stories = stories.save_stories, stories.stories
        self.members, self.story_ids = stories.members, stories.story_ids
        self.list_stories, self.used_story_ids = stories.list_stories, stories.used_story_ids
        self.resolve_story, self.redirects = stories.resolve_story, stories.redirects

        feedback = self._feedback
        self.save_feedback, self.remove_feedback = feedback.save_feedback, feedback.remove_feedback
        self.feedback_about, self.all_feedback = feedback.feedback_about, feedback.all_feedback
        self.save_action, self.actions = feedback.save_action, feedback.actions
        self.preferred_copies = feedback.preferred_copies

        statistics = self._statistics
        self.term_counts = statistics.term_counts
        self.save_term_counts = statistics.save_term_counts
        self.count_articles = statistics.count_articles
        self.add_latencies, self.latencies = statistics.add_latencies, statistics.latencies

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        try:
            with self.database.transaction(writes=False) as state, self._caches(state):
                yield
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

    @contextmanager
    def _caches(self, state: State) -> Iterator[None]:
        """Bring the caches up to date with the database, for one transaction."""
        if self._failed and not self.database.kept_commits():
            self._reset_caches()
        self._failed = False
        if int(state.get("numbers", 0)) < self.window.last_number:  # restored from a backup
            self._reset_caches()
        self._ids.start_cache()
        self._edges.new_articles = NO_NUMBERS
        self._feedback.start_transaction(state)
        self.window.start_transaction()
        try:
            self.window.catch_up(state)
            yield
        finally:
            self._ids.stop_cache()
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
        """Whether all articles have fingerprint and keys, and no rows are left of others."""
        count = self.database.one
        (articles,) = count("SELECT count(*) FROM articles WHERE deleted = 0")
        (incomplete,) = count(INCOMPLETE_ARTICLES)
        strays = sum(count(STRAY_ROWS.format(table))[0] for table in self.database.article_tables)
        return Check(
            "articles",
            incomplete == strays == 0,
            f"{articles} articles, {incomplete} without fingerprint or keys, {strays} rows of none",
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
