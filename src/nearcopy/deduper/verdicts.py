"""Verdicts: at insert time from the matches of an article, later from the stories of the store."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, combinations

from nearcopy.cluster.link_graph import Constraints
from nearcopy.cluster.stories import cluster_articles, own_story_id
from nearcopy.config import Policy
from nearcopy.deduper.feedback_overlay import (
    apply_feedback,
    by_article,
    edges_with_feedback,
    find_duplicates,
)
from nearcopy.deduper.found_matches import MatchList, decision_rank
from nearcopy.deduper.recluster import MAX_DUPLICATES, Judge
from nearcopy.models import Decision, Edge, Fingerprint, Member, Relation, Story, Verdict
from nearcopy.models.feedback import FEEDBACK_DIFFERENT, FEEDBACK_EVENT
from nearcopy.stores import Store

Members = Mapping[str, tuple[str, Member]]
EdgeTable = dict[str, dict[str, Edge]]  # the edges of each article, by the article at the other end
# What feedback on articles of other runs implies for two articles of one run.
CANNOT_LINK = Decision(
    Relation.DISTINCT, FEEDBACK_DIFFERENT, 1.0, False, "different by user feedback"
)
NOT_DUPLICATES = Decision(
    Relation.SAME_EVENT, FEEDBACK_EVENT, 1.0, False, "not duplicates by user feedback"
)


def story_of(article: str, members: Members) -> str:
    """The story id of a stored article."""
    return members[article][0] if article in members else own_story_id(article)


def verdict_at_insert(
    fingerprint: Fingerprint, matches: MatchList, members: Members, *, stored: bool
) -> Verdict:
    """The verdict on an article by its matches among those inserted before it."""
    article = fingerprint.id
    own = story_of(article, members) if stored else None
    match = matches.best
    if match is None:
        verdict = Verdict(id=article, story_id=own, flags=_flags((), matches.truncated))
        return flag_block_page(verdict, fingerprint)
    edge, other = match.edge(article), match.other.id
    _, member = members.get(other, (None, None))
    kept = (member and member.duplicate_of) or other
    verdict = Verdict(
        id=article,
        relation=edge.decision.relation,
        is_duplicate=edge.decision.duplicate,
        duplicate_of=(kept if kept != article else other) if edge.decision.duplicate else None,
        match=other,
        story_id=own or (story_of(other, members) if edge.same_story else None),
        confidence=edge.decision.confidence,
        rule=edge.decision.rule,
        reasons=(edge.decision.reason,),
        event_score=edge.event_score,
        overlap=edge.overlap,
        flags=_flags(edge.decision.flags, matches.truncated),
        evidence=match.judgement.evidence,
    )
    return flag_block_page(verdict, fingerprint)


def block_page_reason(block_page: str) -> str:
    """The reason of a verdict on a block page that has no other."""
    return f"no article: {block_page}"


def flag_block_page(verdict: Verdict, fingerprint: Fingerprint) -> Verdict:
    """The verdict with the flag "block_page" exactly where the article itself is a block page."""
    if (fingerprint.block_page is not None) == ("block_page" in verdict.flags):
        return verdict
    if fingerprint.block_page is None:
        return replace(verdict, flags=tuple(flag for flag in verdict.flags if flag != "block_page"))
    reasons = verdict.reasons or (block_page_reason(fingerprint.block_page),)
    return replace(verdict, flags=(*verdict.flags, "block_page"), reasons=reasons)


def _flags(flags: tuple[str, ...], truncated: int) -> tuple[str, ...]:
    return (*flags, "candidate_limit") if truncated else flags


def current_verdicts(store: Store, ids: list[str], policy: Policy, judge: Judge) -> list[Verdict]:
    """The verdicts on stored articles by the current stories.

    A copy is compared with its kept copy, a kept copy with the articles that are no copies of it.
    What an earlier run kept stays kept, and what it removed stays removed (`replay_runs`).
    """
    edges = by_article(edges_with_feedback(store, ids))
    members = store.members({*ids, *(other for id_ in ids for other in edges.get(id_, ()))})
    stories = store.stories({story for story, _ in members.values()})
    kept_because = {story.kept: story.why for story in stories.values()}
    user_choice = _members_of_user_choice(store, stories.values())
    for article, member in replay_runs(store, ids, policy, judge).items():
        if article in user_choice:  # it takes precedence over what a run kept
            continue
        members[article] = story_of(article, members), member
        kept_because.pop(article, None)
    return [
        _current_verdict(id_, edges.get(id_, {}), members, kept_because.get(id_)) for id_ in ids
    ]


def _members_of_user_choice(store: Store, stories: Iterable[Story]) -> set[str]:
    """The members of those stories whose kept copy a user chose."""
    by_kept = {story.kept: story for story in stories}
    preferred = store.preferred_copies(list(by_kept))
    return {member.id for kept in preferred for member in by_kept[kept].members}


def _current_verdict(
    article: str, edges: Mapping[str, Edge], members: Members, kept_because: str | None
) -> Verdict:
    story, member = members.get(article, (own_story_id(article), None))
    if member is not None and member.duplicate_of is not None:
        return duplicate_verdict(story, member, edges.get(member.duplicate_of))
    copies = {
        other for other in edges if other in members and members[other][1].duplicate_of == article
    }
    others = {o: edge for o, edge in edges.items() if not edge.on_demand and o not in copies}
    because = kept_because or (member.why if member else "")
    return kept_verdict(article, story, others, because if copies else None)


def kept_verdict(
    article: str, story: str, others: Mapping[str, Edge], kept_because: str | None
) -> Verdict:
    """The verdict on a kept copy, by its edges to articles that are no copies of it.

    `kept_because` is None where it has no copies that it was compared with.
    """
    reasons = () if kept_because is None else (f"kept: {kept_because}",)
    if not others:
        rule = "nothing-in-common" if kept_because is None else "kept"
        return Verdict(id=article, story_id=story, rule=rule, reasons=reasons)
    _, match = min((decision_rank(e.decision, e.overlap), other) for other, e in others.items())
    edge = others[match]
    return Verdict(
        id=article,
        relation=edge.decision.relation,
        match=match,
        story_id=story,
        confidence=edge.decision.confidence,
        rule=edge.decision.rule,
        reasons=(*reasons, edge.decision.reason),
        event_score=edge.event_score,
        overlap=edge.overlap,
        flags=edge.decision.flags,
    )


def duplicate_verdict(story: str, member: Member, edge: Edge | None) -> Verdict:
    """The verdict on a copy by its edge to the kept copy; without one clustering decided it."""
    if edge and edge.on_demand and edge.decision.reason != member.reason:
        edge = None  # outdated
    return Verdict(
        id=member.id,
        relation=member.relation or Relation.DISTINCT,
        is_duplicate=True,
        duplicate_of=member.duplicate_of,
        match=member.duplicate_of,
        story_id=story,
        confidence=member.confidence,
        rule=member.rule,
        reasons=(member.reason,),
        event_score=edge.event_score if edge else member.confidence,
        overlap=edge.overlap if edge else None,
        flags=edge.decision.flags if edge else (),
    )


def copy_verdict(story: str, edge: Edge) -> Verdict:
    """The verdict on a copy that has an edge from it to its kept copy."""
    return duplicate_verdict(story, _copy(edge.a, edge.b, edge.decision), edge)


def replay_runs(store: Store, ids: list[str], policy: Policy, judge: Judge) -> dict[str, Member]:
    """The memberships of articles connected with those of other runs, run after run.

    An article that a run adds is a copy where it duplicates something that earlier runs kept; the
    others of the run are clustered by themselves. So a copy always has a kept copy that was never
    removed.
    """
    members = store.members(ids)
    group = sorted(_connected_by_feedback(store, members)) if store.run_count() > 1 else []
    runs = store.runs(group)
    if len(set(runs.values())) < 2:
        return {}
    fingerprints, all_edges = store.fingerprints(group), store.edges_among(group)
    decided = (edge for edge in all_edges if not edge.on_demand)
    corrected = apply_feedback(decided, store.feedback_about(group), fingerprints)
    edges = by_article(corrected)
    answers = by_article(edge for edge in all_edges if edge.on_demand)

    def decide(a: str, b: str) -> Decision:
        return (answers.get(a, {}).get(b) or judge(a, b)).decision

    history = RunHistory(edges, corrected)
    for run in sorted(set(runs.values())):
        added = [id_ for id_ in group if runs[id_] == run]
        history.add_copies(added)
        new = [fingerprints[id_] for id_ in added if id_ not in history.members]
        among = [e for f in new for e in edges.get(f.id, {}).values() if e.a == f.id]
        implied = history.implied_edges(new)
        clustering = cluster_articles(new, chain(among, implied), policy, judge=decide)
        for story in clustering.stories:
            history.add(story.members)
    return history.members


def _connected_by_feedback(store: Store, ids: Iterable[str]) -> list[str]:
    """The duplicates of these articles, and of those that feedback mentions together with them."""
    group = find_duplicates(store, list(ids), MAX_DUPLICATES)
    while len(group) < MAX_DUPLICATES:
        mentioned = {id_ for feedback in store.feedback_about(group) for id_ in feedback.pair}
        more = store.runs(mentioned - {*group})
        if not more:
            break
        group = find_duplicates(store, [*group, *sorted(more)], MAX_DUPLICATES)
    return group


class RunHistory:
    """The memberships of articles after each run, under the constraints of feedback."""

    def __init__(self, edges: EdgeTable, corrected: Iterable[Edge]) -> None:
        self.members: dict[str, Member] = {}
        self._edges = edges
        self._copies: dict[str, set[str]] = {}  # of each kept copy
        self._constraints = Constraints()
        for edge in corrected:
            self._constraints.add(edge.a, edge.b, edge.decision)

    def add(self, members: Iterable[Member]) -> None:
        """Record memberships."""
        for member in members:
            self.members[member.id] = member
            if member.duplicate_of:
                self._copies.setdefault(member.duplicate_of, set()).update(
                    self._constraints.same_articles(member.id)
                )
                self._constraints.merge(member.duplicate_of, member.id)

    def add_copies(self, added: list[str]) -> None:
        """Record those of the added articles that are copies of kept ones, each of the surest."""
        kept = {id_ for id_, member in self.members.items() if member.duplicate_of is None}
        new = set(added)
        for id_ in added:
            if id_ in self.members:  # added with a copy before it
                continue
            original = self._original_by_feedback(id_) or self._surest_original(id_, kept)
            if original is None:
                continue
            same = self._constraints.same_articles(id_)[1:]
            self.add([_copy(id_, *original)])
            self.add(
                _copy(other, original[0], self._feedback_decision(other))
                for other in same
                if other in new
            )

    def _original_by_feedback(self, article: str) -> tuple[str, Decision] | None:
        """The kept copy of an earlier article that feedback says is the same."""
        same = self._constraints.same_articles(article) if self._constraints else ()
        earlier = [other for other in same if other in self.members]
        if not earlier:
            return None
        kept = self.members[earlier[0]].duplicate_of or earlier[0]
        return kept, self._feedback_decision(article)

    def _feedback_decision(self, article: str) -> Decision:
        """The first decision by feedback that the article is the same as another."""
        return min(self._constraints.same[article].items())[1]

    def _surest_original(self, article: str, kept: set[str]) -> tuple[str, Decision] | None:
        duplicates = {
            other: edge
            for other, edge in self._edges.get(article, {}).items()
            if other in kept and edge.decision.duplicate and self._can_join(other, article)
        }
        if not duplicates:
            return None
        _, original = min((decision_rank(e.decision, e.overlap), o) for o, e in duplicates.items())
        return original, duplicates[original].decision

    def _can_join(self, kept: str, article: str) -> bool:
        if not self._constraints:
            return True
        group = {*self._constraints.same_articles(kept), *self._copies.get(kept, ())}
        return self._constraints.can_join(kept, article, group.__contains__)

    def implied_edges(self, articles: Iterable[Fingerprint]) -> Iterator[Edge]:
        """The edges that feedback implies between these articles through those of other runs."""
        constraints = self._constraints
        mentioned = [a.id for a in articles if constraints.mentions(a.id)]
        for a, b in combinations(mentioned, 2):
            same = constraints.same_articles(b)
            if a in same:
                yield Edge(a, b, self._feedback_decision(b))
            elif not constraints.can_link(a, b):
                yield Edge(a, b, CANNOT_LINK)
            elif not constraints.not_duplicates_of(constraints.same_articles(a)).isdisjoint(same):
                yield Edge(a, b, NOT_DUPLICATES)


def _copy(article: str, kept: str, decision: Decision) -> Member:
    return Member(
        article,
        decision.relation,
        decision.confidence,
        decision.rule,
        decision.reason,
        duplicate_of=kept,
    )
