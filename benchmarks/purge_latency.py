"""The latency of checks while half of a store is purged by another process.

`python benchmarks/purge_latency.py --articles 2000000 redis postgres sqlite memory` starts its own
servers on unix sockets, and writes benchmarks/results/purge_latency.json and the table of
docs/stores.md. The memory store is checked by another thread. On a shared machine checks wait for
a processor: that time, as Linux reports it, is subtracted in a column of its own. With --ahead, as
root, all measured processes get real-time priority.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from itertools import cycle
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

import cpu_priority
import newswire
import process_usage
import result_rows
import shared_stores
import store_cases
import stores
import table
from nearcopy import Article, Deduper
from nearcopy.config.gc_tuning import reduce_gc_frequency

RESULTS = process_usage.HERE / "results" / "purge_latency.json"
DAYS = 14.0
PHRASES = 15  # an article, so 120 words: it takes a third of the time to make them
BLOCKED_MS = 100.0
QUESTIONS = 400
ALONE_SECONDS = 20.0  # that checks are timed for before
WAITED = Path("/proc/thread-self/schedstat")
Row = dict[str, Any]


class Took(NamedTuple):
    """The seconds of a check, and how many of them it waited for a processor."""

    seconds: float
    waited: float


def main() -> None:
    """Measure the stores asked for, and renew the table; or be the one that checks."""
    options = _arguments()
    reduce_gc_frequency()  # as the command and the service do
    if options.check_on:
        check_on(**json.loads(options.check_on))
    for kind in [] if options.check_on else options.kinds:
        row = (_in_memory if kind == "memory" else _apart)(kind, options.articles, options.ahead)
        keep(row)
        print(row, flush=True)


def keep(row: Row) -> None:
    """Put a row into the file of results and the table."""
    result_rows.keep(RESULTS, row, ("store", "articles"), "purge_latency", markdown)


def _apart(kind: str, articles: int, first: bool) -> Row:
    with shared_stores.opened(kind) as (address, size, _):
        arguments = {"address": address, "count": articles, "days": DAYS, "preset": "default"}
        process_usage.case(stores.SCRIPT, "file_all", arguments | {"phrases": PHRASES})
        return measure(kind, articles, address, size, first)


def measure(kind: str, articles: int, address: str, size: Callable[[], int], first: bool) -> Row:
    """The row of a store that is filled; where wanted `first`, ahead of all else."""
    full = size()
    with cpu_priority.ahead() if first else nullcontext(), _Checker(address, articles) as checker:
        # Where something has gone checks make sure of what they know; so they do before, too.
        process_usage.case(stores.SCRIPT, "forget", {"address": address, "ids": ["new-0"]})
        checker.times()
        time.sleep(ALONE_SECONDS)
        alone = checker.times()
        (removed, seconds), _ = process_usage.case(
            stores.SCRIPT, "purge", {"address": address, "days": DAYS / 2}
        )
        meanwhile = checker.times()
    row = _row(kind, articles, removed, seconds, alone, meanwhile)
    return row | {"size_left": size() / full, "ahead": first}


def check_on(address: str, filed: int, days: float) -> None:
    """Check without a pause; for each line that comes in, print the times since the last."""
    first, *questions = store_cases._questions(address, filed, QUESTIONS, days, phrases=PHRASES)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=lambda: [*map(lines.put, sys.stdin), lines.put("")]).start()
    with Deduper(address) as deduper:
        deduper.check(first)
        times: list[Took] = []
        for question in cycle(questions):
            if not lines.empty():
                if not lines.get():
                    return
                print(json.dumps(times), flush=True)
                times.clear()
            times.append(_took(lambda asked=question: deduper.check(asked)))  # type: ignore[misc]


def _took(work: Callable[[], object]) -> Took:
    waited, begun = _waited(), time.perf_counter()
    work()
    return Took(time.perf_counter() - begun, _waited() - waited)


def _waited() -> float:
    """The seconds that this thread ever had work and no processor."""
    return int(WAITED.read_text().split()[1]) / 1e9 if WAITED.exists() else 0.0


class _Checker:
    """A process that checks without a pause, and says how long each took when it is asked."""

    def __init__(self, address: str, filed: int) -> None:
        arguments = json.dumps({"address": address, "filed": filed, "days": 0.01})
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--check-on", arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "_Checker":
        self.times()  # the window is read
        return self

    def times(self) -> list[Took]:
        """How long each check took since the last call."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin
        assert stdout
        stdin.write("\n")
        stdin.flush()
        return list(map(Took._make, json.loads(stdout.readline())))

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def _in_memory(kind: str, articles: int, first: bool) -> Row:
    """The same by a thread beside the one that purges."""
    empty = process_usage.resident()
    with Deduper() as deduper:
        store_cases.file_into(deduper, articles, DAYS, PHRASES)
        stored = [deduper.article(f"new-{articles - n}") for n in range(1, QUESTIONS)]
        questions = newswire.questions(QUESTIONS, 0.01, stored, phrases=PHRASES)
        full = process_usage.resident()
        with (
            cpu_priority.ahead() if first else nullcontext(),
            _CheckingThread(deduper, questions) as on,
        ):
            time.sleep(ALONE_SECONDS)
            before, start = len(on.times), time.perf_counter()
            removed = deduper.purge(newswire.NOW - timedelta(days=DAYS / 2))
            seconds = time.perf_counter() - start
            end = len(on.times)
        row = _row(kind, articles, removed, seconds, on.times[:before], on.times[before:end])
        left = (process_usage.resident() - empty) / (full - empty)
        return row | {"size_left": left, "ahead": first}


