"""All pairs of articles that share half of their 5-word shingles, as `joins.pairs` finds them.

Against `near_pairs.csv` of each set, and against a count of every two texts without any filter, in
words as they are written: runs of `\\w` in lower case. Folded words, without vowel signs and
spelling variants, find more in Arabic; how many more is measured too. Then the time it takes, also
on many synthetic articles.
"""

import csv
import random
import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import corpora
from nearcopy import Article, Features, Recipe, kernels
from nearcopy.match.compare import Overlap
from nearcopy.match.exact_join import find_similar_pairs, number_words
from results import Bar, Measurement, Work, rate
from table import number
from timing import timed

SETS = ("saudi-july", "reuters21578")
BOUND = 0.5
SIZE = 5
SHINGLES = Features("words", SIZE)
ROUNDS = 5
MANY = 200_000
PLAIN = re.compile(r"\w+")

Pair = tuple[str, str]


class Joined(NamedTuple):
    """The articles of a set, and the pairs found among them."""

    name: str
    articles: dict[str, Article]
    found: dict[Pair, Overlap]


def joined(name: str) -> Joined:
    """One of the shared sets, joined with itself."""
    rows = corpora.articles(name)
    articles = {row["id"]: Article(id=row["id"], text=row.get("text") or "") for row in rows}
    return Joined(name, articles, {_sorted(a, b): n for a, b, n in _pairs(articles.values())})


def near_pairs(name: str) -> set[Pair]:
    """The pairs of near_pairs.csv that reach the bound."""
    with (corpora.DATA / name / "near_pairs.csv").open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        return {_sorted(row["a"], row["b"]) for row in rows if float(row["jaccard5"]) >= BOUND}


def counted(known: dict[str, Article]) -> set[Pair]:
    """The pairs that reach the bound when the features of every two texts are counted."""
    ids = list(known)
    texts = [article.text for article in number_words(known.values())]
    sets = kernels.feature_sets(texts, Recipe(), SHINGLES)
    sizes = np.diff(sets.starts.astype(np.int64))
    owners = np.repeat(np.arange(len(ids)), sizes)[np.argsort(sets.values, kind="stable")]
    _, holders = np.unique(sets.values, return_counts=True)
    held = np.split(owners, np.cumsum(holders[:-1]))
    both = [_two_of(owner) for owner in held if len(owner) > 1]
    places, shared = np.unique(np.concatenate(both), return_counts=True)
    a, b = places >> 32, places & 0xFFFFFFFF
    alike = shared / (sizes[a] + sizes[b] - shared) >= BOUND
    return {_sorted(ids[x], ids[y]) for x, y in zip(a[alike], b[alike], strict=True)}


def findings(name: str) -> Iterator[Measurement]:
    """What is found of the two truths, what else, and how fast."""
    done = joined(name)
    yield from _recall(done)
    yield from _precision(done)
    texts = list(done.articles.values())
    work = Work(f"near_text/{name}/speed", "articles joined, one core", "docs/s", len(texts))
    rounds = [timed(lambda: list(_pairs(texts))) for _ in range(ROUNDS)]
    yield rate(work, rounds, note=f"{name}: text to pairs, {len(texts):,} articles")


