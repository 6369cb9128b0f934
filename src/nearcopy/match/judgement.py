"""Evidence and decision of many pairs, with exact overlaps where they matter."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.config import SLOTS, Policy, Recipe
from nearcopy.extract.facts import add_chinese_facts
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.match.compare import (
    Overlap,
    Pair,
    compare_pairs,
    max_event_scores,
    overlaps,
    profile_measures,
    same_address,
    sketch_distances,
)
from nearcopy.match.decide import decide
from nearcopy.match.embedding import embedding_cosine
from nearcopy.match.thresholds import BODY_WORDS, at_least
from nearcopy.match.vetoes import CLASH
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


def judge_pairs(
    pairs: Sequence[Pair],
    recipe: Recipe,
    policy: Policy,
    articles: Articles,
    *,
    also: frozenset[str] = frozenset(),
    weights: kernels.TermWeights | None = None,
) -> list[Judgement]:
    """The judgement of each pair, in order.

    The overlap is counted exactly where both texts are available and it may matter, and the
    embedding cosine is measured where the policy asks for it.

    Args:
        pairs: The fingerprints of each pair.
        recipe: The recipe of the fingerprints.
        policy: The thresholds.
        articles: Returns the available articles of some ids.
        also: Measurements beyond those that the policy reads.
        weights: The term weights of the store, if it counted its terms.
    """
    measured = compare_pairs(pairs, measures=policy.measures | also, weights=weights)
    rows = [row for row, e in enumerate(measured) if at_least(e.overlap, MIN_ESTIMATE)]
    counts = _count_overlaps([pairs[row] for row in rows], recipe, articles)
    for row, count in zip(rows, counts, strict=True):
        if count is not None:
            measured[row] = measured[row]._replace(
                overlap=count.jaccard, containment=count.containment, exact=True
            )
    if "embedding" in policy.measures:
        measured = _add_embeddings(measured, pairs, articles)
    decided = [(evidence, decide(evidence, policy)) for evidence in measured]
    return [Judgement(e, d, event_score(e, d), text_overlap(e)) for e, d in decided]


def judge_articles(
    pairs: Iterable[tuple[Article, Article]], recipe: Recipe, policy: Policy
) -> Iterator[Judgement]:
    """The judgement of each pair, in order; one id may belong to different articles."""
    for batch in batches(pairs, BATCH_SIZE):
        yield from _judge_batch(batch, recipe, policy)


def _judge_batch(
    batch: list[tuple[Article, Article]], recipe: Recipe, policy: Policy
) -> list[Judgement]:
    ids: dict[Article, str] = {}  # an article in several pairs is fingerprinted once
    for pair in batch:
        for article in pair:
            ids.setdefault(article, str(len(ids)))
    articles = {id_: replace(article, id=id_) for article, id_ in ids.items()}
    by_id = dict(zip(articles, fingerprints(articles.values(), recipe), strict=True))
    pairs = [(by_id[ids[a]], by_id[ids[b]]) for a, b in batch]
    return judge_pairs(
        pairs, recipe, policy, lambda names: {id_: articles[id_] for id_ in sorted(names)}
    )


def are_promising(
    pairs: Sequence[Pair], policy: Policy, weights: kernels.TermWeights | None = None
) -> list[bool]:
    """Whether this policy may relate each pair: a cheap filter before everything is measured.

    Most articles that share rare terms have nothing else in common.
    """
    needs_no_overlap = policy.containment is not None or policy.related_score is not None
    if policy.event_score is None and (policy.reads_titles or needs_no_overlap):
        return [True] * len(pairs)
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    distances, equal = sketch_distances(left, right)
    limits = [n for n in (policy.max_hamming, policy.related_max_hamming) if n is not None]
    mask = (
        (distances <= max(limits, default=-1))
        | (equal >= MIN_ESTIMATE * SLOTS)
        | np.array([same_address(*pair) for pair in pairs], bool)
    )
    if policy.event_score is not None:
        mask = _add_likely(mask, pairs, policy, weights)
    result: list[bool] = mask.tolist()
    return result


def _add_likely(
    mask: NDArray[np.bool_],
    pairs: Sequence[Pair],
    policy: Policy,
    weights: kernels.TermWeights | None,
) -> NDArray[np.bool_]:
    """The mask, with the pairs that may report the same event or have similar titles."""
    measured = profile_measures([a for a, _ in pairs], [b for _, b in pairs])
    profile, title, *_ = measured.T
    promising = (profile >= MIN_PROFILE) | (title >= MIN_COVERAGE)
    mask |= np.isnan(profile)
    (rows,) = np.nonzero(~mask & promising)
    left = [pairs[row][0] for row in rows.tolist()]
    right = [pairs[row][1] for row in rows.tolist()]
    profiles = measured[rows] if weights is None else profile_measures(left, right, weights)
    scores = np.array(max_event_scores(left, right, profiles), np.float64)
    gists = [add_chinese_facts(a).gist for a in left], [add_chinese_facts(b).gist for b in right]
    titles = kernels.title_cosines(*gists)
    mask[rows] = (scores >= _lowest(policy.event_score, policy.related_score)) | (
        titles >= _lowest(policy.title_soft, policy.event_soft, policy.related_soft)
    )
    return mask


def _lowest(*thresholds: float | None) -> float:
    """The lowest of the thresholds that are on."""
    return min((threshold for threshold in thresholds if threshold is not None), default=NEVER)


def _count_overlaps(
    pairs: Sequence[Pair], recipe: Recipe, articles: Articles
) -> list[Overlap | None]:
    """The exact overlap of each pair, None where a text is not available."""
    if not pairs:
        return []
    available = articles({article.id for pair in pairs for article in pair})
    with_text = {name: article for name, article in available.items() if article.text}
    rows = {name: row for row, name in enumerate(with_text)}
    ids = [(a.id, b.id) for a, b in pairs if a.id in rows and b.id in rows]
    exact = overlaps(list(with_text.values()), [(rows[a], rows[b]) for a, b in ids], recipe)
    counts = dict(zip(ids, exact, strict=True))
    return [counts.get((a.id, b.id)) for a, b in pairs]


def _add_embeddings(
    measured: Sequence[Evidence], pairs: Sequence[Pair], articles: Articles
) -> list[Evidence]:
    """The evidence with embedding cosines, where both articles are available."""
    available = articles({article.id for pair in pairs for article in pair})
    both = [(available.get(a.id), available.get(b.id)) for a, b in pairs]
    cosines = [embedding_cosine(a, b) if a and b else None for a, b in both]
    return [old._replace(embedding_cosine=new) for old, new in zip(measured, cosines, strict=True)]


def event_score(evidence: Evidence, decision: Decision) -> float:
    """The likelihood that both report the same event; of duplicates at least the confidence.

    For headlines without texts whose facts clash, at most the likelihood that the veto is wrong.
    """
    likely = evidence.event_score or 0.0
    if evidence.words < BODY_WORDS and decision.reason.startswith(CLASH):
        likely = min(likely, 1 - decision.confidence)
    return round(max(likely, decision.confidence) if decision.duplicate else likely, 4)


def text_overlap(evidence: Evidence) -> float | None:
    """How much text the two share: the overlap, or without one the share of equal SimHash bits."""
    if evidence.same_text:
        return 1.0
    if evidence.overlap is not None:
        return round(evidence.overlap, 4)
    return None if evidence.distance is None else round(1 - evidence.distance / 64, 4)
