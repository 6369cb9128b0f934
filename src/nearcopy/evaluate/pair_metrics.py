"""Measures of how scores and decisions agree with labels; numpy is all they need.

Each gives one value for every row of `weights` (how often each pair counts, as a resampling draws
them), and without weights one value in all. What cannot be measured is NaN.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
BINS = 10


class Line(NamedTuple):
    """What a line drawn at a score gives: all at or above it are called the same."""

    score: float
    precision: float
    recall: float
    f1: float


class Bin(NamedTuple):
    """The pairs whose scores are between two bounds, the upper one out but in the last."""

    low: float
    high: float
    pairs: int
    score: float | None  # their mean
    share: float | None  # of them that are the same


class _Ranked(NamedTuple):
    """Weights of the same and of the others for each distinct score, ascending."""

    scores: Floats
    same: Floats
    others: Floats


def precision(said: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The share of those called the same that are."""
    yes, right = _flags(said), _flags(said) * _flags(same)
    rows = _rows(weights, yes)
    return share(rows @ right, rows @ yes)


def recall(said: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The share of those that are the same that are called so."""
    return precision(same, said, weights)


def f1(said: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The harmonic mean of precision and recall."""
    yes, true = _flags(said), _flags(same)
    rows = _rows(weights, yes)
    return share(2 * (rows @ (yes * true)), rows @ yes + rows @ true)


def auc(scores: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The chance that one of the same scores above one of the others; ties count half."""
    ranked = _ranked(scores, same, weights)
    below = np.cumsum(ranked.others, axis=1) - ranked.others / 2
    pairs = ranked.same.sum(axis=1) * ranked.others.sum(axis=1)
    return share((ranked.same * below).sum(axis=1), pairs)


def average_precision(scores: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The mean over the same of the precision of a line drawn at their score."""
    ranked = _ranked(scores, same, weights)
    right = np.cumsum(ranked.same[:, ::-1], axis=1)
    called = right + np.cumsum(ranked.others[:, ::-1], axis=1)
    at_line = right / np.where(called > 0, called, 1.0)
    return share((ranked.same[:, ::-1] * at_line).sum(axis=1), ranked.same.sum(axis=1))


def pearson(one: ArrayLike, other: ArrayLike, weights: Floats | None = None) -> Floats:
    """The linear correlation of two measurements."""
    x, y = _floats(one), _floats(other)
    return _correlation(x[None, :], y[None, :], _rows(weights, x))


def spearman(one: ArrayLike, other: ArrayLike, weights: Floats | None = None) -> Floats:
    """The correlation of the ranks of two measurements; ties share theirs."""
    x, y = _floats(one), _floats(other)
    rows = _rows(weights, x)
    return _correlation(_mid_ranks(x, rows), _mid_ranks(y, rows), rows)


def brier(scores: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The mean squared distance of scores, taken as probabilities, from what is: 0 is best."""
    off = (_floats(scores) - _flags(same)) ** 2
    rows = _rows(weights, off)
    return share(rows @ off, rows.sum(axis=1))


def calibration_error(scores: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """How far scores are from the share of the same among those of a like score: 0 is best.

    The expected calibration error over ten bins of equal width.
    """
    values = _floats(scores)
    within = _bin_of(values)[:, None] == np.arange(BINS)
    off = within * (values - _flags(same))[:, None]
    rows = _rows(weights, values)
    return share(np.abs(rows @ off).sum(axis=1), rows.sum(axis=1))


# To draw, and to choose by.


def lines(scores: ArrayLike, same: ArrayLike) -> list[Line]:
    """What a line drawn at each distinct score gives, the highest first."""
    ranked = _ranked(scores, same, None)
    right = np.cumsum(ranked.same[0, ::-1])
    called = right + np.cumsum(ranked.others[0, ::-1])
    there = ranked.same[0].sum()
    if not there:
        return []
    both = 2 * right / (called + there)
    drawn = zip(ranked.scores[::-1], right / called, right / there, both, strict=True)
    return [Line(*map(float, line)) for line in drawn]


def best_line(drawn: Sequence[Line]) -> Line | None:
    """The line of the highest F1; of equals the highest one."""
    return max(drawn, key=lambda line: (line.f1, line.score), default=None)


def bins(scores: ArrayLike, same: ArrayLike) -> list[Bin]:
    """The pairs by score in ten bins of equal width from 0 to 1."""
    values, true = _floats(scores), _flags(same)
    place = _bin_of(values)
    made = []
    for number in range(BINS):
        inside = place == number
        pairs = int(inside.sum())
        mean = float(values[inside].mean()) if pairs else None
        right = float(true[inside].mean()) if pairs else None
        made.append(Bin(number / BINS, (number + 1) / BINS, pairs, mean, right))
    return made


def _bin_of(values: Floats) -> NDArray[np.intp]:
    return np.clip((values * BINS).astype(np.intp), 0, BINS - 1)


# What they are made of.


def share(part: Floats, whole: Floats) -> Floats:
    """One by the other, NaN where there is nothing to share."""
    there = whole > 0
    return np.where(there, part / np.where(there, whole, 1.0), np.nan)


def _ranked(scores: ArrayLike, same: ArrayLike, weights: Floats | None) -> _Ranked:
    values, true = _floats(scores), _flags(same)
    rows = _rows(weights, values)
    if not len(values):
        return _Ranked(values, rows, rows)
    order = np.argsort(values, kind="stable")
    distinct, starts = np.unique(values[order], return_index=True)
    rows, true = rows[:, order], true[order]
    added = np.add.reduceat
    return _Ranked(distinct, added(rows * true, starts, 1), added(rows * (1 - true), starts, 1))


def _mid_ranks(values: Floats, rows: Floats) -> Floats:
    """The rank of each value in each row, those of a tie in the middle of it."""
    if not len(values):
        return rows
    distinct, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(distinct)))
    held = np.add.reduceat(rows[:, order], starts, axis=1)
    ranks: Floats = np.cumsum(held, axis=1) - (held - 1) / 2
    return ranks[:, group]


def _correlation(x: Floats, y: Floats, rows: Floats) -> Floats:
    total = rows.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        x = x - (rows * x).sum(axis=1, keepdims=True) / total
        y = y - (rows * y).sum(axis=1, keepdims=True) / total
    wide = np.sqrt((rows * x * x).sum(axis=1) * (rows * y * y).sum(axis=1))
    return np.clip(share((rows * x * y).sum(axis=1), wide), -1.0, 1.0)


def _rows(weights: Floats | None, values: Floats) -> Floats:
    return np.ones((1, len(values))) if weights is None else np.atleast_2d(weights)


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, np.float64).reshape(-1)


def _flags(values: ArrayLike) -> Floats:
    return np.asarray(values, bool).reshape(-1).astype(np.float64)
