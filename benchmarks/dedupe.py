"""De-duplicating a batch: the library, the command from end to end, and the peers' ways."""

import gzip
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from shutil import copyfileobj, rmtree
from statistics import median
from typing import Any

import corpora
import newswire
import peers
import process_usage
from context import QUICK, Context
from dedupe_cases import duplicates, read
from results import Bar, Measurement, Work, race
from timing import Timing, cpu, one_core, timed, wall

MANY, FEW = 10_000, 100
DAYS = 14.0
COMMAND = Path(sys.executable).parent / "nearcopy"
# What the digest of MISSION's section D was to do it in, and how much memory it was to take.
DIGEST = "the earlier digest's limit"
DIGEST_MEGABYTES = 100.0

Runs = list[process_usage.Run]


def dedupe(context: Context) -> Iterator[Measurement]:
    """10,000 articles in a new process, by the library and by the command; 100 in a warm one."""
    count = FEW if context.sizes == QUICK else MANY
    path = _written(context.folder / "wire.jsonl", count)
    context.say(f"dedupe: {count:,} articles of 400 words")
    yield from _library(context, path, count)
    yield from _warm(context, path)
    yield from _command(context, path, count)


def beside_peers(context: Context) -> Iterator[Measurement]:
    """allsides from file to file: `nearcopy dedupe`, text-dedup's and datasketch's way."""
    if not (corpora.DATA / "allsides").is_dir():
        context.say(f"no allsides in {corpora.DATA}: not measured")
        return
    path = context.folder / "allsides.jsonl"
    count = _unpacked(path, context.sizes.articles if context.sizes == QUICK else None)
    rivals = [rival for rival in RIVALS if _there(rival, context)]
    rounds = _turns(context, path, rivals)
    own_runs = rounds.pop("nearcopy")
    yield _own_line(own_runs, count, context.folder)
    for rival in rivals:
        yield from _beside(rival, own_runs, rounds[rival.name], count, context)
    yield _windowed(context, path, count)


# By ourselves


def _library(context: Context, path: Path, count: int) -> Iterator[Measurement]:
    with one_core():
        cases = [
            process_usage.case("dedupe_cases.py", "batch", {"path": str(path)})
            for _ in _few(context)
        ]
    timings = [Timing(answer["wall"], answer["cpu"]) for answer, _ in cases]
    name, work = "dedupe/library", f"{count:,} articles de-duplicated in memory"
    line = _seconds(name, work, timings, context.sized_bar("<=", 5))
    line.details["duplicates"] = cases[0][0]["duplicates"]
    yield line
    yield replace(
        line, name=f"{name} digest", work=f"{work}, {DIGEST}", bar=context.sized_bar("<=", 30)
    )
    yield from _memory(context, name, f"{work}: memory at most", [run for _, run in cases])


def _warm(context: Context, path: Path) -> Iterator[Measurement]:
    articles = list(islice(read(str(path)), FEW))
    with one_core():
        timings = [timed(lambda: duplicates(articles)) for _ in range(context.sizes.rounds)]
    name, work = "dedupe/warm", f"{FEW} articles de-duplicated in memory, warm"
    line = replace(_seconds(name, work, timings, Bar("<=", 100)), unit="ms")
    line = replace(line, ours=1e3 * line.ours)
    yield line
    yield replace(line, name=f"{name} digest", work=f"{work}, {DIGEST}", bar=Bar("<=", 500))


def _command(context: Context, path: Path, count: int) -> Iterator[Measurement]:
    with one_core():
        runs = [_nearcopy(path, context.folder) for _ in _few(context)]
    timings = [Timing(run.wall, run.cpu) for run in runs]
    name, work = "dedupe/command", f"`nearcopy dedupe`, {count:,} articles, file to file"
    yield _seconds(name, work, timings, context.sized_bar("<=", 5))
    yield from _memory(context, name, f"{work}: memory at most", runs)


def _seconds(name: str, work: str, timings: Sequence[Timing], bar: Bar | None) -> Measurement:
    """By the processor, as all that runs on one core; the clock's seconds beside it."""
    core_share = sum(timing.cpu for timing in timings) / sum(timing.wall for timing in timings)
    details = {"rounds": len(timings), "by_the_clock": wall(timings), "core_share": core_share}
    return Measurement(name, work, "s", cpu(timings), bar=bar, details=details)


def _memory(context: Context, name: str, work: str, runs: Runs) -> Iterator[Measurement]:
    """The whole process, Python and all."""
    peak = _megabytes(runs)
    line = Measurement(f"{name} memory", work, "MB", peak)
    yield replace(line, bar=context.sized_bar("<=", 300))
    yield replace(
        line,
        name=f"{name} memory digest",
        against=DIGEST,
        theirs=DIGEST_MEGABYTES,
        ratio=peak / DIGEST_MEGABYTES,
    )


def _few(context: Context) -> range:
    return range(1 if context.sizes == QUICK else 3)


# Beside the peers


@dataclass(frozen=True, slots=True)
class Rival:
    """A peer's way from file to file, and how many rows of the last run went."""

    name: str
    package: str
    title: str
    run: Callable[[Path, Path], process_usage.Run]
    removed: Callable[[process_usage.Run, int, Path], int]


def _datasketch(path: Path, folder: Path) -> process_usage.Run:
    script = peers.HERE / "peer_dedupe.py"
    return process_usage.run([peers.PYTHON, script, path, folder / "kept.jsonl"], peers.ONE_THREAD)


