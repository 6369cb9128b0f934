"""Clustering the whole store again, and learning the term weights that its edges depend on."""

from collections.abc import Iterable, Iterator
from itertools import chain

from nearcopy.config import Policy, Recipe
from nearcopy.deduper.matches import edges_to_store, find_matches, judge_fingerprints
from nearcopy.deduper.session import Session, id_batches
from nearcopy.fingerprint.blocking_keys import keys
from nearcopy.fingerprint.term_weights import TermCounts, count_terms
from nearcopy.models import Edge
from nearcopy.stores import Store, StoredArticle
from nearcopy.stores.retry import retry_transient


@retry_transient
def recluster(session: Session) -> None:
    """Cluster all articles again, as if they had been added in one batch."""
    with session.transaction():
        session.cluster({*session.store.ids()}, {}, whole=True)
        session.provisional = False


def learn(session: Session) -> TermCounts:
    """Count the terms of all articles, and decide all pairs again by their weights."""
    ids, counts = _count_terms(session)
    for batch in id_batches(ids):
        _rejudge_batch(session, batch)
    return counts


@retry_transient
def _count_terms(session: Session) -> tuple[list[str], TermCounts]:
    with session.transaction():
        ids = list(session.store.ids())
        return ids, learn_term_counts(session.store, id_batches(ids))


@retry_transient
def _rejudge_batch(session: Session, ids: list[str]) -> None:
    with session.transaction():
        rejudge_edges(session.store, ids, session.recipe, session.policy)


def learn_term_counts(store: Store, batches: Iterable[list[str]]) -> TermCounts:
    """Count the document frequency of terms over the articles, and save it."""
    fingerprints = chain.from_iterable(store.fingerprints(ids).values() for ids in batches)
    counts = count_terms(fingerprint.profile for fingerprint in fingerprints)
    store.save_term_counts(counts.packed())
    return counts


def rejudge_edges(store: Store, ids: list[str], recipe: Recipe, policy: Policy) -> None:
    """Decide all pairs of these articles again, with the current term weights."""
    fingerprints, articles = store.fingerprints(ids), store.articles(ids)
    blocking_keys = keys(list(fingerprints.values()), recipe)
    entries = [
        StoredArticle(articles[id_], fingerprint, found)
        for (id_, fingerprint), found in zip(fingerprints.items(), blocking_keys, strict=True)
    ]
    current = edges_to_store(entries, find_matches(store, entries, recipe, policy))
    pairs = {frozenset(edge[:2]) for edge in current}
    earlier = [edge for edge in store.edges(ids) if frozenset(edge[:2]) not in pairs]
    store.save_edges([*current, *_rejudge(store, earlier, recipe, policy)])


def _rejudge(store: Store, edges: list[Edge], recipe: Recipe, policy: Policy) -> Iterator[Edge]:
    fingerprints = store.fingerprints({id_ for edge in edges for id_ in edge[:2]})
    pairs = [(fingerprints[edge.a], fingerprints[edge.b]) for edge in edges]
    judgements = judge_fingerprints(store, pairs, recipe, policy)
    for edge, judgement in zip(edges, judgements, strict=True):
        yield edge._replace(
            decision=judgement.decision,
            event_score=judgement.event_score,
            overlap=judgement.overlap,
        )
