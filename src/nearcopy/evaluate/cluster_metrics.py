"""How alike two ways are to put things into groups: BCubed, pairs, the adjusted Rand index.

Weights say how often each true group counts: groups are drawn again whole, as the articles of one
are not independent. A group drawn twice is two groups with stories of their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearcopy.evaluate.bootstrap import ROUNDS, SEED, Measured, measured
from nearcopy.evaluate.pair_metrics import Floats, share

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Cells:
    """How many things each true group and each found one have in common, where there are any."""

    true: Places  # the number of the true group of each cell
    found: Places
    things: Floats
    groups: int  # true ones
    stories: int  # found ones


def cells(truth: Sequence[str], found: Sequence[str]) -> Cells:
    """What the two ways have in common; each gives the group of every thing, in one order."""
    if len(truth) != len(found):
        raise ValueError(f"{len(truth)} things in one, {len(found)} in the other")
    true, groups = _numbered(truth)
    ours, stories = _numbered(found)
    both, things = np.unique(true * max(1, stories) + ours, return_counts=True)
    rows, columns = np.divmod(both, max(1, stories))
    return Cells(rows, columns, things.astype(np.float64), groups, stories)


def _numbered(names: Sequence[str]) -> tuple[Places, int]:
    """The number of each thing's group, and how many groups there are."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], np.intp), len(numbers)


def bcubed_precision(of: Cells, weights: Floats | None = None) -> Floats:
    """For the mean article: the share of its story that is of its group."""
    whole = _added(of.found, of.things, of.stories)
    return _mean(of, of.things / whole[of.found], weights)


def bcubed_recall(of: Cells, weights: Floats | None = None) -> Floats:
    """For the mean article: the share of its group that is in its story."""
    whole = _added(of.true, of.things, of.groups)
    return _mean(of, of.things / whole[of.true], weights)


def bcubed_f1(of: Cells, weights: Floats | None = None) -> Floats:
    """The harmonic mean of the two."""
    return _harmonic(bcubed_precision(of, weights), bcubed_recall(of, weights))


def pair_precision(of: Cells, weights: Floats | None = None) -> Floats:
    """The share of pairs in one story that are of one group."""
    both, _, found, _ = _pairs(of, weights)
    return share(both, found)


def pair_recall(of: Cells, weights: Floats | None = None) -> Floats:
    """The share of pairs of one group that are in one story."""
    both, true, _, _ = _pairs(of, weights)
    return share(both, true)


def pair_f1(of: Cells, weights: Floats | None = None) -> Floats:
    """The harmonic mean of the two."""
    both, true, found, _ = _pairs(of, weights)
    return share(2 * both, true + found)


def adjusted_rand(of: Cells, weights: Floats | None = None) -> Floats:
    """The agreement on pairs beyond chance: 1 where all agree, about 0 by chance."""
    both, true, found, every = _pairs(of, weights)
    chance = true * found / np.where(every > 0, every, 1.0)
    most = (true + found) / 2
    agree = np.isclose(most, chance)  # all apart, or all together, in both ways
    index = (both - chance) / np.where(agree, 1.0, most - chance)
    return np.where(agree, 1.0, index)


MEASURES = {
    "bcubed_precision": bcubed_precision,
    "bcubed_recall": bcubed_recall,
    "bcubed_f1": bcubed_f1,
    "ari": adjusted_rand,
    "pair_precision": pair_precision,
    "pair_recall": pair_recall,
    "pair_f1": pair_f1,
}


def measured_cells(of: Cells, *, rounds: int = ROUNDS, seed: int = SEED) -> dict[str, Measured]:
    """All measures, with intervals from drawing the true groups again."""
    return measured(
        {name: lambda rows, by=by: by(of, rows) for name, by in MEASURES.items()},  # type: ignore[misc]
        of.groups,
        rounds=rounds,
        seed=seed,
    )


def _mean(of: Cells, scores: Floats, weights: Floats | None) -> Floats:
    """The mean over things, each counting as often as its group does."""
    rows = _rows(of, weights)
    total = _added(of.true, of.things * scores, of.groups)
    sizes = _added(of.true, of.things, of.groups)
    return share(rows @ total, rows @ sizes)


def _pairs(of: Cells, weights: Floats | None) -> tuple[Floats, Floats, Floats, Floats]:
    """Pairs in one cell, of one group, in one story, and all there are, a value a row."""
    rows = _rows(of, weights)
    sizes = _added(of.true, of.things, of.groups)
    within = _added(of.true, _choose_two(of.things), of.groups)
    both, true = rows @ within, rows @ _choose_two(sizes)
    total = rows @ sizes
    across = np.array([_across(of, row) for row in rows]).reshape(len(rows))
    return both, true, both + across, _choose_two(total)


def _across(of: Cells, row: Floats) -> float:
    """Pairs in one story of two groups, where each group counts as often as the row says."""
    held = row[of.true] * of.things
    whole = _added(of.found, held, of.stories)
    own = _added(of.found, held * held, of.stories)
    return float((whole * whole - own).sum() / 2)


def _added(places: Places, values: Floats, count: int) -> Floats:
    return np.bincount(places, values, count).astype(np.float64)


def _choose_two(counts: Floats) -> Floats:
    return counts * (counts - 1) / 2


def _harmonic(one: Floats, other: Floats) -> Floats:
    return share(2 * one * other, one + other)


def _rows(of: Cells, weights: Floats | None) -> Floats:
    return np.ones((1, of.groups)) if weights is None else np.atleast_2d(weights)
