"""Retries with exponential backoff, of stores, streams, sinks and the service."""

import logging
from collections.abc import Callable
from functools import wraps
from random import uniform
from time import monotonic, sleep
from typing import ParamSpec, TypeVar

from nearcopy.errors import StoreError, TransientStoreError

MAX_ATTEMPTS = 8
MAX_SECONDS = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 2.0  # seconds, doubled after each attempt
log = logging.getLogger("nearcopy")

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Backoff:
    """Pauses between the attempts of one operation: each twice as long as the last, with jitter.

    Workers that failed together do not retry together.
    """

    def __init__(self, seconds: float, first: float, longest: float) -> None:
        self._deadline = monotonic() + seconds
        self._bound, self._longest = first, longest
        self.pause = 0.0
        self.next_pause()

    @property
    def expired(self) -> bool:
        """Whether the time would be over before the next attempt."""
        return monotonic() + self.pause > self._deadline

    def sleep(self) -> None:
        """Wait for the next attempt."""
        sleep(self.next_pause())

    def next_pause(self) -> float:
        """The seconds to wait now; `pause` becomes what follows."""
        pause = self.pause
        self.pause = uniform(self._bound / 2, self._bound)  # noqa: S311  # nothing but the time depends on it
        self._bound = min(2 * self._bound, self._longest)
        return pause


def retry_transient(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The function, retried on `TransientStoreError`: a few times within a minute.

    A failed transaction leaves nothing in the store, so it can simply be run again.
    """

    @wraps(function)
    def wrapper(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        backoff = Backoff(MAX_SECONDS, FIRST_PAUSE, LONGEST_PAUSE)
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return function(*args, **kwargs)
            except TransientStoreError as error:
                if attempt == MAX_ATTEMPTS or backoff.expired:
                    times = "once" if attempt == 1 else f"{attempt} times"
                    raise StoreError(
                        f"{error} (tried {times}): look at the server and its log, then try again"
                    ) from error
                log.info("retrying in %.3f s: %s", backoff.pause, error)
                backoff.sleep()
        raise AssertionError  # the last attempt returns or raises

    return wrapper
