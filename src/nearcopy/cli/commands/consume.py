"""`nearcopy consume`: check and add the articles of a stream as they arrive.

A stream is a file of JSON lines (or stdin), topics of Kafka, or a stream of Redis.
"""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from socket import gethostname
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NamedTuple

import typer

from nearcopy.cli.open_store import MEMORY, SQLITE, adding
from nearcopy.cli.options import (
    ONWARD,
    IndexOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    StoreOption,
    ThreadsOption,
    WindowOption,
    environment,
    flag,
    store_address,
    valued,
)
from nearcopy.cli.terminal import (
    INTERRUPTED,
    StopSignal,
    counted,
    noted,
    reported,
    write_lines,
)
from nearcopy.config.units import span
from nearcopy.errors import NearcopyError
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.config import Policy, Recipe
    from nearcopy.io.streams import Counts, Outcome, Sink, Stream
    from nearcopy.io.streams.json_lines import LineStream
    from nearcopy.io.streams.messages import Outputs

KAFKA = "Kafka"
REDIS = "Redis Streams"
GROUP = "nearcopy"
HOW = "How it runs"
STDIN = "-"
REDIS_ADDRESSES = ("redis://", "rediss://", "unix://")
WEB = ("http://", "https://")
AUTHORIZATION = "NEARCOPY_INDEX_AUTHORIZATION"
PROGRESS_SECONDS = 10.0  # between two progress lines
MOST_WARNED = 20  # of messages that cannot be read, in that time


class OutputOptions(NamedTuple):
    """What is written to stdout."""

    new_only: bool
    evidence: bool
    as_json: bool
    dead_letters: bool  # whether messages that cannot be read are written somewhere


class RunOptions(NamedTuple):
    """How a stream is consumed."""

    batch: int
    idle: str | None
    metrics: str | None
    quiet: bool
    index_at: str | None = None


class StoreOptions(NamedTuple):
    """The store to add to, with its recipe and policy."""

    address: str
    recipe: "Recipe | None"
    policy: "Policy"
    pool: str | None
    threads: int


class StreamOptions(NamedTuple):
    """The stream to read; exactly one of `file`, `brokers` and `redis_stream` is set."""

    file: str | None
    brokers: str | None
    topics: list[str]
    redis_stream: str | None
    redis: str | None
    group: str
    consumer: str | None
    outputs: "Outputs"
    transactional_id: str | None
    kafka_config: Path | None
    claim_after: str
    max_length: int | None


def _onward(what: str, kind: str) -> Any:
    return typer.Option(
        f"--{kind}-topic", f"--{kind}-stream", metavar="NAME", help=what, rich_help_panel=ONWARD
    )


