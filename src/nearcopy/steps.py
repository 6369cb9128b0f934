"""Steps: done again where a store lost one through no fault of its own."""

import logging
from collections.abc import Callable
from functools import wraps
from random import uniform
from time import monotonic, sleep
from typing import ParamSpec, TypeVar

from nearcopy.errors import StoreError, TryAgain

TRIES = 8
MOST_SECONDS = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 2.0  # seconds; each is twice the one before
log = logging.getLogger("nearcopy")

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def tried(step: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """The step, which is done again where it was lost; a few times within a minute.

    Nothing of a lost step is in the store, so it may read and write as if for the first time.
    """

    @wraps(step)
    def again(*given: Given.args, **named: Given.kwargs) -> Answer:
        end = monotonic() + MOST_SECONDS
        for tries in range(1, TRIES + 1):
            try:
                return step(*given, **named)
            except TryAgain as lost:
                pause = _pause(tries)
                if tries == TRIES or monotonic() + pause > end:
                    raise StoreError(
                        f"{lost} ({_times(tries)}): look at the server and its log, then try again"
                    ) from lost
                log.info("trying again in %.3f s: %s", pause, lost)
                sleep(pause)
        raise AssertionError  # the last try answers or raises

    return again


def _pause(tries: int) -> float:
    """Seconds to wait: longer each time, and not as long as others who lost by the same."""
    longest = min(FIRST_PAUSE * 2**tries, LONGEST_PAUSE)
    return uniform(longest / 2, longest)  # noqa: S311  # nothing depends on it but the time


def _times(tries: int) -> str:
    return "tried once" if tries == 1 else f"tried {tries} times"
