"""`make bench`: speed, memory and error of nearcopy beside its peers, in one run.

A whole run writes the files of benchmarks/results and the tables of the pages that show them; a
part of it (--quick, --only) is printed alone, and written where --output says.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

import addresses
import decisions
import dedupe
import errors
import facts
import fingerprints
import isolated_process
import pages
import peers
import product
import results
import service
import stores
import table
import titles
from context import QUICK, Context, Sizes
from results import Measurement
from timing import one_core

Group = Callable[[Context], Iterator[Measurement]]


class Suite(NamedTuple):
    """Groups that are measured into one file, and the page that shows their table."""

    groups: dict[str, Group]
    results: Path
    page: Path


SUITES = {
    "fingerprints": Suite(
        {
            "product": product.product,
            "window": product.window,
            "memory": product.memory,
            "english": fingerprints.english,
            "arabic": fingerprints.arabic,
            "chinese": fingerprints.chinese,
            "errors": errors.errors,
            "threads": fingerprints.threads,
            "objects": fingerprints.objects,
            "levels": fingerprints.levels,
            "html": fingerprints.html,
            "thread-memory": isolated_process.memory_per_thread,
            "hostile": isolated_process.hostile,
        },
        results.FINGERPRINTS,
        table.SPEED,
    ),
    "decisions": Suite(
        {
            "addresses": addresses.addresses,
            "titles": titles.titles,
            "facts": facts.facts,
            "decisions": decisions.decisions,
        },
        results.DECISIONS,
        table.RELATIONS,
    ),
    "stores": Suite(
        {
            "stores": stores.stores,
            "small-store": stores.small_store,
            "writers": stores.writers,
        },
        results.STORES,
        table.STORES,
    ),
    "dedupe": Suite(
        {
            "dedupe": dedupe.dedupe,
            "dedupe-peers": dedupe.beside_peers,
        },
        results.DEDUPE,
        table.COMMANDS,
    ),
    "service": Suite(
        {"service": service.service, "pages": pages.pages}, results.SERVICE, table.SERVICE
    ),
}
GROUPS = {name: group for suite in SUITES.values() for name, group in suite.groups.items()}

HOW = {
    "rounds": "nearcopy and the peers take turns, another first each time, all on the same one "
    "core with one thread; a rate is of the median round, a ratio that of two medians, both of "
    "processor time (the ratio by the clock stands beside it; core_share says how much of the core "
    "the work had); garbage collection is off meanwhile; two threads are timed by the clock",
    "gaoya": "MinHashStringIndex(32, 0.5, 32, 4, None, 'word', True, (3, 3), 'vec'), 'char' for "
    "Chinese; the quickest of insert_document, par_bulk_insert_docs and bulk_hash_docs. The bar is "
    "against its MinHash alone, while nearcopy makes SimHash, MinHash and digest",
    "rensa": "3-word shingles by Python (lower, split, map of join over zip), then "
    "RMinHash.digest_matrix_from_token_sets(..., 128, 42); both counted; the quickest of one list, "
    "a generator and two sizes of batches",
    "datasketch": "MinHash.bulk with 128 permutations and xxhash.xxh32_intdigest over a generator "
    "of the same shingles as bytes; the quicker of encoding shingles and encoding the text",
    "product": "headline-stream and allsides from ../shared, articles made beforehand, each round "
    "a new store; datasketch with 128 permutations over the 3-word shingles of title and text and "
    "MinHashLSH(0.5), query then insert: a MinHash with update_batch for each article, as its "
    "documentation has it, and MinHash.generator with xxh32, its quickest, without a bar",
    "stores": "made-up articles of 400 words (newswire.py), a tenth near copies, on SQLite with "
    "durable batches of 512, each step in a new process on one core, by the clock; older articles "
    "are filed without being compared but for the last of them; a check's time is the median of "
    "its rounds, asked in turn of the store with and without the older ones",
    "dedupe": "new processes on one core, processor time, median of three; memory is the peak of "
    "the largest process; on allsides nearcopy has --window all, as the peers know no window",
    "dedupe peers": "datasketch: peer_dedupe.py, MinHash.generator of 128 with xxh32 over 5-word "
    "shingles, MinHashLSH(0.5), union-find, kept rows written. text-dedup 0.4.0: its command, "
    "python -m text_dedup.minhash with ngram 5, num_perm 128, threshold 0.5, num_proc 1, xxh3 and "
    "32 bits (its quickest), a new cache for each run, no network",
    "service": "made-up articles as for the stores, filed without being compared; `nearcopy serve` "
    "with two workers on two cores, asked by load_generator.py on the same machine over 32 "
    "connections, 200 requests a second for 60 seconds, each time counted from when the request "
    "was due",
    "pages": "the same articles added one after the other, so that there are stories; one worker, "
    "pages asked for one at a time",
}


def main() -> int:
    """Measure what was asked for."""
    options = _arguments()
    console = Console(stderr=True)
    absent = "asked not to" if options.no_peers else peers.install(console.print)
    missed = 0
    with ExitStack() as stack:
        worker = None
        if absent is None:
            with one_core():  # the worker keeps to the core it was started on
                worker = stack.enter_context(peers.Worker())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        context = Context(QUICK if options.quick else Sizes(), worker, folder, console.print)
        about = {
            "machine": results.machine(),
            "peers": worker.versions if worker else {},
            **({"peers_absent": absent} if absent else {}),
            "quick": options.quick,
            "how": HOW,
        }
        for suite in SUITES.values():
            names = [name for name in options.only or GROUPS if name in suite.groups]
            if names:
                missed += _run(suite, names, context, about, options)
    return 1 if missed and options.check else 0


def _run(
    suite: Suite,
    names: Sequence[str],
    context: Context,
    about: dict[str, Any],
    asked: argparse.Namespace,
) -> int:
    """Measure groups of a suite, show and store them; how many bars were missed."""
    console = Console(stderr=True)
    lines, seconds = measured(context, names, console)
    content = about | {"seconds": seconds, "measurements": [line.as_json() for line in lines]}
    console.print(shown(lines))
    whole = not asked.quick and set(names) == set(suite.groups)
    _store(content, asked.output or (suite.results if whole else None), suite, console)
    _warn_if_busy(lines, console)
    missed = sum(line.passed is False for line in lines)
    console.print(f"{missed} of {sum(line.bar is not None for line in lines)} bars missed")
    return missed


def measured(
    context: Context, names: Sequence[str], console: Console
) -> tuple[list[Measurement], dict[str, float]]:
    """All measurements of the groups, and how long each group took."""
    lines: list[Measurement] = []
    seconds: dict[str, float] = {}
    for name in names:
        start = time.perf_counter()
        with console.status(f"measuring {name}"):
            try:
                lines += GROUPS[name](context)
            except peers.PeerError as failed:
                console.print(f"[red]{name}: {failed}")
        seconds[name] = time.perf_counter() - start
    return lines, seconds


def shown(lines: Sequence[Measurement]) -> Table:
    """The measurements as a table for the terminal."""
    shown = Table("work", "beside", title="nearcopy beside its peers")
    for name in ("nearcopy", "its", "ratio", "bar"):
        shown.add_column(name, justify="right")
    shown.add_column("held")
    for line in lines:
        shown.add_row(*_cells(line))
    return shown


def _cells(line: Measurement) -> list[str]:
    held = {True: "[green]yes", False: "[red]no", None: ""}[line.passed]
    return [
        line.work,
        line.against or "",
        f"{table.number(line.ours)} {line.unit}",
        "" if line.theirs is None else table.number(line.theirs),
        "" if line.ratio is None else table.number(line.ratio),
        f"{line.bar.limit} {table.number(line.bar.value)}" if line.bar else "",
        held,
    ]


def _warn_if_busy(lines: Sequence[Measurement], console: Console) -> None:
    """Say so when others used the core: ratios by processor time stand that, threads do not."""
    shares = [line.details["core_share"] for line in lines if "core_share" in line.details]
    if shares and min(shares) < 0.9:
        console.print(f"[yellow]a busy machine: some work had {min(shares):.0%} of its core only")


def _store(found: dict[str, Any], path: Path | None, suite: Suite, console: Console) -> None:
    """Write a whole suite to its place, a part of one only where it was asked for."""
    if path is None:
        console.print("a part of a run: nothing written (--output PATH writes it)")
        return
    found = results.write(path, found)
    console.print(f"written to {path}")
    if path == suite.results and table.renew(suite.page, found):
        console.print(f"tables of {suite.page} renewed")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, about a minute")
    parser.add_argument("--only", action="append", choices=GROUPS, help="this group alone")
    parser.add_argument("--no-peers", action="store_true", help="nearcopy by itself")
    parser.add_argument("--output", type=Path, help="write the results to this file")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a bar is missed")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
