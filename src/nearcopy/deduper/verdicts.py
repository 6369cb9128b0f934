"""Verdicts: what was found about an article, put so that it can be acted on."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from nearcopy.cluster import stories as cluster
from nearcopy.cluster.story_ids import own_story_id
from nearcopy.config import Policy
from nearcopy.deduper.feedback.overlay import copies, corrected, corrected_edges
from nearcopy.deduper.find_matches import Matches, surest_first
from nearcopy.deduper.recluster import LINKED, Judge
from nearcopy.deduper.run_history import Edges, Standing
from nearcopy.models.model import Decision, Edge, Fingerprint, Member, Relation, Story, Verdict
from nearcopy.stores import Store

Members = Mapping[str, tuple[str, Member]]


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
        story_id=own or (story_of(other, members) if edge.joins else None),
        confidence=edge.decision.confidence,
        rule=edge.decision.rule,
        reasons=(edge.decision.reason,),
        news=edge.news,
        copy=edge.copy,
        flags=_flags(edge.decision.flags, found.left_out),
        evidence=match.judgement.evidence,
    )


def flagged(verdict: Verdict, made: Fingerprint) -> Verdict:
    """The verdict, with the flag "junk" where the article itself is none, whatever it was like."""
    if (made.junk is not None) == ("junk" in verdict.flags):
        return verdict
    if made.junk is None:
        return replace(verdict, flags=tuple(flag for flag in verdict.flags if flag != "junk"))
    reasons = verdict.reasons or (f"no article: {made.junk}",)
    return replace(verdict, flags=(*verdict.flags, "junk"), reasons=reasons)


def _flags(flags: tuple[str, ...], left_out: int) -> tuple[str, ...]:
    return (*flags, "crowded") if left_out else flags


def as_things_stand(store: Store, ids: list[str], policy: Policy, judge: Judge) -> list[Verdict]:
    """What stored articles are to the others.

    A copy is judged by the kept copy, what is kept by those that are no copies of it. What an
    earlier run has kept stays kept, and what it has removed stays removed (`by_runs`).
    """
    edges = _by_article(corrected_edges(store, ids))
    members = store.members({*ids, *(other for name in ids for other in edges.get(name, ()))})
    stories = store.stories({story for story, _ in members.values()})
    whys = {story.kept: story.why for story in stories.values()}
    chosen = _chosen(store, stories.values())
    for article, member in by_runs(store, ids, policy, judge).items():
        if article in chosen:  # what people chose to be kept goes before what a run has kept
            continue
        members[article] = story_of(article, members), member
        whys.pop(article, None)
    return [_standing(name, edges.get(name, {}), members, whys.get(name)) for name in ids]


def _chosen(store: Store, stories: Iterable[Story]) -> set[str]:
    """The articles of those stories whose kept copy people chose."""
    told = list(stories)
    preferred = store.preferred([story.kept for story in told])
    return {each.id for story in told if story.kept in preferred for each in story.members}


def by_runs(store: Store, ids: list[str], policy: Policy, judge: Judge) -> dict[str, Member]:
    """What articles are that are linked with those of other runs, each run as it found things.

    What a run adds is a copy where it is one of something that earlier runs have kept; the rest of
    it is told by itself. So whatever is a copy is one of something that was never removed.
    """
    members = store.members(ids)
    group = sorted(_spoken_of(store, members)) if store.runs_so_far() > 1 else []
    runs = store.runs(group)
    if len(set(runs.values())) < 2:
        return {}
    made, every = store.fingerprints(group), store.edges_among(group)
    found = corrected((edge for edge in every if not edge.asked), store.told(group), made)
    edges = _by_article(found)
    answers = _by_article(edge for edge in every if edge.asked)

    def ask(a: str, b: str) -> Decision:
        return (answers.get(a, {}).get(b) or judge(a, b)).decision

    standing = Standing(edges, found)
    for run in sorted(set(runs.values())):
        added = [name for name in group if runs[name] == run]
        standing.add_copies(added)
        rest = [made[name] for name in added if name not in standing.members]
        among = [e for x in rest for e in edges.get(x.id, {}).values() if e.a == x.id]
        told = cluster.stories(rest, among + standing.implied(rest), policy, judge=ask)
        for story in told.stories:
            standing.add(story.members)
    return standing.members


def _spoken_of(store: Store, ids: Iterable[str]) -> list[str]:
    """Copies of these, and of all that people spoke of together with them."""
    group = copies(store, list(ids), LINKED)
    while len(group) < LINKED:
        told = {name for each in store.told(group) for name in each.pair}
        more = store.runs(told - {*group})
        if not more:
            break
        group = copies(store, [*group, *sorted(more)], LINKED)
    return group


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
        return _copy(name, story, member, _edge_of(member, edges))
    copies = {other for other in edges if other in members and _copy_of(members[other]) == name}
    found = ((other, edge) for other, edge in edges.items() if not edge.asked)
    others = {other: edge for other, edge in found if other not in copies}
    kept = (f"kept: {why or (member.why if member else '')}",) if copies else ()
    if not others:
        rule = "kept" if copies else "nothing-in-common"
        return Verdict(id=name, story_id=story, rule=rule, reasons=kept)
    _, best = min((surest_first(e.decision, e.copy), other) for other, e in others.items())
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


def _edge_of(member: Member, edges: Mapping[str, Edge]) -> Edge | None:
    """What a copy is to the kept one; an answer to an earlier question has no part in it."""
    edge = edges.get(member.duplicate_of or "")
    answered_before = edge and edge.asked and edge.decision.reason != member.reason
    return None if answered_before else edge


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
