"""Corrected: what people said, laid over what was found.

What was found stays in the store as it was found, so that what is taken back leaves no trace.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from nearcopy.cluster.kept_copy import by_age
from nearcopy.config import Policy, Recipe
from nearcopy.deduper.find_matches import Matched, Matches, arrivals
from nearcopy.fingerprint.term_weights import kept_weights
from nearcopy.match.judge_pairs import Judgement, judged
from nearcopy.models.feedback import TOLD_APART, Feedback
from nearcopy.models.model import Article, Decision, Edge, Fingerprint, Join, Relation, ordered
from nearcopy.stores import Entry, Store

Others = dict[str, Feedback]  # what people said of an article, by the other one


def told_together(store: Store, ids: Collection[str]) -> set[str]:
    """Those that people put together with one of these, and these."""
    return {name for each in store.told(ids) if each.same for name in each.pair}


def linked(store: Store, ids: Collection[str], limit: int) -> list[str]:
    """These and all that what was found, or people, link them to; no more than `limit`."""
    found = store.linked(ids, limit)
    while len(found) < limit:
        more = store.runs(told_together(store, found) - {*found})  # those that are here
        if not more:
            break
        found = store.linked([*found, *sorted(more)], limit)
    return found


def copies(store: Store, ids: Collection[str], limit: int) -> list[str]:
    """These and all that are copies of them, directly or through others; about `limit` at most."""
    found = dict.fromkeys(store.runs(ids))
    fresh = list(found)
    while fresh and len(found) < limit:
        near = (
            name for join in corrected_joins(store, fresh) if join.duplicate for name in join[:2]
        )
        fresh = list(dict.fromkeys(name for name in near if name not in found))
        found |= dict.fromkeys(fresh)
    return list(found)


def corrected(edges: Iterable[Edge], told: Iterable[Feedback], here: Collection[str]) -> list[Edge]:
    """What is between articles: what people said of two that are here, else what was found."""
    said = {each.pair: each.edge for each in told if each.a in here and each.b in here}
    rest = [edge for edge in edges if not said or ordered(edge.a, edge.b) not in said]
    return rest + list(said.values())


def corrected_edges(store: Store, ids: Collection[str]) -> list[Edge]:
    """All that is between one of these articles and any other."""
    edges, told = store.edges(ids), store.told(ids)
    if not told:
        return edges
    return corrected(edges, told, store.runs({name for each in told for name in each.pair}))


def corrected_joins(store: Store, ids: Collection[str]) -> list[Join]:
    """What puts one of these articles and any other into one story."""
    if store.told(ids):
        return [edge.join for edge in corrected_edges(store, ids) if edge.joins]
    return store.joins(ids)


def corrected_matches(
    store: Store,
    entries: Sequence[Entry],
    found: list[Matches],
    recipe: Recipe,
    policy: Policy,
    *,
    again: Collection[str] = (),
) -> list[Matches]:
    """What each article is to those before it by what people said, else as it was found."""
    ids = [entry.article.id for entry in entries]
    told = _by_article(store.told(ids))
    came_before = arrivals(store, ids, again, told)
    made = list(found)
    for place, entry in enumerate(entries):
        said = told.get(entry.article.id, {})
        before = {o: each for o, each in said.items() if came_before(o, entry.article.id)}
        if before:
            kept_apart = _kept_apart(store, found[place], said)
            overlaid = [_overlaid(each, before, kept_apart) for each in found[place].found]
            known = {each.other.id for each in overlaid}
            unfound = store.fingerprints([other for other in before if other not in known])
            overlaid += [
                _told(store, entry, other, before[other.id], recipe, policy)
                for other in unfound.values()
            ]
            overlaid.sort(key=lambda match: match.surest_first)
            made[place] = Matches(overlaid, found[place].left_out)
    return made


def _by_article(told: Iterable[Feedback]) -> dict[str, Others]:
    found: dict[str, Others] = {}
    for each in told:
        found.setdefault(each.a, {})[each.b] = each
        found.setdefault(each.b, {})[each.a] = each
    return found


def _kept_apart(store: Store, found: Matches, said: Others) -> dict[str, Decision]:
    """Why the article is no copy of some that it is like: who it is different from is with them."""
    apart = {other: each.decision for other, each in said.items() if not each.same}
    members = store.members({*apart, *(match.other.id for match in found.found)} if apart else ())
    strangers = {members[other][0]: other for other in sorted(apart) if other in members}
    why: dict[str, Decision] = {}
    for name, (story, _) in members.items():
        if name not in apart and story in strangers:
            other = strangers[story]
            reason = f"of one story with {other}, {apart[other].reason}"
            why[name] = Decision(Relation.DISTINCT, TOLD_APART, 1.0, False, reason)
    return why


def _overlaid(match: Matched, said: Others, kept_apart: Mapping[str, Decision]) -> Matched:
    other, found = match.other.id, match.judgement
    if other in said:
        how = said[other].decision._replace(flags=found.decision.flags)
        return Matched(match.other, found._replace(decision=how, news=float(said[other].same)))
    if other in kept_apart and match.edge("").joins:
        return Matched(match.other, found._replace(decision=kept_apart[other]))
    return match


def _told(
    store: Store,
    entry: Entry,
    other: Fingerprint,
    said: Feedback,
    recipe: Recipe,
    policy: Policy,
) -> Matched:
    """What people said of an article and one that was not found by what they have in common."""

    def articles(ids: Collection[str]) -> dict[str, Article]:
        return store.articles(ids) | {entry.article.id: entry.article}

    one, two = sorted((entry.fingerprint, other), key=by_age)
    weights = kept_weights(store.term_counts())
    (found,) = judged([(one, two)], recipe, policy, articles, weights=weights)
    return Matched(other, _as_said(found, said))


def _as_said(found: Judgement, said: Feedback) -> Judgement:
    return found._replace(decision=said.decision, news=float(said.same))
