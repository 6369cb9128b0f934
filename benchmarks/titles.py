"""Titles: cleaning and scoring, and how well the scores separate news."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

import corpora
from context import Context
from nearcopy import Article, fingerprints, kernels
from nearcopy.extract.text import normalised
from nearcopy.extract.titles import clean, find_stage_words, recurring_column
from nearcopy.kernels import title_keys
from nearcopy.match.titles.similarity import title_grade, title_scores
from results import Bar, Measurement, Work, rate
from timing import Timing, one_core, timed

BATCH = 1024


def titles(context: Context) -> Iterator[Measurement]:
    """All of titles, on real headlines where they are there."""
    stream = _stream()
    context.say(f"titles: {len(stream):,} with their sources")
    yield from _cleaning(context, stream)
    yield from _scoring(context, [title for title, _ in stream])


def _stream() -> list[tuple[str, str | None]]:
    """Titles with their sources: headline-stream, or the examples."""
    if (corpora.DATA / "headline-stream").is_dir():
        return [(a["title"], a.get("source")) for a in corpora.articles("headline-stream")]
    return [(text[:80], None) for text in corpora.examples("en")] * 100


def _cleaning(context: Context, stream: list[tuple[str, str | None]]) -> Iterator[Measurement]:
    def one_by_one() -> list[float]:
        times = []
        for title, source in stream:
            start = time.perf_counter()
            title = normalised(clean(title, source).text)
            find_stage_words(title)
            recurring_column(title)
            title_keys([title])
            times.append(time.perf_counter() - start)
        return times

    def batch() -> object:
        rows = [normalised(clean(title, source).text) for title, source in stream[:BATCH]]
        return title_keys(rows)

    with one_core():
        alone = np.array([one_by_one() for _ in range(3)]).min(0) * 1e6
        together = [timed(batch) for _ in range(context.sizes.rounds)]
    yield Measurement(
        "titles/clean one by one",
        "title of an article: cleaned, normal form, stages, column, keys, median",
        "us",
        float(np.median(alone)),
        bar=Bar("<=", 60),
        details={"p99": float(np.percentile(alone, 99))},
    )
    count = min(BATCH, len(stream))
    yield _micros("titles/clean", f"the same in batches of {BATCH:,}", count, together)


def _scoring(context: Context, given: list[str]) -> Iterator[Measurement]:
    folded = [normalised(title) for title in given[: 8 * BATCH]]
    a, b = folded[:-1], folded[1:]
    prints = list(fingerprints(Article(id=t, title=t) for t in given[: len(folded)] if t))
    works: dict[str, tuple[str, Callable[[], object], Bar | None]] = {
        "titles/soft": (
            "soft cosine of two titles",
            lambda: kernels.title_cosines(a, b),
            Bar("<=", 2),
        ),
        "titles/scores": ("all six scores of two titles", lambda: title_scores(a, b), None),
        "titles/grade": (
            "grade of two titles: how alike in meaning",
            lambda: list(map(title_grade, prints[:-1], prints[1:])),
            None,
        ),
    }
    for name, (title, work, bar) in works.items():
        with one_core():
            timings = [timed(work) for _ in range(context.sizes.rounds)]
        yield replace(_micros(name, title, len(a), timings), bar=bar)


def _micros(name: str, title: str, count: int, timings: Sequence[Timing]) -> Measurement:
    line = rate(Work(name, title, "us", count), timings)
    return replace(line, ours=1e6 / line.ours)