def synthetic(count: int = MANY) -> Iterator[Measurement]:
    """The speed on many passages of 100 words, each with a copy of which 2 % were replaced."""
    dice = random.Random(7)
    texts = corpora.passages(count // 2).texts
    texts += [corpora.edited(text, 0.02, dice) for text in texts]
    articles = [Article(id=str(place), text=text) for place, text in enumerate(texts)]
    work = Work("near_text/synthetic/speed", "articles joined, one core", "docs/s", count)
    rounds = [timed(lambda: sum(1 for _ in _pairs(articles))) for _ in range(3)]
    yield rate(work, rounds, note=f"synthetic: {count:,} passages of 100 words")
    join = kernels.SetJoin(kernels.feature_sets(texts, Recipe(), SHINGLES), BOUND)
    held = getattr(join, "nbytes", 0) / count
    yield Measurement(
        "near_text/synthetic/memory", "memory of the join", "B/doc", held,
        note=f"{len(join.find()[1].shared):,} pairs found",
    )  # fmt: skip


def measured() -> Iterator[Measurement]:
    """Every finding on the sets that are here."""
    for name in SETS:
        if (corpora.DATA / name / "near_pairs.csv").exists():
            yield from findings(name)
    yield from synthetic()


def table(lines: Iterable[Measurement]) -> Table:
    """The findings to look at."""
    table = Table("pairs of half an overlap", "on", "value", "", "bar", "held", title="joins")
    for line in lines:
        bar = f"{line.bar.limit} {number(line.bar.value)}" if line.bar else ""
        held = {True: "[green]yes", False: "[red]no", None: ""}[line.passed]
        value = f"{line.ours:.4f}" if line.unit == "share" else number(line.ours)
        table.add_row(line.work, line.note or "", value, line.unit, bar, held)
    return table


def _recall(done: Joined) -> Iterator[Measurement]:
    truth, counted_pairs = near_pairs(done.name), counted(done.articles)
    missed = sorted(truth - done.found.keys())
    yield Measurement(
        f"near_text/{done.name}/recall", "pairs of near_pairs.csv found", "share",
        1 - len(missed) / len(truth), bar=Bar(">=", 0.999),
        note=f"{done.name}: {len(truth):,} pairs, {len(missed)} missed",
    )  # fmt: skip
    yield Measurement(
        f"near_text/{done.name}/missed", "pairs missed that a full count finds", "pairs",
        len(counted_pairs - done.found.keys()), bar=Bar("<=", 0),
        note=f"{done.name}: {len(counted_pairs):,} pairs by a full count",
    )  # fmt: skip


def _precision(done: Joined) -> Iterator[Measurement]:
    below = sum(_share(done, pair) < BOUND for pair in done.found)
    yield Measurement(
        f"near_text/{done.name}/below", "pairs found that a recount puts below the bound", "pairs",
        below, bar=Bar("<=", 0), note=f"{done.name}: {len(done.found):,} pairs found",
    )  # fmt: skip
    texts = done.articles.values()
    folded = {
        _sorted(a, b)
        for a, b, _ in find_similar_pairs(texts, BOUND, features=SHINGLES, words="folded")
    }
    yield Measurement(
        f"near_text/{done.name}/folded", "pairs that folded words find", "pairs", len(folded),
        note=f"{done.name}: {len(done.found.keys() - folded)} of the others are not among them",
    )  # fmt: skip


def _share(done: Joined, pair: Pair) -> float:
    """The Jaccard overlap of a pair, recounted word by word."""
    return _jaccard(*(_plain(done.articles[article_id].text) for article_id in pair))


def _jaccard(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]]) -> float:
    return len(a & b) / max(1, len(a | b))


@lru_cache(maxsize=1024)
def _plain(text: str) -> frozenset[tuple[str, ...]]:
    return _shingles(PLAIN.findall(text.lower()))


def _shingles(words: list[str]) -> frozenset[tuple[str, ...]]:
    size = min(SIZE, len(words))
    return frozenset(tuple(words[at : at + size]) for at in range(len(words) - size + 1) if words)


def _two_of(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Every two of some ascending places, each pair as one number."""
    first, second = np.triu_indices(len(places), 1)
    return places[first] << 32 | places[second]


def _pairs(articles: Iterable[Article]) -> Iterator[tuple[str, str, Overlap]]:
    return find_similar_pairs(articles, BOUND, features=SHINGLES)


def _sorted(a: str, b: str) -> Pair:
    return (a, b) if a < b else (b, a)


def main() -> None:
    """Measures and prints."""
    if not corpora.DATA.is_dir():
        sys.exit(f"{corpora.DATA} is not here: nothing to measure on")
    Console().print(table(measured()))


if __name__ == "__main__":
    main()
