"""Redis Streams: a member of a consumer group; entries of dead members are claimed.

A script forwards an outcome and acknowledges the entry atomically, and only if it is still pending:
however often an entry is delivered, it is forwarded once.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from itertools import chain, takewhile
from time import monotonic
from typing import Any, TypeVar

from nearcopy.errors import StreamError, require
from nearcopy.io.streams.messages import NOWHERE, Message, Outcome, Outputs, annotations
from nearcopy.stores.redis.connection import parse_address
from nearcopy.stores.retry import Backoff

SETTLE_SCRIPT = files(__package__).joinpath("settle.lua").read_text("utf-8")
SETTLED_AT_ONCE = 256
MOST_FIELDS = 1000  # of an entry that the script can forward
ALONE_FROM = 3  # deliveries from which an entry is processed alone: it may crash the consumer
MOST_DELIVERIES = 6  # before an entry is a dead letter
RETRY_SECONDS = 120.0
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
log = logging.getLogger("nearcopy")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisSettings:
    """The stream, the consumer group, and where messages are forwarded to."""

    address: str
    stream: str
    group: str
    consumer: str
    outputs: Outputs = NOWHERE
    claim_seconds: float = 60.0  # after which a pending entry is claimed
    max_length: int | None = None  # approximate, of the output streams
    leave: bool = False  # remove this member from the group at the end

    def __post_init__(self) -> None:
        if self.stream in self.outputs:
            raise StreamError(f"{self.stream} is also read: forward to another stream")


class RedisStream:
    """A stream of one server, read as a member of a consumer group."""

    ended = False

    def __init__(self, settings: RedisSettings) -> None:
        self._errors = require("redis", extra="redis").exceptions
        self._settings = settings
        self._server = parse_address(settings.address, "default")
        self._client = self._connect()
        self._script = self._client.register_script(SETTLE_SCRIPT)
        self._claimed = monotonic() - settings.claim_seconds  # the time of the last claim
        self._own: str | None = "0"  # the last pending entry of an earlier run
        self._retry(self._join)

    def take(self, most: int, seconds: float) -> list[Message]:
        """Entries pending from before, entries of dead members, else new ones."""
        return self._retry(partial(self._take, most, seconds))

    def _take(self, most: int, seconds: float) -> list[Message]:
        try:
            pending = self._own_pending(most) or self._abandoned(most)
            return pending or self._read(">", most, max(1, int(seconds * 1000)))
        except self._errors.ResponseError as exc:
            if "NOGROUP" not in str(exc):
                raise
            log.warning("the group %s does not exist any more: created again", self._settings.group)
            self._join()
            return []

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Forward and acknowledge atomically what is still pending."""
        for start in range(0, len(outcomes), SETTLED_AT_ONCE):
            self._retry(partial(self._settle, outcomes[start : start + SETTLED_AT_ONCE]))

    def lag(self) -> int | None:
        """How many entries are not acknowledged, undelivered ones included."""
        return self._retry(self._lag)

    def close(self) -> None:
        """Leave the group; pending entries are claimed by others."""
        try:
            if self._settings.leave and not self._pending():
                where = self._settings
                self._client.xgroup_delconsumer(where.stream, where.group, where.consumer)
        except self._errors.RedisError as exc:
            log.info("the group could not be left: %s", exc)
        finally:
            self._client.close()

    def _connect(self) -> Any:
        redis = require("redis", extra="redis")
        try:
            return redis.Redis.from_url(self._server.url, socket_connect_timeout=5)
        except (ValueError, TypeError) as exc:
            raise StreamError(f"{self._server.shown} is not a Redis address: {exc}") from exc

    def _join(self) -> None:
        where = self._settings
        try:
            self._client.xgroup_create(where.stream, where.group, id="0", mkstream=True)
        except self._errors.ResponseError as exc:
            if "BUSYGROUP" not in str(exc):
                raise
        self._client.xgroup_createconsumer(where.stream, where.group, where.consumer)

    def _retry(self, operation: Callable[[], Answer]) -> Answer:
        """The result of an operation, retried while the server is unreachable."""
        backoff = Backoff(RETRY_SECONDS, FIRST_PAUSE, LONGEST_PAUSE)
        while True:
            try:
                return operation()
            except (self._errors.ConnectionError, self._errors.TimeoutError) as exc:
                if isinstance(exc, self._errors.AuthenticationError) or backoff.expired:
                    raise StreamError(f"{self._server.shown}: {exc}") from exc
                log.warning("retrying in %.1f s: %s: %s", backoff.pause, self._server.shown, exc)
            except self._errors.RedisError as exc:
                raise StreamError(
                    f"stream {self._settings.stream} at {self._server.shown}: {exc}"
                ) from exc
            backoff.sleep()

    def _own_pending(self, most: int) -> list[Message]:
        """Entries that were delivered to this member in an earlier run, and are pending."""
        if self._own is None:
            return []
        pending = self._pending_entries(
            most, after=f"({self._own}", consumername=self._settings.consumer
        )
        times = _select_batch(pending)
        messages = self._read(self._own, len(times)) if times else []
        self._own = next(reversed(times), None)
        return _selected_messages(messages, times)

    def _abandoned(self, most: int) -> list[Message]:
        """Entries that were delivered to other members long ago."""
        now = monotonic()
        if now - self._claimed < self._settings.claim_seconds / 2:
            return []
        times = _select_batch(self._pending_entries(most, idle=self._idle))
        if not times:
            self._claimed = now
            return []
        return _selected_messages(self._claim(list(times)), times)

    @property
    def _idle(self) -> int:
        return int(self._settings.claim_seconds * 1000)

    def _pending_entries(self, most: int, after: str = "-", **whose: Any) -> list[tuple[str, int]]:
        """The first pending entries, and how often each was delivered."""
        where = self._settings
        entries = self._client.xpending_range(where.stream, where.group, after, "+", most, **whose)
        return [(entry["message_id"].decode(), entry["times_delivered"]) for entry in entries]

    def _claim(self, entries: list[str]) -> list[Message]:
        where = self._settings
        claimed = self._client.xclaim(
            where.stream, where.group, where.consumer, self._idle, entries
        )
        log.info("claimed %d entries of other members", len(claimed))
        return self._messages(claimed)

    def _read(self, after: str, most: int, block: int | None = None) -> list[Message]:
        where = self._settings
        reply = self._client.xreadgroup(
            where.group, where.consumer, {where.stream: after}, count=most, block=block
        )
        streams = reply.values() if isinstance(reply, dict) else (pair[1] for pair in reply or ())
        return [message for entries in streams for message in self._messages(entries)]

    def _messages(self, entries: Iterable[Any]) -> list[Message]:
        messages = []
        for name, fields in entries:
            if fields:
                messages.append(self._message(name.decode(), fields))
            elif name is not None:  # removed from the stream before it was read
                self._client.xack(self._settings.stream, self._settings.group, name)
        return messages

    def _message(self, entry: str, fields: dict[bytes, bytes]) -> Message:
        why = None
        if len(fields) > MOST_FIELDS:
            fields, why = {}, f"more than {MOST_FIELDS} fields"
        return Message(f"{self._settings.stream}/{entry}", b"", fields=fields, token=entry, why=why)

    def _settle(self, outcomes: Sequence[Outcome]) -> None:
        where = self._settings
        streams = [outcome for outcome in where.outputs if outcome is not None]
        arguments: list[Any] = [where.group, where.max_length or ""]
        for outcome in outcomes:
            to = where.outputs.of(outcome.kind)
            words = _fields(outcome) if to else []
            arguments += [
                outcome.message.token,
                streams.index(to) + 1 if to else 0,
                len(words),
                *words,
            ]
        self._script(keys=[where.stream, *streams], args=arguments)

    def _lag(self) -> int | None:
        groups = self._client.xinfo_groups(self._settings.stream)
        own_groups = [group for group in groups if group["name"].decode() == self._settings.group]
        lags = (  # from Redis 7 on
            group["lag"] + group["pending"] for group in own_groups if group.get("lag") is not None
        )
        return next(map(int, lags), None)

    def _pending(self) -> int:
        where = self._settings
        members = self._client.xinfo_consumers(where.stream, where.group)
        counts = (
            member["pending"] for member in members if member["name"].decode() == where.consumer
        )
        return int(next(counts, 0))


def _select_batch(pending: list[tuple[str, int]]) -> dict[str, int]:
    """The entries to process together: the first ones delivered seldom, else the first alone."""
    return dict(list(takewhile(lambda entry: entry[1] < ALONE_FROM, pending)) or pending[:1])


def _selected_messages(messages: list[Message], times: dict[str, int]) -> list[Message]:
    """The messages that were selected; later ones may have come along."""
    return [
        _mark_undeliverable(message, times[message.token])
        for message in messages
        if message.token in times
    ]


def _mark_undeliverable(message: Message, deliveries: int) -> Message:
    """The message, which is a dead letter if it was delivered too often."""
    if deliveries < MOST_DELIVERIES:
        return message
    why = f"delivered {deliveries} times without being processed"
    return replace(message, why=why)


def _fields(outcome: Outcome) -> list[bytes | str]:
    """The fields of a forwarded entry: its own, and the annotations."""
    values = annotations(outcome)
    names = {name.encode() for name in values}
    own = [pair for pair in (outcome.message.fields or {}).items() if pair[0] not in names]
    return [*chain.from_iterable(own), *chain.from_iterable(values.items())]
