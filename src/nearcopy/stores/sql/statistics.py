"""The statistics of an SQL store: articles, stories, latencies, term frequencies."""

from typing import Any

from nearcopy.models import Relation
from nearcopy.stores.base import ArticleCounts, LatencyCounts, StoreCounts
from nearcopy.stores.sql.database import Database, Row

MEMBERS_SINCE = "members JOIN arrivals USING (number) WHERE day >= ?"
# All articles, then how many of these are duplicates: only members of stories can be.
BY_DAY = (
    "SELECT day, count(*) FROM arrivals WHERE day >= ? GROUP BY day",
    f"SELECT day, count(*) FROM {MEMBERS_SINCE} AND duplicate_of IS NOT NULL GROUP BY day",
)
BY_SOURCE = (
    "SELECT arrivals.source, count(*) FROM arrivals WHERE day >= ? GROUP BY source",
    f"SELECT arrivals.source, count(*) FROM {MEMBERS_SINCE} AND duplicate_of IS NOT NULL"
    " GROUP BY arrivals.source",
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
        days = self._article_counts(BY_DAY, first)
        sizes: dict[int, int] = dict(self._story_sizes(first))
        in_stories = sum(size * count for size, count in sizes.items())
        alone = sum(counts.articles for counts in days.values()) - in_stories
        if alone:
            sizes[1] = sizes.get(1, 0) + alone
        rows = self._database.run(BY_RELATION, (first,))
        related = {(day, Relation(name)): count for day, name, count in rows}
        return StoreCounts(days, self._article_counts(BY_SOURCE, first), related, sizes)

    def _story_sizes(self, first: int) -> list[Row]:
        """The number of stories by their number of articles added since a day."""
        earlier = "SELECT 1 FROM arrivals WHERE day < ? LIMIT 1"
        if first == EVER or self._database.one(earlier, (first,)) is None:
            return self._database.run(BY_SIZE.format("members"))
        return self._database.run(BY_SIZE.format(MEMBERS_SINCE), (first,))

    def _article_counts(self, statements: tuple[str, str], first: int) -> dict[Any, ArticleCounts]:
        articles: dict[Any, int] = dict(self._database.run(statements[0], (first,)))
        duplicates: dict[Any, int] = dict(self._database.run(statements[1], (first,)))
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
