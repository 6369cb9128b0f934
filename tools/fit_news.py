"""Fits the model of src/nearcopy/news.py: what each measurement tells about the same news.

    python tools/fit_news.py ../shared/data

People graded pairs of articles of one language from 1 (the same story) to 4 (unrelated); the model
is a logistic regression of that grade, turned to 0..1. Prints how well it does on pairs that it was
not fitted to, then the constants to put into news.py.
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
from nearcopy.compare import compare_pairs
from nearcopy.news import features

Array = NDArray[np.float64]
FOLDS = 5
SPLITS = 3
RIDGE = 0.1
STEPS = 25


def main() -> None:
    known = {each.id: each for each in read(Path(sys.argv[1]) / "semeval22")}
    with (Path(sys.argv[1]) / "semeval22" / "pairs.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["lang_a"] == row["lang_b"]]
    measured = compare_pairs([(known[row["a"]], known[row["b"]]) for row in rows])
    x = np.array([features(evidence) for evidence in measured])
    y = np.array([(4 - float(row["overall"])) / 3 for row in rows])
    held_out = [correlation(predicted(x, y, seed), y) for seed in range(SPLITS)]
    print(f"{len(rows)} pairs, {FOLDS} folds: Pearson {np.mean(held_out):.4f} on held-out pairs")
    languages = np.array([row["lang_a"] for row in rows])
    for language in sorted(set(languages.tolist())):
        inside = languages == language
        scores = likely(x[inside], fitted(x[~inside], y[~inside]))
        print(f"  {language}, fitted without it: {correlation(scores, y[inside]):.4f}")
    constant, *worth = fitted(x, y).tolist()
    print(f"CONSTANT = {constant:.3f}\nWORTH = ({', '.join(f'{each:.3f}' for each in worth)})")


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
    """What models fitted to the other folds say of each pair."""
    fold = np.random.default_rng(seed).integers(0, FOLDS, len(y))
    scores = np.zeros(len(y))
    for each in range(FOLDS):
        scores[fold == each] = likely(x[fold == each], fitted(x[fold != each], y[fold != each]))
    return scores


def fitted(x: Array, y: Array) -> Array:
    """The constant and the worth of each measurement, by Newton's method."""
    columns = np.column_stack([np.ones(len(x)), x])
    ridge = RIDGE * np.eye(columns.shape[1])
    ridge[0, 0] = 0
    found = np.zeros(columns.shape[1])
    for _ in range(STEPS):
        scores = likely(x, found)
        slope = columns.T @ (y - scores) - ridge @ found
        found += np.linalg.solve((columns.T * (scores * (1 - scores))) @ columns + ridge, slope)
    return found


def likely(x: Array, model: Array) -> Array:
    """What a model says of each row."""
    return 1 / (1 + np.exp(-(model[0] + x @ model[1:])))


def correlation(a: Array, b: Array) -> float:
    """Pearson's."""
    return float(np.corrcoef(a, b)[0, 1])


if __name__ == "__main__":
    main()
