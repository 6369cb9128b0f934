"""Whole corpora from file to file, beside the peers: speed, memory, growth, recall and precision.

`python benchmarks/corpora_speed.py --documents 100000 --peers` makes a corpus of edited news (see
edited_corpus.py), goes through it with `nearcopy corpus` on two processes and with the peers' ways,
and counts what was found against an exact join. Writes benchmarks/results/corpora.json and the
tables of docs/corpora.md.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np

import corpora
import edited_corpus
import peers
import process_usage
import result_rows
import table
from nearcopy import POLICIES, RECIPES
from nearcopy.batch.local import CorpusJob, deduplicate
from nearcopy.batch.local.text_clusters import read_text_edges
from nearcopy.io.files import read_articles
from nearcopy.match import exact_join as joins

RESULTS = process_usage.HERE / "results" / "corpora.json"
PAGE = process_usage.HERE.parent / "docs" / "corpora.md"
COMMAND = Path(sys.executable).parent / "nearcopy"
CORES = 2
MEMORY = "1GB"
SETS = ("saudi-july", "reuters21578", "bbc", "allsides", "semeval22")
BARS = {"datasketch": 8.0, "text-dedup": 8.0, "gaoya": 4.0, "rensa": 2.0}
LEAST = 0.5
LOOK_SECONDS = 0.05
Row = dict[str, Any]


def main() -> None:
    """Measure what is asked for, and renew the tables."""
    options = _arguments()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        if options.documents:
            path = Path(folder) / "documents.jsonl"
            edited_corpus.write(path, options.documents)
            for row in _speed(path, options.documents, options):
                keep(row)
        if options.recall:
            for row in _recall(Path(folder), options.recall):
                keep(row)


def keep(row: Row) -> None:
    """Put a row in its place in the results, and renew the tables."""
    print(row, flush=True)
    result_rows.keep(RESULTS, row, ("kind", "work", "documents"), "corpora", markdown, PAGE)


# Speed and memory


def _speed(path: Path, count: int, asked: argparse.Namespace) -> Iterator[Row]:
    """Rounds of each in turn, so that all have the same neighbours; the medians count."""
    ways = ["nearcopy", *(_peers() if asked.peers else ())]
    runs: dict[str, list[Row]] = {way: [] for way in ways}
    for number in range(asked.rounds):
        for way in ways:
            if number == 0 or way == "nearcopy" or asked.all_rounds:
                runs[way].append(_run(way, path))
                print(way, runs[way][-1], flush=True)
    own = {name: float(np.median([run[name] for run in runs["nearcopy"]])) for name in MEASURED}
    for way in ways:
        median = {name: float(np.median([run[name] for run in runs[way]])) for name in MEASURED}
        row = {"kind": "speed", "work": way, "documents": count, "rounds": len(runs[way]), **median}
        row |= {"bytes": path.stat().st_size, "pairs": runs[way][0].get("pairs")}
        row["documents_a_second"] = count / median["seconds"]
        if way != "nearcopy":
            row["ratio"] = median["seconds"] / own["seconds"]
            row["ratio_by_processor"] = median["cpu_seconds"] / own["cpu_seconds"]
        yield row


MEASURED = ("seconds", "cpu_seconds", "megabytes")


def _peers() -> list[str]:
    missing = peers.install(print)
    return [] if missing else ["datasketch", "gaoya", "rensa"]


def _run(way: str, path: Path) -> Row:
    out = path.parent / "out"
    rmtree(out, ignore_errors=True)
    if way == "nearcopy":
        command = [COMMAND, "corpus", path, "-o", out, "--preset", "copies"]
        command += ["--memory", MEMORY, "-j", CORES, "--json"]
    else:
        command = [
            peers.PYTHON,
            process_usage.HERE / "peer_corpora.py",
            way,
            path,
            path.parent / "peer",
        ]
    environment = {**os.environ, "RAYON_NUM_THREADS": str(CORES)}
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            list(map(str, command)),
            stdout=said,
            stderr=said,
            env=environment,
            start_new_session=True,
        )
        with _watched(process.pid) as most:
            _, status, used = os.wait4(process.pid, 0)
        took = time.perf_counter() - started
        said.seek(0)
        last = said.read().strip().splitlines()[-1]
    if status:
        raise SystemExit(f"{way} failed: {last}")
    answer = json.loads(last)
    spent = answer["cpu_seconds"] if way == "nearcopy" else used.ru_utime + used.ru_stime
    counts = {"pairs": answer} if way != "nearcopy" else {"duplicates": answer["duplicates"]}
    return {"seconds": took, "cpu_seconds": spent, "megabytes": most[0] / 1e6, **counts}


@contextmanager
def _watched(session: int) -> Iterator[list[int]]:
    """The most memory that all processes of a session had at once, shared pages counted once."""
    most, ended = [0], threading.Event()

    def look() -> None:
        while not ended.wait(LOOK_SECONDS):
            most[0] = max(most[0], sum(map(_resident, _members(session))))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        ended.set()
        thread.join()


def _members(session: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session:
                yield int(entry.name)


def _resident(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return 1024 * next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


# Recall and precision


def _recall(folder: Path, count: int) -> Iterator[Row]:
    """What is found of all pairs with so much overlap, by an exact join of all texts."""
    edited = folder / "edited.jsonl"
    edited_corpus.write(edited, count)
    yield _recalled("edited news", edited, folder)
    for name in SETS:
        packed = corpora.DATA / name / "articles.jsonl.gz"
        if packed.exists():
            path = folder / f"{name}.jsonl"
            path.write_bytes(gzip.decompress(packed.read_bytes()))
            yield _recalled(name, path, folder)


def _recalled(name: str, path: Path, folder: Path) -> Row:
    rmtree(folder / "found", ignore_errors=True)
    job = CorpusJob(
        path,
        folder / "found",
        rejected=folder / "rejected.jsonl",
        recipe=RECIPES["copies"],
        policy=POLICIES["copies"],
    )
    deduplicate(job, keep_work=True)
    articles = list(read_articles(path))
    rows = {article.id: row for row, article in enumerate(articles)}
    exact = {
        (max(rows[a], rows[b]), min(rows[a], rows[b])): both.jaccard
        for a, b, both in joins.find_similar_pairs(
            articles, LEAST, recipe=RECIPES["copies"], words="folded"
        )
    }
    edges = read_text_edges(job)
    overlaps = {
        pair: overlap
        for *pair, overlap in zip(
            edges.later.tolist(), edges.earlier.tolist(), edges.overlap.tolist(), strict=True
        )
        if overlap >= LEAST
        for pair in [tuple(pair)]
    }
    representatives = _representatives(job)
    rmtree(job.paths.work)
    errors = sum(abs(exact.get(pair, 0.0) - overlap) > 1e-9 for pair, overlap in overlaps.items())

    def recall(least: float) -> float:
        pairs = [pair for pair, overlap in exact.items() if overlap >= least]
        met = sum((max(p), min(p)) in overlaps or p[0] == p[1] for p in map(representatives, pairs))
        return met / len(pairs) if pairs else 1.0

    return {
        "kind": "recall",
        "work": name,
        "documents": len(articles),
        "pairs": len(exact),
        "recall_at_70": recall(0.7),
        "recall_at_50": recall(0.5),
        "precision": 1 - errors / max(1, len(overlaps)),
    }


def _representatives(job: CorpusJob) -> Any:
    """The representatives of two rows: rows of the same text have one."""
    from nearcopy.batch.local.candidate_pairs import EXACT_DUPLICATES_FILE
    from nearcopy.batch.local.column_files import Pack

    rows = Pack(job.paths.work / EXACT_DUPLICATES_FILE).read("representative").tolist()
    return lambda pair: (rows[pair[0]], rows[pair[1]])


# The tables


def markdown(rows: list[Row]) -> str:
    """The rows as tables, what misses its bar marked."""
    speeds = "way", "documents", "documents/s", "CPU µs a document", "memory MB", "nearcopy is"
    counts = "texts", "documents", "pairs of 0.5", "recall at 0.7", "recall at 0.5", "precision"
    lines = "pages", "documents", "words left out", "pages that lose half", "pairs of 0.5"
    clustered = "work", "rows", "seconds", "CPU seconds", "memory MB"
    tables = (
        ("speed", speeds, _speed_cells),
        ("recall", counts, _recall_cells),
        ("clustering", clustered, _clustered_cells),
        ("boilerplate", lines, _line_cells),
    )
    sections = (
        (heads, cells, [r for r in rows if r["kind"] == kind]) for kind, heads, cells in tables
    )
    return "\n\n".join(
        result_rows.plain(heads, map(cells, of)) for heads, cells, of in sections if of
    )


def _clustered_cells(row: Row) -> list[str]:
    numbers = (f"{row[name]:,.0f}" for name in ("documents", "seconds", "cpu_seconds", "megabytes"))
    return [row["work"], *numbers]


def _line_cells(row: Row) -> list[str]:
    shares = (f"{row[name]:.1%}" if name in row else "" for name in ("left_out", "mostly_left_out"))
    pairs = (
        f"{row['pairs']:,}, {row['with_block_pages']:,} with block pages" if "pairs" in row else ""
    )
    return [row["work"], f"{row['documents']:,}", *shares, pairs]


def _speed_cells(row: Row) -> list[str]:
    ratio, least = row.get("ratio"), BARS.get(row["work"], 0.0)
    ratios = ""
    if ratio is not None:
        clock = result_rows.marked(ratio, held=ratio >= least)
        ratios = f"{clock} × ({table.number(row['ratio_by_processor'])} × by CPU; bar {least:g} ×)"
    return [
        row["work"],
        f"{row['documents']:,}",
        f"{row['documents_a_second']:,.0f}",
        f"{1e6 * row['cpu_seconds'] / row['documents']:,.0f}",
        f"{row['megabytes']:,.0f}",
        ratios,
    ]


def _recall_cells(row: Row) -> list[str]:
    return [
        row["work"],
        f"{row['documents']:,}",
        f"{row['pairs']:,}",
        _share(row["recall_at_70"], 0.999),
        _share(row["recall_at_50"], 0.98),
        _share(row["precision"], 1.0),
    ]


def _share(value: float, least: float) -> str:
    return f"{value:.5f}" if value >= least else f"**{value:.5f}**"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=0)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--all-rounds", action="store_true", help="the peers too")
    parser.add_argument("--recall", type=int, default=0, metavar="DOCUMENTS")
    parser.add_argument("--folder", default=None, help="where there is room")
    return parser.parse_args()


if __name__ == "__main__":
    main()
