"""Fits the model of how alike in meaning two titles are to human grades.

    .venv/bin/python tools/fit_title_grade.py ../shared/data/sts-headlines/pairs.csv

Prints the weights for match/titles/similarity.py, and their correlation with grades they were not
fitted to.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearcopy import Article, fingerprints
from nearcopy.match.titles.similarity import GradeFeatures, grade_features

Floats = NDArray[np.float64]
RIDGE = 3.0  # on standardised signs
STEPS = 12
FOLDS = 10
HIGHEST = 5.0


def signs(rows: list[dict[str, str]]) -> Floats:
    """The signs of every pair."""
    articles = [
        Article(id=f"{side}{number}", title=row[f"title_{side}"])
        for number, row in enumerate(rows)
        for side in "ab"
    ]
    prints = list(fingerprints(articles))
    return np.array(
        [grade_features(a, b) for a, b in zip(prints[::2], prints[1::2], strict=True)], float
    )


def fit_model(values: Floats, grades: Floats) -> Floats:
    """The weights, and behind them the bias, of a logistic model with a ridge."""
    mean, spread = values.mean(0), values.std(0) + 1e-9
    rows = np.hstack([(values - mean) / spread, np.ones((len(values), 1))])
    ridge = np.diag([RIDGE] * values.shape[1] + [0.0])
    weights = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        said = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (said - grades) + ridge @ weights
        curve = (rows * (said * (1 - said))[:, None]).T @ rows + ridge
        weights -= np.linalg.solve(curve, slope)
    plain = weights[:-1] / spread
    return np.append(plain, weights[-1] - plain @ mean)


def predict(values: Floats, weights: Floats) -> Floats:
    """What the model says of every pair."""
    predictions: Floats = 1 / (1 + np.exp(-(values @ weights[:-1] + weights[-1])))
    return predictions


def unseen(values: Floats, grades: Floats) -> Floats:
    """The grade of every pair by the model of those outside its fold."""
    predictions = np.zeros(len(grades))
    for fold in np.array_split(np.random.default_rng(0).permutation(len(grades)), FOLDS):
        training = np.setdiff1d(np.arange(len(grades)), fold)
        predictions[fold] = predict(values[fold], fit_model(values[training], grades[training]))
    return predictions


def main() -> None:
    """Fit, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    with parser.parse_args().pairs.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    grades = np.array([float(row["similarity"]) for row in rows]) / HIGHEST
    values = signs(rows)
    weights = fit_model(values, grades)
    for name, weight in zip((*GradeFeatures._fields, "bias"), weights, strict=True):
        print(f"{name:14} {weight:8.3f}")
    print(f"Pearson {np.corrcoef(predict(values, weights), grades)[0, 1]:.4f}", end=", ")
    print(f"unseen {np.corrcoef(unseen(values, grades), grades)[0, 1]:.4f}")


if __name__ == "__main__":
    main()
