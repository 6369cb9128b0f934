"""Matching: the stored articles that an article is related to, candidates first, then decisions."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from nearcopy.config import Policy, Recipe
from nearcopy.deduper.found_matches import FoundMatches, Places
from nearcopy.fingerprint.blocking_keys import lookup_keys
from nearcopy.fingerprint.fingerprint_table import FingerprintTable, RowPairs
from nearcopy.fingerprint.term_weights import stored_weights
from nearcopy.match.eligibility import NOT_COMPARED, comparable_pairs, sources_comparable
from nearcopy.match.evidence_table import EvidenceTable
from nearcopy.match.judgement import Articles, JudgementTable, judge_candidates, judge_pairs
from nearcopy.models import Article, Edge, Fingerprint
from nearcopy.stores import Candidates, Store, StoredArticle

PAIR_BATCH_SIZE = 16384
NEW = 1 << 62  # above all sequence numbers
BEFORE_ALL = -1


def find_matches(
    store: Store,
    entries: Sequence[StoredArticle],
    recipe: Recipe,
    policy: Policy,
    *,
    unchanged: Collection[str] = (),
    independent: bool = False,
    all_keys: bool = False,
    measured: "MeasuredPairs | None" = None,
) -> FoundMatches:
    """The matches of each article among those inserted before it.

    Args:
        store: Where candidates are looked up.
        entries: The articles to match, in insertion order.
        recipe: How fingerprints are made.
        policy: How pairs are decided.
        unchanged: Ids stored already with the same content: they keep their insertion time, and
            are compared with the articles that they have edges to.
        independent: Match each article as if the other entries did not exist.
        all_keys: Look candidates up by all blocking keys, not only those the policy needs.
        measured: The pairs of an earlier query, which are not measured again.
    """
    measured = MeasuredPairs() if measured is None else measured
    candidates = _find_candidates(store, entries, policy, unchanged, all_keys=all_keys)
    order = None if independent else _insertion_order(store, entries, unchanged, candidates)
    articles, pairs = _eligible_pairs(entries, candidates, policy, order, measured.table)
    places, evidence = measured.add(pairs, _Measurement(store, entries, recipe, policy))
    return FoundMatches(
        pairs.take(places),
        JudgementTable(evidence, policy),
        articles[places],
        [probe.truncated for probe in candidates],
    )


def _eligible_pairs(
    entries: Sequence[StoredArticle],
    candidates: Sequence[Candidates],
    policy: Policy,
    order: Mapping[str, int] | None,
    table: FingerprintTable,
) -> tuple[Places, RowPairs]:
    """The pairs of articles and candidates to compare, with the number of each article.

    Without an order of insertion, all but the article itself come before it.
    """
    others = list(chain.from_iterable(probe.candidates for probe in candidates))
    own = table.rows([entry.fingerprint for entry in entries])
    articles = np.repeat(np.arange(len(entries)), [len(probe.candidates) for probe in candidates])
    pairs = RowPairs(table, own[articles], table.rows(others))
    if order is None:
        ids, other_ids = pairs.numbers("id")
        earlier = ids != other_ids
    else:
        inserted = np.array([order[entry.article.id] for entry in entries], np.int64)
        inserted_before = np.array([order.get(o.id, BEFORE_ALL) for o in others], np.int64)
        earlier = inserted_before < inserted[articles]
    places = comparable_pairs(pairs, articles, policy, earlier)
    return articles[places], pairs.take(places)


class _Measurement:
    """Measures pairs of new and stored articles with the texts and term weights at hand."""

    def __init__(
        self, store: Store, entries: Sequence[StoredArticle], recipe: Recipe, policy: Policy
    ) -> None:
        self._store, self._recipe, self._policy = store, recipe, policy
        self._new = {entry.article.id: entry.article for entry in entries}
        self._weights = stored_weights(store.term_counts())

    def __call__(self, pairs: RowPairs) -> tuple[Places, EvidenceTable]:
        """The places of the pairs that may be related, and their evidence."""
        places, tables = [np.zeros(0, np.int64)], []
        for start in range(0, max(1, len(pairs)), PAIR_BATCH_SIZE):
            batch = pairs.take(slice(start, start + PAIR_BATCH_SIZE))
            promising, judgements = judge_candidates(
                batch, self._recipe, self._policy, self._articles, weights=self._weights
            )
            places.append(start + promising)
            tables.append(judgements.evidence)
        return np.concatenate(places), EvidenceTable.join(tables)

    def _articles(self, ids: Collection[str]) -> Mapping[str, Article]:
        new = {id_: self._new[id_] for id_ in set(ids) & self._new.keys()}
        return self._store.articles(set(ids) - new.keys()) | new


class MeasuredPairs:
    """The pairs of a query with their evidence, so that a later one need not measure them again."""

    def __init__(self, table: FingerprintTable | None = None) -> None:
        self.table = FingerprintTable() if table is None else table
        self._keys = np.zeros(0, np.int64)  # of the pairs, ascending
        self._places = np.zeros(0, np.int64)  # of their evidence, -1 where there is none
        self._evidence = EvidenceTable(0, {}, {})

    def add(
        self, pairs: RowPairs, measure: Callable[[RowPairs], tuple[Places, EvidenceTable]]
    ) -> tuple[Places, EvidenceTable]:
        """The places of the pairs that may be related, and their evidence, which is kept.

        `measure` returns the same for those that are new.
        """
        keys = pairs.left << 32 | pairs.right
        known = np.isin(keys, self._keys)
        (new,), (old,) = np.nonzero(~known), np.nonzero(known)
        promising, evidence = measure(pairs.take(new))
        places = new[promising]
        if len(old):
            stored = self._places[np.searchsorted(self._keys, keys[old])]
            places = np.concatenate([places, old[stored >= 0]])
            evidence = EvidenceTable.join([evidence, self._evidence.take(stored[stored >= 0])])
        evidence_at = np.full(len(pairs), -1, np.int64)
        evidence_at[places] = np.arange(len(places))
        order = np.argsort(keys)
        self._keys, self._places, self._evidence = keys[order], evidence_at[order], evidence
        return places, evidence


def _find_candidates(
    store: Store,
    entries: Sequence[StoredArticle],
    policy: Policy,
    unchanged: Collection[str],
    *,
    all_keys: bool,
) -> list[Candidates]:
    """The candidates of each article: by blocking keys, or by edges where it is unchanged."""
    changed = [entry for entry in entries if entry.article.id not in unchanged]
    keys = [entry.keys for entry in changed]
    probes = zip(changed, keys if all_keys else lookup_keys(keys, policy), strict=True)
    by_keys = iter(
        store.find_candidates([(e.fingerprint, probe) for e, probe in probes], policy.window)
    )
    by_edges = _edge_neighbours(store, unchanged)
    ids = (entry.article.id for entry in entries)
    return [by_edges[id_] if id_ in by_edges else next(by_keys) for id_ in ids]


def _edge_neighbours(store: Store, ids: Collection[str]) -> dict[str, Candidates]:
    """The articles that have an edge to each of these."""
    neighbours: dict[str, list[str]] = {id_: [] for id_ in ids}
    for edge in store.edges(ids) if ids else ():
        for one, other in (edge[:2], edge[1::-1]):
            if one in neighbours and not edge.on_demand:
                neighbours[one].append(other)
    fingerprints = store.fingerprints({other for near in neighbours.values() for other in near})
    return {
        id_: Candidates([fingerprints[other] for other in near], 0)
        for id_, near in neighbours.items()
    }


def judge_stored_pair(store: Store, a: str, b: str, recipe: Recipe, policy: Policy) -> Edge:
    """The edge between two stored articles, candidates or not."""
    fingerprints = list(store.fingerprints([a, b]).values())
    pair = fingerprints[0], fingerprints[-1]
    if not sources_comparable(*pair, policy):
        return Edge(a, b, NOT_COMPARED, 0.0, None)
    (judgement,) = judge_fingerprints(store, [pair], recipe, policy)
    return judgement.edge(a, b)


def judge_fingerprints(
    store: Store,
    pairs: Iterable[tuple[Fingerprint, Fingerprint]],
    recipe: Recipe,
    policy: Policy,
    articles: Articles | None = None,
) -> JudgementTable:
    """The judgement of each pair with the term weights of the store; texts are the stored ones."""
    older_first = RowPairs.of(pairs).older_first()
    weights = stored_weights(store.term_counts())
    return judge_pairs(older_first, recipe, policy, articles or store.articles, weights=weights)


def _insertion_order(
    store: Store,
    entries: Sequence[StoredArticle],
    unchanged: Collection[str],
    candidates: Sequence[Candidates],
) -> dict[str, int]:
    """When these articles were inserted, and what unchanged ones are compared with."""
    others = (
        other.id
        for entry, probe in zip(entries, candidates, strict=True)
        if entry.article.id in unchanged
        for other in probe.candidates
    )
    return insertion_order(store, [entry.article.id for entry in entries], unchanged, others)


def insertion_order(
    store: Store, ids: Sequence[str], unchanged: Collection[str], others: Iterable[str]
) -> dict[str, int]:
    """A number for each article, ascending in the order of insertion; others came before all.

    `others` are the stored articles that `unchanged` ones are compared with.
    """
    order = {id_: NEW + place for place, id_ in enumerate(ids) if id_ not in unchanged}
    stored = store.sequence_numbers({*unchanged, *others} - order.keys()) if unchanged else {}
    return stored | order
