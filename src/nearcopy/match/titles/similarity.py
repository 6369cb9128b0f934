"""The similarity of two titles: string scores, and a fitted grade.

The grade estimates the similarity in meaning as human raters see it. It decides nothing: titles of
two days of one story are similar in meaning.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import exp, log1p, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

import nearcopy.kernels as kernels
from nearcopy.extract.titles.stages_and_columns import SIDES_BY_STEM
from nearcopy.kernels.reference.titles import stem, title_terms, weight
from nearcopy.match.titles.contrast import same_side
from nearcopy.models import Fact, Fingerprint

Floats = NDArray[np.float64]

# The cost of an edit distance grows with the product of the lengths: read no more than this.
MAX_CHARS = 1000


class TitleScores(NamedTuple):
    """The scores of pairs of normalised titles, 0..1; NaN where a title has no words."""

    ratio: Floats  # 1 - Levenshtein distance / length of the longer
    indel: Floats  # 1 - insertions and deletions / both lengths: "Levenshtein ratio" elsewhere
    token_set: Floats  # words in common against the remainder of either
    token_sort: Floats  # the ratio of their sorted words
    partial: Floats  # the shorter against the best part of the longer
    cosine: Floats  # of word counts


SCORES = frozenset(TitleScores._fields)
_SCORERS: dict[str, tuple[Callable[..., float], float]] = {
    "ratio": (Levenshtein.normalized_similarity, 1),
    "indel": (fuzz.ratio, 100),
    "token_set": (fuzz.token_set_ratio, 100),
    "token_sort": (fuzz.token_sort_ratio, 100),
    "partial": (fuzz.partial_ratio, 100),
}


def title_scores(
    a: Sequence[str], b: Sequence[str], names: Collection[str] = SCORES
) -> TitleScores:
    """The scores of each pair of normalised titles, symmetric; NaN for scores not in `names`.

    >>> scores = title_scores(["ferry runs aground"], ["ferry aground"])
    >>> [round(float(score[0]), 2) for score in scores]
    [0.72, 0.84, 1.0, 0.84, 0.82, 0.82]
    """
    if not names:
        return TitleScores(*[np.full(len(a), np.nan)] * len(SCORES))
    pairs = [sorted((x[:MAX_CHARS], y[:MAX_CHARS])) for x, y in zip(a, b, strict=True)]
    left, right = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    empty = np.array([not x for x in left], bool)  # the empty one sorts first

    def measure(name: str) -> Floats:
        if name not in names:
            return np.full(len(left), np.nan)
        if name == "cosine":
            return kernels.word_cosines(left, right)
        scorer, most = _SCORERS[name]
        raw = process.cpdist(left, right, scorer=scorer, dtype=np.float64, workers=1)
        return np.where(empty, np.nan, np.clip(raw / most, 0, 1))

    return TitleScores(*map(measure, TitleScores._fields))


COMMON_WEIGHT = 150  # hundredths of weight that every word has; words with no more do not count
DECIMALS = 4  # logarithms may differ between machines beyond these
LEAST_LETTERS = 4  # of two terms that begin alike
BEGINS_ALIKE, SPELT_ALIKE, MEANS_ALIKE, BEGINS_NEARLY_ALIKE = 0.8, 0.8, 0.7, 0.6


class GradeFeatures(NamedTuple):
    """The features of the grade model."""

    shared: float  # the share of the weight of both titles that the other has, softly matched
    words: float  # ln(1 + the terms of the shorter title)
    begins: float  # whether the first terms begin alike, 0 or 1
    letters: float  # the cosine of their letters, two by two
    phrases: float  # the cosine of their terms, two by two: uses of one template share these
    names: float  # how many names, word by word, the other title lacks
    figures_apart: float  # facts that the other lacks, of the title that has fewer such
    figures_alone: float  # whether only one of the titles has facts, 0 or 1
    figures_equal: float  # whether all amounts of both are the same, 0 or 1


# Fitted by tools/fit_title_grade.py.
WEIGHTS = GradeFeatures(3.792, 0.682, 0.2, 1.475, -0.674, -0.1, -0.598, -0.193, 0.405)
BIAS = -4.03


def title_grade(a: Fingerprint, b: Fingerprint) -> float | None:
    """The similarity in meaning of two titles, 0..1; None where one has no words."""
    if not a.title or not b.title:
        return None
    if a.title == b.title:
        return 1.0
    features = grade_features(a, b)
    total = BIAS + sum([value * weight for value, weight in zip(features, WEIGHTS, strict=True)])
    return round(1.0 / (1.0 + exp(-total)), DECIMALS)


def grade_features(a: Fingerprint, b: Fingerprint) -> GradeFeatures:
    """The features of two titles."""
    left, right = _parse_title(a.title[:MAX_CHARS]), _parse_title(b.title[:MAX_CHARS])
    in_b, in_a = _match_terms(left, right), _match_terms(right, left)
    amounts_a, amounts_b = _amounts(a.facts), _amounts(b.facts)
    values_a, values_b = {fact.value for fact in a.facts}, {fact.value for fact in b.facts}
    return GradeFeatures(
        sqrt(_share(in_b, left) * _share(in_a, right)),
        log1p(min(left.words, right.words)),
        left.first == right.first,
        _cosine(left.letters, right.letters),
        _cosine(left.phrases, right.phrases),
        _count_missing(a.names, in_b) + _count_missing(b.names, in_a),
        min(len(values_a - values_b), len(values_b - values_a)),
        bool(a.facts) != bool(b.facts),
        bool(amounts_a) and amounts_a == amounts_b,
    )


class _Counts(NamedTuple):
    """The counts of adjacent pairs, and the length of this vector."""

    counts: Counter[tuple[str, str]]
    length: float


class _TitleParts(NamedTuple):
    """A title as terms with their weights, and as counts of adjacent pairs."""

    words: int
    first: str  # the first letters of the first term
    weights: dict[str, float]
    whole: float  # all weights
    begins: dict[str, list[str]]  # the terms without figures by their first letters
    phrases: _Counts
    letters: _Counts


@lru_cache(maxsize=16384)
def _parse_title(title: str) -> _TitleParts:
    terms = title_terms(title)
    weights = {term: max(0.0, weight(term) - COMMON_WEIGHT) for term in terms}
    begins: dict[str, list[str]] = {}
    for term in weights:
        if len(term) >= LEAST_LETTERS and term.isalpha():
            begins.setdefault(term[:LEAST_LETTERS], []).append(term)
    return _TitleParts(
        len(terms),
        terms[0][:LEAST_LETTERS] if terms else "",
        weights,
        sum(weights.values()),
        begins,
        _count_pairs(pairwise(terms)),
        _count_pairs(pairwise(f" {title} ")),
    )


def _count_pairs(pairs: Iterable[tuple[str, str]]) -> _Counts:
    counts = Counter(pairs)
    return _Counts(counts, sqrt(sum([count * count for count in counts.values()])))


def _match_terms(left: _TitleParts, right: _TitleParts) -> dict[str, float]:
    """How well each term matches the other title, 0..1."""
    return {term: 1.0 if term in right.weights else _closest(term, right) for term in left.weights}


def _closest(term: str, parts: _TitleParts) -> float:
    """The score of the most similar term of the other title, 0..1."""
    begins = parts.begins.get(term[:LEAST_LETTERS], ()) if term.isalpha() else ()
    if any(_continue_alike(term, other) for other in begins):
        return BEGINS_ALIKE
    if len(term) > LEAST_LETTERS and any(_one_edit(term, other) for other in parts.weights):
        return SPELT_ALIKE
    if term in SIDES_BY_STEM and any(same_side(term, other) for other in parts.weights):
        return MEANS_ALIKE
    return BEGINS_NEARLY_ALIKE if begins else 0.0


def _continue_alike(x: str, y: str) -> bool:
    """Whether terms with a common beginning share one more letter, or one of them ends."""
    at = LEAST_LETTERS
    return len(x) == at or len(y) == at or x[at] == y[at]


def _one_edit(x: str, y: str) -> bool:
    """Whether two long terms are one edit apart; such share their first or last letter."""
    if (x[0] != y[0] and x[-1] != y[-1]) or abs(len(x) - len(y)) > 1 or len(y) <= LEAST_LETTERS:
        return False
    return Levenshtein.distance(x, y, score_cutoff=1) == 1 and (x + y).isalpha()


def _share(matches: dict[str, float], parts: _TitleParts) -> float:
    """The share of the weight of a title that matches the other."""
    matched = sum([parts.weights[term] * far for term, far in matches.items()])
    return matched / parts.whole if matched else 0.0


def _cosine(a: _Counts, b: _Counts) -> float:
    other_counts = b.counts
    product = sum(
        [count * other_counts[two] for two, count in a.counts.items() if two in other_counts]
    )
    return product / (a.length * b.length) if product else 0.0


def _count_missing(names: Iterable[str], matches: dict[str, float]) -> int:
    """The number of words of the names that do not match the other title."""
    return sum([not matches.get(stem(word), 1.0) for name in names for word in name.split()])


def _amounts(facts: Iterable[Fact]) -> set[float]:
    return {fact.amount for fact in facts if fact.amount is not None}
