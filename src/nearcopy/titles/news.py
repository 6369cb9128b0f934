"""Whether two titles report one piece of news: a few measurements, weighed by a fitted model."""

from functools import lru_cache
from math import exp, log1p
from operator import mul
from typing import NamedTuple

from nearcopy.kernels.reference.titles import MAX_WORDS, title_terms, weight
from nearcopy.model import Fingerprint
from nearcopy.titles.scores import MAX_CHARS

LEAST_ALIKE = 0.45  # soft cosine; below it too little is shared to say anything
FRONT = 3  # terms that say who or what a title is about
MOST_DAYS = 14.0
PLACES = 4  # logarithms of two machines may differ in the last ones


# Signs that two titles report one piece of news, or two: what the model weighs, and how much.
# Fitted by tools/fit_title_news.py.
WEIGHTS = {
    "soft": 3.611,  # the soft cosine
    "words": 0.204,  # the same, times the words of the shorter title: by chance, few share many
    "fronts": -0.071,  # the weight of the first terms that the other lacks, on the side with less
    "stages": -0.351,  # words for a stage or a side that only one of the titles has
    "figures": -0.556,  # how many facts the title has that has fewer
    "agreement": 1.694,  # whether any of them agree, 0 or 1
    "timed": 1.723,  # whether both times are known, 0 or 1, and
    "days": -2.277,  # ln(1 + the days between)
}
BIAS = -3.237
_WEIGHTS = tuple(WEIGHTS.values())
Signs = tuple[float, float, float, float, float, float, float, float]


def title_news(
    a: Fingerprint, b: Fingerprint, soft: float | None, agreement: bool, hours: float | None
) -> float | None:
    """How sure it is that two titles report one piece of news, 0..1; None where little is alike.

    Given are their soft cosine, whether any facts agree, and the hours between the two.
    """
    if soft is None or soft < LEAST_ALIKE:
        return None
    signs = news_signs(a, b, soft, agreement, hours)
    return round(1.0 / (1.0 + exp(-BIAS - sum(map(mul, signs, _WEIGHTS)))), PLACES)


def news_signs(
    a: Fingerprint, b: Fingerprint, soft: float, agreement: bool, hours: float | None
) -> Signs:
    """What the model weighs, in the order of its weights."""
    ours, theirs = _weighed(a.title[:MAX_CHARS]), _weighed(b.title[:MAX_CHARS])
    return (
        soft,
        soft * min(ours.words, theirs.words),
        _fronts(ours, theirs),
        len(set(a.stages).symmetric_difference(b.stages)) if a.stages != b.stages else 0,
        min(len(a.facts), len(b.facts)) if a.facts and b.facts else 0,
        agreement,
        hours is not None,
        log1p(min(hours / 24, MOST_DAYS)) if hours else 0.0,
    )


class _Weighed(NamedTuple):
    """The words of a title, counted, its terms, the first few, and what these weigh."""

    words: int
    terms: frozenset[str]
    front: frozenset[str]
    weights: dict[str, float]


@lru_cache(maxsize=65536)
def _weighed(title: str) -> _Weighed:
    terms = title_terms(title)
    weights = {term: weight(term) / 100 for term in terms[:FRONT]}
    words = min(title.count(" ") + 1, MAX_WORDS)
    return _Weighed(words, frozenset(terms), frozenset(weights), weights)


def _fronts(ours: _Weighed, theirs: _Weighed) -> float:
    """The weight of the first terms that the other title lacks, of the side where it is less."""
    if ours.front <= theirs.terms or theirs.front <= ours.terms:
        return 0.0
    return min(
        sum([heft for term, heft in ours.weights.items() if term not in theirs.terms]),
        sum([heft for term, heft in theirs.weights.items() if term not in ours.terms]),
    )
