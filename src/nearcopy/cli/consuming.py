"""The work of `nearcopy consume`: open the stream, go on until told to stop, say how it goes."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from socket import gethostname
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import typer

from nearcopy.cli.indexing import index
from nearcopy.cli.stored import MEMORY, adding
from nearcopy.cli.terminal import INTERRUPTED, counted, noted, write_lines
from nearcopy.config.spans import span
from nearcopy.errors import NearcopyError
from nearcopy.streams import Counts, Kind, Outcome, Sink, Stream, consume
from nearcopy.streams.lines import LineStream
from nearcopy.streams.messages import Outputs, outcome_row

if TYPE_CHECKING:
    from nearcopy.config import Policy, Recipe

STDIN = "-"
REDIS = ("redis://", "rediss://", "unix://")
TOLD_EVERY = 10.0  # seconds between two words on how it goes
MOST_WARNED = 20  # of messages that cannot be read, in that time


class Writing(NamedTuple):
    """What is written to stdout."""

    new_only: bool
    evidence: bool
    as_json: bool
    dead_letters: bool  # whether what cannot be read goes somewhere


class Running(NamedTuple):
    """How a stream is consumed."""

    batch: int
    idle: str | None
    metrics: str | None
    quiet: bool
    index_at: str | None = None


class Into(NamedTuple):
    """The store that remembers, and how it judges."""

    address: str
    recipe: "Recipe | None"
    policy: "Policy"
    pool: str | None
    threads: int


class Asked(NamedTuple):
    """The stream that was asked for: one of a file, brokers and a stream of Redis is given."""

    file: str | None
    brokers: str | None
    topics: list[str]
    redis_stream: str | None
    redis: str | None
    group: str
    consumer: str | None
    outputs: Outputs
    transactional_id: str | None
    kafka_config: Path | None
    claim_after: str
    max_length: int | None


@contextmanager
def opened(asked: Asked, into: Into, writing: Writing) -> Iterator[Stream]:
    """The stream that was asked for."""
    given = [asked.file, asked.brokers, asked.redis_stream]
    if sum(each is not None for each in given) != 1:
        raise NearcopyError(
            "which stream? Give one of FILE (- for stdin), --brokers HOST:PORT with --topic NAME, "
            "and --redis-stream NAME"
        )
    if asked.file is not None:
        if any(asked.outputs):
            raise NearcopyError("lines are answered on stdout: topics and streams are for others")
        with _lines(asked.file, writing) as lines:
            yield lines
        return
    if into.address.startswith(MEMORY):
        raise NearcopyError(
            f"{into.address} forgets when it ends what it has acknowledged: "
            "give a store that lasts, such as --store seen.db"
        )
    stream = _redis(asked, into) if asked.redis_stream else _kafka(asked)
    try:
        yield stream
    finally:
        stream.close()


@contextmanager
def _lines(file: str, writing: Writing) -> Iterator[LineStream]:
    """The lines of a file, or of stdin."""
    started = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    with ExitStack() as stack:
        read: BinaryIO = sys.stdin.buffer
        if file != STDIN:
            read = stack.enter_context(Path(file).open("rb"))
        name = "stdin" if file == STDIN else file
        yield LineStream(read, f"{name}@{started}", Answers(writing))


def _redis(asked: Asked, into: Into) -> Stream:
    from nearcopy.streams.redis import RedisSettings, RedisStream

    address = asked.redis or into.address
    if not address.startswith(REDIS):
        raise NearcopyError("where is the stream? Give --redis redis://host:6379/0")
    settings = RedisSettings(
        address=address,
        stream=str(asked.redis_stream),
        group=asked.group,
        consumer=asked.consumer or f"{gethostname()}-{os.getpid()}",
        outputs=asked.outputs,
        claim_seconds=span(asked.claim_after).total_seconds(),
        max_length=asked.max_length,
        leave=asked.consumer is None,
    )
    return RedisStream(settings)


def _kafka(asked: Asked) -> Stream:
    from nearcopy.streams.kafka import KafkaSettings, KafkaStream

    if not asked.topics:
        raise NearcopyError("which topic? Give --topic NAME")
    settings = KafkaSettings(
        brokers=str(asked.brokers),
        topics=tuple(asked.topics),
        group=asked.group,
        outputs=asked.outputs,
        transactional_id=asked.transactional_id,
        more=kafka_config(asked.kafka_config) if asked.kafka_config else {},
    )
    return KafkaStream(settings)


def kafka_config(file: Path) -> dict[str, str]:
    """The settings in a file of lines such as `security.protocol=SSL`; # begins a remark."""
    found: dict[str, str] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), start=1):
        name, equals, value = line.partition("=")
        if line.strip() and not line.lstrip().startswith("#"):
            if not equals:
                raise NearcopyError(f"{file}, line {number}: write name=value")
            found[name.strip()] = value.strip()
    return found


