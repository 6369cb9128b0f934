"""Metrics of scores and decisions against labels, with bootstrap intervals.

Each metric gives a value for every row of `weights` (how often the bootstrap drew each pair), or
one value without weights. An undefined value is NaN.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
BINS = 10


class OperatingPoint(NamedTuple):
    """A threshold on the score, and what it gives: pairs at or above it are called positive."""

    score: float
    precision: float
    recall: float
    f1: float


class Bin(NamedTuple):
    """The pairs with scores in an interval; only the last includes its upper bound."""

    low: float
    high: float
    pairs: int
    score: float | None  # their mean
    share: float | None  # of positive pairs


class _Ranking(NamedTuple):
    """The weights of positive and negative pairs for each distinct score, ascending."""

    scores: Floats
    positive: Floats
    negative: Floats


def precision(called: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The share of pairs called positive that are."""
    positive, right = _as_flags(called), _as_flags(called) * _as_flags(same)
    rows = weight_rows(weights, len(positive))
    return divide(rows @ right, rows @ positive)


def recall(called: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The share of positive pairs that are called positive."""
    return precision(same, called, weights)


def f1(called: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The harmonic mean of precision and recall."""
    positive, true = _as_flags(called), _as_flags(same)
    rows = weight_rows(weights, len(positive))
    return divide(2 * (rows @ (positive * true)), rows @ positive + rows @ true)


def auc(scores: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The area under the ROC curve; ties count half."""
    ranked = _rank(scores, same, weights)
    below = np.cumsum(ranked.negative, axis=1) - ranked.negative / 2
    pairs = ranked.positive.sum(axis=1) * ranked.negative.sum(axis=1)
    return divide((ranked.positive * below).sum(axis=1), pairs)


def average_precision(scores: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The mean over positive pairs of the precision at their score."""
    ranked = _rank(scores, same, weights)
    right = np.cumsum(ranked.positive[:, ::-1], axis=1)
    called = right + np.cumsum(ranked.negative[:, ::-1], axis=1)
    precisions = right / np.where(called > 0, called, 1.0)
    return divide((ranked.positive[:, ::-1] * precisions).sum(axis=1), ranked.positive.sum(axis=1))


def pearson(one: ArrayLike, other: ArrayLike, weights: Floats | None = None) -> Floats:
    """The linear correlation of two measurements."""
    x, y = _as_floats(one), _as_floats(other)
    return _correlation(x[None, :], y[None, :], weight_rows(weights, len(x)))


def spearman(one: ArrayLike, other: ArrayLike, weights: Floats | None = None) -> Floats:
    """The correlation of the ranks of two measurements; ties share theirs."""
    x, y = _as_floats(one), _as_floats(other)
    rows = weight_rows(weights, len(x))
    return _correlation(_mid_ranks(x, rows), _mid_ranks(y, rows), rows)


def brier(scores: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The Brier score: the mean squared error of scores as probabilities; 0 is best."""
    off = (_as_floats(scores) - _as_flags(same)) ** 2
    rows = weight_rows(weights, len(off))
    return divide(rows @ off, rows.sum(axis=1))


def calibration_error(scores: ArrayLike, same: ArrayLike, weights: Floats | None = None) -> Floats:
    """The expected calibration error over ten bins of equal width; 0 is best."""
    values = _as_floats(scores)
    within = _bin_numbers(values)[:, None] == np.arange(BINS)
    off = within * (values - _as_flags(same))[:, None]
    rows = weight_rows(weights, len(values))
    return divide(np.abs(rows @ off).sum(axis=1), rows.sum(axis=1))


# Curves and bins.


def precision_recall_curve(scores: ArrayLike, same: ArrayLike) -> list[OperatingPoint]:
    """The operating point of each distinct score, the highest first."""
    ranked = _rank(scores, same, None)
    right = np.cumsum(ranked.positive[0, ::-1])
    called = right + np.cumsum(ranked.negative[0, ::-1])
    total = ranked.positive[0].sum()
    if not total:
        return []
    both = 2 * right / (called + total)
    points = zip(ranked.scores[::-1], right / called, right / total, both, strict=True)
    return [OperatingPoint(*map(float, line)) for line in points]


def best_operating_point(points: Sequence[OperatingPoint]) -> OperatingPoint | None:
    """The operating point with the highest F1; of equals, the one with the highest score."""
    return max(points, key=lambda line: (line.f1, line.score), default=None)


def calibration_bins(scores: ArrayLike, same: ArrayLike) -> list[Bin]:
    """The pairs by score in ten bins of equal width from 0 to 1."""
    values, true = _as_floats(scores), _as_flags(same)
    bin_numbers = _bin_numbers(values)
    result = []
    for number in range(BINS):
        in_bin = bin_numbers == number
        pairs = int(in_bin.sum())
        mean = float(values[in_bin].mean()) if pairs else None
        right = float(true[in_bin].mean()) if pairs else None
        result.append(Bin(number / BINS, (number + 1) / BINS, pairs, mean, right))
    return result


def _bin_numbers(values: Floats) -> NDArray[np.intp]:
    return np.clip((values * BINS).astype(np.intp), 0, BINS - 1)


# Building blocks.


def divide(part: Floats, whole: Floats) -> Floats:
    """The quotient, NaN where the divisor is 0."""
    defined = whole > 0
    return np.where(defined, part / np.where(defined, whole, 1.0), np.nan)


def _rank(scores: ArrayLike, same: ArrayLike, weights: Floats | None) -> _Ranking:
    values, true = _as_floats(scores), _as_flags(same)
    rows = weight_rows(weights, len(values))
    if not len(values):
        return _Ranking(values, rows, rows)
    order = np.argsort(values, kind="stable")
    distinct, starts = np.unique(values[order], return_index=True)
    rows, true = rows[:, order], true[order]
    added = np.add.reduceat
    return _Ranking(distinct, added(rows * true, starts, 1), added(rows * (1 - true), starts, 1))


def _mid_ranks(values: Floats, rows: Floats) -> Floats:
    """The rank of each value in each row; ties share the middle rank."""
    if not len(values):
        return rows
    distinct, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(distinct)))
    sizes = np.add.reduceat(rows[:, order], starts, axis=1)
    ranks: Floats = np.cumsum(sizes, axis=1) - (sizes - 1) / 2
    return ranks[:, group]


def _correlation(x: Floats, y: Floats, rows: Floats) -> Floats:
    total = rows.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        x = x - (rows * x).sum(axis=1, keepdims=True) / total
        y = y - (rows * y).sum(axis=1, keepdims=True) / total
    wide = np.sqrt((rows * x * x).sum(axis=1) * (rows * y * y).sum(axis=1))
    return np.clip(divide((rows * x * y).sum(axis=1), wide), -1.0, 1.0)


def weight_rows(weights: Floats | None, size: int) -> Floats:
    """The weights of `size` units, a row for each sample; one row of ones without weights."""
    return np.ones((1, size)) if weights is None else np.atleast_2d(weights)


def _as_floats(values: ArrayLike) -> Floats:
    return np.asarray(values, np.float64).reshape(-1)


def _as_flags(values: ArrayLike) -> Floats:
    return np.asarray(values, bool).reshape(-1).astype(np.float64)


Metric = Callable[[Floats], Floats]  # weights, a row for each sample, to a value for each
ROUNDS = 1000
SEED = 20250101
LEVEL = 0.95
MAX_WEIGHTS = 4_000_000  # in memory at a time


class Estimate(NamedTuple):
    """A metric with its 95 % bootstrap interval; None where undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


def bootstrap(
    metrics: Mapping[str, Metric], size: int, *, rounds: int = ROUNDS, seed: int = SEED
) -> dict[str, Estimate]:
    """Each metric over `size` units, with a percentile interval from resampling these.

    All metrics see the same samples, and equal seeds give equal samples.
    """
    whole = np.ones((1, size))
    values = {name: float(metric(whole)[0]) for name, metric in metrics.items()}
    samples: dict[str, list[Floats]] = {name: [] for name in metrics}
    for weights in resample(size, rounds, seed):
        for name, metric in metrics.items():
            samples[name].append(metric(weights))
    return {name: _percentile_interval(values[name], samples[name]) for name in metrics}


def estimate_share(flags: Iterable[bool], *, rounds: int = ROUNDS, seed: int = SEED) -> Estimate:
    """The share of true flags, with its bootstrap interval."""
    counts = Counter(flags)
    positive_count, size = counts[True], counts.total()
    if not size:
        return Estimate(None)
    # The number of true flags in a sample is binomial: no need to draw each flag.
    shares = np.random.default_rng(seed).binomial(size, positive_count / size, rounds) / size
    return _percentile_interval(positive_count / size, [shares])


def resample(size: int, rounds: int, seed: int) -> Iterator[Floats]:
    """How often each unit is drawn, a row for each round, in batches of rounds."""
    random = np.random.default_rng(seed)
    step = max(1, MAX_WEIGHTS // max(1, size))
    for start in range(0, rounds if size else 0, step):
        count = min(step, rounds - start)
        picked = random.integers(0, size, (count, size)) + size * np.arange(count)[:, None]
        counts = np.bincount(picked.reshape(-1), minlength=count * size)
        yield counts.reshape(count, size).astype(np.float64)


def _percentile_interval(value: float, samples: list[Floats]) -> Estimate:
    """The estimate; samples in which the metric is undefined are ignored."""
    if np.isnan(value):
        return Estimate(None)
    sampled = np.concatenate(samples) if samples else np.empty(0)
    sampled = sampled[~np.isnan(sampled)]
    if not len(sampled):
        return Estimate(value)
    low, high = np.quantile(sampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, float(low), float(high))
