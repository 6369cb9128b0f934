"""What an SQL store remembers of articles together: edges, stories, redirects."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from nearcopy.models.model import Decision, Edge, Join, Member, Relation, Story
from nearcopy.models.timestamps import moment
from nearcopy.stores.row_codec import whole, whole_or_none
from nearcopy.stores.sql.database import Database, Row

EDGE = "a, b, relation, rule, confidence, duplicate, reason, flags, news, copy, asked"
EDGE_COLUMNS = ("joins", *EDGE.split(", "))
# Of two articles `a` came first: who looks for it need not look at what came before it.
ENDS = BY_A, BY_B = "a IN ({}) AND b > ?", "b IN ({}) AND b >= ?"
JOINING = "joins = 1"
JOIN = "a, b, duplicate, news"
MEMBER = "number, story, relation, confidence, rule, reason, source, score, why, duplicate_of"
MEMBER_COLUMNS = ("place", *MEMBER.split(", "))
NO_FLAGS = "[]"
FOLLOWED_AT_ONCE = 32  # articles whose links are looked at together
NONE = range(0)
RELATIONS = {relation.value: relation for relation in Relation}


class Names:
    """The numbers of ids, and the ids of numbers, that were looked up in a step."""

    def __init__(self) -> None:
        self.numbers: dict[str, int | None] = {}  # None: there is no such article
        self.ids: dict[int, str] = {}

    def learn(self, pairs: Iterable[tuple[int, str]]) -> None:
        """Take note of numbers and their ids."""
        for number, name in pairs:
            self.numbers[name] = number
            self.ids[number] = name


class Came(NamedTuple):
    """An article's id, and when it was published and seen."""

    id: str
    published: datetime | None
    seen: datetime | None