class Answers:
    """Writes an answer for each line, at once; or of new articles the lines."""

    def __init__(self, writing: Writing) -> None:
        self._writing = writing

    def __call__(self, outcomes: Sequence[Outcome]) -> None:
        """Write them."""
        if self._writing.new_only:
            new = [each for each in outcomes if each.kind is Kind.UNIQUE and not each.again]
            sys.stdout.buffer.writelines(each.message.data.rstrip() + b"\n" for each in new)
            sys.stdout.buffer.flush()
        else:
            write_lines(self._row(each) for each in outcomes)

    def _row(self, outcome: Outcome) -> dict[str, Any]:
        if outcome.verdict is None:
            return {"line": outcome.message.token, "error": outcome.why}
        return outcome_row(outcome, evidence=self._writing.evidence)


class Rows:
    """Writes what came of each message of a stream that is not lines."""

    def __init__(self, evidence: bool) -> None:
        self._evidence = evidence

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Write them."""
        write_lines(outcome_row(each, evidence=self._evidence) for each in outcomes)


class Told:
    """Says on stderr how it goes, now and then, and what cannot be read."""

    def __init__(self, counts: Counts, *, unread: bool) -> None:
        self._counts, self._unread = counts, unread
        self._last, self._all, self._warned = monotonic(), 0, 0

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Take note of a batch."""
        for each in outcomes:
            if each.verdict is None and self._unread:
                self._warn(each)
        now = monotonic()
        if now - self._last >= TOLD_EVERY:
            rate = (self._counts.all - self._all) / (now - self._last)
            noted(f"{summary(self._counts)}, {rate:,.0f} a second{self._waiting()}")
            self._last, self._all, self._warned = now, self._counts.all, 0

    def _warn(self, outcome: Outcome) -> None:
        """Tells of what cannot be read; of very many the first."""
        self._warned += 1
        if self._warned <= MOST_WARNED:
            noted(f"warning: {outcome.message.place} cannot be read: {outcome.why}")
        elif self._warned == MOST_WARNED + 1:
            noted("warning: more cannot be read; they are counted")

    def _waiting(self) -> str:
        return "" if self._counts.lag is None else f", {self._counts.lag:,} waiting"


def summary(counts: Counts) -> str:
    """What came of the messages, in one line."""
    kinds = counts.kinds
    return (
        f"{counted(counts.all, 'message')}: {kinds[Kind.UNIQUE]:,} new, "
        f"{counted(kinds[Kind.DUPLICATE], 'duplicate')}, {kinds[Kind.DEAD]:,} unreadable"
    )


class Stopping:
    """Whether a signal said to stop; a second one stops at once."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._before: dict[int, Any] = {}

    def __call__(self) -> bool:
        return self.signal is not None

    def __enter__(self) -> "Stopping":
        for number in (signal.SIGTERM, signal.SIGINT):
            self._before[number] = signal.signal(number, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.signal = number
        signal.signal(number, self._before[number])


def run(stream: Stream, into: Into, running: Running, writing: Writing) -> None:
    """Consume a stream; ends with the code for an interruption where it was one."""
    idle = span(running.idle).total_seconds() if running.idle else None
    counts = Counts()
    with (
        adding(*into[:3], pool=into.pool, threads=into.threads) as deduper,
        Stopping() as stopping,
        _served(running.metrics, counts),
        index(running.index_at, deduper.recipe) as indexes,
    ):
        consume(
            stream,
            deduper,
            sinks=indexes + _sinks(stream, counts, running, writing),
            batch=running.batch,
            stopping=stopping,
            idle_seconds=idle,
            counts=counts,
        )
    if not running.quiet:
        noted(summary(counts))
    if stopping.signal == signal.SIGINT:
        raise typer.Exit(INTERRUPTED)


def _sinks(stream: Stream, counts: Counts, running: Running, writing: Writing) -> list[Sink]:
    answered = isinstance(stream, LineStream)
    rows: list[Sink] = [Rows(writing.evidence)] if writing.as_json and not answered else []
    told = Told(counts, unread=writing.new_only if answered else not writing.dead_letters)
    return rows if running.quiet else [*rows, told]


@contextmanager
def _served(where: str | None, counts: Counts) -> Iterator[None]:
    """Has the counts read by others meanwhile, where that is asked for."""
    if where is None:
        yield
        return
    from nearcopy.streams.metrics import served

    with served(where, counts) as port:
        noted(f"metrics are at port {port}")
        yield
