"""Messages of a stream, and what came of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from nearcopy.io.serializers.verdict import verdict_row
from nearcopy.models import Article, Verdict

PREFIX = "nearcopy_"  # before the names of what is put beside a message


class Kind(StrEnum):
    """Where a message goes."""

    UNIQUE = "unique"
    DUPLICATE = "duplicate"
    DEAD = "dead_letter"


@dataclass(frozen=True, slots=True)
class Message:
    """What came. `place` is the same whenever it comes again, and the id of what has none."""

    place: str
    data: bytes
    key: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    fields: Mapping[bytes, bytes] | None = None  # in place of `data`, where it came in fields
    token: Any = None  # what its stream knows it by
    why: str | None = None  # why it cannot be read, where the stream knows


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a message: a verdict, or why it cannot be read.

    The canonical address is that of the kept copy for a duplicate, else its own; `repeated` is
    whether the same article was in the store already.
    """

    message: Message
    article: Article | None = None
    verdict: Verdict | None = None
    why: str | None = None
    canonical_url: str | None = None
    repeated: bool = False

    @property
    def kind(self) -> Kind:
        """Where the message goes."""
        if self.verdict is None:
            return Kind.DEAD
        return Kind.DUPLICATE if self.verdict.is_duplicate else Kind.UNIQUE


def outcome_row(outcome: Outcome, *, evidence: bool = False) -> dict[str, Any]:
    """What came of a message, as JSON has it."""
    if outcome.verdict is None:
        return {"place": outcome.message.place, "error": outcome.why}
    answer = verdict_row(outcome.verdict, evidence=evidence)
    return answer | {"canonical_url": outcome.canonical_url, "again": outcome.repeated}


def annotations(outcome: Outcome) -> dict[str, str]:
    """What is put beside a message that is handed on; nothing stands for what is absent."""
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
    """Where messages are handed on to; None where they go no further."""

    unique: str | None = None
    duplicates: str | None = None
    dead_letters: str | None = None

    def of(self, kind: Kind) -> str | None:
        """Where messages of this kind go."""
        return self[list(Kind).index(kind)]


NOWHERE = Outputs()


class Stream(Protocol):
    """Where messages come from. A message comes again until it is settled, never less than once."""

    @property
    def ended(self) -> bool:
        """Whether nothing will ever come again."""

    def take(self, most: int, seconds: float) -> Sequence[Message]:
        """The next messages, at most so many; none where none came in so many seconds."""

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Hand on what came of messages, then have none of them come again.

        As one step where the stream can; else some may be handed on again when this is cut short.
        """

    def lag(self) -> int | None:
        """How many messages are waiting, None where that cannot be known."""

    def close(self) -> None:
        """Let go; others take what was not settled."""


class Sink(Protocol):
    """Another place that outcomes go to, before their messages are settled."""

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Have these there for good; the same ones may be written again."""
