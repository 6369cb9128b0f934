"""Matching: the stored articles that an article is related to, candidates first, then decisions."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import ne
from typing import NamedTuple

from nearcopy.cluster.kept_copy import by_age
from nearcopy.config import Policy, Recipe
from nearcopy.fingerprint.blocking_keys import lookup_keys
from nearcopy.fingerprint.term_weights import stored_weights
from nearcopy.match.eligibility import NOT_COMPARED, are_comparable, sources_comparable
from nearcopy.match.judgement import Articles, Judgement, are_promising, judge_pairs
from nearcopy.models import RELATION_RANK, Article, Decision, Edge, Fingerprint, Relation
from nearcopy.models.batches import batches
from nearcopy.models.feedback import FEEDBACK_SAME
from nearcopy.stores import Candidates, Store, StoredArticle

MAX_EXACT_DUPLICATES = 32  # candidates with the same text: each is a copy of the first anyway
PAIR_BATCH_SIZE = 4096
BEFORE_ALL = (0, -1)


class StoredMatch(NamedTuple):
    """A stored article, and the judgement between it and the article matched."""

    other: Fingerprint
    judgement: Judgement

    def edge(self, article: str) -> Edge:
        """The edge to store."""
        return self.judgement.edge(article, self.other.id)

    @property
    def sort_key(self) -> tuple[object, ...]:
        """Sorts duplicates first, then the same event, then related, then vetoed."""
        return (*decision_rank(self.judgement.decision, self.judgement.overlap), by_age(self.other))


# Judgements of an earlier query by pair of ids; None for a pair with nothing in common.
PairCache = dict[tuple[str, str], tuple[Fingerprint, Judgement | None]]
Pair = tuple[int, Fingerprint, Fingerprint]  # the position of an article, itself, a candidate


class MatchList(NamedTuple):
    """The matches of one article, surest first, and how many candidates the limit cut off."""

    matches: list[StoredMatch]
    truncated: int


def decision_rank(decision: Decision, overlap: float | None) -> tuple[float, ...]:
    """A sort key, surest first; duplicates by user feedback come before all."""
    if decision.duplicate:
        rank = -(decision.rule == FEEDBACK_SAME)
    else:
        rank = RANK.get(decision.relation, 1)
    return rank, -decision.confidence, -(overlap or 0.0), RELATION_RANK[decision.relation]


RANK = {Relation.SAME_EVENT: 2, Relation.RELATED: 3, Relation.DISTINCT: 4}


def find_matches(
    store: Store,
    entries: Sequence[StoredArticle],
    recipe: Recipe,
    policy: Policy,
    *,
    unchanged: Collection[str] = (),
    independent: bool = False,
    all_keys: bool = False,
    cache: PairCache | None = None,
) -> list[MatchList]:
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
        cache: Judgements of an earlier query, which are reused; new ones are added.
    """
    cache = {} if cache is None else cache
    candidates = _find_candidates(store, entries, policy, unchanged, all_keys=all_keys)
    is_earlier = ne if independent else _insertion_order(store, entries, unchanged, candidates)
    pairs = (
        (position, entry.fingerprint, other)
        for position, (entry, probe) in enumerate(zip(entries, candidates, strict=True))
        for other in _eligible(entry.fingerprint, probe, policy, is_earlier)
    )
    judge = _PairJudge(store, entries, recipe, policy)
    matches: list[list[StoredMatch]] = [[] for _ in entries]
    for batch in batches(pairs, PAIR_BATCH_SIZE):
        judge.fill(cache, [(a, b) for _, a, b in batch])
        for position, article, other in batch:
            if judgement := cache[article.id, other.id][1]:
                matches[position].append(StoredMatch(other, judgement))
    return [
        MatchList(sorted(listed, key=lambda match: match.sort_key), probe.truncated)
        for listed, probe in zip(matches, candidates, strict=True)
    ]


