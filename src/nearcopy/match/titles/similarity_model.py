"""How alike in meaning two titles are, as people grade it: a few measurements in a fitted model.

It grades and does not decide: titles that report two days of one story are alike in meaning.
"""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from math import exp, log1p, sqrt
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from nearcopy.extract.titles.stage_words import SIDES
from nearcopy.kernels.reference.titles import stem, title_terms, weight
from nearcopy.match.titles.similarity import MAX_CHARS
from nearcopy.match.titles.stages import same_side
from nearcopy.models.model import Fact, Fingerprint

COMMON = 150  # hundredths of weight that every word has: those with no more say nothing
PLACES = 4  # logarithms of two machines may differ in the last ones
LEAST_LETTERS = 4  # of two terms that begin alike
BEGINS_ALIKE, SPELT_ALIKE, MEANS_ALIKE, BEGINS_NEARLY_ALIKE = 0.8, 0.8, 0.7, 0.6


class GradeSigns(NamedTuple):
    """What speaks for or against likeness in meaning, as the model weighs it."""

    shared: float  # the share of the weight of both titles that the other has, softly matched
    words: float  # ln(1 + the terms of the shorter title)
    begins: float  # whether the first terms begin alike, 0 or 1
    letters: float  # the cosine of their letters, two by two
    phrases: float  # the cosine of their terms, two by two: forms filled in anew share these
    names: float  # how many names, word by word, the other title lacks
    figures_apart: float  # facts that the other lacks, of the title that has fewer such
    figures_alone: float  # whether only one of the titles has facts, 0 or 1
    figures_equal: float  # whether all amounts of both are the same, 0 or 1


# Fitted by tools/fit_title_grade.py.
WEIGHTS = GradeSigns(3.792, 0.682, 0.2, 1.475, -0.674, -0.1, -0.598, -0.193, 0.405)
BIAS = -4.03


def title_grade(a: Fingerprint, b: Fingerprint) -> float | None:
    """How alike in meaning two titles are, 0..1; None where one has no words."""
    if not a.title or not b.title:
        return None
    return 1.0 if a.title == b.title else graded(grade_signs(a, b))


def graded(signs: GradeSigns) -> float:
    """The signs, weighed: 0..1."""
    total = BIAS + sum([sign * heft for sign, heft in zip(signs, WEIGHTS, strict=True)])
    return round(1.0 / (1.0 + exp(-total)), PLACES)


def grade_signs(a: Fingerprint, b: Fingerprint) -> GradeSigns:
    """The signs that two titles give."""
    left, right = _taken_apart(a.title[:MAX_CHARS]), _taken_apart(b.title[:MAX_CHARS])
    in_b, in_a = _found(left, right), _found(right, left)
    amounts_a, amounts_b = _amounts(a.facts), _amounts(b.facts)
    return GradeSigns(
        sqrt(_share(in_b, left) * _share(in_a, right)),
        log1p(min(left.words, right.words)),
        left.first == right.first,
        _cosine(left.letters, right.letters),
        _cosine(left.phrases, right.phrases),
        _lacking(a.names, in_b) + _lacking(b.names, in_a),
        _apart({fact.value for fact in a.facts}, {fact.value for fact in b.facts}),
        bool(a.facts) != bool(b.facts),
        bool(amounts_a) and amounts_a == amounts_b,
    )


class _Counts(NamedTuple):
    """How often each two stand together, and the length of these counts as a vector."""

    counts: Counter[tuple[str, str]]
    length: float


class _Parts(NamedTuple):
    """A title taken apart: its terms, what they weigh, and what stands two by two."""

    words: int
    first: str  # the first letters of the first term
    weights: dict[str, float]
    whole: float  # all weights
    begins: dict[str, list[str]]  # the terms without figures by their first letters
    phrases: _Counts
    letters: _Counts


@lru_cache(maxsize=16384)
def _taken_apart(title: str) -> _Parts:
    terms = title_terms(title)
    weights = {term: max(0.0, weight(term) - COMMON) for term in terms}
    begins: dict[str, list[str]] = {}
    for term in weights:
        if len(term) >= LEAST_LETTERS and term.isalpha():
            begins.setdefault(term[:LEAST_LETTERS], []).append(term)
    return _Parts(
        len(terms),
        terms[0][:LEAST_LETTERS] if terms else "",
        weights,
        sum(weights.values()),
        begins,
        _counted(pairwise(terms)),
        _counted(pairwise(f" {title} ")),
    )


def _counted(pairs: Iterable[tuple[str, str]]) -> _Counts:
    counts = Counter(pairs)
    return _Counts(counts, sqrt(sum([count * count for count in counts.values()])))


def _found(left: _Parts, right: _Parts) -> dict[str, float]:
    """How far each of our terms is found in the other title, 0..1."""
    return {term: 1.0 if term in right.weights else _closest(term, right) for term in left.weights}


def _closest(term: str, parts: _Parts) -> float:
    """How much of an equal term the most alike one of the other title is, 0..1."""
    begins = parts.begins.get(term[:LEAST_LETTERS], ()) if term.isalpha() else ()
    if any(_agree_behind(term, other) for other in begins):
        return BEGINS_ALIKE
    if len(term) > LEAST_LETTERS and any(_one_edit(term, other) for other in parts.weights):
        return SPELT_ALIKE
    if term in SIDES and any(same_side(term, other) for other in parts.weights):
        return MEANS_ALIKE
    return BEGINS_NEARLY_ALIKE if begins else 0.0


def _agree_behind(x: str, y: str) -> bool:
    """Whether terms that begin alike go on alike for one letter more, or one of them ends."""
    at = LEAST_LETTERS
    return len(x) == at or len(y) == at or x[at] == y[at]


def _one_edit(x: str, y: str) -> bool:
    """Whether two long terms are one letter apart; such have their first or last in common."""
    if (x[0] != y[0] and x[-1] != y[-1]) or abs(len(x) - len(y)) > 1 or len(y) <= LEAST_LETTERS:
        return False
    return Levenshtein.distance(x, y, score_cutoff=1) == 1 and (x + y).isalpha()


def _share(matches: dict[str, float], parts: _Parts) -> float:
    """The share of a title's weight that is found in the other."""
    matched = sum([parts.weights[term] * far for term, far in matches.items()])
    return matched / parts.whole if matched else 0.0


def _cosine(a: _Counts, b: _Counts) -> float:
    other_counts = b.counts
    product = sum(
        [count * other_counts[two] for two, count in a.counts.items() if two in other_counts]
    )
    return product / (a.length * b.length) if product else 0.0


def _lacking(names: Iterable[str], matches: dict[str, float]) -> int:
    """How many words of the names are in no way found in the other title."""
    return sum([not matches.get(stem(word), 1.0) for name in names for word in name.split()])


def _amounts(facts: Iterable[Fact]) -> set[float]:
    return {fact.amount for fact in facts if fact.amount is not None}


def _apart(a: set[str], b: set[str]) -> int:
    return min(len(a - b), len(b - a))