def _text_dedup(path: Path, folder: Path) -> process_usage.Run:
    """Its own command, which keeps a cache that would answer the second run."""
    out, cache = folder / "text-dedup", folder / "text-dedup-cache"
    for old in (out, cache):
        rmtree(old, ignore_errors=True)
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(cache / "home")}
    options: Mapping[str, Any] = {
        "path": "json",
        "data_files": path,
        "split": "train",
        "cache_dir": cache,
        "output": out,
        "column": "text",
        "num_proc": 1,
        "ngram": 5,
        "num_perm": 128,
        "threshold": 0.5,
        "hash_func": "xxh3",
        "hash_bits": 32,
    }
    flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    python = peers.TEXT_DEDUP / "bin" / "python"
    return process_usage.run(
        [python, "-m", "text_dedup.minhash", *flags], {**peers.ONE_THREAD, **offline}
    )


def _text_dedup_removed(_: process_usage.Run, count: int, folder: Path) -> int:
    """Counted in its output: the metadata of the set still lists all rows."""
    count_rows = "import datasets, sys; print(len(datasets.load_from_disk(sys.argv[1])))"
    python = peers.TEXT_DEDUP / "bin" / "python"
    return count - int(process_usage.run([python, "-c", count_rows, folder / "text-dedup"]).output)


RIVALS = (
    Rival(
        "datasketch",
        "datasketch",
        "datasketch MinHashLSH script",
        _datasketch,
        lambda run, _, __: int(run.output),
    ),
    Rival(
        "text-dedup",
        "text-dedup",
        "text-dedup MinHash command",
        _text_dedup,
        _text_dedup_removed,
    ),
)


def _there(rival: Rival, context: Context) -> bool:
    if context.worker is None:
        return False
    if rival.package == "text-dedup":
        return peers.install_text_dedup(context.say) is None
    return context.has(rival.package)


def _turns(context: Context, path: Path, rivals: Sequence[Rival]) -> dict[str, Runs]:
    """Rounds of each in turn: all against all, as the peers have no window."""
    rounds: dict[str, Runs] = {"nearcopy": [], **{rival.name: [] for rival in rivals}}
    with one_core():
        for _ in _few(context):
            rounds["nearcopy"].append(_nearcopy(path, context.folder, "--window", "all"))
            for rival in rivals:
                context.say(f"dedupe: {rival.title}")
                rounds[rival.name].append(rival.run(path, context.folder))
    return rounds


def _nearcopy(path: Path, folder: Path, *flags: str) -> process_usage.Run:
    return process_usage.run(
        [COMMAND, "dedupe", path, "-o", folder / "out.jsonl", "--quiet", *flags]
    )


def _own_line(runs: Runs, count: int, folder: Path) -> Measurement:
    title = f"`nearcopy dedupe --window all`, allsides ({count:,}): memory at most"
    details = {"duplicates": _marked(folder)}
    return Measurement("dedupe/allsides memory", title, "MB", _megabytes(runs), details=details)


def _beside(
    rival: Rival, ours: Runs, theirs: Runs, count: int, context: Context
) -> Iterator[Measurement]:
    removed = rival.removed(theirs[-1], count, context.folder)
    marked = _marked(context.folder)
    title = f"allsides ({count:,}) from file to file"
    work = Work(f"dedupe/allsides {rival.name}", title, "articles/s", count)
    seconds = f"{_median(ours):.1f} and {_median(theirs):.1f} seconds by the clock"
    note = f"{seconds}; {marked} and {removed} duplicates"
    timings = [[Timing(run.wall, run.cpu) for run in runs] for runs in (ours, theirs)]
    yield race(work, timings[0], timings[1], rival.title, note=note)
    peaks = _megabytes(ours), _megabytes(theirs)
    yield Measurement(
        f"{work.name} memory",
        f"{title}: memory at most",
        "MB",
        peaks[0],
        against=rival.title,
        theirs=peaks[1],
        ratio=peaks[1] / peaks[0],
    )
    yield Measurement(
        f"{work.name} duplicates",
        f"{title}: duplicates found",
        "articles",
        marked,
        against=rival.title,
        theirs=removed,
    )


def _windowed(context: Context, path: Path, count: int) -> Measurement:
    with one_core():
        runs = [_nearcopy(path, context.folder) for _ in _few(context)]
    timings = [Timing(run.wall, run.cpu) for run in runs]
    title = f"`nearcopy dedupe`, allsides ({count:,}), window of 14 days"
    line = _seconds("dedupe/allsides window", title, timings, None)
    line.details["duplicates"] = _marked(context.folder)
    return line


def _marked(folder: Path) -> int:
    with (folder / "out.jsonl").open(encoding="utf-8") as lines:
        return sum(json.loads(line)["is_duplicate"] for line in lines)


def _median(runs: Runs) -> float:
    return median(run.wall for run in runs)


def _megabytes(runs: Runs) -> float:
    return median(run.peak_bytes for run in runs) / 1e6


# What is read


def _written(path: Path, count: int) -> Path:
    """A file of articles of the made-up wire."""
    with path.open("w", encoding="utf-8") as out:
        for article in newswire.wire(count, DAYS):
            out.write(json.dumps(_row(article)) + "\n")
    return path


def _row(article: Any) -> dict[str, str]:
    named = {name: getattr(article, name) for name in ("id", "title", "text", "url", "source")}
    return named | {"published": article.published.isoformat()}


def _unpacked(path: Path, most: int | None) -> int:
    """The first articles of allsides as plain JSONL, and their number."""
    source = corpora.DATA / "allsides" / "articles.jsonl.gz"
    with gzip.open(source, "rb") as packed, path.open("wb") as out:
        if most is None:
            copyfileobj(packed, out)
        else:
            out.writelines(islice(packed, most))
    with path.open("rb") as lines:
        return sum(1 for _ in lines)
