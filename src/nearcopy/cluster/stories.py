"""Stories: all there is on one piece of news, around the copy that is kept.

Copies make stars around the copy to keep (`stars`); stars that tell the same event in other words
make a story, led by the best of them (`gather`). Articles linked by neither have no part in each
other's stories: telling one group of linked articles alone gives what telling all does.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, repeat
from operator import attrgetter
from types import MappingProxyType

from nearcopy.cluster.duplicate_groups import Brake, Copies, Judge, Star, lone_star
from nearcopy.cluster.event_groups import gather
from nearcopy.cluster.kept_copy import (
    EPOCH,
    NOBODY,
    LoneScores,
    Preferred,
    Score,
    Standing,
    age,
    by_age,
    election,
)
from nearcopy.cluster.link_graph import Links, groups, is_link
from nearcopy.cluster.story_ids import story_ids
from nearcopy.config import Policy
from nearcopy.errors import BadArticle
from nearcopy.models.model import Decision, Edge, Fingerprint, Member, Story

__all__ = ["Brake", "Clustering", "Edge", "Judge", "is_link", "stories"]

NONE: Mapping[str, str] = MappingProxyType({})
PREFERRED = "chosen by people"


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
    return named(grouped(articles, edges, policy, judge=judge), known=known, redirects=redirects)


@dataclass(frozen=True, slots=True)
class Grouped:
    """The stars that lead a story, the articles that are alone in theirs, and what was braked."""

    stars: list[Star]
    alone: list[Fingerprint]
    braked: list[Brake]
    policy: Policy
    preferred: Preferred


def grouped(
    articles: Iterable[Fingerprint],
    edges: Iterable[Edge],
    policy: Policy,
    *,
    judge: Judge | None = None,
    preferred: Preferred = NOBODY,
) -> Grouped:
    """The articles put together, before their stories have names; all else as for `stories`.

    `preferred` are those that people want to be kept.
    """
    given = _by_id(articles)
    links = Links(given, policy, for_judge=judge is not None)
    links.preferred = preferred
    for edge in edges:
        links.add(edge.a, edge.b, edge.decision, edge.news)
    stars, braked = _stars(given, links, policy, judge)
    alone = [copy for name, copy in given.items() if not links.touch(name)]
    return Grouped(stars, alone, braked, policy, preferred)


def named(
    found: Grouped, *, known: Mapping[str, str] = NONE, redirects: Mapping[str, str] = NONE
) -> Clustering:
    """The stories under the names that they had, or that their first articles give them."""
    stars, alone, policy = found.stars, found.alone, found.policy
    everyone = chain((star.articles for star in stars), ((copy,) for copy in alone))
    ids, moved = story_ids(everyone, known, redirects)
    told = [*map(_story, stars, ids, repeat(found))]
    told += map(_lone_story, alone, map(LoneScores(policy).of, alone), ids[len(stars) :])
    _sort(told)
    return Clustering(
        stories=tuple(told),
        story_of={member.id: story.id for story in told for member in story.members},
        redirects=moved,
        braked=tuple(sorted(found.braked, key=_largest_first)),
    )


def _by_id(articles: Iterable[Fingerprint]) -> dict[str, Fingerprint]:
    found: dict[str, Fingerprint] = {}
    for article in articles:
        if found.setdefault(article.id, article) is not article and found[article.id] != article:
            raise BadArticle(
                f"two different articles have the id {article.id!r}: give each an id of its own"
            )
    return found


def _stars(
    given: Mapping[str, Fingerprint], links: Links, policy: Policy, judge: Judge | None
) -> tuple[list[Star], list[Brake]]:
    """The stars of all linked articles that lead a story, and what was braked."""
    stars = [lone_star(given[name], policy) for name in links.events if name not in links.copies]
    braked: list[Brake] = []
    linked = groups(links.copies)
    # What people said may link groups, so that one has to come before the other, always the same.
    for names in sorted(linked, key=min) if links.told else linked:
        copies = Copies([given[name] for name in names], links, policy, judge)
        stars += copies.stars()
        braked += copies.brake()
    leading, full = gather(stars, links, policy)
    return leading, braked + full


def _story(star: Star, id: str, found: Grouped) -> Story:  # noqa: A002
    dates = [when for copy in star.articles if (when := age(copy)) is not None]
    ranked = sorted((standing for standing, _ in star.others), key=lambda other: other.key)
    if star.kept.copy.id in found.preferred:
        why = PREFERRED
    else:
        why = election([star.kept, *ranked], found.policy).why
        why += f"; the best of {1 + len(star.led)} reports" if star.led else ""
    order = sorted(_others(star), key=lambda other: by_age(other[0].copy))
    return Story(
        id=id,
        kept=star.kept.copy.id,
        why=f"left out of the story of {star.full}, which is full" if star.full else why,
        members=(
            _kept(star.kept.copy, star.kept.card.score),
            *(_member(*other) for other in order),
        ),
        first_seen=min(dates, default=None),
        last_seen=max(dates, default=None),
    )


def _lone_story(copy: Fingerprint, score: Score, id: str) -> Story:  # noqa: A002
    """The story of an article linked to none: most are, and need no ranking."""
    when = age(copy)
    return Story(id, copy.id, "the only copy", (_kept(copy, score),), when, when)


def _others(star: Star) -> Iterator[tuple[Standing, Decision, str | None]]:
    """All but the kept copy, each with what it is, and the kept copy that it is a copy of."""
    yield from ((standing, how, star.kept.copy.id) for standing, how in star.others)
    for other, event in star.led:
        yield other.kept, event, None
        yield from _others(other)


def _kept(copy: Fingerprint, score: Score) -> Member:
    return Member(copy.id, None, 1.0, "kept", "", copy.source, copy.published, *score)


def _member(standing: Standing, decision: Decision, duplicate_of: str | None) -> Member:
    copy, card = standing.copy, standing.card
    return Member(
        id=copy.id,
        relation=decision.relation,
        confidence=decision.confidence,
        rule=decision.rule,
        reason=decision.reason,
        source=copy.source,
        published=copy.published,
        score=card.total,
        why=card.why,
        duplicate_of=duplicate_of,
    )


def _sort(told: list[Story]) -> None:
    """By when they were first seen, unknown last, then by id."""
    # One sort for each saves a tuple for every story.
    told.sort(key=attrgetter("id"))
    told.sort(key=lambda story: story.first_seen or EPOCH)
    told.sort(key=lambda story: story.first_seen is None)


def _largest_first(brake: Brake) -> tuple[int, str, int, str]:
    return -brake.size, brake.kept, brake.left_out, brake.why
