"""Kafka: a member of a consumer group; outcomes are forwarded to topics.

Offsets are committed when the store has the articles and the brokers have the outcomes. With a
transactional id, forwarding and committing are one transaction.
"""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from nearcopy.errors import StreamError, require
from nearcopy.io.streams.messages import NOWHERE, PREFIX, Message, Outcome, Outputs, annotations

CONNECT_SECONDS = 20.0
DELIVERY_SECONDS = 60.0  # after which a message that was not delivered is an error
COMMIT_SECONDS = 30.0
TRIES = 5
PAUSE_SECONDS = 0.5
CONSUMER: dict[str, Any] = {
    "enable.auto.commit": False,
    "auto.offset.reset": "earliest",
    "enable.partition.eof": False,
    "isolation.level": "read_committed",
    "queued.max.messages.kbytes": 16_384,  # prefetched, a limit on memory
}
PRODUCER: dict[str, Any] = {
    "enable.idempotence": True,
    "acks": "all",
    "linger.ms": 5,
    "compression.type": "lz4",
    "message.max.bytes": 16 << 20,  # the brokers have the actual limit
    "message.timeout.ms": int(DELIVERY_SECONDS * 1000),
}
LOG_LEVEL = 2  # of the driver to stderr: critical messages
log = logging.getLogger("nearcopy")


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaSettings:
    """The topics, the consumer group, and where messages are forwarded to."""

    brokers: str
    topics: tuple[str, ...]
    group: str
    outputs: Outputs = NOWHERE
    transactional_id: str | None = None  # unique to this member
    more: Mapping[str, str] = field(default_factory=dict)  # settings of librdkafka

    def __post_init__(self) -> None:
        loops = {*self.topics} & {*self.outputs}
        if loops:
            raise StreamError(f"{loops.pop()} is also read: forward to another topic")


def read_kafka_config(file: Path) -> dict[str, str]:
    """The properties in a file of lines such as `security.protocol=SSL`; # starts a comment."""
    config: dict[str, str] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), start=1):
        name, equals, value = line.partition("=")
        if line.strip() and not line.lstrip().startswith("#"):
            if not equals:
                raise StreamError(f"{file}, line {number}: write name=value")
            config[name.strip()] = value.strip()
    return config


