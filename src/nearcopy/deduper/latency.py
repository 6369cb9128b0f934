"""Times: how long checks and adds took, as counts small enough to keep for every day."""

from collections.abc import Mapping
from datetime import date, timedelta
from math import ceil, log2
from threading import Lock
from typing import NamedTuple

from nearcopy.stores.base import Counts

PER_DOUBLING = 8  # steps: a time is known to within 9 %
LONGEST = 40 * PER_DOUBLING  # twelve days
MOST = 4096  # counts held in memory, where nothing is written for long
KEPT_DAYS = 4  # of these, once there are more; a day has 642 at most


class Timing(NamedTuple):
    """How long some work took: half of it at most the median, 95 of 100 at most p95."""

    times: int
    median: timedelta
    p95: timedelta
    p99: timedelta


class Times:
    """Times of this process that were not handed to a store yet; those of the last days.

    Threads may count at the same time.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: dict[tuple[int, str, int], int] = {}

    @property
    def counts(self) -> Counts:
        """All counts that are held."""
        with self._lock:
            return dict(self._counts)

    def count(self, day: date, work: str, seconds: float, times: int = 1) -> None:
        """Take note that some work took so long, so many times."""
        number = (day - EPOCH).days
        key = number, work, step_of(seconds)
        with self._lock:
            self._counts[key] = self._counts.get(key, 0) + times
            if len(self._counts) > MOST:
                kept = {k: n for k, n in self._counts.items() if k[0] > number - KEPT_DAYS}
                self._counts = kept

    def let_go(self, counts: Counts) -> None:
        """Hold these counts no more, as somebody else has them; what came since stays."""
        with self._lock:
            left = {key: n - counts.get(key, 0) for key, n in self._counts.items()}
            self._counts = {key: n for key, n in left.items() if n > 0}


EPOCH = date(1970, 1, 1)


def step_of(seconds: float) -> int:
    """The step that a time falls into: the first is a microsecond, eight are a doubling.

    >>> [step_of(each) for each in (0, 1e-6, 2e-6, 0.001)]
    [0, 0, 8, 80]
    """
    return min(max(ceil(PER_DOUBLING * log2(max(seconds, 1e-9) * 1e6)), 0), LONGEST)


def time_of(step: int) -> timedelta:
    """The longest time that falls into a step."""
    return timedelta(microseconds=round(2 ** (step / PER_DOUBLING)))


def added(one: Counts, other: Counts) -> Counts:
    """The counts of both."""
    return {**one, **{key: one.get(key, 0) + count for key, count in other.items()}}


def timings(counts: Counts) -> dict[str, Timing]:
    """How long each kind of work took."""
    found: dict[str, dict[int, int]] = {}
    for (_, work, step), count in counts.items():
        mine = found.setdefault(work, {})
        mine[step] = mine.get(step, 0) + count
    return {work: _timing(found[work]) for work in sorted(found)}


def timings_by_day(counts: Counts) -> dict[date, dict[str, Timing]]:
    """The same for each day."""
    days: dict[int, dict[tuple[int, str, int], int]] = {}
    for key, count in counts.items():
        days.setdefault(key[0], {})[key] = count
    return {EPOCH + timedelta(days=day): timings(days[day]) for day in sorted(days)}


def _timing(steps: Mapping[int, int]) -> Timing:
    total = sum(steps.values())
    median, p95, p99 = (_at(steps, share * total) for share in (0.5, 0.95, 0.99))
    return Timing(total, median, p95, p99)


def _at(steps: Mapping[int, int], wanted: float) -> timedelta:
    """The time that so many took at most."""
    seen = 0
    for step in sorted(steps):
        seen += steps[step]
        if seen >= wanted:
            return time_of(step)
    return timedelta(0)
