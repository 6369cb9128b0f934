"""Fingerprints and nearest pairs of wire.jsonl: `make demo`."""

import csv
from itertools import combinations
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from nearcopy import (
    Article,
    Fingerprint,
    estimated_overlap,
    fingerprints,
    hamming_distance,
    overlap,
    passages,
)
from nearcopy.formats import read_jsonl

WIRE = Path(__file__).with_name("wire.jsonl")
RELATIONS = Path(__file__).with_name("wire_relations.csv")
console = Console(width=150)


def main() -> None:
    """Reads the articles, fingerprints them, and shows which stand nearest to each other."""
    with WIRE.open(encoding="utf-8") as lines:
        articles = list(read_jsonl(lines))
    made = list(fingerprints(articles))
    show_fingerprints(articles, made)
    show_nearest(articles, made)


def show_fingerprints(articles: list[Article], made: list[Fingerprint]) -> None:
    """The first of every language."""
    table = Table(
        "id", "title", "words", "simhash", "digest", title="Fingerprints (one a language)"
    )
    seen = set()
    for article, fingerprint in zip(articles, made, strict=True):
        if article.language in seen:
            continue
        seen.add(article.language)
        digest = fingerprint.digest.hex()[:16] if fingerprint.digest else "-"
        title = Text(article.title, overflow="ellipsis", no_wrap=True)
        table.add_row(
            article.id, title, str(fingerprint.words), f"{fingerprint.simhash:016x}", digest
        )
    console.print(table)


def show_nearest(articles: list[Article], made: list[Fingerprint]) -> None:
    """Every pair whose texts share a quarter or more, nearest first, with what they share."""
    table = Table(title="Nearest pairs (exact overlap of three-word shingles)")
    for name in ("pair", "known as", "overlap", "estimated", "contained", "bits apart"):
        table.add_column(name, justify="left" if name in ("pair", "known as") else "right")
    table.add_column("longest shared passage", no_wrap=True)
    known = known_relations()
    pairs = list(combinations(range(len(articles)), 2))
    measured = [(overlap(articles[i], articles[j]), i, j) for i, j in pairs]
    near = [row for row in measured if (row[0].containment or 0) >= 0.25]
    for found, i, j in sorted(near, key=lambda row: -(row[0].jaccard or 0)):
        table.add_row(
            f"{articles[i].id} {articles[j].id}",
            known.get(frozenset((articles[i].id, articles[j].id)), "-"),
            f"{found.jaccard:.2f}",
            f"{estimated_overlap(made[i], made[j]):.2f}",
            f"{found.containment:.2f}",
            str(hamming_distance(made[i], made[j])),
            longest(articles[i], articles[j]),
        )
    console.print(table)
    console.print(f"{len(articles)} articles, {len(pairs)} pairs compared, {len(near)} near.")


def known_relations() -> dict[frozenset[str], str]:
    """What the pairs were written to be; the measurements know nothing of it."""
    with RELATIONS.open(encoding="utf-8", newline="") as file:
        return {frozenset((row["a"], row["b"])): row["relation"] for row in csv.DictReader(file)}


def longest(a: Article, b: Article) -> Text:
    """The longest passage that stands in both, as a shows it."""
    found = max(passages(a, b, min_words=4), key=lambda passage: passage.words, default=None)
    if found is None:
        return Text("-")
    shown = " ".join(a.text[found.a_start : found.a_end].split())
    line = Text(f"{found.words} words: {shown}")
    line.truncate(60, overflow="ellipsis")
    return line


if __name__ == "__main__":
    main()
