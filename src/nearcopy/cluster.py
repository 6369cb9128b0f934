"""Stories: copies of one piece of news around the copy that is kept.

A story is a star, never a chain: every member is a duplicate of the kept copy itself. Articles
linked by duplicate edges, directly or through others, are ranked once by the keeper; the best takes
those it is a duplicate of, then the best of what is left does, until none is left. So each story
has a best copy of its own, and A = B, B = C does not make C a copy of A unless someone says so.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat
from types import MappingProxyType

from nearcopy.config import Policy
from nearcopy.errors import BadArticle
from nearcopy.keeper import EPOCH, Standing, by_age, cards, election, standings
from nearcopy.lineage import story_ids
from nearcopy.model import Decision, Edge, Fingerprint, Member, Relation, Story

Judge = Callable[[str, str], Decision]
NONE: Mapping[str, str] = MappingProxyType({})
SUREST = {relation: place for place, relation in enumerate(Relation)}


@dataclass(frozen=True, slots=True)
class Brake:
    """A group that grew beyond `policy.largest_story`, and what was done about it."""

    size: int
    kept: str
    left_out: int
    why: str


@dataclass(frozen=True, slots=True)
class Clustering:
    """Every article in exactly one story; the stories by when they were first seen, then by id."""

    stories: tuple[Story, ...]
    story_of: Mapping[str, str]
    redirects: Mapping[str, str]
    braked: tuple[Brake, ...] = ()


def stories(
    articles: Iterable[Fingerprint],
    edges: Iterable[Edge],
    policy: Policy,
    *,
    judge: Judge | None = None,
    known: Mapping[str, str] = NONE,
    redirects: Mapping[str, str] = NONE,
) -> Clustering:
    """The articles as stories, the same in whatever order articles and edges come.

    `judge` is asked about a kept copy and an article linked to it only through its members.
    `known` tells the story that an article was in before, `redirects` what earlier merges left.
    Edges to articles that are not given are of no account.
    """
    given = _by_id(articles)
    links = _Links(given, remember_refusals=judge is not None)
    for edge in edges:
        links.add(edge.a, edge.b, edge.decision)
    stars: list[_Star] = []
    braked: list[Brake] = []
    for names in links.groups():
        if len(names) == 1:  # most are, and need no ranking
            stars.append(_alone(given[names[0]], policy))
            continue
        group = _Group([given[name] for name in names], links, policy, judge)
        stars += group.stars()
        braked += group.brake()
    ids, moved = story_ids([star.copies for star in stars], known, redirects)
    told = sorted(map(_story, stars, ids, repeat(policy)), key=_first_seen)
    return Clustering(
        stories=tuple(told),
        story_of={member.id: story.id for story in told for member in story.members},
        redirects=moved,
        braked=tuple(sorted(braked, key=lambda brake: (-brake.size, brake.kept))),
    )


def _by_id(articles: Iterable[Fingerprint]) -> dict[str, Fingerprint]:
    found: dict[str, Fingerprint] = {}
    for article in articles:
        if found.setdefault(article.id, article) != article:
            raise BadArticle(
                f"two different articles have the id {article.id!r}: give each an id of its own"
            )
    return found


class _Links:
    """Who is a duplicate of whom, by the surest decision given for the two."""

    def __init__(self, articles: Iterable[str], *, remember_refusals: bool) -> None:
        self.of: dict[str, dict[str, Decision]] = dict.fromkeys(articles, _NOBODY)
        self.refused: set[tuple[str, str]] | None = set() if remember_refusals else None

    def add(self, a: str, b: str, decision: Decision) -> None:
        """Take note of a decision, unless it is about articles that are not here."""
        if a == b or a not in self.of or b not in self.of:
            return
        if decision.duplicate:
            self._join(a, b, decision)
            self._join(b, a, decision)
        elif self.refused is not None:
            self.refused.add((min(a, b), max(a, b)))

    def _join(self, a: str, b: str, decision: Decision) -> None:
        mine = self.of[a]
        if mine is _NOBODY:
            mine = self.of[a] = {}
        other = mine.get(b)
        if other is None or _surest_first(decision) < _surest_first(other):
            mine[b] = decision

    def was_refused(self, a: str, b: str) -> bool:
        """Whether the two were found to be no duplicates."""
        return self.refused is not None and (min(a, b), max(a, b)) in self.refused

    def groups(self) -> Iterator[list[str]]:
        """The articles linked to each other, directly or through others."""
        seen: set[str] = set()
        for article, others in self.of.items():
            if not others:
                yield [article]
            elif article not in seen:
                yield self._reach(article, seen)

    def _reach(self, start: str, seen: set[str]) -> list[str]:
        group = [start]
        seen.add(start)
        for article in group:  # grows as it goes
            new = [other for other in self.of[article] if other not in seen]
            seen.update(new)
            group += new
        return group


_NOBODY: dict[str, Decision] = {}  # shared by all articles without links, and never written to


def _surest_first(decision: Decision) -> tuple[float, int, str, str, tuple[str, ...]]:
    place = SUREST[decision.relation]
    return -decision.confidence, place, decision.rule, decision.reason, decision.flags


@dataclass(slots=True)
class _Star:
    """A story in the making: the kept copy, and those found to be duplicates of it."""

    kept: Standing
    others: list[tuple[Standing, Decision]]
    full: str | None = None  # the kept copy of the full story that this one was left out of

    @property
    def copies(self) -> list[Fingerprint]:
        return [self.kept.copy, *(standing.copy for standing, _ in self.others)]


def _alone(copy: Fingerprint, policy: Policy) -> _Star:
    (card,) = cards([copy], policy)
    return _Star(Standing((), copy, card), [])


class _Group:
    """Articles linked to each other, ranked once, and broken into stars best first."""

    def __init__(
        self, members: list[Fingerprint], links: _Links, policy: Policy, judge: Judge | None
    ) -> None:
        self.ranked = standings(members, policy)
        self.free = {standing.copy.id: place for place, standing in enumerate(self.ranked)}
        self.links = links
        self.judge = judge
        self.largest = max(1, policy.largest_story)
        self.left_out = 0

    def stars(self) -> Iterator[_Star]:
        """The stories; who finds its story full is a story of its own."""
        for kept in self.ranked:
            if self.free.pop(kept.copy.id, None) is None:
                continue
            direct = [(self._take(other), how) for other, how in self._linked(kept.copy.id)]
            star = _Star(kept, direct[: self.largest - 1])
            if self.judge is not None:
                self._ask(self.judge, star)
            yield star
            spare = direct[self.largest - 1 :]
            self.left_out += len(spare)
            yield from (_Star(each, [], full=kept.copy.id) for each, _ in spare)

    def _take(self, article: str) -> Standing:
        return self.ranked[self.free.pop(article)]

    def _linked(self, article: str) -> list[tuple[str, Decision]]:
        """The articles still free that are duplicates of this one, surest first."""
        found = [
            (other, how) for other, how in self.links.of[article].items() if other in self.free
        ]
        return sorted(found, key=lambda each: (-each[1].confidence, self.free[each[0]]))

    def _ask(self, judge: Judge, star: _Star) -> None:
        """Let in those linked to the kept copy through its members, where the judge agrees."""
        kept, asked = star.kept.copy.id, set[str]()
        for standing, _ in star.others:  # grows as it goes
            for other, _ in self._linked(standing.copy.id):
                if len(star.others) + 1 >= self.largest:
                    return
                if other in asked or self.links.was_refused(kept, other):
                    continue
                asked.add(other)
                decision = judge(kept, other)
                if decision.duplicate:
                    star.others.append((self._take(other), decision))

    def brake(self) -> Iterator[Brake]:
        """What to report of a group beyond the limit, and nothing of any other."""
        if len(self.ranked) <= self.largest:
            return
        size, kept = len(self.ranked), self.ranked[0].copy.id
        why = (
            f"{size} articles are linked, more than the {self.largest} a story may have: "
            f"{self.left_out} duplicates were left out of a full story and stay on their own; "
            "look whether a template or a block page is at work, or raise largest_story"
        )
        yield Brake(size, kept, self.left_out, why)


def _story(star: _Star, id: str, policy: Policy) -> Story:  # noqa: A002
    order = sorted(star.others, key=lambda other: by_age(other[0].copy))
    dates = [copy.published for copy in star.copies if copy.published is not None]
    ranked = sorted((standing for standing, _ in star.others), key=lambda other: other.key)
    why = election([star.kept, *ranked], policy).why
    return Story(
        id=id,
        kept=star.kept.copy.id,
        why=f"left out of the story of {star.full}, which is full" if star.full else why,
        members=(_member(star.kept), *(_member(*other, star.kept) for other in order)),
        first_seen=min(dates, default=None),
        last_seen=max(dates, default=None),
    )


def _member(
    standing: Standing, decision: Decision | None = None, kept: Standing | None = None
) -> Member:
    copy, card = standing.copy, standing.card
    return Member(
        id=copy.id,
        relation=decision.relation if decision else None,
        confidence=decision.confidence if decision else 1.0,
        rule=decision.rule if decision else "kept",
        reason=decision.reason if decision else "",
        source=copy.source,
        published=copy.published,
        score=card.total,
        why=card.why,
        duplicate_of=kept.copy.id if kept else None,
    )


def _first_seen(story: Story) -> tuple[bool, datetime, str]:
    return story.first_seen is None, story.first_seen or EPOCH, story.id
