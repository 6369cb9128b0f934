"""Kafka: a member of a consumer group; what came of messages goes to topics.

Offsets are committed when the store has the articles and the brokers have what is handed on. With
a transactional id both are one step.
"""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import monotonic, sleep
from typing import Any

from nearcopy.errors import StreamError, require
from nearcopy.io.streams.messages import NOWHERE, PREFIX, Message, Outcome, Outputs, annotations

REACHED_SECONDS = 20.0
HANDED_ON_SECONDS = 60.0  # until what could not be handed on is an error
COMMIT_SECONDS = 30.0
TRIES = 5
PAUSE_SECONDS = 0.5
CONSUMER: dict[str, Any] = {
    "enable.auto.commit": False,
    "auto.offset.reset": "earliest",
    "enable.partition.eof": False,
    "isolation.level": "read_committed",
    "queued.max.messages.kbytes": 16_384,  # fetched ahead, so that a slow store is no full memory
}
PRODUCER: dict[str, Any] = {
    "enable.idempotence": True,
    "acks": "all",
    "linger.ms": 5,
    "compression.type": "lz4",
    "message.max.bytes": 16 << 20,  # the brokers say what is too large
    "message.timeout.ms": int(HANDED_ON_SECONDS * 1000),
}
QUIET = 2  # the driver's own lines that go to stderr: critical ones
log = logging.getLogger("nearcopy")


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaSettings:
    """Which topics, for which group, and where messages are handed on to."""

    brokers: str
    topics: tuple[str, ...]
    group: str
    outputs: Outputs = NOWHERE
    transactional_id: str | None = None  # of this member alone
    more: Mapping[str, str] = field(default_factory=dict)  # settings of librdkafka

    def __post_init__(self) -> None:
        loops = {*self.topics} & {*self.outputs}
        if loops:
            raise StreamError(f"{loops.pop()} is read here: hand on to another topic")


