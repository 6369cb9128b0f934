"""Judging many pairs: measured, overlaps counted where they matter, and decided."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.config import SLOTS, Policy, Recipe
from nearcopy.extract.facts import reread
from nearcopy.match.compare import (
    Overlap,
    Pair,
    Side,
    compare_pairs,
    most_likely_news,
    overlaps,
    profile_measures,
    same_address,
    sketch_distances,
)
from nearcopy.match.conditions import SPEAKING_WORDS
from nearcopy.match.decide import decide
from nearcopy.match.embedding import meanings
from nearcopy.match.vetoes import FACTS
from nearcopy.models.model import Article, Decision, Evidence, Fingerprint, Relation

Articles = Callable[[Collection[str]], Mapping[str, Article]]
# Where fewer MinHash values agree, no overlap that a policy asks for can be behind it: of texts
# that share a tenth, one pair in a thousand has fewer than five of 128.
COUNTED_FROM = 5 / 128
# Where profiles have less in common, next to no news of 0.2 and more is behind it.
PROMISING_PROFILE, PROMISING_TITLE = 0.15, 0.3
NEVER = 65  # beyond any share, and any number of bits


NOT_COMPARED = Decision(
    Relation.DISTINCT, "not-compared", 1.0, False, "too far apart in time, or not by such sources"
)


class Judgement(NamedTuple):
    """What two articles are to each other."""

    evidence: Evidence
    decision: Decision
    news: float  # 0..1: that they report the same news
    copy: float | None  # 0..1: how much text they share


def judged(
    pairs: Sequence[Pair],
    recipe: Recipe,
    policy: Policy,
    articles: Articles,
    *,
    also: frozenset[str] = frozenset(),
    weights: kernels.TermWeights | None = None,
) -> list[Judgement]:
    """What the two of each pair are to each other, in order.

    `articles` gives those of the ids that it has: where both texts of a pair are at hand and their
    overlap may matter, it is counted, not estimated; where the policy embeds, so is the meaning.
    `also` names measures that the policy does not read, `weights` how much terms count where they
    were counted.
    """
    measured = compare_pairs(pairs, measures=policy.measures | also, weights=weights)
    rows = [place for place, evidence in enumerate(measured) if _worth_counting(evidence)]
    counted = _counts([pairs[place] for place in rows], recipe, articles)
    for place, count in zip(rows, counted, strict=True):
        if count is not None:
            measured[place] = measured[place]._replace(
                overlap=count.jaccard, containment=count.containment, exact=True
            )
    if "meaning" in policy.measures:
        measured = _with_meaning(measured, pairs, articles)
    return [_judgement(evidence, decide(evidence, policy)) for evidence in measured]


def promising(
    pairs: Sequence[Pair], policy: Policy, weights: kernels.TermWeights | None = None
) -> list[bool]:
    """Whether there is anything between the two of each pair that this policy may make much of.

    Asked before all is measured: most articles that share rare terms have no more in common.
    """
    if policy.event_news is None and (policy.reads_titles or _reads_more(policy)):
        return [True] * len(pairs)
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    bits, equal = sketch_distances(left, right)
    mask = (
        (bits <= 64 - _least(policy.near_bits, policy.related_bits))
        | (equal >= COUNTED_FROM * SLOTS)
        | np.array([same_address(*pair) for pair in pairs], bool)
    )
    if policy.event_news is not None:
        mask = _or_likely(mask, pairs, policy, weights)
    result: list[bool] = mask.tolist()
    return result


def _reads_more(policy: Policy) -> bool:
    """Whether articles may be something to each other that have next to no text in common."""
    return policy.contained is not None or policy.related_news is not None


def _or_likely(
    mask: NDArray[np.bool_],
    pairs: Sequence[Pair],
    policy: Policy,
    weights: kernels.TermWeights | None,
) -> NDArray[np.bool_]:
    """Those found, and those of the others that may report the same news or have like titles."""
    measured = profile_measures([a for a, _ in pairs], [b for _, b in pairs])
    alike, title, *_ = measured.T
    promise = (alike >= PROMISING_PROFILE) | (title >= PROMISING_TITLE)
    mask |= np.isnan(alike)
    (maybe,) = np.nonzero(~mask & promise)
    left = [pairs[place][0] for place in maybe.tolist()]
    right = [pairs[place][1] for place in maybe.tolist()]
    profiles = measured[maybe] if weights is None else profile_measures(left, right, weights)
    mask[maybe] = _likely(left, right, policy, profiles)
    return mask


def _likely(
    left: Side, right: Side, policy: Policy, profiles: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether the two of each pair may report the same news, or have like titles."""
    news = np.array(most_likely_news(left, right, profiles), np.float64)
    gists = [reread(a).gist for a in left], [reread(b).gist for b in right]
    titles = kernels.title_cosines(*gists)
    return (news >= _least(policy.event_news, policy.related_news)) | (
        titles >= _least(policy.title_soft, policy.event_soft, policy.related_soft)
    )


