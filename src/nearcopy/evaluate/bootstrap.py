"""Intervals by resampling: how far a measurement would move with other pairs of the same kind."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from nearcopy.evaluate.pair_metrics import Floats

Measure = Callable[[Floats], Floats]  # weights, a row for each resampling, to a value for each
ROUNDS = 1000
SEED = 20250101
LEVEL = 0.95
AT_ONCE = 4_000_000  # weights held at a time


class Measured(NamedTuple):
    """A measurement and the interval that 95 of 100 resamplings fall in; None where undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


def measured(
    measures: Mapping[str, Measure], size: int, *, rounds: int = ROUNDS, seed: int = SEED
) -> dict[str, Measured]:
    """Each measure over `size` things, with a percentile interval from drawing these again.

    The same seed draws the same, and all measures see the same draws.
    """
    whole = np.ones((1, size))
    values = {name: float(measure(whole)[0]) for name, measure in measures.items()}
    drawn: dict[str, list[Floats]] = {name: [] for name in measures}
    for weights in resamplings(size, rounds, seed):
        for name, measure in measures.items():
            drawn[name].append(measure(weights))
    return {name: _measured(values[name], drawn[name]) for name in measures}


def share(flags: Iterable[bool], *, rounds: int = ROUNDS, seed: int = SEED) -> Measured:
    """The share of those that hold, with the interval from drawing them again."""
    counts = Counter(flags)
    held, size = counts[True], counts.total()
    if not size:
        return Measured(None)
    # So many of a drawing hold as of as many throws of a coin: no need to draw each by itself.
    drawn = np.random.default_rng(seed).binomial(size, held / size, rounds) / size
    return _measured(held / size, [drawn])


def resamplings(size: int, rounds: int, seed: int) -> Iterator[Floats]:
    """How often each of the things is drawn, a row for each round, some rounds at a time."""
    random = np.random.default_rng(seed)
    step = max(1, AT_ONCE // max(1, size))
    for start in range(0, rounds if size else 0, step):
        some = min(step, rounds - start)
        picked = random.integers(0, size, (some, size)) + size * np.arange(some)[:, None]
        counts = np.bincount(picked.reshape(-1), minlength=some * size)
        yield counts.reshape(some, size).astype(np.float64)


def _measured(value: float, drawn: list[Floats]) -> Measured:
    """Resamplings in which it is undefined are passed over."""
    if np.isnan(value):
        return Measured(None)
    found = np.concatenate(drawn) if drawn else np.empty(0)
    found = found[~np.isnan(found)]
    if not len(found):
        return Measured(value)
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Measured(value, float(low), float(high))
