"""What an SQL store lists: stories by page, and the articles that came last."""

from typing import Any

from nearcopy.models.timestamps import micros
from nearcopy.stores.pagination import After, Listed, Order, Wanted, first
from nearcopy.stores.row_codec import whole
from nearcopy.stores.sql.database import Database, Row

TOLD = """
SELECT count(*), max(number), story, NULL FROM members
{}
GROUP BY story HAVING count(*) >= ? AND {}
ORDER BY {} LIMIT ?
"""
# By number, and not by an index on what is deleted, which hardly anything is: hence "+ 0".
LIVE = "deleted + 0 = 0"
ALONE = f"""
SELECT 1, number, NULL, articles.id FROM articles {{}}
WHERE {LIVE} AND NOT EXISTS (SELECT 1 FROM members WHERE members.number = articles.number)
AND number < ? {{}}
ORDER BY number DESC LIMIT ?
"""
LATEST = f"""
SELECT number, id FROM articles WHERE {LIVE} AND number < ? ORDER BY number DESC LIMIT ?
"""
FITTING = "WHERE story IN (SELECT story FROM members WHERE {})"
# Each by its index; to join with all that is in stories would take ten times as long.
PUBLISHED, SEEN = "published {} ?", "published IS NULL AND seen {} ?"
OUTLET = "JOIN arrivals USING (number)"
BEYOND = 1 << 62  # more than there ever are
ESCAPED = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})


class SqlListing:
    """The part of the store that lists."""

    _database: Database

    def listed(self, query: Wanted, order: Order, after: After | None, limit: int) -> list[Listed]:
        """Stories in this order, those after a place."""
        rows = self._told(query, order, after, limit)
        if query.least <= 1:
            rows += self._alone(query, order, after, limit)
        return first(map(Listed._make, rows), order, limit)

    def latest(self, before: int | None, limit: int) -> list[tuple[int, str]]:
        """The numbers and ids of what came last, before a number."""
        place = BEYOND if before is None else before
        rows = self._database.run(LATEST, (place, limit))
        return [(number, name) for number, name in rows]

    def _told(self, query: Wanted, order: Order, after: After | None, limit: int) -> list[Row]:
        conditions, values = _of_members(query)
        fitting = FITTING.format(" AND ".join(conditions)) if conditions else ""
        size, latest = after or After(BEYOND, BEYOND)
        newest = order == "newest"
        behind = "max(number) < ?" if newest else "(count(*), max(number)) < (?, ?)"
        sorting = "2 DESC" if newest else "1 DESC, 2 DESC"
        place = (latest,) if newest else (size, latest)
        statement = TOLD.format(fitting, behind, sorting)
        return self._database.run(statement, (*values, query.least, *place, limit))

    def _alone(self, query: Wanted, order: Order, after: After | None, limit: int) -> list[Row]:
        conditions, values = _conditions(query, "arrivals.source")
        joined = OUTLET if query.source is not None else ""
        fitting = "".join(f"AND {condition} " for condition in conditions)
        passed = after is not None and (order == "newest" or after.size <= 1)
        before = after.latest if after and passed else BEYOND
        statement = ALONE.format(joined, fitting)
        return self._database.run(statement, (before, *values, limit))


def _of_members(query: Wanted) -> tuple[list[str], list[Any]]:
    """What a member of a story must fulfil, and the values for it."""
    conditions: list[str] = []
    values: list[Any] = []
    if query.source is not None:
        conditions.append("source = ?")
        values.append(whole(query.source))
    dated, times = _times(query)
    worded, patterns = _words(query)
    if not (dated or worded):
        return conditions, values
    arms = [PUBLISHED, SEEN] if dated else [""]
    lists = []
    for arm in arms:
        parts = [arm.format(sign) for sign in dated] + worded
        lists.append(f"SELECT number FROM articles WHERE {' AND '.join(parts)}")
        values += [*times, *patterns]
    conditions.append(f"number IN ({' UNION ALL '.join(lists)})")
    return conditions, values


def _conditions(query: Wanted, source: str) -> tuple[list[str], list[Any]]:
    """What an article must fulfil, and the values for it."""
    dated, values = _times(query)
    conditions = [f"coalesce(articles.published, articles.seen) {sign} ?" for sign in dated]
    if query.source is not None:
        conditions.append(f"{source} = ?")
        values.append(whole(query.source))
    worded, patterns = _words(query)
    return conditions + worded, values + patterns


def _times(query: Wanted) -> tuple[list[str], list[Any]]:
    """How an article's time must stand to which times."""
    bounds = [(">=", query.since), ("<", query.until)]
    stamps = [(sign, micros(moment)) for sign, moment in bounds if moment is not None]
    return [sign for sign, _ in stamps], [time for _, time in stamps]


def _words(query: Wanted) -> tuple[list[str], list[Any]]:
    """What its title must be like, and the patterns for it."""
    if query.text is None:
        return [], []
    patterns = _patterns(query.text)
    liked = " OR ".join(["lower(articles.title) LIKE ? ESCAPE '\\'"] * len(patterns))
    return [f"({liked})"], list(patterns)


def _patterns(text: str) -> list[str]:
    """The text within another, as it may be written: SQLite's `lower` knows the letters a to z."""
    cleaned = whole(text)
    cases = (cleaned, cleaned.lower(), cleaned.upper(), cleaned.title(), cleaned.capitalize())
    lowered = ("".join(c.lower() if c.isascii() else c for c in variant) for variant in cases)
    return [f"%{variant.translate(ESCAPED)}%" for variant in dict.fromkeys(lowered)]