def _least(*thresholds: float | None) -> float:
    """The lowest of the thresholds that are asked for."""
    return min((threshold for threshold in thresholds if threshold is not None), default=NEVER)


def _worth_counting(evidence: Evidence) -> bool:
    return evidence.overlap is not None and evidence.overlap >= COUNTED_FROM


def _counts(pairs: Sequence[Pair], recipe: Recipe, articles: Articles) -> list[Overlap | None]:
    """The exact overlap of each pair, None where a text is not at hand."""
    if not pairs:
        return []
    found_articles = articles({article.id for pair in pairs for article in pair})
    at_hand = {name: article for name, article in found_articles.items() if article.text}
    places = {name: place for place, name in enumerate(at_hand)}
    ids = [(a.id, b.id) for a, b in pairs if a.id in places and b.id in places]
    exact = overlaps(list(at_hand.values()), [(places[a], places[b]) for a, b in ids], recipe)
    counts = dict(zip(ids, exact, strict=True))
    return [counts.get((a.id, b.id)) for a, b in pairs]


def _with_meaning(
    measured: Sequence[Evidence], pairs: Sequence[Pair], articles: Articles
) -> list[Evidence]:
    """The evidence with the cosine of meanings, where both articles are at hand."""
    at_hand = articles({article.id for pair in pairs for article in pair})
    both = [(at_hand.get(a.id), at_hand.get(b.id)) for a, b in pairs]
    cosines = meanings([(a, b) if a and b else None for a, b in both])
    return [old._replace(meaning=new) for old, new in zip(measured, cosines, strict=True)]


def _judgement(evidence: Evidence, decision: Decision) -> Judgement:
    return Judgement(evidence, decision, news(evidence, decision), copied(evidence))


def news(evidence: Evidence, decision: Decision) -> float:
    """How likely the two report the same news; of copies, at least how sure that is.

    Where the facts of headlines clash and no texts speak, no likelier than that the veto is wrong.
    """
    likely = evidence.news or 0.0
    if evidence.words < SPEAKING_WORDS and decision.reason.startswith(FACTS):
        likely = min(likely, 1 - decision.confidence)
    return round(max(likely, decision.confidence) if decision.duplicate else likely, 4)


def copied(evidence: Evidence) -> float | None:
    """How much text the two share: the overlap, or where there is none the equal SimHash bits."""
    if evidence.same_text:
        return 1.0
    if evidence.overlap is not None:
        return round(evidence.overlap, 4)
    return None if evidence.distance is None else round(1 - evidence.distance / 64, 4)


def sources_fit(one: Fingerprint, other: Fingerprint, policy: Policy) -> bool:
    """Whether the policy compares articles of such sources; none is known of what bears none."""
    if policy.sources == "any":
        return True
    one_source = one.source is not None and one.source == other.source
    return one_source == (policy.sources == "within")


def comparable(one: Fingerprint, other: Fingerprint, policy: Policy) -> bool:
    """Whether the policy has the two compared: near enough in time, and of fitting sources.

    By when they were published, where both say so; else by when they came in.
    """
    if not sources_fit(one, other, policy):
        return False
    if policy.window is None:
        return True
    one_time, other_time = one.published, other.published
    if one_time is None or other_time is None:
        one_time, other_time = one.seen, other.seen
    return one_time is None or other_time is None or abs(one_time - other_time) <= policy.window
