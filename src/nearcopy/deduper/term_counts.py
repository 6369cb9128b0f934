"""Learning: how much terms count in a store, counted over its own articles."""

from collections.abc import Iterable
from itertools import chain

from nearcopy.cluster.kept_copy import by_age
from nearcopy.config import Policy, Recipe
from nearcopy.deduper.find_matches import matches, remembered
from nearcopy.fingerprint.blocking_keys import keys
from nearcopy.fingerprint.term_weights import TermCounts, count_terms, kept_weights
from nearcopy.match.judge_pairs import judged
from nearcopy.models.model import Edge
from nearcopy.stores import Entry, Store


def counted(store: Store, batches: Iterable[list[str]]) -> TermCounts:
    """How often terms stand in the articles, kept in the store."""
    made = (store.fingerprints(names).values() for names in batches)
    found = count_terms(each.profile for each in chain.from_iterable(made))
    store.keep_term_counts(found.packed())
    return found


def linked_anew(store: Store, names: list[str], recipe: Recipe, policy: Policy) -> None:
    """Judge what these articles are to all others once more."""
    made, articles = store.fingerprints(names), store.articles(names)
    filed = zip(made, keys(list(made.values()), recipe), strict=True)
    entries = [Entry(articles[name], made[name], each) for name, each in filed]
    fresh = remembered(entries, matches(store, entries, recipe, policy))
    judged_now = {frozenset(edge[:2]) for edge in fresh}
    before = [edge for edge in store.edges(names) if frozenset(edge[:2]) not in judged_now]
    store.link([*fresh, *_judged_again(store, before, recipe, policy)])


def _judged_again(
    store: Store, edges: list[Edge], recipe: Recipe, policy: Policy
) -> Iterable[Edge]:
    """The same edges by what is known now."""
    made = store.fingerprints({name for edge in edges for name in edge[:2]})
    pairs = [sorted((made[edge.a], made[edge.b]), key=by_age) for edge in edges]
    weights = kept_weights(store.term_counts())
    found = judged([(a, b) for a, b in pairs], recipe, policy, store.articles, weights=weights)
    for edge, each in zip(edges, found, strict=True):
        yield edge._replace(decision=each.decision, news=each.news, copy=each.copy)
