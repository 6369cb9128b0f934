"""SQLite, PostgreSQL and Redis beside each other: checks, batches of adds, bytes, 1 to 8 workers.

`python benchmarks/shared_stores.py --articles 100000 redis postgres sqlite` starts servers of its
own on unix sockets, writes benchmarks/results/shared_stores.json and the table of docs/stores.md.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import psycopg

import cpu_priority
import process_usage
import result_rows
import stores
import table
from nearcopy import POLICIES

sys.path.insert(0, str(process_usage.HERE.parent / "tests" / "support"))
import servers

RESULTS = process_usage.HERE / "results" / "shared_stores.json"
DAYS = 14.0
WORKERS = (1, 2, 8)
CHECKS = 400  # by each worker
ADDS = 4096  # by each worker, eight batches
SECURE = ("--appendonly", "yes", "--appendfsync", "always")
NAMED = ("preset", "store", "articles", "workers")
Row = dict[str, Any]
# What a server does by itself in time, after so much was written and read.
RESTED = (
    "CREATE EXTENSION pg_prewarm",
    "SELECT sum(pg_prewarm(oid)) FROM pg_class WHERE relkind IN ('r', 'i', 't')"
    " AND relpersistence = 'p' AND pg_relation_size(oid) > 0",
)
BUFFERS = "shared_buffers=6GB"  # a quarter of a machine's memory, as its manual has it


class Store(NamedTuple):
    """The address of an empty store, how many bytes it takes, and how to let its server rest."""

    address: str
    size: Callable[[], int]
    rest: Callable[[], object] = lambda: None


def main() -> None:
    """Measure the stores asked for, and renew the table."""
    options = _arguments()
    for kind in options.kinds:
        first = cpu_priority.ahead() if options.ahead else nullcontext()
        with first, opened(kind) as store:
            for row in measured(kind, store, options):
                result_rows.keep(RESULTS, row, NAMED, "shared", markdown)
                print(row, flush=True)


def measured(kind: str, store: Store, asked: argparse.Namespace) -> Iterator[Row]:
    """The figures of one store, with each number of workers."""
    address, size, settle = store
    articles, preset = asked.articles, asked.preset
    empty = size()
    arguments = {"address": address, "count": articles, "days": DAYS, "preset": preset}
    took, _ = process_usage.case(stores.SCRIPT, "file_all", arguments)
    per_article = (size() - empty) / articles
    settle()
    for workers in asked.workers:
        times, wall = _checks(address, articles, workers, preset)
        yield {
            "preset": preset,
            "store": kind,
            "articles": articles,
            "workers": workers,
            "checks_per_second": len(times) / wall,
            "p50_ms": float(np.percentile(times, 50) * 1e3),
            "p99_ms": float(np.percentile(times, 99) * 1e3),
            "adds_per_second": workers * ADDS / _adds(address, workers, preset),
            "bytes_per_article": per_article,
            "filed_per_second": articles / took,
            "load": os.getloadavg()[0],
        }


def _checks(address: str, articles: int, workers: int, preset: str) -> tuple[list[float], float]:
    """The time of every check, and how long all took by the clock."""
    arguments = [
        {
            "address": address,
            "filed": articles,
            "count": CHECKS,
            "days": 0.01,
            "seed": 100 * workers + seed,  # others than were asked before
            "preset": preset,
        }
        for seed in range(workers)
    ]
    said, wall = _together("check_together", arguments)
    return [seconds for line in said for seconds in json.loads(line)], wall


def _adds(address: str, workers: int, preset: str) -> float:
    arguments = [
        {
            "address": address,
            "count": ADDS,
            "days": 0.5,
            "name": f"{workers}-{name}",
            "preset": preset,
        }
        for name in range(workers)
    ]
    return _together("add_together", arguments)[1]


def _together(case: str, given: list[Row]) -> tuple[list[str], float]:
    """What processes print that begin at once when all are ready, and the seconds it took."""
    script = str(process_usage.HERE / stores.SCRIPT)
    started = [
        subprocess.Popen(
            [sys.executable, script, case, json.dumps(arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for arguments in given
    ]
    for process in started:
        stores._pipe(process.stdout).readline()
    start = time.perf_counter()
    for process in started:
        stores._pipe(process.stdin).close()
    said = [stores._pipe(process.stdout).readline() for process in started]
    took = time.perf_counter() - start
    for process in started:
        stores._pipe(process.stdout).read()  # what else it says
        stores._pipe(process.stdout).close()
        if process.wait():
            raise process_usage.ProcessError(f"{case} failed")
    return said, took


@contextmanager
def opened(kind: str) -> Iterator[Store]:
    """An empty store."""
    with ExitStack() as stack:
        if kind == "redis":
            redis = stack.enter_context(servers.redis(*SECURE))
            yield Store(redis.address, lambda: int(redis.client().info("memory")["used_memory"]))
        elif kind == "postgres":
            postgres = stack.enter_context(servers.postgres(BUFFERS))
            address, whole = postgres.fresh(), "SELECT pg_database_size('postgres')"
            yield Store(
                address, lambda: int(postgres.run(whole)[0][0]), lambda: _rest(postgres, address)
            )
        else:
            path = stack.enter_context(stores._folder()) / "seen.db"
            yield Store(f"sqlite:///{path}", lambda: path.stat().st_size if path.exists() else 0)


def _rest(server: servers.Postgres, address: str) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    for statement in RESTED:
        server.run(statement)


def markdown(rows: list[Row]) -> str:
    """The rows as a table, with what is over its bar marked."""
    heads = (*NAMED, "checks/s", "p50 ms", "p99 ms", "adds/s", "B/article")
    return result_rows.plain(heads, map(_cells, rows))


def _cells(row: Row) -> list[str]:
    shared = row["store"] != "sqlite"
    return [
        row["preset"],
        row["store"],
        f"{row['articles']:,}",
        str(row["workers"]),
        table.number(row["checks_per_second"]),
        table.number(row["p50_ms"]),
        result_rows.marked(row["p99_ms"], held=not shared or row["p99_ms"] < 10),
        result_rows.marked(
            row["adds_per_second"], held=not shared or row["adds_per_second"] >= 1000
        ),
        table.number(row["bytes_per_article"]),
    ]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--preset", default="default", choices=POLICIES)
    parser.add_argument("--workers", type=int, nargs="+", default=WORKERS)
    parser.add_argument("--ahead", action="store_true", help="go before all else that runs here")
    parser.add_argument("kinds", nargs="*", default=["redis", "postgres", "sqlite"])
    return parser.parse_args()


if __name__ == "__main__":
    main()
