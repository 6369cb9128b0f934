"""Verdicts: what was found about an article, put so that it can be acted on."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from nearcopy.config import Policy
from nearcopy.keeper import standings
from nearcopy.lineage import own_story_id
from nearcopy.matching import Matches, surest_first
from nearcopy.model import Decision, Edge, Member, Relation, Story, Verdict
from nearcopy.stores import Store

Members = Mapping[str, tuple[str, Member]]
Edges = dict[str, dict[str, Edge]]  # of each article, by the article at the other end
Judge = Callable[[str, str], Edge]


def joins(edge: Edge) -> bool:
    """Whether two articles are of one story by this."""
    return edge.decision.duplicate or edge.decision.relation is Relation.SAME_EVENT


def story_of(article: str, members: Members) -> str:
    """The story of an article in the store."""
    return members[article][0] if article in members else own_story_id(article)


def on_arrival(article: str, found: Matches, members: Members, *, stored: bool) -> Verdict:
    """What an article is to those that were there before it."""
    own = story_of(article, members) if stored else None
    if not found.found:
        return Verdict(id=article, story_id=own, flags=_flags((), found.left_out))
    match = found.found[0]
    edge, other = match.edge(article), match.other.id
    _, member = members.get(other, (None, None))
    kept = (member and member.duplicate_of) or other
    return Verdict(
        id=article,
        relation=edge.decision.relation,
        is_duplicate=edge.decision.duplicate,
        duplicate_of=(kept if kept != article else other) if edge.decision.duplicate else None,
        match=other,
        story_id=own or (story_of(other, members) if joins(edge) else None),
        confidence=edge.decision.confidence,
        rule=edge.decision.rule,
        reasons=(edge.decision.reason,),
        news=edge.news,
        copy=edge.copy,
        flags=_flags(edge.decision.flags, found.left_out),
        evidence=match.judgement.evidence,
    )


def _flags(flags: tuple[str, ...], left_out: int) -> tuple[str, ...]:
    return (*flags, "crowded") if left_out else flags


def as_things_stand(store: Store, ids: list[str], policy: Policy, judge: Judge) -> list[Verdict]:
    """What stored articles are to the others.

    A copy is judged by the kept copy, what is kept by those that are no copies of it. What an
    earlier run has kept stays the kept copy for later runs, though a better one may have come.
    """
    edges = _by_article(store.edges(ids))
    members = store.members({*ids, *(other for name in ids for other in edges.get(name, ()))})
    stories = store.stories({story for story, _ in members.values()})
    whys = {story.kept: story.why for story in stories.values()}
    members |= _kept_before(store, stories.values(), edges, policy, judge)
    return [_standing(name, edges.get(name, {}), members, whys.get(name)) for name in ids]


def _kept_before(
    store: Store, stories: Iterable[Story], edges: Edges, policy: Policy, judge: Judge
) -> dict[str, tuple[str, Member]]:
    """The members of those stars whose kept copy came in a later run than others, with the best of
    the first run in its place."""
    found: dict[str, tuple[str, Member]] = {}
    for name, star in ((story.id, star) for story in stories for star in _stars(story)):
        runs = store.runs([member.id for member in star]) if len(star) > 1 else {}
        first = [member.id for member in star if runs and runs[member.id] == min(runs.values())]
        if not first or star[0].id in first:
            continue
        kept = standings(list(store.fingerprints(first).values()), policy)[0].copy.id
        for member in star:
            if member.id == kept:
                found[kept] = name, replace(member, relation=None, duplicate_of=None)
                continue
            edge = edges.get(member.id, {}).get(kept) or judge(member.id, kept)
            found[member.id] = name, _copy_of_another(member, kept, edge.decision)
    return found


def _stars(story: Story) -> Iterator[list[Member]]:
    """The copies around each kept copy of a story, this one first."""
    stars: dict[str, list[Member]] = {m.id: [m] for m in story.members if m.duplicate_of is None}
    for member in story.members:
        if member.duplicate_of is not None:
            stars[member.duplicate_of].append(member)
    yield from stars.values()


def _copy_of_another(member: Member, kept: str, how: Decision) -> Member:
    """The member as a copy of the one that is kept instead of the best."""
    if not how.duplicate:  # but of the best it is one, and that of the kept one
        return replace(member, duplicate_of=kept)
    return replace(
        member,
        duplicate_of=kept,
        relation=how.relation,
        confidence=how.confidence,
        rule=how.rule,
        reason=how.reason,
    )


def _by_article(edges: Iterable[Edge]) -> Edges:
    """The edges of each article, by the article at the other end."""
    found: Edges = {}
    for edge in edges:
        found.setdefault(edge.a, {})[edge.b] = edge
        found.setdefault(edge.b, {})[edge.a] = edge
    return found


def _standing(name: str, edges: Mapping[str, Edge], members: Members, why: str | None) -> Verdict:
    """`why` is it kept, where it is the kept copy of its story; else its own score tells."""
    story, member = members.get(name, (own_story_id(name), None))
    if member is not None and member.duplicate_of is not None:
        return _copy(name, story, member, edges.get(member.duplicate_of))
    copies = {other for other in edges if other in members and _copy_of(members[other]) == name}
    others = {other: edge for other, edge in edges.items() if other not in copies}
    kept = (f"kept: {why or (member.why if member else '')}",) if copies else ()
    if not others:
        rule = "kept" if copies else "nothing-in-common"
        return Verdict(id=name, story_id=story, rule=rule, reasons=kept)
    best = min(others, key=lambda other: (surest_first(others[other]), other))
    how = others[best].decision
    return Verdict(
        id=name,
        relation=how.relation,
        match=best,
        story_id=story,
        confidence=how.confidence,
        rule=how.rule,
        reasons=(*kept, how.reason),
        news=others[best].news,
        copy=others[best].copy,
        flags=how.flags,
    )


def _copy_of(place: tuple[str, Member]) -> str | None:
    return place[1].duplicate_of


def _copy(name: str, story: str, member: Member, edge: Edge | None) -> Verdict:
    """The verdict on a copy; where it was never compared with the kept one, the story has asked."""
    return Verdict(
        id=name,
        relation=member.relation or Relation.DISTINCT,
        is_duplicate=True,
        duplicate_of=member.duplicate_of,
        match=member.duplicate_of,
        story_id=story,
        confidence=member.confidence,
        rule=member.rule,
        reasons=(member.reason,),
        news=edge.news if edge else member.confidence,
        copy=edge.copy if edge else None,
        flags=edge.decision.flags if edge else (),
    )
