"""Consume a stream: take messages, add their articles, forward the outcomes, acknowledge."""

import logging
from collections.abc import Callable, Sequence
from time import monotonic

from nearcopy.deduper.deduper import BATCH_SIZE, Deduper
from nearcopy.errors import RecipeMismatch, StoreError
from nearcopy.io.streams.messages import Message, Outcome, Sink, Stream
from nearcopy.io.streams.metrics import Counts
from nearcopy.io.streams.process import process_messages
from nearcopy.stores.retry import Backoff

WAIT_SECONDS = 0.25  # for messages, and until a request to stop is noticed
RETRY_SECONDS = 120.0  # for which store errors are retried
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
log = logging.getLogger("nearcopy")


def _never() -> bool:
    return False


def consume(
    stream: Stream,
    deduper: Deduper,
    *,
    sinks: Sequence[Sink] = (),
    batch: int = BATCH_SIZE,
    stopping: Callable[[], bool] = _never,
    idle_seconds: float | None = None,
    counts: Counts | None = None,
) -> Counts:
    """Consume a stream to its end, until it is to stop, or until it was idle for so long.

    A batch that was begun is completed. Messages are acknowledged once their articles are in the
    store, so that none is lost; a message that is delivered again gets the verdict that it had.
    """
    counts = counts or Counts()
    last = monotonic()
    while not stream.ended and not stopping():
        messages = stream.take(batch, WAIT_SECONDS)
        start = monotonic()
        if messages:
            outcomes = _process_with_retry(deduper, messages, stopping, counts)
            if outcomes is None:
                break
            for sink in sinks:
                sink.write(outcomes)
            stream.settle(outcomes)
            last = monotonic()
            counts.count(outcomes, last - start, stream.lag())
        elif idle_seconds is not None and start - last >= idle_seconds:
            break
    return counts


def _process_with_retry(
    deduper: Deduper, messages: Sequence[Message], stopping: Callable[[], bool], counts: Counts
) -> list[Outcome] | None:
    """The outcomes, retried with exponential backoff; None if it is to stop meanwhile."""
    backoff = Backoff(RETRY_SECONDS, FIRST_PAUSE, LONGEST_PAUSE)
    while True:
        try:
            return process_messages(deduper, messages)
        except RecipeMismatch:
            raise
        except StoreError as exc:
            counts.store_errors += 1
            if backoff.expired:
                raise
            log.warning("retrying in %.1f s: %s", backoff.pause, exc)
        if stopping():
            return None
        backoff.sleep()
