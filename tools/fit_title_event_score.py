"""Fit the title model of the event score to labelled pairs of headlines.

    .venv/bin/python tools/fit_title_event_score.py ../shared/data/headline-pairs/pairs.csv

Prints the weights for match/same_event_model.py, and their F1 on held-out pairs. Pairs
that the default policy refuses for another reason (facts that clash, a column, a contrast) are left
out of the fit, and count as different.
"""

import argparse
import csv
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearcopy import Article, Policy, fingerprints
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.compare import compare_pairs
from nearcopy.match.same_event_model import TITLE_WEIGHTS, title_event_features
from nearcopy.match.thresholds import Conditions
from nearcopy.match.vetoes import Reason, Vetoes

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
RIDGE = 3.0  # on standardised signs
STEPS = 12
SPLITS = 20
FREE = Policy(window=None, title_later=None)  # the model weighs the days itself


def signs(rows: list[dict[str, str]]) -> tuple[Floats, Bools]:
    """The signs of every pair, and whether nothing else speaks against it."""
    prints = list(fingerprints([_article(row, side) for row in rows for side in "ab"]))
    pairs = RowPairs.of(zip(prints[::2], prints[1::2], strict=True))
    evidence = compare_pairs(pairs)
    evidence.add(title_soft=np.nan_to_num(evidence.title_soft))
    features = title_event_features(pairs, evidence, np.arange(len(pairs)))
    return features, ~evidence.moved & (Vetoes(Conditions(evidence, FREE)).title == Reason.NONE)


def _article(row: dict[str, str], side: str) -> Article:
    when = row[f"published_{side}"]
    published = datetime.fromisoformat(when) if when else None
    if published is not None and published.tzinfo is None:
        published = published.astimezone()
    return Article(id=side + row[f"id_{side}"], title=row[f"title_{side}"], published=published)


def fit_model(values: Floats, same: Bools) -> Floats:
    """The weights, and behind them the bias, of a logistic model with a ridge."""
    mean, spread = values.mean(0), values.std(0) + 1e-9
    rows = np.hstack([(values - mean) / spread, np.ones((len(values), 1))])
    ridge = np.diag([RIDGE] * values.shape[1] + [0.0])
    weights = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (likely - same) + ridge @ weights
        curve = (rows * (likely * (1 - likely))[:, None]).T @ rows + ridge
        weights -= np.linalg.solve(curve, slope)
    plain = weights[:-1] / spread
    return np.append(plain, weights[-1] - plain @ mean)


def likely(values: Floats, weights: Floats) -> Floats:
    """What the model says of every pair."""
    predictions: Floats = 1 / (1 + np.exp(-(values @ weights[:-1] + weights[-1])))
    return predictions


def f1(said: Bools, same: Bools) -> float:
    """The harmonic mean of precision and recall."""
    return float(2 * (said & same).sum() / max(1, said.sum() + same.sum()))


def best_line(scores: Floats, same: Bools) -> float:
    """The threshold with the best F1."""
    lines = np.linspace(0.2, 0.7, 51)
    return float(max(lines, key=lambda threshold: f1(scores >= threshold, same)))


def halves(values: Floats, free: Bools, same: Bools) -> list[tuple[float, float]]:
    """The threshold of one random half and its F1 on the other, for every split."""
    results = []
    for seed in range(SPLITS):
        order = np.random.default_rng(seed).permutation(len(same))
        training, unseen = np.array_split(order, 2)
        weights = fit_model(values[training][free[training]], same[training][free[training]])
        scores = np.where(free, likely(values, weights), 0.0)
        threshold = best_line(scores[training], same[training])
        results.append((threshold, f1(scores[unseen] >= threshold, same[unseen])))
    return results


def main() -> None:
    """Fit, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    with parser.parse_args().pairs.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["label"] != "unsure"]
    same = np.array([row["label"] == "same" for row in rows])
    values, free = signs(rows)
    weights = fit_model(values[free], same[free])
    for name, weight in zip((*TITLE_WEIGHTS, "bias"), weights, strict=True):
        print(f"{name:10} {weight:8.3f}")
    scores = np.where(free, likely(values, weights), 0.0)
    threshold = best_line(scores, same)
    print(f"all pairs: F1 {f1(scores >= threshold, same):.4f} from {threshold:.2f} on")
    lines_, unseen = zip(*halves(values, free, same), strict=True)
    print(f"unseen halves: F1 {np.mean(unseen):.4f}, lines {np.mean(lines_):.2f}")


if __name__ == "__main__":
    main()