@reported
def consume(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="JSON lines; - for stdin.")
    ] = None,
    store: StoreOption = None,
    pool: PoolOption = None,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    jobs: ThreadsOption = 1,
    brokers: Annotated[
        str | None, valued("--brokers", "HOST:PORT,...", "Brokers of the cluster.", KAFKA)
    ] = None,
    topic: Annotated[
        list[str] | None, valued("--topic", "NAME", "What to read; also several times.", KAFKA)
    ] = None,
    transactional_id: Annotated[
        str | None,
        valued("--transactional-id", "ID", "Hand on and commit as one; each member's own.", KAFKA),
    ] = None,
    kafka_config: Annotated[
        Path | None,
        valued("--kafka-config", "FILE", "Settings of librdkafka, name=value a line.", KAFKA),
    ] = None,
    redis_stream: Annotated[
        str | None, valued("--redis-stream", "NAME", "The stream to read.", REDIS)
    ] = None,
    redis: Annotated[
        str | None, valued("--redis", "ADDRESS", "Its server, where not the store's.", REDIS)
    ] = None,
    consumer: Annotated[
        str | None, valued("--consumer", "NAME", "This member; else host and process.", REDIS)
    ] = None,
    claim_after: Annotated[
        str,
        valued("--claim-after", "SPAN", "When entries of a silent member are taken over.", REDIS),
    ] = "60s",
    max_length: Annotated[
        int | None, valued("--max-length", "N", "About so many stay in streams written to.", REDIS)
    ] = None,
    unique: Annotated[str | None, _onward("The new ones, with the verdict.", "unique")] = None,
    duplicates: Annotated[str | None, _onward("The duplicates.", "duplicates")] = None,
    dead_letter: Annotated[str | None, _onward("What cannot be read.", "dead-letter")] = None,
    index: IndexOption = None,
    group: Annotated[str, valued("--group", "NAME", "The group to be a member of.", HOW)] = GROUP,
    batch: Annotated[
        int,
        typer.Option(
            "--batch",
            metavar="N",
            min=1,
            max=10_000,
            rich_help_panel=HOW,
            help="Messages in one durable step.",
        ),
    ] = 512,
    idle: Annotated[
        str | None, valued("--idle", "SPAN", "End when nothing came for so long: 30s, 5m.", HOW)
    ] = None,
    metrics: Annotated[
        str | None, valued("--metrics", "[HOST:]PORT", "Serve metrics for Prometheus.", HOW)
    ] = None,
    new_only: Annotated[
        bool, flag("--new-only", "Of lines: those of new articles alone, as they came.")
    ] = False,
    evidence: Annotated[bool, flag("--evidence", "What was measured, too.")] = False,
    as_json: Annotated[
        bool, flag("--json", "An answer a message on stdout; lines have it always.")
    ] = False,
    quiet: Annotated[bool, flag("--quiet", "No word on how it goes.")] = False,
) -> None:
    """Judge articles of a stream as they come, and remember them."""
    from nearcopy.io.streams.messages import Outputs

    into = StoreOptions(store_address(store), *settings(preset, policy, window), pool, jobs)
    options = StreamOptions(
        file=file,
        brokers=brokers,
        topics=topic or [],
        redis_stream=redis_stream,
        redis=redis,
        group=group,
        consumer=consumer,
        outputs=Outputs(unique, duplicates, dead_letter),
        transactional_id=transactional_id,
        kafka_config=kafka_config,
        claim_after=claim_after,
        max_length=max_length,
    )
    output = OutputOptions(new_only, evidence, as_json, as_json or dead_letter is not None)
    with _open_stream(options, into, output) as stream:
        _run(stream, into, RunOptions(batch, idle, metrics, quiet, index), output)


# The stream.


@contextmanager
def _open_stream(
    options: StreamOptions, into: StoreOptions, output: OutputOptions
) -> "Iterator[Stream]":
    """The stream that the options name; exactly one must be named."""
    places = [options.file, options.brokers, options.redis_stream]
    if sum(place is not None for place in places) != 1:
        raise NearcopyError(
            "which stream? Give one of FILE (- for stdin), --brokers HOST:PORT with --topic NAME, "
            "and --redis-stream NAME"
        )
    if options.file is not None:
        if any(options.outputs):
            raise NearcopyError("lines are answered on stdout: topics and streams are for others")
        with _open_lines(options.file, output) as lines:
            yield lines
        return
    if into.address.startswith(MEMORY):
        raise NearcopyError(
            f"{into.address} forgets when it ends what it has acknowledged: "
            "give a store that lasts, such as --store seen.db"
        )
    stream = _redis_stream(options, into) if options.redis_stream else _kafka_stream(options)
    try:
        yield stream
    finally:
        stream.close()


@contextmanager
def _open_lines(file: str, output: OutputOptions) -> "Iterator[LineStream]":
    """The lines of a file, or of stdin."""
    from nearcopy.io.streams.json_lines import LineStream

    started = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    with ExitStack() as stack:
        lines: BinaryIO = sys.stdin.buffer
        if file != STDIN:
            lines = stack.enter_context(Path(file).open("rb"))
        name = "stdin" if file == STDIN else file
        yield LineStream(lines, f"{name}@{started}", _LineAnswers(output))


