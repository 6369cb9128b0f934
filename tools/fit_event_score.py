"""Fits the model of src/nearcopy/match/same_event_model.py: weights of the measurements.

    python tools/fit_event_score.py ../shared/data

People graded pairs of articles of one language from 1 (the same story) to 4 (unrelated). The model
is a logistic regression of that grade, turned to 0..1, with a part of its upper half: so it orders
pairs as people do, and is about as often right as it says. How sure it is to be right has a curve
of its own. Prints how well this does on pairs that it was not fitted to, then the constants to put
into same_event_model.py.
"""

import csv
import gzip
import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearcopy import Article, Fingerprint, fingerprints
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.compare import compare_pairs
from nearcopy.match.same_event_model import event_features

Array = NDArray[np.float64]
FOLDS = 5
SPLITS = 3
RIDGE = 0.1
STEPS = 25
SAME_NEWS = 2.5  # grades up to the middle are nearer to the same story
VERDICT = 0.35  # the part of the verdict, yes or no, in what is fitted


def main() -> None:
    prints = {article.id: article for article in read(Path(sys.argv[1]) / "semeval22")}
    with (Path(sys.argv[1]) / "semeval22" / "pairs.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["lang_a"] == row["lang_b"]]
    pairs = RowPairs.of((prints[row["a"]], prints[row["b"]]) for row in rows)
    x = event_features(compare_pairs(pairs))
    grades = np.array([float(row["overall"]) for row in rows])
    same = (grades <= SAME_NEWS).astype(np.float64)
    y = VERDICT * same + (1 - VERDICT) * (4 - grades) / 3
    scores = [predicted(x, y, seed) for seed in range(SPLITS)]
    held_out = [correlation(row, -grades) for row in scores]
    print(f"{len(rows)} pairs, {FOLDS} folds: Pearson {np.mean(held_out):.4f} on held-out pairs")
    languages = np.array([row["lang_a"] for row in rows])
    for language in sorted(set(languages.tolist())):
        inside = languages == language
        predictions = predict(x[inside], fit_model(x[~inside], y[~inside]))
        print(f"  {language}, fitted without it: {correlation(predictions, -grades[inside]):.4f}")
    bias, *weights = fit_model(x, y).tolist()
    print(f"BIAS = {bias:.3f}\nWEIGHTS = ({', '.join(f'{weight:.3f}' for weight in weights)})")
    log_odds = np.log(scores[0] / (1 - scores[0]))[:, None]
    print(f"CALIBRATION = {tuple(round(value, 3) for value in fit_model(log_odds, same).tolist())}")


def read(folder: Path) -> list[Fingerprint]:
    """The fingerprints of a shared set."""
    with gzip.open(folder / "articles.jsonl.gz", "rt", encoding="utf-8") as lines:
        return list(fingerprints(map(article, map(json.loads, lines)), threads=0))


def article(row: dict[str, Any]) -> Article:
    """An article as the shared sets have it."""
    when = datetime.fromisoformat(row["published"]) if row.get("published") else None
    title, text = row.get("title") or "", row.get("text") or ""
    return Article(id=row["id"], title=title, text=text, url=row.get("url"),
                   source=row.get("source"), published=when)  # fmt: skip


def predicted(x: Array, y: Array, seed: int) -> Array:
    """The predictions for each pair by models fitted to the other folds."""
    fold = np.random.default_rng(seed).integers(0, FOLDS, len(y))
    scores = np.zeros(len(y))
    for held in range(FOLDS):
        scores[fold == held] = predict(x[fold == held], fit_model(x[fold != held], y[fold != held]))
    return scores


def fit_model(x: Array, y: Array) -> Array:
    """The bias and the weights of a logistic regression, by Newton's method."""
    columns = np.column_stack([np.ones(len(x)), x])
    ridge = RIDGE * np.eye(columns.shape[1])
    ridge[0, 0] = 0
    weights = np.zeros(columns.shape[1])
    for _ in range(STEPS):
        scores = predict(x, weights)
        slope = columns.T @ (y - scores) - ridge @ weights
        weights += np.linalg.solve((columns.T * (scores * (1 - scores))) @ columns + ridge, slope)
    return weights


def predict(x: Array, model: Array) -> Array:
    """The predictions of a model for each row."""
    return 1 / (1 + np.exp(-(model[0] + x @ model[1:])))


def correlation(a: Array, b: Array) -> float:
    """Pearson's."""
    return float(np.corrcoef(a, b)[0, 1])


if __name__ == "__main__":
    main()
