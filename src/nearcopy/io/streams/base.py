"""What a stream has to do. A new way in is one module with a class that does this."""

from collections.abc import Sequence
from typing import Protocol

from nearcopy.io.streams.messages import Message, Outcome


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