def _redis_stream(options: StreamOptions, into: StoreOptions) -> "Stream":
    from nearcopy.io.streams.redis import RedisSettings, RedisStream

    address = options.redis or into.address
    if not address.startswith(REDIS_ADDRESSES):
        raise NearcopyError("where is the stream? Give --redis redis://host:6379/0")
    redis_settings = RedisSettings(
        address=address,
        stream=str(options.redis_stream),
        group=options.group,
        consumer=options.consumer or f"{gethostname()}-{os.getpid()}",
        outputs=options.outputs,
        claim_seconds=span(options.claim_after).total_seconds(),
        max_length=options.max_length,
        leave=options.consumer is None,
    )
    return RedisStream(redis_settings)


def _kafka_stream(options: StreamOptions) -> "Stream":
    from nearcopy.io.streams.kafka import KafkaSettings, KafkaStream

    if not options.topics:
        raise NearcopyError("which topic? Give --topic NAME")
    kafka_settings = KafkaSettings(
        brokers=str(options.brokers),
        topics=tuple(options.topics),
        group=options.group,
        outputs=options.outputs,
        transactional_id=options.transactional_id,
        more=read_kafka_config(options.kafka_config) if options.kafka_config else {},
    )
    return KafkaStream(kafka_settings)


def read_kafka_config(file: Path) -> dict[str, str]:
    """The settings in a file of lines such as `security.protocol=SSL`; # starts a comment."""
    config: dict[str, str] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), start=1):
        name, equals, value = line.partition("=")
        if line.strip() and not line.lstrip().startswith("#"):
            if not equals:
                raise NearcopyError(f"{file}, line {number}: write name=value")
            config[name.strip()] = value.strip()
    return config


# What is written.


class _LineAnswers:
    """Writes an answer for each line at once, or only the lines of new articles."""

    def __init__(self, output: OutputOptions) -> None:
        self._output = output

    def __call__(self, outcomes: "Sequence[Outcome]") -> None:
        """Write the answers of a batch."""
        from nearcopy.io.streams import Kind

        if self._output.new_only:
            new = [o for o in outcomes if o.kind is Kind.UNIQUE and not o.repeated]
            sys.stdout.buffer.writelines(o.message.data.rstrip() + b"\n" for o in new)
            sys.stdout.buffer.flush()
        else:
            write_lines(self._row(outcome) for outcome in outcomes)

    def _row(self, outcome: "Outcome") -> dict[str, Any]:
        from nearcopy.io.streams.messages import outcome_row

        if outcome.verdict is None:
            return {"line": outcome.message.token, "error": outcome.why}
        return outcome_row(outcome, evidence=self._output.evidence)


class _JsonSink:
    """Writes a JSON line per message, for streams other than JSON lines."""

    def __init__(self, evidence: bool) -> None:
        self._evidence = evidence

    def write(self, outcomes: "Sequence[Outcome]") -> None:
        """Write the outcomes of a batch."""
        from nearcopy.io.streams.messages import outcome_row

        write_lines(outcome_row(outcome, evidence=self._evidence) for outcome in outcomes)


