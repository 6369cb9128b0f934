"""Evidence and decision of many pairs, with exact overlaps where they matter."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.config import SLOTS, Policy, Recipe
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.compare import (
    Overlap,
    compare_pairs,
    max_event_scores,
    overlaps,
    profile_measures,
    same_addresses,
    set_overlaps,
    sketch_distances,
)
from nearcopy.match.decide import DecisionTable, decide_pairs
from nearcopy.match.embedding import embedding_cosine
from nearcopy.match.evidence_table import EvidenceTable, Floats, Mask, Table
from nearcopy.match.thresholds import BODY_WORDS, known
from nearcopy.match.vetoes import Reason
from nearcopy.models import Article, Decision, Edge, Evidence
from nearcopy.models.batches import batches

Articles = Callable[[Collection[str]], Mapping[str, Article]]
# Below this estimate no overlap that a policy asks for is likely: of texts that share a tenth, one
# pair in a thousand has fewer than five of 128 equal MinHash values.
MIN_ESTIMATE = 5 / 128
# With less in common, next to no pair has an event score of 0.2 or more.
MIN_PROFILE, MIN_COVERAGE = 0.15, 0.3
NEVER = 2.0  # above any share
BATCH_SIZE = 2048  # pairs of articles judged at once


class Judgement(NamedTuple):
    """The evidence and the decision of a pair, with its two scores."""

    evidence: Evidence
    decision: Decision
    event_score: float  # 0..1: likelihood that they report the same event
    overlap: float | None  # 0..1: how much text they share

    def edge(self, a: str, b: str) -> Edge:
        """The edge to store of these two articles."""
        return Edge(a, b, self.decision, self.event_score, self.overlap)


class JudgementTable(Table[Judgement]):
    """The judgements of pairs."""

    def __init__(self, evidence: EvidenceTable, policy: Policy) -> None:
        self.evidence, self._policy = evidence, policy

    @cached_property
    def decisions(self) -> DecisionTable:
        """The decision on each pair."""
        return decide_pairs(self.evidence, self._policy)

    def __len__(self) -> int:
        return len(self.evidence)

    @cached_property
    def event_score(self) -> Floats:
        """The likelihood that both report the same event; of duplicates at least the confidence.

        For headlines without texts whose facts clash, at most the likelihood that the veto is
        wrong.
        """
        decisions, likely = self.decisions, known(self.evidence.event_score)
        clash = decisions.vetoed & (decisions.reasons == Reason.CLASH)
        clash &= self.evidence.words < BODY_WORDS
        likely = np.where(clash, np.minimum(likely, 1 - decisions.confidence), likely)
        surer = np.maximum(likely, decisions.confidence)
        return np.where(decisions.duplicate, surer, likely).round(4)

    @cached_property
    def overlap(self) -> Floats:
        """How much text two share: the overlap, or without one the share of equal SimHash bits."""
        e = self.evidence
        shares = np.where(np.isnan(e.overlap), 1 - e.distance / 64, e.overlap)
        return np.where(e.same_text == 1, 1.0, np.round(shares, 4))

    def rows(self, places: Sequence[int]) -> list[Judgement]:
        chosen = np.array(places, np.int64)
        overlaps = [None if share != share else share for share in self.overlap[chosen].tolist()]
        columns = self.evidence.rows(places), self.decisions.rows(places)
        return list(map(Judgement, *columns, self.event_score[chosen].tolist(), overlaps))


def judge_pairs(
    pairs: RowPairs,
    recipe: Recipe,
    policy: Policy,
    articles: Articles,
    *,
    also: frozenset[str] = frozenset(),
    weights: kernels.TermWeights | None = None,
) -> JudgementTable:
    """The judgement of each pair.

    The overlap is counted exactly where both texts are available and it may matter, and the
    embedding cosine is measured where the policy asks for it.

    Args:
        pairs: The pairs of fingerprints.
        recipe: The recipe of the fingerprints.
        policy: The thresholds.
        articles: Returns the available articles of some ids.
        also: Measurements beyond those that the policy reads.
        weights: The term weights of the store, if it counted its terms.
    """
    evidence = compare_pairs(pairs, measures=policy.measures | also, weights=weights)
    (places,) = np.nonzero(evidence.overlap >= MIN_ESTIMATE)
    ids = [(a.id, b.id) for a, b in pairs.take(places).fingerprints()]
    set_overlaps(evidence, places.tolist(), _count_overlaps(ids, recipe, articles))
    if "embedding" in policy.measures:
        evidence.add(embedding_cosine=_embedding_cosines(pairs, articles))
    return JudgementTable(evidence, policy)


def judge_candidates(
    pairs: RowPairs,
    recipe: Recipe,
    policy: Policy,
    articles: Articles,
    *,
    weights: kernels.TermWeights | None = None,
) -> tuple[NDArray[np.int64], JudgementTable]:
    """The places of the pairs that may be related, and their judgements, the older article first.

    The arguments are those of `judge_pairs`.
    """
    (places,) = np.nonzero(are_promising(pairs, policy, weights))
    older_first = pairs.take(places).older_first()
    return places, judge_pairs(older_first, recipe, policy, articles, weights=weights)


def judge_articles(
    pairs: Iterable[tuple[Article, Article]], recipe: Recipe, policy: Policy
) -> Iterator[Judgement]:
    """The judgement of each pair, in order; one id may belong to different articles."""
    for batch in batches(pairs, BATCH_SIZE):
        yield from _judge_batch(batch, recipe, policy)


def _judge_batch(
    batch: list[tuple[Article, Article]], recipe: Recipe, policy: Policy
) -> JudgementTable:
    ids: dict[Article, str] = {}  # an article in several pairs is fingerprinted once
    for pair in batch:
        for article in pair:
            ids.setdefault(article, str(len(ids)))
    articles = {id_: replace(article, id=id_) for article, id_ in ids.items()}
    by_id = dict(zip(articles, fingerprints(articles.values(), recipe), strict=True))
    pairs = RowPairs.of((by_id[ids[a]], by_id[ids[b]]) for a, b in batch)
    return judge_pairs(
        pairs, recipe, policy, lambda names: {id_: articles[id_] for id_ in sorted(names)}
    )


def are_promising(
    pairs: RowPairs, policy: Policy, weights: kernels.TermWeights | None = None
) -> Mask:
    """Whether this policy may relate each pair: a cheap filter before everything is measured.

    Most articles that share rare terms have nothing else in common.
    """
    needs_no_overlap = policy.containment is not None or policy.related_score is not None
    if policy.event_score is None and (policy.reads_titles or needs_no_overlap):
        return np.ones(len(pairs), np.bool_)
    distances, equal = sketch_distances(pairs)
    limits = [n for n in (policy.max_hamming, policy.related_max_hamming) if n is not None]
    mask: Mask = (distances <= max(limits, default=-1)) | (equal >= MIN_ESTIMATE * SLOTS)
    mask |= same_addresses(pairs)
    if policy.event_score is not None:
        mask = _add_likely(mask, pairs, policy, weights)
    return mask


def _add_likely(
    mask: Mask, pairs: RowPairs, policy: Policy, weights: kernels.TermWeights | None
) -> Mask:
    """The mask, with the pairs that may report the same event or have similar titles."""
    measured = profile_measures(pairs)
    profile, title, *_ = measured.T
    promising = (profile >= MIN_PROFILE) | (title >= MIN_COVERAGE)
    mask |= np.isnan(profile)
    (places,) = np.nonzero(~mask & promising)
    doubtful = pairs.take(places)
    profiles = measured[places] if weights is None else profile_measures(doubtful, weights)
    titles = kernels.title_cosines(*doubtful.texts("gist"))
    mask[places] = (
        max_event_scores(doubtful, profiles) >= _lowest(policy.event_score, policy.related_score)
    ) | (titles >= _lowest(policy.title_soft, policy.event_soft, policy.related_soft))
    return mask


def _lowest(*thresholds: float | None) -> float:
    """The lowest of the thresholds that are on."""
    return min((threshold for threshold in thresholds if threshold is not None), default=NEVER)


def _count_overlaps(
    ids: Sequence[tuple[str, str]], recipe: Recipe, articles: Articles
) -> list[Overlap | None]:
    """The exact overlap of each two articles, None where a text is not available."""
    if not ids:
        return []
    available = articles({id_ for pair in ids for id_ in pair})
    with_text = {name: article for name, article in available.items() if article.text}
    rows = {name: row for row, name in enumerate(with_text)}
    both = [(a, b) for a, b in ids if a in rows and b in rows]
    exact = overlaps(list(with_text.values()), [(rows[a], rows[b]) for a, b in both], recipe)
    counts = dict(zip(both, exact, strict=True))
    return [counts.get(pair) for pair in ids]


def _embedding_cosines(pairs: RowPairs, articles: Articles) -> Floats:
    """The embedding cosine of each pair, NaN where an article is not available."""
    ids = [(a.id, b.id) for a, b in pairs.fingerprints()]
    available = articles({id_ for pair in ids for id_ in pair})
    both = [(available.get(a), available.get(b)) for a, b in ids]
    return np.array([embedding_cosine(a, b) if a and b else None for a, b in both], np.float64)
