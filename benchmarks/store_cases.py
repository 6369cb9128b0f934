"""Store workloads, each run in its own process by `process_usage.case`."""

import random
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import cycle, islice
from json import dumps
from queue import SimpleQueue
from typing import Any

import newswire
import process_usage
from nearcopy import POLICIES, RECIPES, Article, Deduper, Policy, Recipe, fingerprints
from nearcopy.config.gc_tuning import reduce_gc_frequency
from nearcopy.fingerprint.blocking_keys import blocking_keys
from nearcopy.stores import StoredArticle, open_store

BULK = 2048
QUESTIONS = 400
WARMING = 200  # checks of a worker that are not timed, and fill its memory and its server's
Seconds = tuple[float, float]  # by the clock and by the processor


def fill(address: str, count: int, days: float, chunk: int) -> list[Seconds]:
    """Check and add articles up to now: the time of each chunk."""
    with Deduper(address) as deduper:
        return list(_added(deduper, newswire.wire(count, days, name="new"), chunk))


def older(
    address: str, count: int, days: float, before: float, added: int, chunk: int
) -> list[Seconds]:
    """File older articles, the last of them checked and added: the time of each chunk of those.

    The others are filed without a look at what they are to each other, which takes longer than
    all the rest and leaves the same to be looked through.
    """
    until = newswire.NOW - timedelta(days=before)
    articles = newswire.wire(count, days, until=until, name="old")
    store = open_store(address)
    for batch in _chunks(islice(articles, count - added), BULK):
        prints = list(fingerprints(batch))
        entries = list(map(StoredArticle, batch, prints, blocking_keys(prints, Recipe())))
        with store.transaction():
            store.save_articles(entries)
    store.close()
    with Deduper(address) as deduper:
        return list(_added(deduper, articles, chunk))


def ask(
    address: str, filed: int, count: int, days: float, window: float, most_seconds: float
) -> dict[str, Any]:
    """Single checks: seconds to open and for the first one, bytes grown by, times of the rest.

    No more are begun once so many seconds have passed.
    """
    questions = _questions(address, filed, count + 1, days)
    list(fingerprints(questions[:1]))
    before = process_usage.resident()
    start = time.perf_counter()
    with Deduper(address, policy=Policy(window=timedelta(days=window))) as deduper:
        deduper.check(questions[0])
        first = time.perf_counter() - start
        grown = process_usage.resident() - before
        cpu, times, duplicates = time.process_time(), [], 0
        for question in questions[1:]:
            begun = time.perf_counter()
            duplicates += deduper.check(question).is_duplicate
            times.append(time.perf_counter() - begun)
            if sum(times) > most_seconds:
                break
        cpu = time.process_time() - cpu
    return {"first": first, "grown": grown, "times": times, "cpu": cpu, "found": duplicates}


def add(address: str, count: int, days: float, window: float, name: str) -> list[Seconds]:
    """Check and add some more, in one chunk, once the window has been read."""
    articles = list(newswire.wire(count + 1, days, name=name))
    with Deduper(address, policy=Policy(window=timedelta(days=window))) as deduper:
        deduper.add(articles.pop())
        return list(_added(deduper, articles, count))


def write(address: str, count: int, days: float, name: str) -> None:
    """Say when ready, wait for the others, then check and add all."""
    articles = list(newswire.wire(count, days, name=name))
    with Deduper(address) as deduper:
        list(fingerprints(articles[:1]))
        print("ready", flush=True)
        sys.stdin.read()
        for _ in deduper.run(articles):
            pass


def file_all(
    address: str, count: int, days: float, preset: str, phrases: int = newswire.PHRASES
) -> float:
    """File articles without a look at what they are to each other; the seconds it took."""
    with Deduper(address, RECIPES[preset]) as deduper:
        start = time.perf_counter()
        file_into(deduper, count, days, phrases)
        return time.perf_counter() - start