class KafkaStream:
    """Topics of a cluster, read as a member of a consumer group."""

    ended = False

    def __init__(self, settings: KafkaSettings) -> None:
        self._kafka: Any = require("confluent_kafka", extra="kafka")
        self._settings = settings
        self._rebalanced = _codes(
            self._kafka, "ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "REBALANCE_IN_PROGRESS"
        )
        shared = {
            "bootstrap.servers": settings.brokers,
            "client.id": "nearcopy",
            "log_level": LOG_LEVEL,
            "error_cb": self._note_error,
        }
        consumer = shared | CONSUMER | {"group.id": settings.group, **settings.more}
        producer = shared | PRODUCER
        if settings.transactional_id:
            producer["transactional.id"] = settings.transactional_id
        self._consumer = self._call(self._kafka.Consumer, consumer)
        self._producer = self._call(self._kafka.Producer, {**producer, **settings.more})
        try:
            self._join()
        except BaseException:
            self._consumer.close()
            raise

    def take(self, most: int, seconds: float) -> list[Message]:
        """The next messages; rebalancing happens meanwhile."""
        messages = self._call(self._consumer.consume, most, seconds)
        return [self._message(message) for message in messages if self._is_valid(message)]

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Forward the outcomes, then commit the offsets."""
        in_transaction = self._settings.transactional_id is not None
        self._call(self._settle_in_transaction if in_transaction else self._settle, outcomes)

    def lag(self) -> int | None:
        """How many messages wait in the assigned partitions."""
        waiting: int = self._call(self._lag)
        return waiting

    def close(self) -> None:
        """Leave the group; its partitions are reassigned at once."""
        self._consumer.close()
        with suppress(self._kafka.KafkaException):  # already logged
            self._producer.flush(CONNECT_SECONDS)

    # Opening.

    def _join(self) -> None:
        self._check_topics()
        if self._settings.transactional_id:
            self._call(self._producer.init_transactions, CONNECT_SECONDS)
        self._consumer.subscribe(
            list(self._settings.topics),
            on_assign=partial(_log_partitions, "assigned"),
            on_revoke=partial(_log_partitions, "revoked"),
            on_lost=partial(_log_partitions, "revoked"),
        )

    def _check_topics(self) -> None:
        """Raise where no broker answers, or topics do not exist."""
        try:
            topics = self._consumer.list_topics(timeout=CONNECT_SECONDS).topics
        except self._kafka.KafkaException as exc:
            raise StreamError(
                f"no broker answers at {self._settings.brokers} ({_error_text(exc)}): "
                "check that it runs, and give host:port with --brokers"
            ) from exc
        names = [*self._settings.topics, *filter(None, self._settings.outputs)]
        missing = [name for name in names if name not in topics and not name.startswith("^")]
        if missing:
            raise StreamError(f"no topic {', '.join(missing)}; create it first")

    def _note_error(self, error: Any) -> None:
        """Log an error; as information if one of several brokers is unreachable."""
        away = error.code() in _codes(self._kafka, "_TRANSPORT", "_RESOLVE")
        log.log(logging.INFO if away else logging.WARNING, "Kafka: %s", error.str())

    def _call(self, step: Any, *arguments: Any) -> Any:
        try:
            return step(*arguments)
        except self._kafka.KafkaException as exc:
            raise StreamError(f"Kafka: {_error_text(exc)}") from exc

    # Taking.

    def _is_valid(self, message: Any) -> bool:
        error = message.error()
        if error is None:
            return True
        if error.fatal():
            raise StreamError(f"Kafka: {error.str()}")
        log.warning("Kafka: %s", error.str())
        return False

    def _message(self, message: Any) -> Message:
        topic, partition, offset = message.topic(), message.partition(), message.offset()
        return Message(
            f"{topic}/{partition}/{offset}",
            message.value() or b"",
            message.key(),
            tuple(message.headers() or ()),
            token=(topic, partition, offset),
            why=None if message.value() else "empty: a tombstone",
        )

    # Forwarding.

    def _settle(self, outcomes: Sequence[Outcome]) -> None:
        if letters := self._forward(outcomes):
            self._forward(letters)
        self._commit(outcomes)

    def _forward(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Produce the outcomes; dead letters of those that are too large."""
        refused: list[tuple[Outcome, Any]] = []
        for outcome in outcomes:
            topic = self._settings.outputs.of(outcome.kind)
            if topic:
                self._produce(topic, outcome, refused)
        self._flush()
        return [self._dead_letter(*refusal) for refusal in refused]

    def _dead_letter(self, outcome: Outcome, error: Any) -> Outcome:
        """The dead letter of a message that is too large, without its content."""
        place = outcome.message.place
        if error.txn_requires_abort():
            raise self._kafka.KafkaException(error)
        too_large = error.code() in _codes(self._kafka, "MSG_SIZE_TOO_LARGE")
        if not (too_large and outcome.message.data and self._settings.outputs.dead_letters):
            raise StreamError(f"{place} cannot be forwarded: {error.str()}")
        why = f"cannot be forwarded: {error.str()}"
        return Outcome(replace(outcome.message, data=b""), why=why)

    def _produce(self, topic: str, outcome: Outcome, refused: list[tuple[Outcome, Any]]) -> None:
        def delivered(error: Any, message: Any) -> None:
            del message
            if error is not None:
                refused.append((outcome, error))

        message, headers = outcome.message, _headers(outcome)
        while True:
            try:
                self._producer.produce(
                    topic, message.data, message.key, headers=headers, on_delivery=delivered
                )
                self._producer.poll(0)
                return
            except BufferError:  # the queue is full
                self._producer.poll(PAUSE_SECONDS)
            except self._kafka.KafkaException as exc:
                delivered(exc.args[0], None)
                return

    def _flush(self) -> None:
        while self._producer.flush(PAUSE_SECONDS):
            pass  # each message is delivered or refused within DELIVERY_SECONDS

    def _commit(self, outcomes: Sequence[Outcome]) -> None:
        """Commit the offsets; after a rebalance the new member processes them again."""
        end = monotonic() + COMMIT_SECONDS
        while offsets := self._next_offsets(outcomes):
            try:
                done = self._consumer.commit(offsets=offsets, asynchronous=False)
                error = next((partition.error for partition in done if partition.error), None)
            except self._kafka.KafkaException as exc:
                error = exc.args[0]
            if error is None:
                return
            if error.code() in self._rebalanced or monotonic() > end:
                log.warning("not committed, messages may be delivered again: %s", error.str())
                return
            sleep(PAUSE_SECONDS)

    def _next_offsets(self, outcomes: Sequence[Outcome]) -> list[Any]:
        """The next offsets of the partitions that are still assigned."""
        assigned = self._assigned_partitions()
        after = {outcome.message.token[:2]: outcome.message.token[2] + 1 for outcome in outcomes}
        partition = self._kafka.TopicPartition
        return [partition(*place, offset) for place, offset in after.items() if place in assigned]

    def _assigned_partitions(self) -> set[tuple[str, int]]:
        return {(partition.topic, partition.partition) for partition in self._consumer.assignment()}

    # Forwarding and committing in one transaction.

    def _settle_in_transaction(self, outcomes: Sequence[Outcome]) -> None:
        """Forward and commit in one transaction, retried where it was aborted."""
        assigned, letters = self._assigned_partitions(), dict[str, Outcome]()
        outcomes = [outcome for outcome in outcomes if outcome.message.token[:2] in assigned]
        for tries in range(1, TRIES + 1):
            try:
                self._transaction(
                    [letters.get(outcome.message.place, outcome) for outcome in outcomes], letters
                )
                return
            except self._kafka.KafkaException as exc:
                error = exc.args[0]
            if not (error.txn_requires_abort() or error.retriable()):
                raise StreamError(f"Kafka: {error.str()}")
            self._call(self._producer.abort_transaction, COMMIT_SECONDS)
            if error.code() in self._rebalanced or tries == TRIES:
                log.warning(
                    "transaction aborted, its messages are delivered again: %s", error.str()
                )
                self._seek_back(outcomes)
                return
            sleep(PAUSE_SECONDS)

    def _transaction(self, outcomes: list[Outcome], letters: dict[str, Outcome]) -> None:
        """Forward and commit; messages that are too large become dead letters at the next try."""
        self._producer.begin_transaction()
        if new := self._forward(outcomes):
            letters |= {outcome.message.place: outcome for outcome in new}
            self._forward(new)
        group = self._consumer.consumer_group_metadata()
        self._producer.send_offsets_to_transaction(
            self._next_offsets(outcomes), group, COMMIT_SECONDS
        )
        self._producer.commit_transaction(COMMIT_SECONDS)

    def _seek_back(self, outcomes: Sequence[Outcome]) -> None:
        """Seek back to the first message of each partition that is still assigned."""
        first = {
            outcome.message.token[:2]: outcome.message.token[2] for outcome in reversed(outcomes)
        }
        assigned = self._assigned_partitions()
        for place, offset in first.items():
            if place in assigned:
                self._call(self._consumer.seek, self._kafka.TopicPartition(*place, offset))

    def _lag(self) -> int:
        assigned = self._consumer.assignment()
        return sum(map(self._waiting, self._consumer.position(assigned))) if assigned else 0

    def _waiting(self, position: Any) -> int:
        low, high = self._consumer.get_watermark_offsets(position, cached=True)
        at = position.offset if position.offset >= 0 else low
        return max(0, high - max(at, low)) if high >= 0 else 0


def _headers(outcome: Outcome) -> list[tuple[str, bytes | None]]:
    own = [pair for pair in outcome.message.headers if not pair[0].startswith(PREFIX)]
    added = annotations(outcome).items()
    return [*own, *((name, value.encode("utf-8", "replace")) for name, value in added)]


def _codes(kafka: Any, *names: str) -> frozenset[int]:
    return frozenset(getattr(kafka.KafkaError, name) for name in names)


def _error_text(exc: Any) -> str:
    error = exc.args[0] if exc.args else exc
    return str(error.str()) if hasattr(error, "str") else str(error)


def _log_partitions(change: str, consumer: Any, partitions: Sequence[Any]) -> None:
    del consumer
    names = [f"{partition.topic}/{partition.partition}" for partition in partitions]
    log.info("%s %s", change, ", ".join(names))