def _eligible(
    article: Fingerprint,
    probe: Candidates,
    policy: Policy,
    is_earlier: Callable[[str, str], bool],
) -> Iterator[Fingerprint]:
    """The candidates to compare an article with; of exact duplicates only the first few."""
    left = MAX_EXACT_DUPLICATES
    for other in probe.candidates:
        if is_earlier(other.id, article.id) and are_comparable(article, other, policy):
            left -= article.digest is not None and article.digest == other.digest
            if left >= 0 or article.digest != other.digest:
                yield other


class _PairJudge:
    """Judges pairs of new and stored articles with the texts and term weights at hand."""

    def __init__(
        self, store: Store, entries: Sequence[StoredArticle], recipe: Recipe, policy: Policy
    ) -> None:
        self._store, self._recipe, self._policy = store, recipe, policy
        self._new = {entry.article.id: entry.article for entry in entries}
        self._weights = stored_weights(store.term_counts())

    def fill(self, cache: PairCache, pairs: Sequence[tuple[Fingerprint, Fingerprint]]) -> None:
        """Judge the pairs that the cache does not have."""
        uncached = [(a, b) for a, b in pairs if cache.get((a.id, b.id), (None, None))[0] is not b]
        worth_judging = are_promising(uncached, self._policy, self._weights)
        older_first = [_older_first(a, b) for a, b in compress(uncached, worth_judging)]
        judgements = iter(
            judge_pairs(
                older_first, self._recipe, self._policy, self._articles, weights=self._weights
            )
        )
        for (a, b), worth in zip(uncached, worth_judging, strict=True):
            judgement = next(judgements) if worth else None
            if judgement and judgement.decision.rule == "nothing-in-common":
                judgement = None
            cache[a.id, b.id] = b, judgement

    def _articles(self, ids: Collection[str]) -> Mapping[str, Article]:
        new = {id_: self._new[id_] for id_ in set(ids) & self._new.keys()}
        return self._store.articles(set(ids) - new.keys()) | new


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


def edges_to_store(entries: Sequence[StoredArticle], matches: Sequence[MatchList]) -> list[Edge]:
    """The edges of all matches."""
    return [
        match.edge(entry.article.id)
        for entry, listed in zip(entries, matches, strict=True)
        for match in listed.matches
    ]


def judge_stored_pair(store: Store, a: str, b: str, recipe: Recipe, policy: Policy) -> Edge:
    """The edge between two stored articles, candidates or not."""
    fingerprints = sorted(store.fingerprints([a, b]).values(), key=by_age)
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
) -> list[Judgement]:
    """The judgement of each pair with the term weights of the store; texts are the stored ones."""
    older_first = [_older_first(a, b) for a, b in pairs]
    weights = stored_weights(store.term_counts())
    return judge_pairs(older_first, recipe, policy, articles or store.articles, weights=weights)


def _older_first(a: Fingerprint, b: Fingerprint) -> tuple[Fingerprint, Fingerprint]:
    return (a, b) if by_age(a) <= by_age(b) else (b, a)


def _insertion_order(
    store: Store,
    entries: Sequence[StoredArticle],
    unchanged: Collection[str],
    candidates: Sequence[Candidates],
) -> Callable[[str, str], bool]:
    """A predicate: whether a candidate was inserted before one of these articles."""
    others = (
        other.id
        for entry, probe in zip(entries, candidates, strict=True)
        if entry.article.id in unchanged
        for other in probe.candidates
    )
    return insertion_order(store, [entry.article.id for entry in entries], unchanged, others)


def insertion_order(
    store: Store, ids: Sequence[str], unchanged: Collection[str], others: Iterable[str]
) -> Callable[[str, str], bool]:
    """A predicate: whether one article was inserted before another of these ids.

    `others` are the stored articles that `unchanged` ones are compared with.
    """
    order = {id_: (1, position) for position, id_ in enumerate(ids) if id_ not in unchanged}
    stored = store.sequence_numbers({*unchanged, *others} - order.keys()) if unchanged else {}
    order |= {id_: (0, number) for id_, number in stored.items()}
    return lambda one, other: order.get(one, BEFORE_ALL) < order[other]
