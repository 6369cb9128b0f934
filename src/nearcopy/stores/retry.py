"""Retry transactions that failed for a transient reason, with exponential backoff."""

import logging
from collections.abc import Callable
from functools import wraps
from random import uniform
from time import monotonic, sleep
from typing import ParamSpec, TypeVar

from nearcopy.errors import StoreError, TransientStoreError

MAX_ATTEMPTS = 8
MAX_SECONDS = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 2.0  # seconds, doubled after each attempt
log = logging.getLogger("nearcopy")

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def retry_transient(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The function, retried on `TransientStoreError`: a few times within a minute.

    A failed transaction leaves nothing in the store, so it can simply be run again.
    """

    @wraps(function)
    def wrapper(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        deadline = monotonic() + MAX_SECONDS
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return function(*args, **kwargs)
            except TransientStoreError as error:
                pause = _backoff(attempt)
                if attempt == MAX_ATTEMPTS or monotonic() + pause > deadline:
                    times = "once" if attempt == 1 else f"{attempt} times"
                    raise StoreError(
                        f"{error} (tried {times}): look at the server and its log, then try again"
                    ) from error
                log.info("retrying in %.3f s: %s", pause, error)
                sleep(pause)
        raise AssertionError  # the last attempt returns or raises

    return wrapper


def _backoff(attempt: int) -> float:
    """Seconds to wait, with jitter so that workers that failed together do not retry together."""
    longest = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)
    return uniform(longest / 2, longest)  # noqa: S311  # nothing depends on it but the time
