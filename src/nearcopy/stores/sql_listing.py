"""What an SQL store lists: stories by page, and the articles that came last."""

from typing import Any

from nearcopy.stores.listing import After, Listed, Order, Wanted, first
from nearcopy.stores.rows import micros, whole
from nearcopy.stores.sql_database import Database, Row

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

    def listed(self, wanted: Wanted, order: Order, after: After | None, limit: int) -> list[Listed]:
        """Stories in this order, those after a place."""
        rows = self._told(wanted, order, after, limit)
        if wanted.least <= 1:
            rows += self._alone(wanted, order, after, limit)
        return first(map(Listed._make, rows), order, limit)

    def latest(self, before: int | None, limit: int) -> list[tuple[int, str]]:
        """The numbers and ids of what came last, before a number."""
        place = BEYOND if before is None else before
        rows = self._database.run(LATEST, (place, limit))
        return [(number, name) for number, name in rows]

    def _told(self, wanted: Wanted, order: Order, after: After | None, limit: int) -> list[Row]:
        conditions, values = _of_members(wanted)
        fitting = FITTING.format(" AND ".join(conditions)) if conditions else ""
        size, latest = after or After(BEYOND, BEYOND)
        newest = order == "newest"
        behind = "max(number) < ?" if newest else "(count(*), max(number)) < (?, ?)"
        sorting = "2 DESC" if newest else "1 DESC, 2 DESC"
        place = (latest,) if newest else (size, latest)
        statement = TOLD.format(fitting, behind, sorting)
        return self._database.run(statement, (*values, wanted.least, *place, limit))

    def _alone(self, wanted: Wanted, order: Order, after: After | None, limit: int) -> list[Row]:
        conditions, values = _conditions(wanted, "arrivals.source")
        joined = OUTLET if wanted.source is not None else ""
        fitting = "".join(f"AND {each} " for each in conditions)
        passed = after is not None and (order == "newest" or after.size <= 1)
        before = after.latest if after and passed else BEYOND
        statement = ALONE.format(joined, fitting)
        return self._database.run(statement, (before, *values, limit))


def _of_members(wanted: Wanted) -> tuple[list[str], list[Any]]:
    """What a member of a story must fulfil, and the values for it."""
    conditions: list[str] = []
    values: list[Any] = []
    if wanted.source is not None:
        conditions.append("source = ?")
        values.append(whole(wanted.source))
    dated, times = _times(wanted)
    worded, patterns = _words(wanted)
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


def _conditions(wanted: Wanted, source: str) -> tuple[list[str], list[Any]]:
    """What an article must fulfil, and the values for it."""
    dated, values = _times(wanted)
    conditions = [f"coalesce(articles.published, articles.seen) {sign} ?" for sign in dated]
    if wanted.source is not None:
        conditions.append(f"{source} = ?")
        values.append(whole(wanted.source))
    worded, patterns = _words(wanted)
    return conditions + worded, values + patterns


def _times(wanted: Wanted) -> tuple[list[str], list[Any]]:
    """How an article's time must stand to which times."""
    given = [(">=", wanted.since), ("<", wanted.until)]
    known = [(sign, micros(moment)) for sign, moment in given if moment is not None]
    return [sign for sign, _ in known], [time for _, time in known]


def _words(wanted: Wanted) -> tuple[list[str], list[Any]]:
    """What its title must be like, and the patterns for it."""
    if wanted.text is None:
        return [], []
    patterns = _patterns(wanted.text)
    liked = " OR ".join(["lower(articles.title) LIKE ? ESCAPE '\\'"] * len(patterns))
    return [f"({liked})"], list(patterns)


def _patterns(text: str) -> list[str]:
    """The text within another, as it may be written: SQLite's `lower` knows the letters a to z."""
    found = whole(text)
    cases = (found, found.lower(), found.upper(), found.title(), found.capitalize())
    lowered = ("".join(c.lower() if c.isascii() else c for c in each) for each in cases)
    return [f"%{each.translate(ESCAPED)}%" for each in dict.fromkeys(lowered)]
