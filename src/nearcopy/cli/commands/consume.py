"""`nearcopy consume`: check and add the articles of a stream as they arrive.

A stream is a file of JSON lines (or stdin), Kafka topics, or a Redis stream.
"""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from socket import gethostname
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO

import typer

from nearcopy.cli.open_store import MEMORY, open_deduper
from nearcopy.cli.options import (
    FORWARDING,
    WORK,
    IndexOption,
    PresetOptions,
    StoreOptions,
    ThreadsOption,
    argument,
    environment,
    flag,
    option,
)
from nearcopy.cli.terminal import INTERRUPTED, StopSignal, format_count, note, write_json_lines
from nearcopy.config import Recipe
from nearcopy.config.units import parse_duration
from nearcopy.errors import NearcopyError

if TYPE_CHECKING:
    from nearcopy.io.streams import Counts, Outcome, Sink, Stream
    from nearcopy.io.streams.json_lines import LineStream
    from nearcopy.io.streams.messages import Outputs

KAFKA = "Kafka"
REDIS = "Redis Streams"
STDIN = "-"
REDIS_ADDRESSES = ("redis://", "rediss://", "unix://")
AUTHORIZATION = "NEARCOPY_INDEX_AUTHORIZATION"
PROGRESS_SECONDS = 10.0  # between two progress lines
MAX_WARNINGS = 20  # of unreadable messages, in that time


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaOptions:
    """The Kafka topics to read."""

    brokers: str | None = option("HOST:PORT,...", "Brokers of the cluster.", KAFKA)
    topic: list[str] | None = option("NAME", "Topic to read; can be repeated.", KAFKA)
    transactional_id: str | None = option(
        "ID", "Forward and commit in one transaction; unique.", KAFKA
    )
    kafka_config: Path | None = option("FILE", "librdkafka properties, name=value a line.", KAFKA)

    def open(self, group: str, outputs: "Outputs") -> "Stream":
        """The stream of the topics."""
        from nearcopy.io.streams.kafka import KafkaSettings, KafkaStream, read_kafka_config

        if not self.topic:
            raise NearcopyError("which topic? Give --topic NAME")
        settings = KafkaSettings(
            brokers=str(self.brokers),
            topics=tuple(self.topic),
            group=group,
            outputs=outputs,
            transactional_id=self.transactional_id,
            more=read_kafka_config(self.kafka_config) if self.kafka_config else {},
        )
        return KafkaStream(settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisOptions:
    """The Redis stream to read."""

    redis_stream: str | None = option("NAME", "Stream to read.", REDIS)
    redis: str | None = option("URL", "Server, if not that of the store.", REDIS)
    consumer: str | None = option("NAME", "Consumer name; by default host-pid.", REDIS)
    claim_after: str = option(
        "SPAN", "Claim pending entries idle for this long.", REDIS, default="60s"
    )
    max_length: int | None = option("N", "Approximate length of output streams.", REDIS)

    def open(self, group: str, outputs: "Outputs", store_address: str) -> "Stream":
        """The stream, on the server of the store by default."""
        from nearcopy.io.streams.redis import RedisSettings, RedisStream

        address = self.redis or store_address
        if not address.startswith(REDIS_ADDRESSES):
            raise NearcopyError("where is the stream? Give --redis redis://host:6379/0")
        settings = RedisSettings(
            address=address,
            stream=str(self.redis_stream),
            group=group,
            consumer=self.consumer or f"{gethostname()}-{os.getpid()}",
            outputs=outputs,
            claim_seconds=parse_duration(self.claim_after).total_seconds(),
            max_length=self.max_length,
            leave=self.consumer is None,
        )
        return RedisStream(settings)


def _forwarding(kind: str, means: str) -> Any:
    names = f"--{kind}-topic", f"--{kind}-stream"
    return option("NAME", means, FORWARDING, names=names)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardingOptions:
    """Where messages are forwarded to."""

    unique: str | None = _forwarding("unique", "New articles, with verdicts.")
    duplicates: str | None = _forwarding("duplicates", "Duplicates.")
    dead_letter: str | None = _forwarding("dead-letter", "Unreadable messages.")
    index: IndexOption = None

    @property
    def outputs(self) -> "Outputs":
        """The topics or streams."""
        from nearcopy.io.streams.messages import Outputs

        return Outputs(self.unique, self.duplicates, self.dead_letter)

    def open_index(self, stack: ExitStack, recipe: Recipe) -> "list[Sink]":
        """The search index of new articles, if there is one."""
        if self.index is None:
            return []
        from nearcopy.io.sinks import open_index

        index = open_index(self.index, recipe, environment().get(AUTHORIZATION))
        return [stack.enter_context(index)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a stream is consumed."""

    group: str = option("NAME", "Consumer group.", WORK, default="nearcopy")
    batch: int = option("N", "Messages per transaction.", WORK, default=512, min=1, max=10_000)
    idle: str | None = option("SPAN", "Exit after this long without messages.", WORK)
    metrics: str | None = option("[HOST:]PORT", "Serve Prometheus metrics.", WORK)

    @property
    def idle_seconds(self) -> float | None:
        """Seconds without messages after which to exit."""
        return parse_duration(self.idle).total_seconds() if self.idle else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """What is written to stdout and stderr."""

    new_only: bool = flag("JSON lines: write only the lines of new articles.")
    evidence: bool = flag("Include the evidence.")
    as_json: bool = flag("Write an answer per message; always so for JSON lines.", name="--json")
    quiet: bool = flag("No progress and no summary.")


def consume(
    file: str | None = argument("[FILE]", "JSON lines; - for stdin.", default=None),
    *,
    store: StoreOptions,
    decisions: PresetOptions,
    threads: ThreadsOption = 1,
    kafka: KafkaOptions,
    redis: RedisOptions,
    forwarding: ForwardingOptions,
    running: RunOptions,
    output: OutputOptions,
) -> None:
    """Check and add the articles of a stream as they arrive."""
    from nearcopy.io.streams import Counts
    from nearcopy.io.streams import consume as consume_stream

    if sum(place is not None for place in (file, kafka.brokers, redis.redis_stream)) != 1:
        raise NearcopyError(
            "which stream? Give one of FILE (- for stdin), --brokers HOST:PORT with --topic NAME, "
            "and --redis-stream NAME"
        )
    idle_seconds, counts = running.idle_seconds, Counts()
    with ExitStack() as stack:
        if file is not None:
            stream: Stream = stack.enter_context(_open_lines(file, forwarding, output))
        else:
            stream = _open_broker(store, kafka, redis, forwarding, running.group)
            stack.callback(stream.close)
        deduper = stack.enter_context(open_deduper(store, decisions, threads=threads))
        stopping = stack.enter_context(StopSignal())
        if running.metrics is not None:
            from nearcopy.io.streams.metrics import serve_metrics

            port = stack.enter_context(serve_metrics(running.metrics, counts))
            note(f"metrics are at port {port}")
        consume_stream(
            stream,
            deduper,
            sinks=[
                *forwarding.open_index(stack, deduper.recipe),
                *_output_sinks(stream, counts, forwarding, output),
            ],
            batch=running.batch,
            stopping=stopping,
            idle_seconds=idle_seconds,
            counts=counts,
        )
    if not output.quiet:
        note(_summary(counts))
    if stopping.signal == signal.SIGINT:
        raise typer.Exit(INTERRUPTED)


def _open_broker(
    store: StoreOptions,
    kafka: KafkaOptions,
    redis: RedisOptions,
    forwarding: ForwardingOptions,
    group: str,
) -> "Stream":
    if store.address.startswith(MEMORY):
        raise NearcopyError(
            f"{store.address} is lost when the command ends, but messages are acknowledged: "
            "give a persistent store, such as --store seen.db"
        )
    if redis.redis_stream is not None:
        return redis.open(group, forwarding.outputs, store.address)
    return kafka.open(group, forwarding.outputs)


@contextmanager
def _open_lines(
    file: str, forwarding: ForwardingOptions, output: OutputOptions
) -> "Iterator[LineStream]":
    """The lines of a file, or of stdin."""
    from nearcopy.io.streams.json_lines import LineStream

    if any(forwarding.outputs):
        raise NearcopyError(
            "JSON lines are answered on stdout: leave out the topics and streams to forward to"
        )
    started = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    with ExitStack() as stack:
        lines: BinaryIO = sys.stdin.buffer
        if file != STDIN:
            lines = stack.enter_context(Path(file).open("rb"))
        name = "stdin" if file == STDIN else file
        yield LineStream(lines, f"{name}@{started}", partial(_write_answers, output))


# What is written.


def _output_sinks(
    stream: "Stream", counts: "Counts", forwarding: ForwardingOptions, output: OutputOptions
) -> "list[Sink]":
    from nearcopy.io.streams.json_lines import LineStream

    lines = isinstance(stream, LineStream)
    sinks: list[Sink] = [_JsonSink(output.evidence)] if output.as_json and not lines else []
    reported = output.as_json or forwarding.dead_letter is not None
    warn = output.new_only if lines else not reported
    return sinks if output.quiet else [*sinks, _ProgressSink(counts, warn=warn)]


def _write_answers(output: OutputOptions, outcomes: "Sequence[Outcome]") -> None:
    """Write an answer per line, or only the lines of new articles."""
    from nearcopy.io.streams import Kind
    from nearcopy.io.streams.messages import outcome_row

    if output.new_only:
        new = [o for o in outcomes if o.kind is Kind.UNIQUE and not o.repeated]
        sys.stdout.buffer.writelines(o.message.data.rstrip() + b"\n" for o in new)
        sys.stdout.buffer.flush()
        return
    write_json_lines(
        {"line": outcome.message.token, "error": outcome.why}
        if outcome.verdict is None
        else outcome_row(outcome, evidence=output.evidence)
        for outcome in outcomes
    )


class _JsonSink:
    """Writes a JSON line per message, for streams other than JSON lines."""

    def __init__(self, evidence: bool) -> None:
        self._evidence = evidence

    def write(self, outcomes: "Sequence[Outcome]") -> None:
        """Write the outcomes of a batch."""
        from nearcopy.io.streams.messages import outcome_row

        write_json_lines(outcome_row(outcome, evidence=self._evidence) for outcome in outcomes)


class _ProgressSink:
    """Prints counts to stderr every PROGRESS_SECONDS, and warns of unreadable messages."""

    def __init__(self, counts: "Counts", *, warn: bool) -> None:
        self._counts, self._warn = counts, warn
        self._last, self._all, self._warnings = monotonic(), 0, 0

    def write(self, outcomes: "Sequence[Outcome]") -> None:
        """Warn of unreadable messages in a batch; print the counts if it is time."""
        for outcome in outcomes:
            if outcome.verdict is None and self._warn:
                self._warn_of(outcome)
        now = monotonic()
        if now - self._last >= PROGRESS_SECONDS:
            rate = (self._counts.all - self._all) / (now - self._last)
            lag = "" if self._counts.lag is None else f", {self._counts.lag:,} waiting"
            note(f"{_summary(self._counts)}, {rate:,.0f} a second{lag}")
            self._last, self._all, self._warnings = now, self._counts.all, 0

    def _warn_of(self, outcome: "Outcome") -> None:
        """Warn of an unreadable message, of MAX_WARNINGS at most."""
        self._warnings += 1
        if self._warnings <= MAX_WARNINGS:
            note(f"warning: {outcome.message.place} cannot be read: {outcome.why}")
        elif self._warnings == MAX_WARNINGS + 1:
            note("warning: more messages cannot be read; they are counted")


def _summary(counts: "Counts") -> str:
    """The counts of messages by outcome, in one line."""
    from nearcopy.io.streams import Kind

    kinds = counts.kinds
    return (
        f"{format_count(counts.all, 'message')}: {kinds[Kind.UNIQUE]:,} new, "
        f"{format_count(kinds[Kind.DUPLICATE], 'duplicate')}, {kinds[Kind.DEAD]:,} unreadable"
    )
