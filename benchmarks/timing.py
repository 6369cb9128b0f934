"""Timing: rounds of several contenders in turn, on one core. Standard library only, so that the
peers' interpreter can import it too."""

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import NamedTuple

# A round repeats short work until it has lasted this long, so that a stumble of the machine
# does not decide it.
LEAST_SECONDS = 0.25


class Timing(NamedTuple):
    """Seconds for one pass of the work, by the clock and by the processor."""

    wall: float
    cpu: float


class Contender(NamedTuple):
    """Something that can be timed for one round."""

    name: str
    run: Callable[[], Timing]


def timed(work: Callable[[], object], least: float = LEAST_SECONDS) -> Timing:
    """The time of one pass: work is repeated, its result freed outside the clock."""
    passes, wall, cpu = 0, 0.0, 0.0
    gc.collect()
    gc.disable()
    try:
        while passes == 0 or wall < least:
            wall_start, cpu_start = time.perf_counter(), time.process_time()
            result = work()
            cpu += time.process_time() - cpu_start
            wall += time.perf_counter() - wall_start
            del result
            passes += 1
    finally:
        gc.enable()
    return Timing(wall / passes, cpu / passes)


def fastest(ways: dict[str, Callable[[], object]], tries: int = 2) -> str:
    """The name of the quickest of several ways to do one work."""
    if len(ways) == 1:
        return next(iter(ways))
    return min(ways, key=lambda name: min(timed(ways[name], 0).cpu for _ in range(tries)))


def interleaved(contenders: Sequence[Contender], rounds: int) -> dict[str, list[Timing]]:
    """The timings of every contender, one round of each in turn, another first each time."""
    timings: dict[str, list[Timing]] = {contender.name: [] for contender in contenders}
    for turn in range(rounds):
        first = turn % len(contenders)
        for contender in (*contenders[first:], *contenders[:first]):
            timings[contender.name].append(contender.run())
    return timings


def wall(timings: Sequence[Timing]) -> float:
    """The median seconds of a pass by the clock."""
    return median(timing.wall for timing in timings)


def cpu(timings: Sequence[Timing]) -> float:
    """The median seconds of a pass by the processor."""
    return median(timing.cpu for timing in timings)


@contextmanager
def one_core() -> Iterator[None]:
    """Pin this process, and those it starts meanwhile, to one of its cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