class _CheckingThread:
    """A thread that checks without a pause, and how long each took."""

    def __init__(self, deduper: Deduper, questions: list[Article]) -> None:
        self._deduper, self._questions = deduper, questions
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._check_on)
        self.times: list[Took] = []

    def __enter__(self) -> "_CheckingThread":
        self._thread.start()
        return self

    def _check_on(self) -> None:
        for question in cycle(self._questions):
            if self._stop.is_set():
                return
            self.times.append(_took(lambda asked=question: self._deduper.check(asked)))  # type: ignore[misc]

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def _row(
    kind: str,
    articles: int,
    removed: int,
    seconds: float,
    alone: list[Took],
    meanwhile: list[Took],
) -> Row:
    def milliseconds(times: list[Took], percentile: float) -> float:
        return float(np.percentile([check.seconds for check in times], percentile) * 1e3)

    blocked = [1e3 * (check.seconds - check.waited) for check in meanwhile]

    return {
        "store": kind,
        "articles": articles,
        "removed": removed,
        "seconds": seconds,
        "alone_p99_ms": milliseconds(alone, 99),
        "alone_longest_ms": milliseconds(alone, 100),
        "p99_ms": milliseconds(meanwhile, 99),
        "longest_ms": milliseconds(meanwhile, 100),
        "over_bar": sum(check.seconds * 1e3 > BLOCKED_MS for check in meanwhile),
        "blocked_p99_ms": float(np.percentile(blocked, 99)),
        "blocked_ms": max(blocked),
        "blocked_over_bar": sum(wait > BLOCKED_MS for wait in blocked),
        "checks": len(meanwhile),
        "size_left": None,
        "load": os.getloadavg()[1],
    }


def markdown(rows: list[Row]) -> str:
    """The rows as a table, what is over its bar marked."""
    heads = (
        *("store", "articles", "purged", "seconds", "check p99 ms", "longest ms"),
        *("longest but for the processor ms", "over 100 ms (but for it), of checks"),
        *("load", "size left"),
    )
    return result_rows.plain(heads, map(_cells, rows))


def _cells(row: Row) -> list[str]:
    return [
        row["store"],
        f"{row['articles']:,}",
        f"{row['removed']:,}",
        table.number(row["seconds"]),
        f"{table.number(row['p99_ms'])} ({table.number(row['alone_p99_ms'])} before)",
        result_rows.marked(row["longest_ms"], held=row["longest_ms"] <= BLOCKED_MS),
        result_rows.marked(row["blocked_ms"], held=row["blocked_ms"] <= BLOCKED_MS),
        f"{row['over_bar']} ({row['blocked_over_bar']}) of {row['checks']:,}",
        f"{table.number(row['load'])}{' (ahead of it)' if row.get('ahead') else ''}",
        "" if row["size_left"] is None else f"{row['size_left']:.0%}",
    ]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=2_000_000)
    parser.add_argument("--ahead", action="store_true", help="go before all else that runs here")
    parser.add_argument("--check-on", help=argparse.SUPPRESS)
    parser.add_argument("kinds", nargs="*", default=["redis", "postgres", "sqlite", "memory"])
    return parser.parse_args()


if __name__ == "__main__":
    main()
