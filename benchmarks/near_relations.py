"""Copies against template notices, separated by the numeral profiles alone.

On the pairs of reuters21578 that were read and labelled one by one: how many templates are told
apart and how many copies are kept. Then the safety of it: how many of the nearest pairs of
reuters21578 and saudi-july, nearly all of them copies, would be taken for templates.
"""

import csv
import re
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import corpora
from nearcopy import kernels
from nearcopy.match.vetoes import template_figures

COPIES = ("same", "revision", "excerpt")
NEAREST = (("reuters21578", 0.9), ("reuters21578", 0.7), ("saudi-july", 0.9), ("saudi-july", 0.7))
REFILED = re.compile(r"\b(?:CORRECT\w*|RPT|REPEAT\w*|UPDATE\w*|REFIL\w*)\b", re.IGNORECASE)

Article = dict[str, Any]
Pair = tuple[Article, Article]


@dataclass(frozen=True, slots=True)
class Finding:
    """How many pairs of a kind are taken for templates."""

    set: str
    kind: str
    pairs: int
    templates: int

    @property
    def right(self) -> float:
        """The share judged as the label has it: templates apart, all else kept."""
        apart = self.templates / self.pairs if self.pairs else 0.0
        return apart if self.kind == "template" else 1 - apart


def templates(pairs: list[Pair]) -> list[bool]:
    """Whether each pair is taken for two notices of one form."""
    left, right = (kernels.numerals([pair[side]["text"] for pair in pairs]) for side in (0, 1))
    shares, changed = kernels.numeral_shares(left, right)
    refiled = np.array([is_refiled(pair) for pair in pairs], np.bool_)
    few, another = template_figures(shares, changed.astype(np.float64), refiled)
    return (few | another).tolist()


def is_refiled(pair: Pair) -> bool:
    """Whether either title says that it corrects, repeats or updates."""
    return any(REFILED.search(article.get("title") or "") for article in pair)


def labelled() -> list[Finding]:
    """The pairs of near-relations, by relation."""
    articles = _articles("reuters21578")
    rows = _rows("near-relations", "pairs.csv")
    flags = templates([(articles[row["a"]], articles[row["b"]]) for row in rows])
    relations = [row["relation"] for row in rows]
    return [
        Finding(
            "near-relations",
            kind,
            relations.count(kind),
            sum(flag for flag, relation in zip(flags, relations, strict=True) if relation == kind),
        )
        for kind in ("template", *COPIES)
    ]


def nearest(name: str, overlap: float) -> Finding:
    """The pairs of a set with at least this Jaccard overlap."""
    articles = _articles(name)
    rows = [row for row in _rows(name, "near_pairs.csv") if float(row["jaccard5"]) >= overlap]
    flags = templates([(articles[row["a"]], articles[row["b"]]) for row in rows])
    return Finding(name, f"overlap >= {overlap}", len(rows), sum(flags))


def measured() -> list[dict[str, Any]]:
    """Every finding, as plain values."""
    findings = [*labelled(), *(nearest(*case) for case in NEAREST)]
    return [{**asdict(finding), "right": finding.right} for finding in findings]


def table(rows: Iterable[dict[str, Any]]) -> Table:
    """The findings to look at."""
    table = Table("set", "pairs that are", "pairs", "taken for templates", "right")
    for row in rows:
        table.add_row(
            row["set"], row["kind"], *(str(row[key]) for key in ("pairs", "templates")),
            f"{row['right']:.3f}",
        )  # fmt: skip
    return table


def _articles(name: str) -> dict[str, Article]:
    return {article["id"]: {"text": "", **article} for article in corpora.articles(name)}


def _rows(name: str, file: str) -> list[dict[str, str]]:
    with (corpora.DATA / name / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def main() -> None:
    """Measures and prints."""
    if not (corpora.DATA / "near-relations").is_dir():
        sys.exit(f"{corpora.DATA} is not here: nothing to measure on")
    Console().print(table(measured()))


if __name__ == "__main__":
    main()
