"""Stores: check and add, and check, in a window, beside ten times as many articles outside it."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from json import dumps
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np

import process_usage
from context import QUICK, Context
from results import Measurement, Work, rate
from timing import Timing, one_core, wall

DAYS = 14.0
OLDER_DAYS = 140.0
ALL_DAYS = 200.0
# Questions are of now, so that what is older than the window is outside theirs.
ASKED_DAYS = 0.01
SMALL = 500
MOST_SECONDS = 60.0  # for the questions of one process
SCRIPT = "store_cases.py"
# A temporary folder may be in memory, and what is not on a disk is not durable.
DISK = Path(__file__).resolve().parent.parent / "build"


@dataclass(frozen=True, slots=True)
class Amounts:
    """How many articles, and how often."""

    window: int = 100_000
    older: int = 1_000_000
    older_added: int = 20_000  # of the older, the rest is filed only
    chunk: int = 5000
    last: int = 10_000
    questions: int = 2000
    rounds: int = 3
    all_questions: int = 200  # with all in the window these take far longer
    all_added: int = 512
    reopened: int = 21
    writers: int = 8
    each_writer: int = 2500


FEW = Amounts(
    window=600,
    older=1200,
    older_added=200,
    chunk=200,
    last=200,
    questions=40,
    rounds=1,
    all_questions=20,
    all_added=50,
    reopened=3,
    writers=2,
    each_writer=100,
)


@dataclass(slots=True)
class Asked:
    """The answers of several rounds of the same questions."""

    rounds: list[dict[str, Any]] = field(default_factory=list)

    @property
    def milliseconds(self) -> np.ndarray[Any, Any]:
        """The time of each question, the median of the rounds."""
        return np.median([answers["times"] for answers in self.rounds], axis=0) * 1e3

    @property
    def details(self) -> dict[str, Any]:
        """What is stated beside a measurement of these."""
        times = np.concatenate([answers["times"] for answers in self.rounds])
        return {
            "rounds": len(self.rounds),
            "questions": len(self.rounds[0]["times"]),
            "duplicates": self.rounds[0]["found"],
            "p99_of_all_rounds": float(np.percentile(times, 99) * 1e3),
            "core_share": sum(answers["cpu"] for answers in self.rounds) / float(times.sum()),
        }

    def median(self, key: str) -> float:
        """The median over the rounds of what was measured once in each."""
        return float(np.median([answers[key] for answers in self.rounds]))


def stores(context: Context) -> Iterator[Measurement]:
    """A window of articles, ten times as many older ones, then all of them in the window."""
    for line in _steps(context, FEW if context.sizes == QUICK else Amounts()):
        context.say(f"{line.work}: {line.ours:.4g} {line.unit}")  # the whole takes minutes
        yield line


def _steps(context: Context, amounts: Amounts) -> Iterator[Measurement]:
    with _folder() as folder:
        path, alone = folder / "seen.db", folder / "window.db"
        yield from _filled(context, amounts, path)
        copyfile(path, alone)
        yield from _older(context, amounts, path)
        yield from _checks(context, amounts, alone, path)
        yield from _all_in_window(context, amounts, path)


def small_store(context: Context) -> Iterator[Measurement]:
    """A store of 500 articles opened, its window read and one article checked."""
    amounts = FEW if context.sizes == QUICK else Amounts()
    with _folder() as folder, one_core():
        address = _address(folder / "small.db")
        _case("fill", address=address, count=SMALL, days=DAYS, chunk=SMALL)
        times = _case("reopen", address=address, filed=SMALL, days=DAYS, rounds=amounts.reopened)
    timings = [Timing(*seconds) for seconds in times]
    yield Measurement(
        "stores/small",
        f"a store of {SMALL} opened, its window read, one checked",
        "ms",
        1e3 * wall(timings),
        bar=context.sized_bar("<=", 50),
        details={"rounds": len(timings), "most": 1e3 * max(timing.wall for timing in timings)},
    )


def writers(context: Context) -> Iterator[Measurement]:
    """Several processes that check and add to one file at once."""
    amounts = FEW if context.sizes == QUICK else Amounts()
    count = amounts.writers * amounts.each_writer
    with _folder() as folder:
        address = _address(folder / "shared.db")
        _case("fill", address=address, count=1, days=DAYS, chunk=1)
        took = _together(address, amounts)
    yield Measurement(
        "stores/writers",
        f"check and add, {amounts.writers} processes at once into one file, in total",
        "articles/s",
        count / took,
        note="by the clock, from when all are ready until the last is done",
        details={"articles": count, "cores": len(os.sched_getaffinity(0))},
    )


def _together(address: str, amounts: Amounts) -> float:
    """The seconds until the last of the processes is done, from when all were ready."""
    started = [_writer(address, amounts, name) for name in range(amounts.writers)]
    for process in started:
        _pipe(process.stdout).readline()
    start = time.perf_counter()
    for process in started:
        _pipe(process.stdin).close()
    ends = [process.wait() for process in started]
    took = time.perf_counter() - start
    for process in started:
        _pipe(process.stdout).close()
    if any(ends):
        raise process_usage.ProcessError("a process that adds to a shared file failed")
    return took


def _writer(address: str, amounts: Amounts, name: int) -> "subprocess.Popen[str]":
    arguments = {"address": address, "count": amounts.each_writer, "days": DAYS, "name": f"w{name}"}
    command = [sys.executable, str(process_usage.HERE / SCRIPT), "write", dumps(arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe
    return pipe


def _filled(context: Context, amounts: Amounts, path: Path) -> Iterator[Measurement]:
    context.say(f"stores: {amounts.window:,} articles over {DAYS:.0f} days")
    chunks = _adding(
        "fill", address=_address(path), count=amounts.window, days=DAYS, chunk=amounts.chunk
    )
    title = f"check and add, the first {amounts.window:,} articles of a window"
    yield _rate("stores/fill", title, amounts.window, chunks, context)
    last = chunks[-(amounts.last // amounts.chunk) :]
    title = f"check and add, the last {amounts.last:,} of these"
    yield _rate("stores/fill last", title, amounts.last, last, context)
    yield Measurement(
        "stores/disk",
        f"disk, {amounts.window:,} articles with their texts",
        "B/article",
        path.stat().st_size / amounts.window,
    )


def _older(context: Context, amounts: Amounts, path: Path) -> Iterator[Measurement]:
    context.say(f"stores: {amounts.older:,} older articles")
    chunks = _adding(
        "older",
        address=_address(path),
        count=amounts.older,
        days=OLDER_DAYS,
        before=DAYS,
        added=amounts.older_added,
        chunk=amounts.chunk,
    )
    title = f"check and add, {amounts.older_added:,} just before the window, {_stored(amounts)}"
    yield _rate("stores/older", title, amounts.older_added, chunks, context)


def _checks(context: Context, amounts: Amounts, alone: Path, path: Path) -> Iterator[Measurement]:
    """The same questions to the window alone and to the store that has all, by turns."""
    context.say("stores: checks in the window")
    before, after = Asked(), Asked()
    for _ in range(amounts.rounds):
        before.rounds.append(_ask(amounts, alone, DAYS))
        after.rounds.append(_ask(amounts, path, DAYS))
    yield _percentile("stores/check", f"check, {amounts.window:,} stored", 50, before)
    yield _percentile("stores/check p99", f"check, {amounts.window:,} stored", 99, before)
    title = f"check, window of {amounts.window:,}, {_stored(amounts)}"
    p99 = context.sized_bar("<=", 10)
    yield _percentile("stores/window p99", title, 99, after, bar=p99)
    overall, window_alone = np.median(after.milliseconds), np.median(before.milliseconds)
    yield Measurement(
        "stores/growth",
        f"{title}, median",
        "ms",
        float(overall),
        against="the window alone",
        theirs=float(window_alone),
        ratio=float(overall / window_alone),
        bar=context.sized_bar("<=", 1.2),
        details=after.details,
    )
    yield _cold("stores/cold", f"opened, window of {amounts.window:,} read, one checked", after)
    yield _memory("stores/memory", f"memory, window of {amounts.window:,}", after, amounts.window)


def _all_in_window(context: Context, amounts: Amounts, path: Path) -> Iterator[Measurement]:
    context.say("stores: checks with all in the window")
    count = amounts.window + amounts.older
    answers = Asked([_ask(amounts, path, ALL_DAYS)])
    title = f"check, all {count:,} in the window"
    yield _percentile("stores/all", title, 50, answers)
    yield _percentile("stores/all p99", title, 99, answers, bar=context.sized_bar("<=", 10))
    mixed = Asked([_ask(amounts, path, ALL_DAYS, DAYS)])
    yield _percentile("stores/all mixed", f"{title}, of any day of {DAYS:.0f}", 50, mixed)
    yield _cold("stores/all cold", f"opened, window of {count:,} read, one checked", answers)
    yield _memory("stores/all memory", f"memory, window of {count:,}", answers, count)
    chunks = _adding(
        "add",
        address=_address(path),
        count=amounts.all_added,
        days=ASKED_DAYS,
        window=ALL_DAYS,
        name="more",
    )
    title = f"check and add, {amounts.all_added:,} more, all {count:,} in the window"
    yield _rate("stores/all add", title, amounts.all_added, chunks, None)
    size = path.stat().st_size / (count + amounts.all_added)
    yield Measurement("stores/all disk", f"disk, {count:,} articles", "B/article", size)


def _stored(amounts: Amounts) -> str:
    return f"{amounts.window + amounts.older:,} stored"


def _rate(
    name: str, title: str, count: int, chunks: Sequence[Timing], context: Context | None
) -> Measurement:
    """Articles a second by the clock, which waits for the disk; by the processor's beside it."""
    total = Timing(sum(chunk.wall for chunk in chunks), sum(chunk.cpu for chunk in chunks))
    line = rate(Work(name, title, "articles/s", count), [total], clock=wall)
    line.details["by_the_processor"] = count / total.cpu
    line.details["seconds_of_chunks"] = [chunk.wall for chunk in chunks]
    bar = context.sized_bar(">=", 2000) if context else None
    return Measurement(name, title, line.unit, line.ours, bar=bar, details=line.details)