def file_into(deduper: Deduper, count: int, days: float, phrases: int = newswire.PHRASES) -> None:
    """The same into an open store."""
    store, recipe = deduper._store, deduper.recipe
    for batch in _chunks(newswire.wire(count, days, name="new", phrases=phrases), BULK):
        prints = list(fingerprints(batch, recipe))
        with store.transaction():
            store.save_articles(
                list(map(StoredArticle, batch, prints, blocking_keys(prints, recipe)))
            )


def forget(address: str, ids: list[str]) -> int:
    """Forget articles: how many there were."""
    with Deduper(address) as deduper:
        return deduper.forget(ids)


def purge(address: str, days: float) -> tuple[int, float]:
    """Purge what is older than this many days: how many, and the seconds it took."""
    with Deduper(address) as deduper:
        start = time.perf_counter()
        count = deduper.purge(newswire.NOW - timedelta(days=days))
        return count, time.perf_counter() - start


def check_on(address: str, filed: int, days: float) -> None:
    """Check without a pause; for each line that comes in, print the times since the last."""
    first, *questions = _questions(address, filed, QUESTIONS, days)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=lambda: [*map(lines.put, sys.stdin), lines.put("")]).start()
    with Deduper(address) as deduper:
        deduper.check(first)
        times: list[float] = []
        for question in cycle(questions):
            if not lines.empty():
                if not lines.get():
                    return
                print(dumps(times), flush=True)
                times.clear()
            begun = time.perf_counter()
            deduper.check(question)
            times.append(time.perf_counter() - begun)


def check_together(
    address: str, filed: int, count: int, days: float, seed: int, preset: str
) -> None:
    """Say when the window is read and some were checked, wait for the others, then check: the time
    of each."""
    questions = _questions(address, filed, WARMING + count, days, seed)
    with Deduper(address, policy=POLICIES[preset]) as deduper:
        for question in questions[:WARMING]:
            deduper.check(question)
        print("ready", flush=True)
        sys.stdin.read()
        times = []
        for question in questions[WARMING:]:
            begun = time.perf_counter()
            deduper.check(question)
            times.append(time.perf_counter() - begun)
    print(dumps(times), flush=True)


def add_together(address: str, count: int, days: float, name: str, preset: str) -> None:
    """Say when the window is read, wait for the others, then check and add all in batches."""
    first, *articles = newswire.wire(count + 1, days, name=name)
    with Deduper(address, policy=POLICIES[preset]) as deduper:
        deduper.add(first)
        print("ready", flush=True)
        sys.stdin.read()
        for _ in deduper.run(articles):
            pass


def reopen(address: str, filed: int, days: float, rounds: int) -> list[Seconds]:
    """The times to open a store and check one article, in a process that has done so before."""
    questions = _questions(address, filed, rounds + 1, days)
    times = []
    for question in questions:
        wall, cpu = time.perf_counter(), time.process_time()
        with Deduper(address) as deduper:
            deduper.check(question)
            times.append((time.perf_counter() - wall, time.process_time() - cpu))
    return times[1:]


def _questions(
    address: str,
    filed: int,
    count: int,
    days: float,
    seed: int = 9,
    phrases: int = newswire.PHRASES,
) -> list[Article]:
    dice = random.Random(seed)
    with Deduper(address) as deduper:
        stored = [deduper.article(f"new-{dice.randrange(filed)}") for _ in range(count)]
    questions = newswire.questions(count, days, stored, phrases=phrases)
    dice.shuffle(questions)
    return questions


def _added(deduper: Deduper, articles: Iterable[Article], chunk: int) -> Iterator[Seconds]:
    for batch in _chunks(articles, chunk):
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in deduper.run(batch):
            pass
        yield time.perf_counter() - wall, time.process_time() - cpu


def _chunks(articles: Iterable[Article], size: int) -> Iterator[list[Article]]:
    remaining = iter(articles)
    while batch := list(islice(remaining, size)):
        yield batch


if __name__ == "__main__":
    reduce_gc_frequency()  # as the command and the service do
    process_usage.answer(globals())
