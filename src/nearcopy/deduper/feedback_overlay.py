"""User feedback applied over stored decisions.

Stored edges stay as they were decided, so that retracted feedback leaves no trace.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from nearcopy.config import Policy, Recipe
from nearcopy.deduper.found_matches import MatchList, StoredMatch
from nearcopy.deduper.matches import BEFORE_ALL, insertion_order, judge_fingerprints
from nearcopy.models import Article, Decision, Edge, Fingerprint, Relation, StoryLink, ordered
from nearcopy.models.feedback import FEEDBACK_DIFFERENT, Feedback
from nearcopy.stores import Store, StoredArticle

FeedbackByArticle = dict[str, Feedback]  # the feedback on one article, by the id of the other
Pair = TypeVar("Pair", Edge, Feedback)


def same_by_feedback(store: Store, ids: Collection[str]) -> set[str]:
    """The articles that feedback says are the same as one of these, and those of these."""
    return {id_ for said in store.feedback_about(ids) if said.same for id_ in said.pair}


def find_connected(store: Store, ids: Collection[str], limit: int) -> list[str]:
    """The connected components of these articles by edges and feedback; at most `limit` ids."""
    component = store.connected_ids(ids, limit)
    while len(component) < limit:
        more = store.runs(same_by_feedback(store, component) - {*component})  # those stored
        if not more:
            break
        component = store.connected_ids([*component, *sorted(more)], limit)
    return component


def find_duplicates(store: Store, ids: Collection[str], limit: int) -> list[str]:
    """These articles and their duplicates, directly or through others; about `limit` at most."""
    duplicates = dict.fromkeys(store.runs(ids))
    frontier = list(duplicates)
    while frontier and len(duplicates) < limit:
        neighbours = (
            id_
            for link in links_with_feedback(store, frontier)
            if link.duplicate
            for id_ in link[:2]
        )
        frontier = list(dict.fromkeys(id_ for id_ in neighbours if id_ not in duplicates))
        duplicates |= dict.fromkeys(frontier)
    return list(duplicates)


def apply_feedback(
    edges: Iterable[Edge], feedback: Iterable[Feedback], stored: Collection[str]
) -> list[Edge]:
    """The edges, with those that feedback between stored articles replaces."""
    by_pair = {said.pair: said.edge for said in feedback if said.a in stored and said.b in stored}
    unaffected = [e for e in edges if not by_pair or ordered(e.a, e.b) not in by_pair]
    return unaffected + list(by_pair.values())


def edges_with_feedback(store: Store, ids: Collection[str]) -> list[Edge]:
    """All edges of these articles, feedback applied."""
    return overlay_feedback(store, store.edges(ids), ids)


def overlay_feedback(store: Store, edges: list[Edge], ids: Collection[str]) -> list[Edge]:
    """The edges of these articles, feedback applied."""
    feedback = store.feedback_about(ids)
    if not feedback:
        return edges
    stored = store.runs({id_ for said in feedback for id_ in said.pair})
    return apply_feedback(edges, feedback, stored)


def links_with_feedback(store: Store, ids: Collection[str]) -> list[StoryLink]:
    """The edges of these articles that put two into one story, feedback applied."""
    if store.feedback_about(ids):
        return [edge.link for edge in edges_with_feedback(store, ids) if edge.same_story]
    return store.links(ids)


def matches_with_feedback(
    store: Store,
    entries: Sequence[StoredArticle],
    matches: Sequence[MatchList],
    recipe: Recipe,
    policy: Policy,
    *,
    unchanged: Collection[str] = (),
) -> list[MatchList]:
    """The matches of each article with those inserted before it, feedback applied."""
    ids = [entry.article.id for entry in entries]
    feedback = by_article(store.feedback_about(ids))
    order = insertion_order(store, ids, unchanged, feedback)
    updated = list(matches)
    for position, entry in enumerate(entries):
        about = feedback.get(entry.article.id, {})
        earlier = {
            other: said
            for other, said in about.items()
            if order.get(other, BEFORE_ALL) < order[ids[position]]
        }
        if earlier:
            cannot_link = _cannot_link(store, matches[position], about)
            overlaid = [_overlay(m, earlier, cannot_link) for m in matches[position].matches]
            missing = earlier.keys() - {match.other.id for match in overlaid}
            overlaid += [
                _match_from_feedback(store, entry, other, earlier[other.id], recipe, policy)
                for other in store.fingerprints([id_ for id_ in earlier if id_ in missing]).values()
            ]
            overlaid.sort(key=lambda match: match.sort_key)
            updated[position] = MatchList(overlaid, matches[position].truncated)
    return updated


def by_article(pairs: Iterable[Pair]) -> dict[str, dict[str, Pair]]:
    """The edges of, or the feedback on, each article, by the article at the other end."""
    table: dict[str, dict[str, Pair]] = {}
    for pair in pairs:
        table.setdefault(pair.a, {})[pair.b] = pair
        table.setdefault(pair.b, {})[pair.a] = pair
    return table


def _cannot_link(
    store: Store, matches: MatchList, feedback: FeedbackByArticle
) -> dict[str, Decision]:
    """The matches that share a story with an article that feedback says is different."""
    different = {other: said.decision for other, said in feedback.items() if not said.same}
    matched = (match.other.id for match in matches.matches)
    members = store.members({*different, *matched} if different else ())
    excluded = {members[other][0]: other for other in sorted(different) if other in members}
    decisions: dict[str, Decision] = {}
    for id_, (story, _) in members.items():
        if id_ not in different and story in excluded:
            other = excluded[story]
            reason = f"of one story with {other}, {different[other].reason}"
            decisions[id_] = Decision(Relation.DISTINCT, FEEDBACK_DIFFERENT, 1.0, False, reason)
    return decisions


def _overlay(
    match: StoredMatch, feedback: FeedbackByArticle, cannot_link: Mapping[str, Decision]
) -> StoredMatch:
    """The match with the decision that feedback makes, if any."""
    other, judgement = match.other.id, match.judgement
    if said := feedback.get(other):
        decision = said.decision._replace(flags=judgement.decision.flags)
        judgement = judgement._replace(decision=decision, event_score=float(said.same))
    elif other in cannot_link and match.edge("").same_story:
        judgement = judgement._replace(decision=cannot_link[other])
    return StoredMatch(match.other, judgement)


def _match_from_feedback(
    store: Store,
    entry: StoredArticle,
    other: Fingerprint,
    said: Feedback,
    recipe: Recipe,
    policy: Policy,
) -> StoredMatch:
    """The match by feedback with an article that was no candidate."""

    def articles(ids: Collection[str]) -> dict[str, Article]:
        return store.articles(ids) | {entry.article.id: entry.article}

    pair = entry.fingerprint, other
    (judgement,) = judge_fingerprints(store, [pair], recipe, policy, articles)
    return StoredMatch(
        other, judgement._replace(decision=said.decision, event_score=float(said.same))
    )