class _ProgressSink:
    """Prints counts to stderr every PROGRESS_SECONDS, and warns of messages it cannot read."""

    def __init__(self, counts: "Counts", *, unread: bool) -> None:
        self._counts, self._unread = counts, unread
        self._last, self._all, self._warned = monotonic(), 0, 0

    def write(self, outcomes: "Sequence[Outcome]") -> None:
        """Warn of unreadable messages in a batch; print the counts if it is time."""
        for outcome in outcomes:
            if outcome.verdict is None and self._unread:
                self._warn(outcome)
        now = monotonic()
        if now - self._last >= PROGRESS_SECONDS:
            rate = (self._counts.all - self._all) / (now - self._last)
            noted(f"{_summary(self._counts)}, {rate:,.0f} a second{self._waiting()}")
            self._last, self._all, self._warned = now, self._counts.all, 0

    def _warn(self, outcome: "Outcome") -> None:
        """Warn of a message that cannot be read, up to MOST_WARNED of them."""
        self._warned += 1
        if self._warned <= MOST_WARNED:
            noted(f"warning: {outcome.message.place} cannot be read: {outcome.why}")
        elif self._warned == MOST_WARNED + 1:
            noted("warning: more cannot be read; they are counted")

    def _waiting(self) -> str:
        return "" if self._counts.lag is None else f", {self._counts.lag:,} waiting"


def _summary(counts: "Counts") -> str:
    """The counts of messages by outcome, in one line."""
    from nearcopy.io.streams import Kind

    kinds = counts.kinds
    return (
        f"{counted(counts.all, 'message')}: {kinds[Kind.UNIQUE]:,} new, "
        f"{counted(kinds[Kind.DUPLICATE], 'duplicate')}, {kinds[Kind.DEAD]:,} unreadable"
    )


# The run.


def _run(stream: "Stream", into: StoreOptions, running: RunOptions, output: OutputOptions) -> None:
    """Consume a stream; exits with the code for an interruption after SIGINT."""
    from nearcopy.io.streams import Counts
    from nearcopy.io.streams import consume as consume_stream

    idle = span(running.idle).total_seconds() if running.idle else None
    counts = Counts()
    with (
        adding(*into[:3], pool=into.pool, threads=into.threads) as deduper,
        StopSignal() as stopping,
        _serve_metrics(running.metrics, counts),
        _open_index(running.index_at, deduper.recipe) as indexes,
    ):
        consume_stream(
            stream,
            deduper,
            sinks=indexes + _sinks(stream, counts, running, output),
            batch=running.batch,
            stopping=stopping,
            idle_seconds=idle,
            counts=counts,
        )
    if not running.quiet:
        noted(_summary(counts))
    if stopping.signal == signal.SIGINT:
        raise typer.Exit(INTERRUPTED)


def _sinks(
    stream: "Stream", counts: "Counts", running: RunOptions, output: OutputOptions
) -> "list[Sink]":
    from nearcopy.io.streams.json_lines import LineStream

    answered = isinstance(stream, LineStream)
    sinks: list[Sink] = [_JsonSink(output.evidence)] if output.as_json and not answered else []
    unread = output.new_only if answered else not output.dead_letters
    return sinks if running.quiet else [*sinks, _ProgressSink(counts, unread=unread)]


@contextmanager
def _serve_metrics(where: str | None, counts: "Counts") -> Iterator[None]:
    """Serve the counts to Prometheus meanwhile, if a port is given."""
    if where is None:
        yield
        return
    from nearcopy.io.streams.metrics import serve_metrics

    with serve_metrics(where, counts) as port:
        noted(f"metrics are at port {port}")
        yield


@contextmanager
def _open_index(address: str | None, recipe: "Recipe") -> "Iterator[list[Sink]]":
    """The search index of `--index` as a sink, by its address; no sink without one."""
    if address is None:
        yield []
    elif address.startswith(WEB):
        from nearcopy.io.sinks.elasticsearch import BulkSink, bulk_settings

        yield [BulkSink(bulk_settings(address, environment().get(AUTHORIZATION)), recipe)]
    elif "://" in address and not address.startswith(SQLITE):
        raise NearcopyError(
            "which index? Give http://HOST:9200/NAME, or a file of SQLite, such as pages.db"
        )
    else:
        from nearcopy.io.sinks.sqlite_fts import FtsIndex

        index = FtsIndex(address.removeprefix(SQLITE), recipe)
        try:
            yield [index]
        finally:
            index.close()
