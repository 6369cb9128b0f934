"""Titles: cleaning, scoring, looking up among a million, and how well scores tell news apart."""

import gzip
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

import corpora
from nearcopy import Article, fingerprints, kernels
from nearcopy.extract.titles import clean, normal, normals, recurring, stages
from nearcopy.fingerprint.title_keys import title_keys
from nearcopy.match.titles.index import TitleIndex
from nearcopy.match.titles.similarity import scores
from nearcopy.match.titles.similarity_model import title_grade
from results import Bar, Measurement, Work, rate
from setting import Setting
from timing import Timing, one_core, timed

BATCH = 1024
QUERIES = 2000


def titles(setting: Setting) -> Iterator[Measurement]:
    """All of titles, on real headlines where they are there."""
    stream = _stream()
    setting.say(f"titles: {len(stream):,} with their sources")
    yield from _cleaning(setting, stream)
    yield from _scoring(setting, [title for title, _ in stream])
    yield from _look_up(setting)


def _stream() -> list[tuple[str, str | None]]:
    """Titles with their sources: headline-stream, or the examples."""
    if (corpora.DATA / "headline-stream").is_dir():
        return [(a["title"], a.get("source")) for a in corpora.articles("headline-stream")]
    return [(text[:80], None) for text in corpora.examples("en")] * 100


def _cleaning(setting: Setting, stream: list[tuple[str, str | None]]) -> Iterator[Measurement]:
    def one_by_one() -> list[float]:
        times = []
        for title, source in stream:
            start = time.perf_counter()
            made = normal(clean(title, source).text)
            stages(made)
            recurring(made)
            title_keys([made])
            times.append(time.perf_counter() - start)
        return times

    def batch() -> object:
        made = normals([clean(title, source).text for title, source in stream[:BATCH]])
        return title_keys(made)

    with one_core():
        alone = np.array([one_by_one() for _ in range(3)]).min(0) * 1e6
        together = [timed(batch) for _ in range(setting.sizes.rounds)]
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


def _scoring(setting: Setting, given: list[str]) -> Iterator[Measurement]:
    folded = normals(given[: 8 * BATCH])
    a, b = folded[:-1], folded[1:]
    made = list(fingerprints(Article(id=t, title=t) for t in given[: len(folded)] if t))
    works: dict[str, tuple[str, Callable[[], object], Bar | None]] = {
        "titles/soft": (
            "soft cosine of two titles",
            lambda: kernels.title_cosines(a, b),
            Bar("<=", 2),
        ),
        "titles/scores": ("all six scores of two titles", lambda: scores(a, b), None),
        "titles/grade": (
            "grade of two titles: how alike in meaning",
            lambda: list(map(title_grade, made[:-1], made[1:])),
            None,
        ),
    }
    for name, (title, work, bar) in works.items():
        with one_core():
            timings = [timed(work) for _ in range(setting.sizes.rounds)]
        yield replace(_micros(name, title, len(a), timings), bar=bar)


def _micros(name: str, title: str, count: int, timings: Sequence[Timing]) -> Measurement:
    line = rate(Work(name, title, "us", count), timings)
    return replace(line, ours=1e6 / line.ours)


# Looking up


def _look_up(setting: Setting) -> Iterator[Measurement]:
    dice = random.Random(11)
    real = _real_titles()
    filed = list(varied(real, setting.sizes.titles, dice))
    index = TitleIndex()
    with one_core():
        start = time.process_time()
        for first in range(0, len(filed), 100_000):
            some = filed[first : first + 100_000]
            index.add(range(first, first + len(some)), some)
        seconds = time.process_time() - start
        yield Measurement(
            "titles/add", f"titles filed, {len(filed):,}", "titles/s", len(filed) / seconds
        )
        chosen = dice.sample(range(len(filed)), QUERIES)
        yield from _recalls(index, filed, chosen, dice)
        yield _latency(setting, index, [filed[at] for at in chosen], dice)


def _real_titles() -> list[str]:
    """Every distinct clean title of five words or more, of several sets or of the examples."""
    found: dict[str, None] = {}
    if (corpora.DATA / "headlines").is_dir():
        path = corpora.DATA / "headlines" / "titles.txt.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            found.update((clean(line).text, None) for line in lines)
        for name in ("headline-stream", "uci-titles"):
            for article in corpora.articles(name):
                found[clean(article["title"], article.get("source")).text] = None
    else:
        found.update((text[:80], None) for text in corpora.examples("en"))
    return [title for title in found if len(title.split()) >= 5]


def varied(real: list[str], count: int, dice: random.Random) -> Iterator[str]:
    """The titles, then by turns edited ones and some made of parts of two, all short of a word."""
    yield from real[:count]
    for turn in range(count - len(real)):
        a, b = dice.choice(real).split(), dice.choice(real).split()
        if turn % 2:
            made = a[: dice.randint(2, len(a))] + b[dice.randint(0, len(b) - 2) :]
        else:
            made = [*a]
            made[dice.randrange(len(a))] = dice.choice(b)
        made.pop(dice.randrange(len(made)))
        yield " ".join(made)


def word_changed(title: str, dice: random.Random) -> str:
    """The title with one word replaced by a made-up one."""
    words = title.split()
    words[dice.randrange(len(words))] = "".join(dice.choices("abcdefghilmnoprstuv", k=7))
    return " ".join(words)


def reordered(title: str, dice: random.Random) -> str:
    """The title with its second part first."""
    words = title.split()
    cut = dice.randint(1, len(words) - 1)
    return " ".join(words[cut:] + words[:cut])


def signed(title: str, dice: random.Random) -> str:
    """The title with a name behind it, which cleaning may know or not."""
    return f"{title} - {dice.choice(('The Elm Post', 'Örtidningen', 'Elmer and Sons'))}"


EDITS: dict[str, Callable[[str, random.Random], str]] = {
    "one word changed": word_changed,
    "a publisher added": signed,
    "reordered": reordered,
}


def _recalls(
    index: TitleIndex, filed: list[str], chosen: list[int], dice: random.Random
) -> Iterator[Measurement]:
    for edit, made in EDITS.items():
        hits = 0
        for at in chosen:
            wanted = normal(filed[at])
            found = index.find(clean(made(filed[at], dice)).text)
            hits += any(normal(filed[match.id]) == wanted for match in found)
        yield Measurement(
            f"titles/recall {edit}",
            f"edited titles found among {len(index):,}: {edit}",
            "share",
            hits / len(chosen),
            bar=Bar(">=", 0.95),
        )


def _latency(
    setting: Setting, index: TitleIndex, asked: list[str], dice: random.Random
) -> Measurement:
    times = []
    for title in asked:
        query = word_changed(title, dice)
        start = time.perf_counter()
        index.find(query)
        times.append((time.perf_counter() - start) * 1e3)
    return Measurement(
        "titles/find",
        f"title look-up among {len(index):,}, median",
        "ms",
        float(np.median(times)),
        bar=setting.sized_bar("<=", 5),
        details={"p99": float(np.percentile(times, 99)), "most": max(times)},
    )
