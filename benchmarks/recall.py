"""What fingerprints find of the near copies in the shared news.

The truth is `near_pairs.csv` of each set: pairs by the Jaccard overlap of their 5-word shingles,
computed by brute force. Found are the pairs that share a band and are alike enough (MinHash), and
those within three bits (SimHash).
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import corpora
from nearcopy import RECIPES, Recipe, kernels
from nearcopy.kernels.result_types import Sketches
from table import number

SETS = ("saudi-july", "reuters21578", "bbc", "allsides", "semeval22")
OVERLAPS = (0.9, 0.7, 0.5)
THRESHOLD = 0.3
DISTANCE = 3

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Truth:
    """The articles of a set, and its near pairs: where they stand, and how alike they are."""

    name: str
    texts: list[str]
    pairs: Array  # one number a pair, as `numbered` makes it
    overlaps: Array


@dataclass(frozen=True, slots=True)
class Finding:
    """How much of the truth one way of searching finds, and in how many pairs."""

    set: str
    recipe: str
    by: str
    recall: dict[str, float]  # by the least overlap
    truth: dict[str, int]
    found: int
    known: float | None  # the share of the found that is in near_pairs.csv at all


def truth(name: str) -> Truth:
    """One of the shared sets."""
    articles = list(corpora.articles(name))
    place = {article["id"]: number for number, article in enumerate(articles)}
    with (corpora.DATA / name / "near_pairs.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    pairs = numbered(
        np.array([place[row["a"]] for row in rows]), np.array([place[row["b"]] for row in rows])
    )
    overlaps = np.array([float(row["jaccard5"]) for row in rows])
    return Truth(name, [article.get("text") or "" for article in articles], pairs, overlaps)


def findings(known: Truth, name: str, recipe: Recipe) -> Iterator[Finding]:
    """What a recipe's MinHash and SimHash find, each where it has one."""
    made = kernels.sketch(known.texts, recipe, threads=0)
    if recipe.minhash:
        by = f"MinHash {recipe.bands}x{recipe.rows}"
        yield _judged(known, name, by, by_minhash(made, recipe))
    if recipe.simhash:
        yield _judged(known, name, "SimHash", by_simhash(made))


def by_minhash(made: Sketches, recipe: Recipe) -> Array:
    """All pairs that share a band and this much of their signatures."""
    index = kernels.SignatureIndex(recipe.bands, recipe.rows)
    rows = np.flatnonzero(made.words)
    index.insert(made.minhash[rows])
    starts, positions, _ = index.find(made.minhash[rows], THRESHOLD, threads=0)
    return _pairs(rows, starts, positions)


def by_simhash(made: Sketches) -> Array:
    """All pairs within three bits."""
    index = kernels.HammingIndex(DISTANCE)
    rows = np.flatnonzero(made.words)
    index.insert(made.simhash[rows])
    starts, positions, _ = index.find(made.simhash[rows], threads=0)
    return _pairs(rows, starts, positions)


def numbered(a: Array, b: Array) -> Array:
    """Each pair as one number, whichever comes first."""
    return np.minimum(a, b).astype(np.int64) << 32 | np.maximum(a, b).astype(np.int64)


def recipes() -> dict[str, Recipe]:
    """The recipes of the presets, each once."""
    names: dict[str, str] = {}
    for name, recipe in RECIPES.items():
        names.setdefault(recipe.id, name)
    return {name: RECIPES[name] for name in names.values()}


def shown(found: list[Finding]) -> Table:
    """The findings as a table for the terminal."""
    title = f"recall by least overlap; MinHash >= {THRESHOLD}, SimHash <= {DISTANCE} bits"
    table = Table("set", "recipe", "by", title=title)
    for name in (*(f">= {overlap}" for overlap in OVERLAPS), "pairs", "known"):
        table.add_column(name, justify="right")
    for line in found:
        recall = [f"{line.recall[str(o)]:.3f}" if line.truth[str(o)] else "-" for o in OVERLAPS]
        share = "-" if line.known is None else number(line.known)
        table.add_row(line.set, line.recipe, line.by, *recall, f"{line.found:,}", share)
    return table


def measured(console: Console) -> list[Finding]:
    """What every recipe finds in every set that is there."""
    present = [name for name in SETS if (corpora.DATA / name / "near_pairs.csv").exists()]
    found: list[Finding] = []
    for name in track(present, "near copies", console=console):
        known = truth(name)
        for recipe_name, recipe in recipes().items():
            found += findings(known, recipe_name, recipe)
    return found


def _pairs(rows: Array, starts: Array, positions: Array) -> Array:
    """The pairs of rows among the matches, each once and none with itself."""
    asked = np.repeat(rows, np.diff(starts.astype(np.int64)))
    matched = rows[positions]
    earlier = asked < matched
    return np.unique(numbered(asked[earlier], matched[earlier]))


def _judged(known: Truth, recipe: str, by: str, found: Array) -> Finding:
    hit = np.isin(known.pairs, found)
    alike = {str(least): known.overlaps >= least for least in OVERLAPS}
    return Finding(
        known.name,
        recipe,
        by,
        {least: float(hit[rows].mean()) if rows.any() else 0.0 for least, rows in alike.items()},
        {least: int(rows.sum()) for least, rows in alike.items()},
        len(found),
        float(hit.sum() / len(found)) if len(found) else None,
    )
