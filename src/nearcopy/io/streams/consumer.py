"""Consuming: take messages, add their articles, hand on what came of them, have none come again."""

import logging
from collections.abc import Callable, Sequence
from time import monotonic, sleep

from nearcopy.deduper.deduper import BATCH_SIZE, Deduper
from nearcopy.errors import RecipeMismatch, StoreError
from nearcopy.io.streams.messages import Message, Outcome, Sink, Stream
from nearcopy.io.streams.metrics import Counts
from nearcopy.io.streams.process import process_messages

WAIT_SECONDS = 0.25  # for messages, and so until a wish to stop is seen
PATIENCE_SECONDS = 120.0  # with a store that cannot be used
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
    """Consume a stream to its end, or until it is told to stop, or nothing came for so long.

    A batch that was begun is finished. Messages are settled once their articles are in the store,
    so that whatever happens none is lost; one that comes again is judged as when it came.
    """
    counts = counts or Counts()
    last = monotonic()
    while not stream.ended and not stopping():
        messages = stream.take(batch, WAIT_SECONDS)
        start = monotonic()
        if messages:
            outcomes = _patiently(deduper, messages, stopping, counts)
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


def _patiently(
    deduper: Deduper, messages: Sequence[Message], stopping: Callable[[], bool], counts: Counts
) -> list[Outcome] | None:
    """What came of the messages, None where it is to stop while the store cannot be used."""
    end, pause = monotonic() + PATIENCE_SECONDS, FIRST_PAUSE
    while True:
        try:
            return process_messages(deduper, messages)
        except RecipeMismatch:
            raise
        except StoreError as exc:
            counts.store_errors += 1
            if monotonic() + pause > end:
                raise
            log.warning("trying again in %.1f s: %s", pause, exc)
        if stopping():
            return None
        sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
