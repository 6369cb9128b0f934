"""The product from article to verdict: a whole run beside datasketch's way of the same.

In goes the same news, out comes for each article what it duplicates; nearcopy says beside that how
sure it is and why, keeps the article, and puts it into a story. Default policy.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

import corpora
import process_usage
import relations
from context import QUICK, Context
from nearcopy import Article, Deduper, Policy
from results import Bar, Measurement, Work, race, rate
from timing import Contender, Timing, interleaved, one_core, timed

FEED_ITEMS, TEXTS, WINDOW = 12_000, 4_000, 86_000
ROUNDS = 3
DATASKETCH = {
    "update": "datasketch: update_batch, query, insert",
    "generator": "datasketch, signatures of all at once",
}
EVERYTHING = Policy(window=None)
FIRST, LAST = 10_000, 10_000  # articles of a growing window whose rates are compared


class News(NamedTuple):
    """Articles of one kind, and their bars: ratios to datasketch, and bytes in the store."""

    name: str
    title: str
    articles: list[Article]
    memory: float
    sqlite: float
    store_bytes: int


def product(context: Context) -> Iterator[Measurement]:
    """Feed items and long articles, into memory and into SQLite, and the bytes of the store."""
    for news in _news(context):
        yield from _beside_datasketch(context, news)
        yield _store_bytes(context, news)


def window(context: Context) -> Iterator[Measurement]:
    """How much slower articles are added when many are in the window, on SQLite."""
    if context.sizes == QUICK or not (corpora.DATA / "headline-stream").is_dir():
        context.say("window: needs headline-stream and a whole run, not measured")
        return
    articles = _articles("headline-stream", WINDOW)
    address = f"sqlite:///{context.folder / 'window.db'}"
    with one_core(), Deduper(address, policy=EVERYTHING) as deduper:
        first = timed(lambda: list(deduper.run(articles[:FIRST])), 0)
        list(deduper.run(articles[FIRST:-LAST]))
        last = timed(lambda: list(deduper.run(articles[-LAST:])), 0)
    title = f"the last {LAST:,} of {WINDOW:,} feed items in one window, SQLite"
    work = Work("product/window", title, "articles/s", LAST)
    against = f"the first {FIRST:,}"
    yield race(work, [last], [first], against, bar=Bar(">=", 0.8))


def memory(context: Context) -> Iterator[Measurement]:
    """What each further row takes of memory in `nearcopy dedupe`, beyond its own bytes."""
    few, many = (500, 1_000) if context.sizes == QUICK else (2_000, 20_000)
    path = context.folder / "feed.jsonl"
    if not (corpora.DATA / "headline-stream").is_dir():
        return
    peaks = []
    for rows in (few, many):
        size = _write("headline-stream", rows, path)
        peaks.append(_dedupe(path, context.folder).peak_bytes - size)
    grown = (peaks[1] - peaks[0]) / (many - few)
    yield Measurement(
        "product/memory",
        "`dedupe` of feed items, memory a row beyond the input",
        "bytes",
        grown,
        bar=context.sized_bar("<=", 3_000),
    )


def _dedupe(path: Path, folder: Path) -> process_usage.Run:
    command = Path(sys.executable).parent / "nearcopy"
    out = folder / "feed-out.jsonl"
    out.unlink(missing_ok=True)
    return process_usage.run([command, "dedupe", path, "-o", out])


def _news(context: Context) -> Iterator[News]:
    quick = context.sizes == QUICK
    sets = (
        ("headline-stream", "feed items of 45 words", FEED_ITEMS, 3, 2, 1_800),
        ("allsides", "articles of 900 words", TEXTS, 10, 6, 5_500),
    )
    for name, title, size, *bars in sets:
        if not (corpora.DATA / name).is_dir():
            context.say(f"no {name} in {corpora.DATA}: not measured")
            continue
        articles = _articles(name, context.sizes.articles if quick else size)
        yield News(name, title, articles, *bars)


def _articles(name: str, size: int) -> list[Article]:
    return [relations.article(row) for row in islice(corpora.articles(name), size)]


def _beside_datasketch(context: Context, news: News) -> Iterator[Measurement]:
    """Memory, SQLite and datasketch in turn, another first each time."""
    folders = (context.folder / f"{news.name}-{number}.db" for number in count())
    addresses = {
        "memory": lambda: "memory://",
        "SQLite": lambda: f"sqlite:///{next(folders)}",
    }
    contenders = [
        Contender(store, lambda address=address: _run(address(), news.articles))
        for store, address in addresses.items()
    ]
    if context.worker and context.has("datasketch"):
        job, path = "datasketch_search", context.texts(news.name, list(map(_text, news.articles)))
        context.worker.ask("prepare", module="peer_texts", job=job, texts=path)
        contenders += [context.worker.contender(work, job, work)[0] for work in DATASKETCH]
    with one_core():
        rounds = interleaved(contenders, ROUNDS)
    for store, bar in (("memory", news.memory), ("SQLite", news.sqlite)):
        name = f"product/{news.name}/{store.lower()}"
        work = Work(name, f"{news.title}, {store}", "articles/s", len(news.articles))
        for way, title in DATASKETCH.items():
            held = Bar(">=", bar) if way == "update" else None
            if way in rounds:
                yield race(work, rounds[store], rounds[way], title, bar=held)
            elif held:
                yield replace(rate(work, rounds[store]), against=title, bar=held)


def _text(article: Article) -> str:
    return f"{article.title}\n{article.text}"


def _run(address: str, articles: Sequence[Article]) -> Timing:
    """Every verdict with its story."""

    def verdicts() -> None:
        with Deduper(address) as deduper:
            for _ in deduper.run(articles):
                pass

    return timed(verdicts, 0)


def _store_bytes(context: Context, news: News) -> Measurement:
    path = context.folder / f"{news.name}-size.db"
    with Deduper(f"sqlite:///{path}") as deduper:
        for _ in deduper.run(news.articles):
            pass
    sizes = (part.stat().st_size for part in path.parent.glob(f"{path.name}*") if part.is_file())
    given = sum(len(f"{a.title}{a.text}{a.url}".encode()) for a in news.articles)
    return Measurement(
        f"product/{news.name}/bytes",
        f"SQLite, {news.title}: {given / len(news.articles):,.0f} bytes in",
        "bytes an article",
        sum(sizes) / len(news.articles),
        bar=context.sized_bar("<=", news.store_bytes),
    )


def _write(name: str, rows: int, path: Path) -> int:
    """Write the first rows of a set as they are; how many bytes that are."""
    lines = (json.dumps(row, ensure_ascii=False) for row in islice(corpora.articles(name), rows))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path.stat().st_size
