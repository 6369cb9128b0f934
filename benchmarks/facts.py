"""Facts of titles: the time a title and a pair take, and which labelled pairs clash."""

import csv
import json
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from statistics import mean, median
from typing import TypeVar

import corpora
from context import Context
from nearcopy.extract.facts import read_facts
from nearcopy.match.fact_clash import compare_facts
from nearcopy.models import Fact
from results import Bar, Measurement
from timing import one_core

Given = TypeVar("Given")

LEAST_TITLES = 2000
PAIRS = corpora.DATA / "headline-pairs" / "pairs.csv"


def facts(context: Context) -> Iterator[Measurement]:
    """Microseconds a title and a pair, and the labelled pairs whose facts clash."""
    source, headlines = titles(context.sizes.articles)
    title_facts = [read_facts(title).facts for title in headlines]
    with one_core():
        yield _measure(
            "facts/read", f"facts of a title, {source}", 60, read_facts, headlines, context
        )
        pairs = list(pairwise(title_facts))
        yield _measure(
            "facts/compare", "facts of two titles compared", 5, _compare_pair, pairs, context
        )
    if PAIRS.exists():
        yield from _labelled()


def titles(count: int) -> tuple[str, list[str]]:
    """Headlines of a stream, or the examples' over and over."""
    if (corpora.DATA / "headline-stream").is_dir():
        every = (article["title"] for article in corpora.articles("headline-stream"))
        return "headline-stream", list(islice(every, 0, 20 * count, 20))
    with corpora.EXAMPLES.open(encoding="utf-8") as lines:
        headlines = [json.loads(line)["title"] for line in lines]
    return "examples/wire.jsonl", (headlines * (LEAST_TITLES // len(headlines) + 1))[:LEAST_TITLES]


def _measure(
    name: str,
    work: str,
    bar: float,
    do: Callable[[Given], object],
    given: Sequence[Given],
    context: Context,
) -> Measurement:
    """The median over all of each one's median over the rounds, by the clock."""
    rounds = [[_microseconds(do, value) for value in given] for _ in range(context.sizes.rounds)]
    usual = sorted(median(times) for times in zip(*rounds, strict=True))
    details = {"mean": mean(usual), "p95": usual[len(usual) * 95 // 100], "count": len(usual)}
    return Measurement(name, work, "µs", median(usual), bar=Bar("<=", bar), details=details)


def _microseconds(do: Callable[[Given], object], each: Given) -> float:
    start = time.perf_counter_ns()
    do(each)
    return (time.perf_counter_ns() - start) / 1000


def _compare_pair(pair: tuple[tuple[Fact, ...], tuple[Fact, ...]]) -> object:
    return compare_facts(*pair)


def _labelled() -> Iterator[Measurement]:
    """The share of pairs, the same news or not, whose facts clash or have moved."""
    with PAIRS.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["label"] != "unsure"]
    for name, labels in {"same": {"same"}, "not the same": {"different", "update"}}.items():
        chosen = [row for row in rows if row["label"] in labels]
        vetoed = sum(_is_vetoed(row["title_a"], row["title_b"]) for row in chosen)
        yield Measurement(
            f"facts/vetoed/{name}",
            f"headline pairs that are {name}, vetoed by facts",
            "share",
            vetoed / len(chosen),
            note=f"{vetoed} of {len(chosen)}",
        )


def _is_vetoed(a: str, b: str) -> bool:
    comparison = compare_facts(read_facts(a).facts, read_facts(b).facts)
    return bool(comparison.clashes or comparison.moved)
