"""Messages of a stream, their outcomes, and the protocols of streams and sinks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from nearcopy.io.serializers import verdict_row
from nearcopy.models import Article, Verdict

PREFIX = "nearcopy_"  # of the headers that are added to a message


class Kind(StrEnum):
    """Where a message is forwarded to."""

    UNIQUE = "unique"
    DUPLICATE = "duplicate"
    DEAD = "dead_letter"


@dataclass(frozen=True, slots=True)
class Message:
    """A message. `place` is the same on every delivery, and the id of an article without one."""

    place: str
    data: bytes
    key: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    fields: Mapping[bytes, bytes] | None = None  # instead of `data`, if it came in fields
    token: Any = None  # by which its stream identifies it
    why: str | None = None  # why it cannot be read, if the stream knows


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a message: a verdict, or why it cannot be read.

    The canonical URL of a duplicate is that of its kept copy; `repeated` is whether the same
    article was in the store already.
    """

    message: Message
    article: Article | None = None
    verdict: Verdict | None = None
    why: str | None = None
    canonical_url: str | None = None
    repeated: bool = False

    @property
    def kind(self) -> Kind:
        """Where the message is forwarded to."""
        if self.verdict is None:
            return Kind.DEAD
        return Kind.DUPLICATE if self.verdict.is_duplicate else Kind.UNIQUE


def outcome_row(outcome: Outcome, *, evidence: bool = False) -> dict[str, Any]:
    """The outcome as JSON values."""
    if outcome.verdict is None:
        return {"place": outcome.message.place, "error": outcome.why}
    answer = verdict_row(outcome.verdict, evidence=evidence)
    return answer | {"canonical_url": outcome.canonical_url, "again": outcome.repeated}


def annotations(outcome: Outcome) -> dict[str, str]:
    """The headers that are added to a forwarded message, without those that are absent."""
    verdict = outcome.verdict
    if verdict is None:
        values: dict[str, object] = {"reason": outcome.why}
    else:
        values = {
            "id": verdict.id,
            "relation": str(verdict.relation),
            "is_duplicate": "true" if verdict.is_duplicate else "false",
            "duplicate_of": verdict.duplicate_of,
            "match": verdict.match,
            "story_id": verdict.story_id,
            "confidence": f"{verdict.confidence:.4f}",
            "rule": verdict.rule,
            "canonical_url": outcome.canonical_url,
            "again": "true" if outcome.repeated else None,
        }
    values["place"] = outcome.message.place
    return {f"{PREFIX}{name}": str(value) for name, value in values.items() if value is not None}


class Outputs(NamedTuple):
    """Where messages are forwarded to; None where they are not."""

    unique: str | None = None
    duplicates: str | None = None
    dead_letters: str | None = None

    def of(self, kind: Kind) -> str | None:
        """Where messages of this kind are forwarded to."""
        return self[list(Kind).index(kind)]


NOWHERE = Outputs()


class Stream(Protocol):
    """A source of messages with at-least-once delivery."""

    @property
    def ended(self) -> bool:
        """Whether no more messages will come."""

    def take(self, most: int, seconds: float) -> Sequence[Message]:
        """The next messages, at most `most`; none where none came within the timeout."""

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Forward the outcomes, then acknowledge their messages.

        Atomically where the stream can; else outcomes may be forwarded again after a crash.
        """

    def lag(self) -> int | None:
        """How many messages are waiting, None if that is unknown."""

    def close(self) -> None:
        """Leave the stream; messages that are not acknowledged are delivered to others."""


class Sink(Protocol):
    """Another destination of outcomes, before their messages are acknowledged."""

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Store these outcomes durably; the same ones may be written again."""
