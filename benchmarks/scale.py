"""What a corpus takes on a cluster: bytes and core-seconds a document, and keys that many share.

`python benchmarks/scale.py --documents 50000` goes through edited news (see edited_corpus.py) with
Spark on this machine and adds up what its tasks report: shuffled bytes, time on a core, tables on
the disk. `--skew` lets families of near copies follow a power law, and tells what is passed over
under crowded keys and how evenly machines are loaded, with and without salt. Writes
benchmarks/results/scale.json and the tables of docs/scale.md.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import edited_corpus
import process_usage
import result_rows
from nearcopy import RECIPES
from nearcopy.batch.shared_keys import LEADING_ROWS, PRECEDING_ROWS

RESULTS = process_usage.HERE / "results" / "scale.json"
PAGE = process_usage.HERE.parent / "docs" / "scale.md"
CORES = 2
LOCAL = f"local[{CORES}]"
STAGES = (
    *("rows", "articles", "unique_ids", "exact_duplicates", "hot_keys", "pairs", "edges"),
    *("components", "clusters"),
)
SIZES = (100_000_000, 10_000_000_000)
MACHINE_CORES, MACHINE_DISK = 16, 2e12  # bytes
DAY = 86_400
PARTS = 20_000  # of a shuffle, in the simulation
CROWD = 100_000
POWERS = (1.6, 1.8, 2.0)
LARGEST = 0.002  # of all documents, the largest family
EVEN = 1000  # groups of fewer rows lie evenly
SHARED = 0.8  # of a family that has a key in common, in a column
Row = dict[str, Any]


def main() -> None:
    """Measure what is asked for, and renew the tables."""
    options = _arguments()
    if options.documents:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            for row in _measured(Path(folder), options.documents):
                keep(row)
    if options.skew:
        for count in SIZES:
            for power in POWERS:
                keep(_skew(count, power))


def keep(row: Row) -> None:
    """Put a row in its place in the results, and renew the tables."""
    print(row, flush=True)
    result_rows.keep(RESULTS, row, ("kind", "work", "documents"), "scale", markdown, PAGE)


# Measured


def _measured(folder: Path, count: int) -> Iterator[Row]:
    path, events = folder / "documents.jsonl", folder / "events"
    edited_corpus.write(path, count)
    events.mkdir()
    totals = _run(path, folder / "work", events)
    tables = {
        directory.name: _size(directory)
        for directory in (folder / "work").iterdir()
        if directory.is_dir()
    }
    spent: dict[str, Counter[str]] = {name: Counter() for name in STAGES}
    for name, task in _tasks(next(events.glob("**/events_*"), None) or next(events.iterdir())):
        spent[_stage(name)].update(task)
    for name, size in tables.items():
        spent[_stage(name)]["written"] += size
    for place, name in enumerate(STAGES):
        row = {unit: spent[name][unit] / count for unit in ("seconds", "shuffled", "written")}
        yield {"kind": "stage", "work": f"{place} {name}", "documents": count, **row}
    yield {"kind": "whole", "work": "copies", "documents": count, **totals}


def _run(path: Path, work: Path, events: Path) -> Row:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from nearcopy import POLICIES, RECIPES
    from nearcopy.batch.spark import Settings, run

    session = (
        SparkSession.builder.master(LOCAL)
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.compress", "false")
        .config("spark.eventLog.rolling.enabled", "false")
        .config("spark.eventLog.dir", events.as_uri())
        .config("spark.sql.shuffle.partitions", str(2 * CORES))
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.autoBroadcastJoinThreshold", "-1")  # as where tables are large
        .config("spark.driver.memory", "2g")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    before = _cpu_seconds(os.getpid())
    copies = Settings(recipe=RECIPES["copies"], policy=POLICIES["copies"])
    result = run(session.read.json(str(path)), copies, work=str(work))
    cpu = _cpu_seconds(os.getpid()) - before
    pairs = session.read.parquet(str(work / "pairs")).count()
    left = (
        session.read.parquet(str(work / "unresolved")).agg({"members": "sum"}).collect()[0][0] or 0
    )
    session.stop()
    return {
        "cpu": cpu,
        "left": left / result.summary.rows,
        "bytes": path.stat().st_size / result.summary.rows,
        "pairs": pairs / result.summary.rows,
        "duplicates": result.summary.duplicates / result.summary.rows,
    }


def _cpu_seconds(process: int) -> float:
    """What a process and all below it have taken of processors, those that ended included."""
    home = Path(f"/proc/{process}")
    try:
        said = (home / "stat").read_text().rpartition(")")[2].split()
        below = [pid for file in home.glob("task/*/children") for pid in file.read_text().split()]
    except OSError:  # it has ended meanwhile
        return 0.0
    own = sum(map(int, said[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_cpu_seconds(int(pid)) for pid in below)


def _tasks(log: Path) -> Iterator[tuple[str, Counter[str]]]:
    """What each task took, by the description of its job."""
    of: dict[int, str] = {}
    with log.open(encoding="utf-8") as lines:
        for event in map(json.loads, lines):
            if event["Event"] == "SparkListenerJobStart":
                said = event["Properties"].get("spark.job.description", "nearcopy: clusters")
                of |= dict.fromkeys(event["Stage IDs"], said.removeprefix("nearcopy: "))
            elif event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                metrics = event["Task Metrics"]
                shuffled = metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                took = Counter(shuffled=shuffled, tasks=1)
                took["seconds"] += metrics["Executor Run Time"] / 1000  # type: ignore[assignment]
                yield of.get(event["Stage ID"], "clusters"), took


def _stage(name: str) -> str:
    if name == "links" or name.startswith("round-"):
        return "components"
    return name if name in STAGES else "clusters"


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("*.parquet"))


# Skew


def _skew(count: int, power: float) -> Row:
    """Families of near copies by a power law: what is passed over, and who has how much to do."""
    dice = np.random.default_rng(3)
    sizes = _families(count, power, dice)
    groups = np.rint(sizes * SHARED).astype(np.int64)  # in every column
    most = PRECEDING_ROWS + LEADING_ROWS
    large = groups[groups > most + 1].astype(np.float64)
    beside = np.where(groups <= most, groups * (groups - 1) / 2, groups * float(most))
    passed = float((large * (large - 1) / 2 - large * most).sum())
    hot = groups[groups > CROWD]
    parts = 2 ** np.ceil(np.log2(hot / CROWD)).astype(np.int64)
    parted = np.concatenate([groups[groups <= CROWD], np.repeat(hot // parts, parts)])
    return {
        "kind": "skew",
        "work": f"power {power}",
        "documents": count,
        "largest": int(sizes.max()),
        "hot": len(hot),
        "crowded": len(large),
        "pairs": float(beside.sum()) / count,
        "all_pairs": float((groups.astype(np.float64) ** 2 / 2).sum()) / count,
        "skipped_pairs": passed / count,
        "load": _most_loaded(groups, count, dice),
        "salted_load": _most_loaded(parted, count, dice),
    }


def _families(count: int, power: float, dice: np.random.Generator) -> Any:
    """Sizes of families of three and more, as many as have a third of all documents."""
    low, high = 3.0 ** (1 - power), (count * LARGEST) ** (1 - power)
    batches: list[Any] = []
    left = count / 3
    while left > 0:
        drawn = (low + dice.random(1_000_000) * (high - low)) ** (1 / (1 - power))
        total = np.cumsum(drawn)
        batches.append(drawn[: int(np.searchsorted(total, left)) + 1])
        left -= float(batches[-1].sum())
    return np.concatenate(batches)


def _most_loaded(groups: Any, count: int, dice: np.random.Generator) -> float:
    """How many times the mean the part has that has most rows, of all columns of keys."""
    large = groups[groups >= EVEN]
    columns = RECIPES["copies"].bands
    rows = np.zeros(PARTS)
    for _ in range(columns):
        rows += np.bincount(dice.integers(PARTS, size=len(large)), large, PARTS)
    mean = columns * count / PARTS
    return float((rows.max() + mean - rows.mean()) / mean)


# Tables


def markdown(rows: list[Row]) -> str:
    """What was measured, what it comes to, and what skew does."""
    whole = sorted((r for r in rows if r["kind"] == "whole"), key=lambda row: row["documents"])
    parts = [_skews([row for row in rows if row["kind"] == "skew"])]
    if len(whole) > 1:
        newest = whole[-1]["documents"]
        stages = [r for r in rows if r["kind"] == "stage" and r["documents"] == newest]
        seconds = (whole[-1]["cpu"] - whole[0]["cpu"]) / (newest - whole[0]["documents"])
        crowded = max((r["pairs"] for r in rows if r["kind"] == "skew"), default=0.0)
        sizes = _sizes(stages, seconds, whole[-1]["pairs"], crowded)
        parts = [_stages(stages, whole, seconds), sizes, *parts]
    return "\n\n".join(parts)


def _stages(stages: list[Row], whole: list[Row], seconds: float) -> str:
    heads = ("stage", "share of the time", "shuffled bytes", "bytes in tables")
    all_of = {name: sum(row[name] for row in stages) for name in UNITS}
    rows = [
        (row["work"][2:], f"{row['seconds'] / all_of['seconds']:.0%}", *_bytes(row))
        for row in stages
    ]
    last = whole[-1]
    about = (
        f"{last['documents']:,} documents of {last['bytes']:,.0f} bytes on {CORES} cores: "
        f"{last['pairs']:.2f} pairs a document, {last['duplicates']:.0%} are copies, "
        f"{last['left']:.2%} are in groups that `cluster` settles, "
        f"{RECIPES['copies'].bands} keys each. A document takes {seconds * 1e6:,.0f} µs of a core, "
        f"by the difference to {whole[0]['documents']:,} documents; all that is shuffled and "
        "written is a document's share."
    )
    return f"{about}\n\n{result_rows.plain(heads, [*rows, ('all', '100%', *_bytes(all_of))])}"


def _bytes(row: Row) -> tuple[str, str]:
    return f"{row['shuffled']:,.0f}", f"{row['written']:,.0f}"


UNITS = ("seconds", "shuffled", "written")


def _sizes(stages: list[Row], seconds: float, pairs: float, crowded: float) -> str:
    """What this many documents come to, with as many pairs as were measured, and as skew makes."""
    heads = ("documents", "pairs a document", "core-hours", "shuffled", "in tables", "machines")
    shuffled, written = (sum(row[name] for row in stages) for name in ("shuffled", "written"))
    (edges,) = (row for row in stages if row["work"].endswith("edges"))
    share = edges["seconds"] / sum(row["seconds"] for row in stages)
    rows = []
    for count in SIZES:
        for density in (pairs, crowded):
            more = (density - pairs) / (1 + pairs)  # a text is shuffled for its row, and each pair
            spent = seconds * (1 + more * share) * count
            moved = (shuffled + more * edges["shuffled"]) * count
            by_core = spent / (MACHINE_CORES * DAY)
            by_disk = (moved + written * count) / MACHINE_DISK
            rows.append(
                (
                    f"{count:,}",
                    f"{density:.1f}",
                    f"{spent / 3600:,.0f}",
                    f"{moved / 1e12:,.1f} TB",
                    f"{written * count / 1e12:,.1f} TB",
                    f"{np.ceil(by_core):,.0f} for a day's cores, {np.ceil(by_disk):,.0f} for disks",
                )
            )
    return result_rows.plain(heads, rows)


def _skews(rows: list[Row]) -> str:
    heads = (
        *("families", "documents", "largest family", "keys beyond 72 rows", "salted keys"),
        *("pairs a document", "without bounds", "heaviest part", "with salt"),
    )
    cells = [
        (
            row["work"],
            *(f"{row[name]:,}" for name in ("documents", "largest", "crowded", "hot")),
            *(f"{row['pairs']:,.1f}", f"{row['all_pairs']:,.0f}"),
            *(f"{row['load']:,.1f} ×", f"{row['salted_load']:,.2f} ×"),
        )
        for row in rows
    ]
    return result_rows.plain(heads, cells)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=0)
    parser.add_argument("--skew", action="store_true")
    parser.add_argument("--folder", default=None)
    return parser.parse_args()


if __name__ == "__main__":
    main()