class KafkaStream:
    """Topics of a cluster as a member of a group."""

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
            "log_level": QUIET,
            "error_cb": self._note_error,
        }
        self._consumer = self._made("Consumer", shared, CONSUMER | {"group.id": settings.group})
        self._producer = self._made("Producer", shared, self._produces())
        try:
            self._join()
        except BaseException:
            self._consumer.close()
            raise

    def take(self, most: int, seconds: float) -> list[Message]:
        """The next messages; others are heard of meanwhile when the group changes."""
        messages = self._wrapped(self._consumer.consume, most, seconds)
        return [self._message(message) for message in messages if self._sound(message)]

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Hand on what came of messages, then commit how far we are."""
        one = self._settings.transactional_id is not None
        self._wrapped(self._settle_as_one if one else self._settle, outcomes)

    def lag(self) -> int | None:
        """How many messages of the partitions that are ours wait."""
        waiting: int = self._wrapped(self._lag)
        return waiting

    def close(self) -> None:
        """Leave the group; others take over at once."""
        self._consumer.close()
        with suppress(self._kafka.KafkaException):  # which was told of already
            self._producer.flush(REACHED_SECONDS)

    # Opening.

    def _join(self) -> None:
        self._check_topics()
        if self._settings.transactional_id:
            self._wrapped(self._producer.init_transactions, REACHED_SECONDS)
        self._consumer.subscribe(
            list(self._settings.topics), on_assign=_assigned, on_revoke=_revoked, on_lost=_revoked
        )

    def _produces(self) -> dict[str, Any]:
        name = self._settings.transactional_id
        return PRODUCER | ({"transactional.id": name} if name else {})

    def _made(self, kind: str, *settings: Mapping[str, Any]) -> Any:
        whole: dict[str, Any] = {}
        for layer in (*settings, self._settings.more):
            whole |= layer
        try:
            return getattr(self._kafka, kind)(whole)
        except self._kafka.KafkaException as exc:
            raise StreamError(f"Kafka: {_said(exc)}") from exc

    def _check_topics(self) -> None:
        """Raises where no broker answers, or topics are not there."""
        try:
            topics = self._consumer.list_topics(timeout=REACHED_SECONDS).topics
        except self._kafka.KafkaException as exc:
            raise StreamError(
                f"no broker answers at {self._settings.brokers} ({_said(exc)}): "
                "look whether it runs, and give host:port with --brokers"
            ) from exc
        names = [*self._settings.topics, *filter(None, self._settings.outputs)]
        missing = [name for name in names if name not in topics and not name.startswith("^")]
        if missing:
            raise StreamError(f"no topic {', '.join(missing)}: make it first")

    def _note_error(self, error: Any) -> None:
        """Warn of what goes wrong, but for one broker of several that is away."""
        away = error.code() in _codes(self._kafka, "_TRANSPORT", "_RESOLVE")
        log.log(logging.INFO if away else logging.WARNING, "Kafka: %s", error.str())

    def _wrapped(self, step: Any, *arguments: Any) -> Any:
        try:
            return step(*arguments)
        except self._kafka.KafkaException as exc:
            raise StreamError(f"Kafka: {_said(exc)}") from exc

    # Taking.

    def _sound(self, message: Any) -> bool:
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
            why=None if message.value() else "empty, as what marks that something was deleted",
        )

    # Handing on.

    def _settle(self, outcomes: Sequence[Outcome]) -> None:
        if letters := self._hand_on(outcomes):
            self._hand_on(letters)
        self._commit(outcomes)

    def _hand_on(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Have the brokers keep what came of messages; letters of those that are too large."""
        refused: list[tuple[Outcome, Any]] = []
        for outcome in outcomes:
            topic = self._settings.outputs.of(outcome.kind)
            if topic:
                self._produce(topic, outcome, refused)
        self._flush()
        return [self._letter(*refusal) for refusal in refused]

    def _letter(self, outcome: Outcome, error: Any) -> Outcome:
        """What tells of a message that is too large, without what it held."""
        place = outcome.message.place
        if error.txn_requires_abort():
            raise self._kafka.KafkaException(error)
        too_large = error.code() in _codes(self._kafka, "MSG_SIZE_TOO_LARGE")
        if not (too_large and outcome.message.data and self._settings.outputs.dead_letters):
            raise StreamError(f"{place} cannot be handed on: {error.str()}")
        why = f"cannot be handed on: {error.str()}"
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
            except BufferError:  # what waits to be sent is much: wait until some of it is
                self._producer.poll(PAUSE_SECONDS)
            except self._kafka.KafkaException as exc:
                delivered(exc.args[0], None)
                return

    def _flush(self) -> None:
        while self._producer.flush(PAUSE_SECONDS):
            pass  # each is delivered or refused in time

    def _commit(self, outcomes: Sequence[Outcome]) -> None:
        """Commit how far we are; where the group has changed, others do it over again."""
        end = monotonic() + COMMIT_SECONDS
        while offsets := self._next(outcomes):
            try:
                done = self._consumer.commit(offsets=offsets, asynchronous=False)
                error = next((partition.error for partition in done if partition.error), None)
            except self._kafka.KafkaException as exc:
                error = exc.args[0]
            if error is None:
                return
            if error.code() in self._rebalanced or monotonic() > end:
                log.warning("not committed, some may come again: %s", error.str())
                return
            sleep(PAUSE_SECONDS)

    def _next(self, outcomes: Sequence[Outcome]) -> list[Any]:
        """The offsets to go on from, of those partitions that are still ours."""
        assigned = self._ours()
        after = {outcome.message.token[:2]: outcome.message.token[2] + 1 for outcome in outcomes}
        partition = self._kafka.TopicPartition
        return [partition(*place, offset) for place, offset in after.items() if place in assigned]

    def _ours(self) -> set[tuple[str, int]]:
        return {(partition.topic, partition.partition) for partition in self._consumer.assignment()}

    # Handing on and committing as one.

    def _settle_as_one(self, outcomes: Sequence[Outcome]) -> None:
        """Hand on and commit in one transaction; tried again where it had to be given up."""
        assigned, letters = self._ours(), dict[str, Outcome]()
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
            self._wrapped(self._producer.abort_transaction, COMMIT_SECONDS)
            if error.code() in self._rebalanced or tries == TRIES:
                log.warning("given up, these come again: %s", error.str())
                self._go_back(outcomes)
                return
            sleep(PAUSE_SECONDS)

    def _transaction(self, outcomes: list[Outcome], letters: dict[str, Outcome]) -> None:
        """Hand on and commit; what is too large is put among the letters, for another try."""
        self._producer.begin_transaction()
        if new := self._hand_on(outcomes):
            letters |= {outcome.message.place: outcome for outcome in new}
            self._hand_on(new)
        group = self._consumer.consumer_group_metadata()
        self._producer.send_offsets_to_transaction(self._next(outcomes), group, COMMIT_SECONDS)
        self._producer.commit_transaction(COMMIT_SECONDS)

    def _go_back(self, outcomes: Sequence[Outcome]) -> None:
        """Have messages come again from the first of each partition that is still ours."""
        first = {
            outcome.message.token[:2]: outcome.message.token[2] for outcome in reversed(outcomes)
        }
        assigned = self._ours()
        for place, offset in first.items():
            if place in assigned:
                self._wrapped(self._consumer.seek, self._kafka.TopicPartition(*place, offset))

    def _lag(self) -> int:
        assigned = self._consumer.assignment()
        return sum(map(self._waiting, self._consumer.position(assigned))) if assigned else 0

    def _waiting(self, position: Any) -> int:
        low, high = self._consumer.get_watermark_offsets(position, cached=True)
        at = position.offset if position.offset >= 0 else low
        return max(0, high - max(at, low)) if high >= 0 else 0


def _headers(outcome: Outcome) -> list[tuple[str, bytes | None]]:
    own = [pair for pair in outcome.message.headers if not pair[0].startswith(PREFIX)]
    return [
        *own,
        *((name, value.encode("utf-8", "replace")) for name, value in annotations(outcome).items()),
    ]


def _codes(kafka: Any, *names: str) -> frozenset[int]:
    return frozenset(getattr(kafka.KafkaError, name) for name in names)


def _said(exc: Any) -> str:
    error = exc.args[0] if exc.args else exc
    return str(error.str()) if hasattr(error, "str") else str(error)


def _assigned(consumer: Any, partitions: Sequence[Any]) -> None:
    del consumer
    log.info(
        "given %s",
        ", ".join(f"{partition.topic}/{partition.partition}" for partition in partitions),
    )


def _revoked(consumer: Any, partitions: Sequence[Any]) -> None:
    del consumer
    log.info(
        "left %s", ", ".join(f"{partition.topic}/{partition.partition}" for partition in partitions)
    )
