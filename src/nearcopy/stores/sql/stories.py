"""The stories of an SQL store: members, redirects, pages."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from nearcopy.config.units import from_micros, to_micros
from nearcopy.models import Fingerprint, Member, Story
from nearcopy.stores.base import UNLIMITED, StoryCursor, StoryFilter, StoryOrder, StoryPlace
from nearcopy.stores.full_scans import first_places
from nearcopy.stores.record_format import Compressor
from nearcopy.stores.row_codec import (
    MemberRow,
    member_from_row,
    member_to_row,
    replace_surrogates,
)
from nearcopy.stores.sql.database import ArticleIds, Database, Row

SELECT_MEMBERS = f"SELECT {', '.join(MemberRow._fields)} FROM members"
SELECT_TIMES = "SELECT number, id, published, seen FROM articles WHERE number IN ({})"
STORY_PAGE = """
SELECT count(*), max(number), story, NULL FROM members
{}
GROUP BY story HAVING count(*) >= ? AND {}
ORDER BY {} LIMIT ?
"""
# By number, and not by an index on what is deleted, which hardly anything is: hence "+ 0".
LIVE = "deleted + 0 = 0"
ARTICLES_ALONE = f"""
SELECT 1, number, NULL, articles.id FROM articles {{}}
WHERE {LIVE} AND NOT EXISTS (SELECT 1 FROM members WHERE members.number = articles.number)
AND number < ? {{}}
ORDER BY number DESC LIMIT ?
"""
STORIES_OF = "WHERE story IN (SELECT story FROM members WHERE {})"
JOIN_SOURCES = "JOIN arrivals USING (number)"
# Each by its index; to join with all members of stories would take ten times as long.
DATES = ("published {} ?", "published IS NULL AND seen {} ?")
ANY_DATE = "coalesce(articles.published, articles.seen) {} ?"
ESCAPED = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})

Condition = tuple[list[str], list[Any]]  # parts of a WHERE clause, and their values
ArticleTimes = tuple[str, int | None, int | None]  # id, published and seen
Membership = tuple[str, Member, datetime | None]  # story, member, and the date of the article


class SqlStories:
    """Stories by id, their members by sequence number."""

    def __init__(
        self,
        database: Database,
        ids: ArticleIds,
        cached_fingerprint: Callable[[int], Fingerprint | None],
    ) -> None:
        self._database, self._ids = database, ids
        self._cached_fingerprint = cached_fingerprint
        self._compressor = Compressor()

    def save_stories(
        self, stories: Iterable[Story], removed: Collection[str], redirects: Mapping[str, str]
    ) -> None:
        listed = list(stories)
        numbers = self._ids.numbers({member.id for story in listed for member in story.members})
        story_rows = [(story.id, replace_surrogates(story.why)) for story in listed]
        members = (
            member_to_row(numbers[member.id], story.id, place, member)
            for story in listed
            for place, member in enumerate(story.members)
        )
        compress = self._compressor.compress
        member_rows = [row._replace(details=compress(row.details)) for row in members]
        self._database.replace("stories", ("id", "why"), story_rows, key=("id",))
        self._database.replace("members", MemberRow._fields, member_rows, key=("number",))
        self._database.execute_in("DELETE FROM stories WHERE id IN ({})", removed)
        self._database.replace(
            "redirects", ("story", "to_story"), list(redirects.items()), key=("story",)
        )

    def members(self, ids: Collection[str]) -> dict[str, tuple[str, Member]]:
        statement = f"{SELECT_MEMBERS} WHERE number IN ({{}})"
        rows = self._database.select_in(statement, self._ids.numbers(ids).values())
        return {member.id: (story, member) for story, member, _ in self._decode(rows)}

    def stories(self, ids: Collection[str]) -> dict[str, Story]:
        reasons: dict[str, str] = dict(
            self._database.select_in("SELECT id, why FROM stories WHERE id IN ({})", ids)
        )
        statement = f"{SELECT_MEMBERS} WHERE story IN ({{}}) ORDER BY story, place"
        members: dict[str, list[Membership]] = {name: [] for name in ids if name in reasons}
        for row in self._decode(self._database.select_in(statement, list(members))):
            members[row[0]].append(row)
        return {name: _story(name, reasons[name], rows) for name, rows in members.items() if rows}

    def _decode(self, rows: Iterable[Row]) -> list[Membership]:
        """The members, in order."""
        decompress = self._compressor.decompress
        packed = map(MemberRow._make, rows)
        listed = [row._replace(details=decompress(row.details)) for row in packed]
        articles = self._ids_and_times([row.number for row in listed])
        memberships = []
        for row in listed:
            name, published, seen = articles[row.number]
            member = member_from_row(row, name, from_micros(published))
            memberships.append((row.story, member, member.published or from_micros(seen)))
        return memberships

    def _ids_and_times(self, numbers: Collection[int]) -> dict[int, ArticleTimes]:
        """The ids and times of articles, from their fingerprints where these are in memory."""
        cached = {n: item for n in numbers if (item := self._cached_fingerprint(n)) is not None}
        rows = self._database.select_in(SELECT_TIMES, [n for n in numbers if n not in cached])
        stored = {number: (name, published, seen) for number, name, published, seen in rows}
        return stored | {
            n: (item.id, to_micros(item.published), to_micros(item.seen))
            for n, item in cached.items()
        }

    def story_ids(self) -> Iterator[str]:
        return (name for (name,) in self._database.run("SELECT id FROM stories"))

    def used_story_ids(self, stories: Collection[str]) -> set[str]:
        lookups = ("SELECT id FROM stories WHERE id", "SELECT story FROM redirects WHERE story")
        return {
            name
            for lookup in lookups
            for (name,) in self._database.select_in(f"{lookup} IN ({{}})", stories)
        }

    def resolve_story(self, story: str) -> str:
        seen = {story}
        statement = "SELECT to_story FROM redirects WHERE story IN ({})"
        while row := next(self._database.select_in(statement, [story]), None):
            if row[0] in seen:
                break
            seen.add(story := row[0])
        return story

    def redirects(self) -> dict[str, str]:
        return dict(self._database.run("SELECT story, to_story FROM redirects"))

    def list_stories(
        self, query: StoryFilter, order: StoryOrder, after: StoryCursor | None, limit: int
    ) -> list[StoryPlace]:
        rows = self._story_rows(query, order, after, limit)
        if query.least <= 1:
            rows += self._article_rows(query, order, after, limit)
        return first_places(map(StoryPlace._make, rows), order, limit)

    def _story_rows(
        self, query: StoryFilter, order: StoryOrder, after: StoryCursor | None, limit: int
    ) -> list[Row]:
        conditions, values = _member_conditions(query)
        matching = STORIES_OF.format(" AND ".join(conditions)) if conditions else ""
        size, latest = after or StoryCursor(UNLIMITED, UNLIMITED)
        newest = order == "newest"
        behind = "max(number) < ?" if newest else "(count(*), max(number)) < (?, ?)"
        sorting = "2 DESC" if newest else "1 DESC, 2 DESC"
        place = (latest,) if newest else (size, latest)
        statement = STORY_PAGE.format(matching, behind, sorting)
        return self._database.run(statement, (*values, query.least, *place, limit))

    def _article_rows(
        self, query: StoryFilter, order: StoryOrder, after: StoryCursor | None, limit: int
    ) -> list[Row]:
        """The articles that are in no story."""
        conditions, values = _article_conditions(query, ANY_DATE)
        source_conditions, sources = _source_conditions(query, "arrivals.source")
        joined = JOIN_SOURCES if query.source is not None else ""
        matching = "".join(f"AND {condition} " for condition in conditions + source_conditions)
        among_single = after is not None and (order == "newest" or after.size <= 1)
        before = after.latest if after and among_single else UNLIMITED
        statement = ARTICLES_ALONE.format(joined, matching)
        return self._database.run(statement, (before, *values, *sources, limit))


def _story(name: str, why: str, rows: list[Membership]) -> Story:
    dates = [date for _, _, date in rows if date is not None]
    members = tuple(member for _, member, _ in rows)
    return Story(
        name, members[0].id, why, members, min(dates, default=None), max(dates, default=None)
    )


def _member_conditions(query: StoryFilter) -> Condition:
    """What a member of a story must fulfil."""
    conditions, values = _source_conditions(query, "source")
    is_dated = query.since is not None or query.until is not None
    selects = []
    for date in DATES if is_dated else DATES[:1]:
        parts, part_values = _article_conditions(query, date)
        if parts:
            selects.append(f"SELECT number FROM articles WHERE {' AND '.join(parts)}")
            values += part_values
    if selects:
        conditions.append(f"number IN ({' UNION ALL '.join(selects)})")
    return conditions, values


def _source_conditions(query: StoryFilter, column: str) -> Condition:
    if query.source is None:
        return [], []
    return [f"{column} = ?"], [replace_surrogates(query.source)]


def _article_conditions(query: StoryFilter, date: str) -> Condition:
    """What the date and the title of an article must fulfil."""
    bounds = [(">=", query.since), ("<", query.until)]
    conditions = [date.format(operator) for operator, time in bounds if time is not None]
    values: list[Any] = [to_micros(time) for _, time in bounds if time is not None]
    if query.text is not None:
        patterns = _title_patterns(query.text)
        alternatives = " OR ".join(["lower(articles.title) LIKE ? ESCAPE '\\'"] * len(patterns))
        conditions.append(f"({alternatives})")
        values += patterns
    return conditions, values


def _title_patterns(text: str) -> list[str]:
    """LIKE patterns of a text in every case: SQLite's `lower` knows the letters a to z only."""
    cleaned = replace_surrogates(text)
    cases = (cleaned, cleaned.lower(), cleaned.upper(), cleaned.title(), cleaned.capitalize())
    lowered = ("".join(c.lower() if c.isascii() else c for c in variant) for variant in cases)
    return [f"%{variant.translate(ESCAPED)}%" for variant in dict.fromkeys(lowered)]