class SqlStories:
    """The part of the store that knows of stories."""

    _database: Database
    numbered: str  # the statement that tells the numbers of ids
    _known: Names | None = None  # as long as a step lasts
    _unlinked = NONE  # numbers of articles between which and others nothing is remembered yet

    def link(self, edges: Iterable[Edge]) -> None:
        """Remember what was found between articles."""
        listed = list(edges)
        numbers = self._numbers({name for edge in listed for name in (edge.a, edge.b)})
        rows = [
            _edge_row(numbers[edge.a], numbers[edge.b], edge)
            for edge in listed
            if edge.a in numbers and edge.b in numbers
        ]
        fresh, self._unlinked = self._unlinked, NONE
        last = {row[1:3]: row for row in rows}
        new = [row for (_, b), row in last.items() if b in fresh]
        old = [row for (_, b), row in last.items() if b not in fresh]
        self._database.insert("edges", EDGE_COLUMNS, new)
        self._database.replace("edges", EDGE_COLUMNS, old, key=("a", "b"))

    def _numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The numbers of the articles that are here."""
        names = self._known or Names()
        unknown = [name for name in ids if name not in names.numbers]
        names.numbers.update(dict.fromkeys(unknown))
        names.learn(self._database.among(self.numbered, unknown))
        return {name: number for name in ids if (number := names.numbers[name]) is not None}

    def edges(self, ids: Collection[str]) -> list[Edge]:
        """All that was found between one of these articles and any other."""
        numbers = set(self._numbers(ids).values())
        rows = {row[:2]: row for end in ENDS for row in self._edge_rows(EDGE, end, numbers)}
        ids_of = self._ids_of(rows)
        return [_edge(ids_of[a], ids_of[b], *columns) for a, b, *columns in rows.values()]

    def joins(self, ids: Collection[str]) -> list[Join]:
        """What puts one of these articles and any other into one story."""
        numbers = set(self._numbers(ids).values())
        ends = (f"{end} AND {JOINING}" for end in ENDS)
        rows = {row[:2]: row for end in ends for row in self._edge_rows(JOIN, end, numbers)}
        ids_of = self._ids_of(rows)
        values = rows.values()
        return [Join(ids_of[a], ids_of[b], bool(copy), news) for a, b, copy, news in values]

    def edges_among(self, ids: Collection[str]) -> list[Edge]:
        """All that was found between two of these articles."""
        numbers = set(self._numbers(ids).values())
        rows = [row for row in self._edge_rows(EDGE, BY_A, numbers) if row[1] in numbers]
        ids_of = self._ids_of(row[:2] for row in rows)
        return [_edge(ids_of[a], ids_of[b], *columns) for a, b, *columns in rows]

    def _edge_rows(self, columns: str, end: str, numbers: Collection[int]) -> Iterator[Row]:
        statement = f"SELECT {columns} FROM edges WHERE {end}"
        return self._database.among(statement, numbers, min(numbers, default=0))

    def _ids_of(self, pairs: Iterable[tuple[Any, ...]]) -> dict[int, str]:
        """The ids of the numbers."""
        return self._named({number for pair in pairs for number in pair})

    def _named(self, numbers: Collection[int]) -> dict[int, str]:
        """The ids of the numbers; most were looked up before in this step."""
        names = self._known or Names()
        missing = [number for number in numbers if number not in names.ids]
        statement = "SELECT number, id FROM articles WHERE number IN ({})"
        names.learn(self._database.among(statement, missing))
        return {number: names.ids[number] for number in numbers if number in names.ids}

    def linked(self, ids: Collection[str], limit: int) -> list[str]:
        """These and all that duplicates and same events link them to."""
        seen = dict.fromkeys(self._numbers(ids).values())
        queue, done = list(seen), 0
        while done < len(queue) and len(seen) < limit:
            batch = queue[done : done + FOLLOWED_AT_ONCE]
            done += len(batch)
            near = dict.fromkeys(self._neighbours(batch))
            fresh = [number for number in near if number not in seen][: limit - len(seen)]
            seen |= dict.fromkeys(fresh)
            queue += fresh
        return list(self._named(seen).values())

    def _neighbours(self, numbers: list[int]) -> Iterator[int]:
        for end, other in ((BY_A, "b"), (BY_B, "a")):
            for (number,) in self._edge_rows(other, f"{end} AND {JOINING}", numbers):
                yield number

    def tell(
        self, stories: Iterable[Story], removed: Collection[str], redirects: Mapping[str, str]
    ) -> None:
        """Remember stories; forget those that are gone."""
        saved = list(stories)
        numbers = self._numbers({member.id for story in saved for member in story.members})
        whys = [(story.id, whole(story.why)) for story in saved]
        self._database.replace("stories", ("id", "why"), whys, key=("id",))
        rows = [
            _member_row(numbers[member.id], story.id, place, member)
            for story in saved
            for place, member in enumerate(story.members)
        ]
        self._database.replace("members", MEMBER_COLUMNS, rows, key=("number",))
        self._database.change("DELETE FROM stories WHERE id IN ({})", removed)
        moved = list(redirects.items())
        self._database.replace("redirects", ("story", "to_story"), moved, key=("story",))

    def members(self, ids: Collection[str]) -> dict[str, tuple[str, Member]]:
        """Of articles in a remembered story: its id, and what they are in it."""
        statement = f"SELECT {MEMBER} FROM members WHERE number IN ({{}})"
        placed = self._placed(list(self._database.among(statement, self._numbers(ids).values())))
        return {row.member.id: (row.story, row.member) for row in placed}

    def _placed(self, rows: list[Row]) -> list["_Placed"]:
        """The members, in order."""
        came = self._came([row[0] for row in rows])
        return [_placed(row, came[row[0]]) for row in rows]

    def _came(self, numbers: Collection[int]) -> dict[int, Came]:
        """The ids of the articles of these numbers, and when they were published and seen."""
        statement = "SELECT number, id, published, seen FROM articles WHERE number IN ({})"
        rows = self._database.among(statement, numbers)
        return {n: Came(name, moment(shown), moment(seen)) for n, name, shown, seen in rows}

    def stories(self, ids: Collection[str]) -> dict[str, Story]:
        """The remembered stories, by id."""
        whys: dict[str, str] = dict(
            self._database.among("SELECT id, why FROM stories WHERE id IN ({})", ids)
        )
        statement = f"SELECT {MEMBER} FROM members WHERE story IN ({{}}) ORDER BY story, place"
        members: dict[str, list[_Placed]] = {name: [] for name in ids if name in whys}
        for row in self._placed(list(self._database.among(statement, list(members)))):
            members[row.story].append(row)
        return {
            name: _story(name, whys[name], placed) for name, placed in members.items() if placed
        }

    def story_ids(self) -> Iterator[str]:
        """The remembered stories, in no order."""
        return (name for (name,) in self._database.run("SELECT id FROM stories"))

    def taken(self, stories: Collection[str]) -> set[str]:
        """Which of these ids name a story, or one that became part of another."""
        lookups = ("SELECT id FROM stories WHERE id", "SELECT story FROM redirects WHERE story")
        return {
            row[0]
            for named in lookups
            for row in self._database.among(f"{named} IN ({{}})", stories)
        }

    def redirected(self, story: str) -> str:
        """The story that this one became part of, in the end; else itself."""
        seen = {story}
        following = "SELECT to_story FROM redirects WHERE story IN ({})"
        while row := next(self._database.among(following, [story]), None):
            if row[0] in seen:
                break
            seen.add(story := row[0])
        return story

    def redirects(self) -> dict[str, str]:
        """All stories that became part of another."""
        return dict(self._database.run("SELECT story, to_story FROM redirects"))


class _Placed(NamedTuple):
    """A member, the story it is in, and when it came."""

    story: str
    member: Member
    when: datetime | None


def _edge_row(a: int, b: int, edge: Edge) -> Row:
    decision = edge.decision
    return (
        int(edge.joins),
        min(a, b),
        max(a, b),
        decision.relation.value,
        decision.rule,
        decision.confidence,
        int(decision.duplicate),
        whole(decision.reason),
        json.dumps(decision.flags),
        edge.news,
        edge.copy,
        int(edge.asked),
    )


def _edge(
    a: str, b: str, relation: str, rule: str, confidence: float, duplicate: int, *columns: Any
) -> Edge:
    reason, flags, news, copy, requested = columns
    marks = tuple(json.loads(flags)) if flags != NO_FLAGS else ()
    decision = Decision(RELATIONS[relation], rule, confidence, bool(duplicate), reason, marks)
    return Edge(a, b, decision, news, copy, bool(requested))


def _member_row(number: int, story: str, place: int, member: Member) -> Row:
    return (
        place,
        number,
        story,
        member.relation.value if member.relation else None,
        member.confidence,
        member.rule,
        whole(member.reason),
        whole_or_none(member.source),
        member.score,
        whole(member.why),
        member.duplicate_of,
    )


def _placed(row: Row, came: Came) -> _Placed:
    _, story, relation, confidence, rule, reason, source, score, why, original = row
    member = Member(
        id=came.id,
        relation=RELATIONS[relation] if relation else None,
        confidence=confidence,
        rule=rule,
        reason=reason,
        source=source,
        published=came.published,
        score=score,
        why=why,
        duplicate_of=original,
    )
    return _Placed(story, member, came.seen if came.published is None else came.published)


def _story(name: str, why: str, members: list[_Placed]) -> Story:
    dated = [row.when for row in members if row.when is not None]
    first, last = min(dated, default=None), max(dated, default=None)
    everyone = tuple(row.member for row in members)
    return Story(name, everyone[0].id, why, everyone, first, last)