def _percentile(name: str, title: str, percent: int, asked: Asked, **given: Any) -> Measurement:
    value = float(np.percentile(asked.milliseconds, percent))
    which = "median" if percent == 50 else f"p{percent}"
    return Measurement(name, f"{title}, {which}", "ms", value, details=asked.details, **given)


def _cold(name: str, title: str, asked: Asked) -> Measurement:
    return Measurement(name, title, "s", asked.median("first"), note="the file in the page cache")


def _memory(name: str, title: str, asked: Asked, count: int) -> Measurement:
    return Measurement(name, f"{title}, resident", "B/article", asked.median("grown") / count)


def _ask(amounts: Amounts, path: Path, window: float, days: float = ASKED_DAYS) -> Any:
    count = amounts.questions if window == DAYS else amounts.all_questions
    with one_core():
        return _case(
            "ask",
            address=_address(path),
            filed=amounts.window,
            count=count,
            days=days,
            window=window,
            most_seconds=MOST_SECONDS,
        )


def _adding(case: str, **given: Any) -> list[Timing]:
    with one_core():
        return [Timing(*seconds) for seconds in _case(case, **given)]


def _case(case: str, **given: Any) -> Any:
    answer, _ = process_usage.case(SCRIPT, case, given)
    return answer


def _folder() -> "TemporaryDirectory[str]":
    DISK.mkdir(exist_ok=True)
    return _Folder(dir=DISK)


class _Folder(TemporaryDirectory[str]):
    """A temporary folder, as a path."""

    def __enter__(self) -> Path:  # type: ignore[override]
        return Path(super().__enter__())


def _address(path: Path) -> str:
    return f"sqlite:///{path}"
