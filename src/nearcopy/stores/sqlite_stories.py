"""What a SQLite store remembers of articles together: edges, stories, redirects."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from nearcopy.model import Decision, Edge, Member, Relation, Story
from nearcopy.stores.rows import moment, whole, whole_or_none
from nearcopy.stores.sqlite_file import Row, SqliteFile

NUMBERS = "SELECT number, id FROM articles INDEXED BY articles_id WHERE deleted = 0 AND id IN ({})"
EDGE = "a, b, relation, rule, confidence, duplicate, reason, flags, news, copy, asked"
MEMBER = """
SELECT story, id, relation, confidence, rule, reason, members.source, published, score, why,
       duplicate_of, seen
FROM members JOIN articles USING (number)
"""
NO_FLAGS = "[]"
RELATIONS = {relation.value: relation for relation in Relation}
FOLLOWED_AT_ONCE = 32  # articles whose links are looked at together


class SqliteStories:
    """The part of the store that knows of stories."""

    _file: SqliteFile

    def link(self, edges: Iterable[Edge]) -> None:
        """Remember what was found between articles."""
        given = list(edges)
        numbers = self._numbers({name for edge in given for name in (edge.a, edge.b)})
        self._file.many(
            "INSERT OR REPLACE INTO edges VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                _edge_row(numbers[each.a], numbers[each.b], each)
                for each in given
                if each.a in numbers and each.b in numbers
            ],
        )

    def _numbers(self, ids: Collection[str]) -> dict[str, int]:
        return {name: number for number, name in self._file.among(NUMBERS, ids)}

    def edges(self, ids: Collection[str]) -> list[Edge]:
        """All that was found between one of these articles and any other."""
        numbers = set(self._numbers(ids).values())
        rows = {row[:2]: row for end in ("a", "b") for row in self._edge_rows(end, numbers)}
        return self._named(list(rows.values()))

    def edges_among(self, ids: Collection[str]) -> list[Edge]:
        """All that was found between two of these articles."""
        numbers = set(self._numbers(ids).values())
        return self._named([row for row in self._edge_rows("a", numbers) if row[1] in numbers])

    def _edge_rows(self, end: str, numbers: Collection[int]) -> Iterator[Row]:
        return self._file.among(f"SELECT {EDGE} FROM edges WHERE {end} IN ({{}})", numbers)

    def _named(self, rows: list[Row]) -> list[Edge]:
        """The edges, with ids instead of numbers."""
        numbers = {number for row in rows for number in row[:2]}
        named = "SELECT number, id FROM articles WHERE number IN ({})"
        ids: dict[int, str] = dict(self._file.among(named, numbers))
        return [_edge(ids[row[0]], ids[row[1]], *row[2:]) for row in rows]

    def linked(self, ids: Collection[str], limit: int) -> list[str]:
        """These and all that duplicates and same events link them to."""
        seen = dict.fromkeys(self._numbers(ids).values())
        queue, done = list(seen), 0
        while done < len(queue) and len(seen) < limit:
            some = queue[done : done + FOLLOWED_AT_ONCE]
            done += len(some)
            near = dict.fromkeys(self._neighbours(some))
            fresh = [number for number in near if number not in seen][: limit - len(seen)]
            seen |= dict.fromkeys(fresh)
            queue += fresh
        named = "SELECT id FROM articles WHERE deleted = 0 AND number IN ({})"
        return [name for (name,) in self._file.among(named, seen)]

    def _neighbours(self, numbers: list[int]) -> Iterator[int]:
        for end, other in (("a", "b"), ("b", "a")):
            wanted = f"SELECT {other} FROM edges WHERE {end} IN ({{}}) AND joins"
            for (number,) in self._file.among(wanted, numbers):
                yield number

    def tell(
        self, stories: Iterable[Story], gone: Collection[str], redirects: Mapping[str, str]
    ) -> None:
        """Remember stories; forget those that are gone."""
        told = list(stories)
        numbers = self._numbers({member.id for story in told for member in story.members})
        self._file.many(
            "INSERT OR REPLACE INTO stories VALUES (?, ?)",
            [(each.id, whole(each.why)) for each in told],
        )
        self._file.many(
            "INSERT OR REPLACE INTO members VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                _member_row(numbers[member.id], story.id, place, member)
                for story in told
                for place, member in enumerate(story.members)
            ],
        )
        self._file.change("DELETE FROM stories WHERE id IN ({})", gone)
        self._file.many("INSERT OR REPLACE INTO redirects VALUES (?, ?)", list(redirects.items()))

    def members(self, ids: Collection[str]) -> dict[str, tuple[str, Member]]:
        """Of articles in a remembered story: its id, and what they are in it."""
        rows = self._file.among(f"{MEMBER} WHERE number IN ({{}})", self._numbers(ids).values())
        return {row[1]: (row[0], _member(row)) for row in rows}

    def stories(self, ids: Collection[str]) -> dict[str, Story]:
        """The remembered stories, by id."""
        whys: dict[str, str] = dict(
            self._file.among("SELECT id, why FROM stories WHERE id IN ({})", ids)
        )
        rows: dict[str, list[Row]] = {name: [] for name in ids if name in whys}
        told = f"{MEMBER} WHERE story IN ({{}}) ORDER BY story, place"
        for row in self._file.among(told, list(rows)):
            rows[row[0]].append(row)
        return {name: _story(name, whys[name], found) for name, found in rows.items() if found}

    def story_ids(self) -> Iterator[str]:
        """The remembered stories, in no order."""
        return (name for (name,) in self._file.run("SELECT id FROM stories").fetchall())

    def taken(self, stories: Collection[str]) -> set[str]:
        """Which of these ids name a story, or one that became part of another."""
        found = ("SELECT id FROM stories WHERE id", "SELECT story FROM redirects WHERE story")
        return {
            row[0] for named in found for row in self._file.among(f"{named} IN ({{}})", stories)
        }

    def redirected(self, story: str) -> str:
        """The story that this one became part of, in the end; else itself."""
        seen = {story}
        following = "SELECT to_story FROM redirects WHERE story IN ({})"
        while row := next(self._file.among(following, [story]), None):
            if row[0] in seen:
                break
            seen.add(story := row[0])
        return story


def _edge_row(a: int, b: int, edge: Edge) -> Row:
    how = edge.decision
    return (
        min(a, b),
        max(a, b),
        edge.joins,
        how.relation.value,
        how.rule,
        how.confidence,
        how.duplicate,
        whole(how.reason),
        json.dumps(how.flags),
        edge.news,
        edge.copy,
        edge.asked,
    )


def _edge(
    a: str, b: str, relation: str, rule: str, confidence: float, duplicate: int, *rest: Any
) -> Edge:
    reason, flags, news, copy, asked = rest
    marks = tuple(json.loads(flags)) if flags != NO_FLAGS else ()
    how = Decision(RELATIONS[relation], rule, confidence, bool(duplicate), reason, marks)
    return Edge(a, b, how, news, copy, bool(asked))


def _member_row(number: int, story: str, place: int, member: Member) -> Row:
    return (
        number,
        story,
        place,
        member.relation.value if member.relation else None,
        member.confidence,
        member.rule,
        whole(member.reason),
        member.score,
        whole(member.why),
        member.duplicate_of,
        whole_or_none(member.source),
    )


def _member(row: Row) -> Member:
    _, name, relation, confidence, rule, reason, source, published, score, why, original = row[:11]
    return Member(
        id=name,
        relation=RELATIONS[relation] if relation else None,
        confidence=confidence,
        rule=rule,
        reason=reason,
        source=source,
        published=moment(published),
        score=score,
        why=why,
        duplicate_of=original,
    )


def _story(name: str, why: str, rows: list[Row]) -> Story:
    members = tuple(map(_member, rows))
    dates = [moment(row[7] if row[7] is not None else row[11]) for row in rows]
    known = [date for date in dates if date is not None]
    first, last = min(known, default=None), max(known, default=None)
    return Story(name, members[0].id, why, members, first, last)
