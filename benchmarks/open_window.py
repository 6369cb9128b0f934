"""A store with a large window is opened and one article checked, with the window on disk or not.

`python benchmarks/open_window.py --articles 1000000 sqlite postgres redis` starts its own servers
and fills the stores with made-up fingerprints: those of a small wire, with other keys. It prints a
row for each: the processor time to open it and check one article for the first time, once the
window is on disk, and by the command line; single checks; the memory that a process has for itself.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import newswire
import process_usage
import shared_stores
from nearcopy import Deduper, fingerprints
from nearcopy.fingerprint.blocking_keys import Keys, blocking_keys
from nearcopy.stores import StoredArticle

DAYS = 13.0
WIRE = 4000  # articles whose fingerprints are used again and again
BATCH = 4096
WEAK_KEPT = 0.1  # of the keys of titles and terms, which are shared by articles of the same base
CHECKS = 400
ROUNDS = 3
MEMORY = Path("/proc/self/smaps_rollup")
ARTICLE = {
    "id": "asked",
    "title": "Council closes old quay",
    "text": "The harbour council voted on Tuesday to close the old quay.",
}


def main() -> None:
    """Measure the stores asked for."""
    options = _arguments()
    if options.ask:
        print(json.dumps(ask(options.ask)))
        return
    for kind in options.kinds:
        with tempfile.TemporaryDirectory() as cache, shared_stores.opened(kind) as store:
            os.environ["XDG_CACHE_HOME"] = cache
            fill(store.address, options.articles)
            print(json.dumps(measured(kind, store.address, options.articles)), flush=True)


def fill(address: str, count: int) -> None:
    """File articles with made-up fingerprints, evenly over the days."""
    wire = list(newswire.wire(WIRE, DAYS))
    with Deduper(address) as deduper:
        prints = list(fingerprints(wire, deduper.recipe))
        base = list(map(StoredArticle, wire, prints, blocking_keys(prints, deduper.recipe)))
        rows = _rows(base, count)
        while batch := list(islice(rows, BATCH)):
            with deduper._store.transaction():
                deduper._store.save_articles(batch)


def _rows(base: list[StoredArticle], count: int) -> Iterator[StoredArticle]:
    dice = np.random.default_rng(1)
    for number in range(count):
        article, fingerprint, keys = base[number % len(base)]
        published = newswire.NOW - (1 - number / count) * timedelta(days=DAYS)
        named = {"id": f"made{number}", "published": published, "seen": published, "url": None}
        yield StoredArticle(
            replace(article, text="", **named), replace(fingerprint, **named), _other(keys, dice)
        )


def _other(keys: Keys, dice: np.random.Generator) -> Keys:
    """As many keys of the same kinds, most of them different."""
    kind = keys & np.uint64(3)
    strong = kind % np.uint64(2) == 0
    made = dice.integers(0, 2**62, len(keys), dtype=np.uint64) * np.uint64(4) | kind
    kept = ~strong & (dice.random(len(keys)) < WEAK_KEPT)
    return np.unique(np.where(kept, keys, made))


def measured(kind: str, address: str, articles: int) -> dict[str, Any]:
    """The row of a store: figures are medians, but for the first opening."""
    first, *mapped = (_ask(address) for _ in range(1 + ROUNDS))
    middle = {name: float(np.median([answer[name] for answer in mapped])) for name in first}
    return {
        "store": kind,
        "articles": articles,
        "first_seconds": first["open_seconds"],
        "command_seconds": float(np.median([_command(address) for _ in range(ROUNDS)])),
        **middle,
    }


def _ask(address: str) -> dict[str, float]:
    done = process_usage.run([sys.executable, __file__, "--ask", address])
    answer: dict[str, float] = json.loads(done.output)
    return answer


def _command(address: str) -> float:
    """The processor time of `nearcopy check` of one article."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write(json.dumps(ARTICLE))
        file.flush()
        command = [sys.executable, "-m", "nearcopy", "check", file.name, "--store", address]
        return process_usage.run(command).cpu


def ask(address: str) -> dict[str, float]:
    """Open the store and check one article, then more: processor time, and memory of its own."""
    first, *more = newswire.wire(1 + CHECKS, 0.01, name="asked")
    list(fingerprints([first]))
    before, start = _private_bytes(), time.process_time()
    with Deduper(address) as deduper:
        deduper.check(first)
        opened, times = time.process_time() - start, []
        for article in more:
            start = time.process_time()
            deduper.check(article)
            times.append(time.process_time() - start)
        memory = _private_bytes() - before
    p50, p99 = (float(1e3 * np.percentile(times, share)) for share in (50, 99))
    return {"open_seconds": opened, "p50_ms": p50, "p99_ms": p99, "private_bytes": memory}


def _private_bytes() -> int:
    """The memory that is of no file: what this process maps it shares with others."""
    lines = MEMORY.read_text(encoding="ascii").splitlines()
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=1_000_000)
    parser.add_argument("--ask", help=argparse.SUPPRESS)
    parser.add_argument("kinds", nargs="*", default=["sqlite", "postgres", "redis"])
    return parser.parse_args()


if __name__ == "__main__":
    main()
