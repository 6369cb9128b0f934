"""What an SQL store can count: articles by day and source, stories by size, times."""

from typing import Any

from nearcopy.models.model import Relation
from nearcopy.stores.base import Copies, Counts, Tally
from nearcopy.stores.sql.database import Database, Row

MINE = "members JOIN arrivals USING (number) WHERE day >= ?"
# What there is of each, then how many of these are copies: only members can be.
BY_DAY = (
    "SELECT day, count(*) FROM arrivals WHERE day >= ? GROUP BY day",
    f"SELECT day, count(*) FROM {MINE} AND duplicate_of IS NOT NULL GROUP BY day",
)
BY_SOURCE = (
    "SELECT arrivals.source, count(*) FROM arrivals WHERE day >= ? GROUP BY source",
    f"SELECT arrivals.source, count(*) FROM {MINE} AND duplicate_of IS NOT NULL"
    " GROUP BY arrivals.source",
)
BY_RELATION = (
    f"SELECT day, relation, count(*) FROM {MINE} AND relation IS NOT NULL GROUP BY day, relation"
)
ALL_SIZES = (
    "SELECT size, count(*) FROM (SELECT count(*) AS size FROM members GROUP BY story) AS sizes"
    " GROUP BY size"
)
SIZES = (
    f"SELECT size, count(*) FROM (SELECT count(*) AS size FROM {MINE} GROUP BY story) AS sizes"
    " GROUP BY size"
)
EVER = -(1 << 62)


class SqlTally:
    """The part of the store that counts."""

    _database: Database

    def tally(self, since: int | None) -> Tally:
        """What came since a day, counted."""
        first = EVER if since is None else since
        days = self._copies(BY_DAY, first)
        sizes: dict[int, int] = dict(self._sizes(first))
        in_stories = sum(size * count for size, count in sizes.items())
        alone = sum(counts.articles for counts in days.values()) - in_stories
        if alone:
            sizes[1] = sizes.get(1, 0) + alone
        rows = self._counted(BY_RELATION, first)
        related = {(day, Relation(name)): count for day, name, count in rows}
        return Tally(days, self._copies(BY_SOURCE, first), related, sizes)

    def _sizes(self, first: int) -> list[Row]:
        """How many stories there are of so many articles that came since a day."""
        earlier = "SELECT 1 FROM arrivals WHERE day < ? LIMIT 1"
        if first == EVER or self._database.one(earlier, (first,)) is None:
            return self._database.run(ALL_SIZES)
        return self._counted(SIZES, first)

    def _counted(self, statement: str, first: int) -> list[Row]:
        return self._database.run(statement, (first,))

    def _copies(self, statements: tuple[str, str], first: int) -> dict[Any, Copies]:
        articles: dict[Any, int] = dict(self._counted(statements[0], first))
        duplicates: dict[Any, int] = dict(self._counted(statements[1], first))
        return {name: Copies(count, duplicates.get(name, 0)) for name, count in articles.items()}

    def add_times(self, counts: Counts) -> None:
        """Add to how often work took a time."""
        for key, count in counts.items():
            self._database.run(
                "INSERT INTO times VALUES (?, ?, ?, ?) ON CONFLICT (day, work, step)"
                " DO UPDATE SET count = times.count + excluded.count",
                (*key, count),
            )

    def times(self, since: int | None) -> Counts:
        """How often work took a time since a day."""
        first = EVER if since is None else since
        rows = self._database.run(
            "SELECT day, work, step, count FROM times WHERE day >= ?", (first,)
        )
        return {(day, work, step): count for day, work, step, count in rows}
