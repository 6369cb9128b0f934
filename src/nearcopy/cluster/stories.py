"""Stories: all articles about one event, around the copy that is kept, under stable ids.

Duplicates are clustered into groups around a kept copy (`duplicate_groups`); groups about the same
event make a story, led by the best of them (`event_groups`). Articles in different connected
components do not affect each other: clustering one component alone gives the same stories as
clustering all.

A story keeps its id as it grows, and a merge leaves a redirect. This is the only place where a
story id is made.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from itertools import chain, count, repeat
from operator import attrgetter
from types import MappingProxyType

from nearcopy.cluster.duplicate_groups import (
    DuplicateGroup,
    Judge,
    OversizedGroup,
    StarClustering,
)
from nearcopy.cluster.event_groups import merge_events
from nearcopy.cluster.kept_copy import (
    EPOCH,
    NO_PREFERENCE,
    Preferred,
    RankedCopy,
    ScoreCard,
    SingleCopyScores,
    age,
    by_age,
    explain_choice,
    score_single_copy,
)
from nearcopy.cluster.link_graph import LinkGraph, connected_components
from nearcopy.config import Policy
from nearcopy.errors import BadArticle
from nearcopy.models import Decision, Edge, Fingerprint, Member, Story

NO_STORIES: Mapping[str, str] = MappingProxyType({})
CHOSEN_BY_USER = "chosen by a user"
BEST_OF = "; the best of "


@dataclass(frozen=True, slots=True)
class Clustering:
    """Every article in exactly one story; stories by when they were first seen, then by id."""

    stories: tuple[Story, ...]
    story_of: Mapping[str, str]
    redirects: Mapping[str, str]
    oversized: tuple[OversizedGroup, ...] = ()


def cluster_articles(
    articles: Iterable[Fingerprint],
    edges: Iterable[Edge],
    policy: Policy,
    *,
    judge: Judge | None = None,
    story_before: Mapping[str, str] = NO_STORIES,
    redirects: Mapping[str, str] = NO_STORIES,
) -> Clustering:
    """The stories of the articles, in whatever order articles and edges come.

    Args:
        articles: The fingerprints to cluster.
        edges: The decisions between them; edges to other articles are ignored.
        policy: How articles are clustered, and which copy is kept.
        judge: Decides a kept copy and an article that is linked only to its members.
        story_before: The former story of an article.
        redirects: The redirects that earlier merges left.
    """
    groups = group_articles(articles, edges, policy, judge=judge)
    return assign_story_ids(groups, story_before=story_before, redirects=redirects)


@dataclass(frozen=True, slots=True)
class StoryGroups:
    """The duplicate groups that lead a story, the singletons, and the oversized groups."""

    groups: list[DuplicateGroup]
    singletons: list[Fingerprint]
    oversized: list[OversizedGroup]
    policy: Policy
    preferred: Preferred


def group_articles(
    articles: Iterable[Fingerprint],
    edges: Iterable[Edge],
    policy: Policy,
    *,
    judge: Judge | None = None,
    preferred: Preferred = NO_PREFERENCE,
    settled: Sequence[DuplicateGroup] = (),
    old: Collection[str] = (),
) -> StoryGroups:
    """The articles clustered, without story ids.

    `preferred` are the copies chosen by users, `settled` the groups that other articles are in
    already. These stay, and what is clustered may join them, but for the `old` articles.
    """
    by_id = _by_id(articles)
    members = {copy.id for group in settled for copy in group.articles}
    known = by_id.keys() | members if members else by_id
    graph = LinkGraph(known, policy, preferred=preferred, for_judge=judge is not None)
    for edge in edges:
        if not (members and edge.decision.duplicate and {edge.a, edge.b} & members):
            graph.add(edge.a, edge.b, edge.decision, edge.event_score)
    groups, oversized = _group_linked(by_id, graph, policy, judge, settled, old)
    linked = graph.duplicates.keys() | graph.events.keys()
    singletons = [copy for id_, copy in by_id.items() if id_ not in linked]
    return StoryGroups(groups, singletons, oversized, policy, preferred)


def assign_story_ids(
    grouped: StoryGroups,
    *,
    story_before: Mapping[str, str] = NO_STORIES,
    redirects: Mapping[str, str] = NO_STORIES,
) -> Clustering:
    """The stories under their former ids, or under new ones made from their founders."""
    groups, singletons = grouped.groups, grouped.singletons
    copies = chain((group.articles for group in groups), ((copy,) for copy in singletons))
    ids, moved = story_ids(copies, story_before, redirects)
    cards = map(SingleCopyScores(grouped.policy).of, singletons)
    stories = [*map(_story, groups, ids, repeat(grouped))]
    stories += map(_singleton_story, singletons, cards, ids[len(groups) :])
    # By when they were first seen, unknown last, then by id: a sort for each saves many tuples.
    stories.sort(key=attrgetter("id"))
    stories.sort(key=lambda story: story.first_seen or EPOCH)
    stories.sort(key=lambda story: story.first_seen is None)
    return Clustering(
        stories=tuple(stories),
        story_of={member.id: story.id for story in stories for member in story.members},
        redirects=moved,
        oversized=tuple(
            sorted(grouped.oversized, key=lambda g: (-g.size, g.kept, g.left_out, g.why))
        ),
    )


def _by_id(articles: Iterable[Fingerprint]) -> dict[str, Fingerprint]:
    by_id: dict[str, Fingerprint] = {}
    for article in articles:
        if by_id.setdefault(article.id, article) is not article and by_id[article.id] != article:
            raise BadArticle(
                f"two different articles have the id {article.id!r}: give each an id of its own"
            )
    return by_id


def _group_linked(
    by_id: Mapping[str, Fingerprint],
    graph: LinkGraph,
    policy: Policy,
    judge: Judge | None,
    settled: Sequence[DuplicateGroup],
    old: Collection[str],
) -> tuple[list[DuplicateGroup], list[OversizedGroup]]:
    """The groups of all linked articles that lead a story, and those that became too large."""
    single = (by_id[id_] for id_ in graph.events if id_ in by_id and id_ not in graph.duplicates)
    groups = [
        DuplicateGroup(RankedCopy((), copy, score_single_copy(copy, policy)), []) for copy in single
    ]
    oversized: list[OversizedGroup] = []
    components = connected_components(graph.duplicates)
    # Feedback may constrain several components: their order must be fixed.
    for ids in sorted(components, key=min) if graph.constraints else components:
        stars = StarClustering([by_id[id_] for id_ in ids], graph, policy, judge)
        groups += stars.groups()
        oversized += stars.oversized()
    leading, full = merge_events([*groups, *settled], graph, policy, old)
    return leading, oversized + full


def _story(group: DuplicateGroup, id: str, grouped: StoryGroups) -> Story:  # noqa: A002
    dates = [date for copy in group.articles if (date := age(copy)) is not None]
    members = sorted(_members(group), key=lambda member: by_age(member[0].copy))
    return Story(
        id=id,
        kept=group.kept.copy.id,
        why=_why_kept(group, grouped),
        members=(
            _kept_member(group.kept.copy, group.kept.card),
            *(_member(*member) for member in members),
        ),
        first_seen=min(dates, default=None),
        last_seen=max(dates, default=None),
    )


def _why_kept(group: DuplicateGroup, grouped: StoryGroups) -> str:
    if group.full:
        return f"left out of the story of {group.full}, which is full"
    if group.kept.copy.id in grouped.preferred:
        return CHOSEN_BY_USER
    ranked = sorted((copy for copy, _ in group.others), key=lambda copy: copy.key)
    why = group.why or explain_choice([group.kept, *ranked], grouped.policy)
    return f"{why}{BEST_OF}{len(group.parts)} reports" if group.led else why


def _singleton_story(copy: Fingerprint, card: ScoreCard, id: str) -> Story:  # noqa: A002
    """The story of an article without links; most have none, and need no ranking."""
    date = age(copy)
    return Story(id, copy.id, "the only copy", (_kept_member(copy, card),), date, date)


def _members(group: DuplicateGroup) -> Iterator[tuple[RankedCopy, Decision, str | None]]:
    """All members but the kept copy: each with its decision and the copy that it duplicates."""
    yield from ((copy, decision, group.kept.copy.id) for copy, decision in group.others)
    for led, decision in group.led:
        yield led.kept, decision, None
        yield from _members(led)


def _kept_member(copy: Fingerprint, card: ScoreCard) -> Member:
    return Member(copy.id, None, 1.0, "kept", "", copy.source, copy.published, card.total, card.why)


def _member(ranked: RankedCopy, decision: Decision, duplicate_of: str | None) -> Member:
    copy, card = ranked.copy, ranked.card
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


Copies = Sequence[Fingerprint]
Claim = tuple[tuple[tuple[bool, timedelta], str], int]  # a member's age and id, and its story


def story_ids(
    stories: Iterable[Copies], story_before: Mapping[str, str], redirects: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """A distinct id for every story, and redirects from the former ids.

    `story_before` has the former story of articles, `redirects` those of earlier merges. Of several
    former ids the earliest member's wins; a story without any gets an id made from its founder, the
    earliest member.
    """
    founders: list[str] = []
    members: list[Claim] = []
    for place, copies in enumerate(stories):  # read once: most have one copy, and are not held
        founders.append(copies[0].id if len(copies) == 1 else min(copies, key=by_age).id)
        members += [(by_age(copy), place) for copy in copies if copy.id in story_before]
    claims = _claim_ids(members, story_before, redirects)
    moved = dict(redirects)
    for first, *others in claims.values():
        moved |= dict.fromkeys(others, first)
    used = {*story_before.values(), *redirects, *redirects.values()}
    new = _new_ids([founders[p] for p in range(len(founders)) if p not in claims], used)
    ids = [claims[p][0] if p in claims else new[founder] for p, founder in enumerate(founders)]
    return ids, {old: _resolve(old, moved) for old in sorted(moved)}


def own_story_id(article: str) -> str:
    """The id of the story founded by an article."""
    return "s-" + sha256(article.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def candidate_story_ids(founder: str) -> Iterator[str]:
    """The ids to choose from for a story of this founder, in order."""
    return (own_story_id(founder + "\0" * suffix) for suffix in count())


def _claim_ids(
    members: list[Claim], story_before: Mapping[str, str], redirects: Mapping[str, str]
) -> dict[int, list[str]]:
    """The former ids that each story takes over, that of its earliest member first.

    An id goes with the earliest article that had it: of a split story only one part keeps it.
    """
    claims: dict[int, list[str]] = {}
    claimed: set[str] = set()
    for (_, article), place in sorted(members):
        story = _resolve(story_before[article], redirects)
        if story not in claimed:
            claimed.add(story)
            claims.setdefault(place, []).append(story)
    return claims


def _new_ids(founders: list[str], used: set[str]) -> dict[str, str]:
    """An unused id for each founder."""
    ids: dict[str, str] = {}
    for founder in sorted(founders):
        story_id = next(id_ for id_ in candidate_story_ids(founder) if id_ not in used)
        used.add(story_id)
        ids[founder] = story_id
    return ids


def _resolve(story: str, redirects: Mapping[str, str]) -> str:
    """The end of a chain of redirects; a cycle ends where it closes."""
    visited = {story}
    while (target := redirects.get(story)) is not None and target not in visited:
        visited.add(story := target)
    return story
