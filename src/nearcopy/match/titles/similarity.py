"""Scores: how alike two titles are by several measures, and the mixes that presets make."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from nearcopy import kernels

Floats = NDArray[np.float64]

# Edit distances of two titles grow with the product of their lengths: read no more than this.
MAX_CHARS = 1000


class TitleScores(NamedTuple):
    """How alike pairs of normal titles are, each 0..1 and nan where a title has no words."""

    ratio: Floats  # 1 - Levenshtein distance / length of the longer
    indel: Floats  # 1 - letters put in and taken out / both lengths: libraries' Levenshtein "ratio"
    token_set: Floats  # words in common against what is left of either
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


def scores(a: Sequence[str], b: Sequence[str], names: Collection[str] = SCORES) -> TitleScores:
    """The scores of each pair of normal titles, whichever of the two comes first.

    Scores that are not wanted are nan.

    >>> found = scores(["ferry runs aground"], ["ferry aground"])
    >>> [round(float(each[0]), 2) for each in found]
    [0.72, 0.84, 1.0, 0.84, 0.82, 0.82]
    """
    if not names:
        return TitleScores(*[np.full(len(a), np.nan)] * len(SCORES))
    pairs = [sorted((x[:MAX_CHARS], y[:MAX_CHARS])) for x, y in zip(a, b, strict=True)]
    left, right = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    empty = np.array([not x for x in left], bool)  # the empty one sorts first

    def measured(name: str) -> Floats:
        if name not in names:
            return np.full(len(left), np.nan)
        if name == "cosine":
            return kernels.word_cosines(left, right)
        scorer, most = _SCORERS[name]
        raw = process.cpdist(left, right, scorer=scorer, dtype=np.float64, workers=1)
        return np.where(empty, np.nan, np.clip(raw / most, 0, 1))

    return TitleScores(*map(measured, TitleScores._fields))


def tracker_average(token_set: float, partial: float, token_sort: float) -> float:
    """The weighted average of preset `tracker`.

    The design gives no weights. The token set leads, as headlines differ most in how much they
    say; with 0.4 neither of the others can carry a pair over 0.82 by itself.

    >>> round(tracker_average(0.93, 0.90, 0.93), 2)
    0.92
    """
    return 0.4 * token_set + 0.3 * partial + 0.3 * token_sort


def digest_similarity(ratio: float, cosine: float, *, length_share: float = 1.0) -> float:
    """The similarity of preset `digest`: a high ratio decides alone, else words weigh more.

    Give it the `indel` ratio, which is what libraries call the Levenshtein ratio: with the distance
    over the longer length, a title whose parts change places (the design's own example of two
    that are the same) stays under 0.8.

    `length_share` is the shorter length over the longer: under a half, the pair is refused.

    >>> digest_similarity(0.95, 0.5), digest_similarity(0.5, 1.0)
    (0.95, 0.8)
    >>> digest_similarity(0.4, 0.8, length_share=0.4)
    0.0
    """
    if length_share < 0.5:
        return 0.0
    return ratio if ratio > 0.9 else 0.4 * ratio + 0.6 * cosine
