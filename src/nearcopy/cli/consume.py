"""`nearcopy consume`: a stream of articles, judged as they come. The work is in `consuming`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from nearcopy.cli.settings import (
    ONWARD,
    IndexOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    StoreOption,
    ThreadsOption,
    WindowOption,
    settings,
    store_address,
)
from nearcopy.cli.terminal import reported

KAFKA = "Kafka"
REDIS = "Redis Streams"
OUT = "What is written"
GROUP = "nearcopy"
HOW = "How it runs"


def _named(panel: str, metavar: str, means: str, *flags: str) -> Any:
    return typer.Option(*flags, metavar=metavar, help=means, rich_help_panel=panel)


def _flag(panel: str, means: str, flag: str) -> Any:
    return typer.Option(flag, help=means, rich_help_panel=panel)


def _onward(means: str, kind: str) -> Any:
    return _named(ONWARD, "NAME", means, f"--{kind}-topic", f"--{kind}-stream")


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
        str | None, _named(KAFKA, "HOST:PORT,...", "Brokers of the cluster.", "--brokers")
    ] = None,
    topic: Annotated[
        list[str] | None, _named(KAFKA, "NAME", "What to read; also several times.", "--topic")
    ] = None,
    transactional_id: Annotated[
        str | None,
        _named(KAFKA, "ID", "Hand on and commit as one; each member's own.", "--transactional-id"),
    ] = None,
    kafka_config: Annotated[
        Path | None,
        _named(KAFKA, "FILE", "Settings of librdkafka, name=value a line.", "--kafka-config"),
    ] = None,
    redis_stream: Annotated[
        str | None, _named(REDIS, "NAME", "The stream to read.", "--redis-stream")
    ] = None,
    redis: Annotated[
        str | None, _named(REDIS, "ADDRESS", "Its server, where not the store's.", "--redis")
    ] = None,
    consumer: Annotated[
        str | None, _named(REDIS, "NAME", "This member; else host and process.", "--consumer")
    ] = None,
    claim_after: Annotated[
        str,
        _named(REDIS, "SPAN", "When entries of a silent member are taken over.", "--claim-after"),
    ] = "60s",
    max_length: Annotated[
        int | None, _named(REDIS, "N", "About so many stay in streams written to.", "--max-length")
    ] = None,
    unique: Annotated[str | None, _onward("The new ones, with the verdict.", "unique")] = None,
    duplicates: Annotated[str | None, _onward("The duplicates.", "duplicates")] = None,
    dead_letter: Annotated[str | None, _onward("What cannot be read.", "dead-letter")] = None,
    index: IndexOption = None,
    group: Annotated[str, _named(HOW, "NAME", "The group to be a member of.", "--group")] = GROUP,
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
        str | None, _named(HOW, "SPAN", "End when nothing came for so long: 30s, 5m.", "--idle")
    ] = None,
    metrics: Annotated[
        str | None, _named(HOW, "[HOST:]PORT", "Serve metrics for Prometheus.", "--metrics")
    ] = None,
    new_only: Annotated[
        bool, _flag(OUT, "Of lines: those of new articles alone, as they came.", "--new-only")
    ] = False,
    evidence: Annotated[bool, _flag(OUT, "What was measured, too.", "--evidence")] = False,
    as_json: Annotated[
        bool, _flag(OUT, "An answer a message on stdout; lines have it always.", "--json")
    ] = False,
    quiet: Annotated[bool, _flag(OUT, "No word on how it goes.", "--quiet")] = False,
) -> None:
    """Judge articles of a stream as they come, and remember them."""
    from nearcopy.cli.consuming import Asked, Into, Running, Writing, opened, run
    from nearcopy.streams.messages import Outputs

    into = Into(store_address(store), *settings(preset, policy, window), pool, jobs)
    asked = Asked(
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
    writing = Writing(new_only, evidence, as_json, as_json or dead_letter is not None)
    with opened(asked, into, writing) as stream:
        run(stream, into, Running(batch, idle, metrics, quiet, index), writing)
