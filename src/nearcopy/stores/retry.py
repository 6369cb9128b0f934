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


def tried(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """The step, which is done again where it was lost; a few times within a minute.

    Nothing of a lost step is in the store, so it may read and write as if for the first time.
    """

    @wraps(function)
    def wrapper(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        end = monotonic() + MOST_SECONDS
        for attempt in range(1, TRIES + 1):
            try:
                return function(*args, **kwargs)
            except TryAgain as error:
                pause = _pause(attempt)
                if attempt == TRIES or monotonic() + pause > end:
                    raise StoreError(
                        f"{error} ({_times(attempt)}): "
                        "look at the server and its log, then try again"
                    ) from error
                log.info("trying again in %.3f s: %s", pause, error)
                sleep(pause)
        raise AssertionError  # the last try answers or raises

    return wrapper


def _pause(attempt: int) -> float:
    """Seconds to wait: longer each time, and not as long as others who lost by the same."""
    longest = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)
    return uniform(longest / 2, longest)  # noqa: S311  # nothing depends on it but the time


def _times(attempts: int) -> str:
    return "tried once" if attempts == 1 else f"tried {attempts} times"
