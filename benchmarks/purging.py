"""A purge of half of a store while another process checks: how long a check takes at most.

`python benchmarks/purging.py --articles 2000000 redis postgres sqlite memory` starts servers of its
own on unix sockets, writes benchmarks/results/purging.json and the table of docs/stores.md. The
store in memory is checked by another thread.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from datetime import timedelta
from typing import Any

import numpy as np

import apart
import kept
import newswire
import shared_stores
import store_cases
import stores
import table
from nearcopy import Deduper

RESULTS = apart.HERE / "results" / "purging.json"
DAYS = 14.0
BLOCKED_MS = 100.0
Row = dict[str, Any]


def main() -> None:
    """Measure the stores asked for, and renew the table."""
    asked = _arguments()
    for kind in asked.kinds:
        row = _in_memory(asked.articles) if kind == "memory" else _apart(kind, asked.articles)
        kept.keep(RESULTS, row, ("store", "articles"), "purging", markdown)
        print(row, flush=True)


def _apart(kind: str, articles: int) -> Row:
    with shared_stores.opened(kind) as (address, size):
        given = {"address": address, "count": articles, "days": DAYS, "preset": "default"}
        apart.case(stores.SCRIPT, "file_all", given)
        full = size()
        with _Checker(address, articles) as checker:
            alone = checker.times()
            (removed, seconds), _ = apart.case(
                stores.SCRIPT, "purge", {"address": address, "days": DAYS / 2}
            )
            meanwhile = checker.times()
        return _row(kind, articles, removed, seconds, alone, meanwhile, size() / full)


class _Checker:
    """A process that checks without a pause, and says how long each took when it is asked."""

    def __init__(self, address: str, filed: int) -> None:
        given = json.dumps({"address": address, "filed": filed, "days": 0.01})
        script = str(apart.HERE / stores.SCRIPT)
        self._process = subprocess.Popen(
            [sys.executable, script, "check_on", given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "_Checker":
        self.times()  # the window is read
        time.sleep(20)
        return self

    def times(self) -> list[float]:
        """The seconds of each check since the last call."""
        asked, answered = self._process.stdin, self._process.stdout
        assert asked
        assert answered
        asked.write("\n")
        asked.flush()
        found: list[float] = json.loads(answered.readline())
        return found

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def _in_memory(articles: int) -> Row:
    """The same by a thread beside the one that purges."""
    with Deduper() as deduper:
        store_cases.file_into(deduper, articles, DAYS)
        known = [deduper.article(f"new-{articles - n}") for n in range(1, 400)]
        questions = newswire.questions(400, 0.01, known)
        times: list[float] = []
        stop = threading.Event()

        def check_on() -> None:
            while not stop.is_set():
                begun = time.perf_counter()
                deduper.check(questions[len(times) % len(questions)])
                times.append(time.perf_counter() - begun)

        thread = threading.Thread(target=check_on)
        thread.start()
        time.sleep(20)
        before, start = len(times), time.perf_counter()
        removed = deduper.purge(newswire.NOW - timedelta(days=DAYS / 2))
        seconds = time.perf_counter() - start
        stop.set()
        thread.join()
        return _row("memory", articles, removed, seconds, times[:before], times[before:], None)


def _row(
    kind: str,
    articles: int,
    removed: int,
    seconds: float,
    alone: list[float],
    meanwhile: list[float],
    left: float | None,
) -> Row:
    def milliseconds(times: list[float], percentile: float) -> float:
        return float(np.percentile(times, percentile) * 1e3)

    return {
        "store": kind,
        "articles": articles,
        "removed": removed,
        "seconds": seconds,
        "alone_p99_ms": milliseconds(alone, 99),
        "alone_longest_ms": milliseconds(alone, 100),
        "p99_ms": milliseconds(meanwhile, 99),
        "longest_ms": milliseconds(meanwhile, 100),
        "over_bar": sum(each * 1e3 > BLOCKED_MS for each in meanwhile),
        "checks": len(meanwhile),
        "size_left": left,
    }


def markdown(rows: list[Row]) -> str:
    """The rows as a table, what is over its bar marked."""
    heads = "store", "articles", "purged", "seconds", "check p99 ms", "longest ms", "size left"
    return kept.plain(heads, map(_cells, rows))


def _cells(row: Row) -> list[str]:
    return [
        row["store"],
        f"{row['articles']:,}",
        f"{row['removed']:,}",
        table.number(row["seconds"]),
        f"{table.number(row['p99_ms'])} ({table.number(row['alone_p99_ms'])} before)",
        kept.marked(row["longest_ms"], held=row["longest_ms"] <= BLOCKED_MS),
        "" if row["size_left"] is None else f"{row['size_left']:.0%}",
    ]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=2_000_000)
    parser.add_argument("kinds", nargs="*", default=["redis", "postgres", "sqlite", "memory"])
    return parser.parse_args()


if __name__ == "__main__":
    main()
