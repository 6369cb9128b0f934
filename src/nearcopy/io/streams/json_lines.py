"""JSON lines from a file or a pipe, answered line by line."""

import os
import select
from collections.abc import Callable, Sequence
from io import UnsupportedOperation
from typing import BinaryIO, NamedTuple

from nearcopy.io.streams.messages import Message, Outcome

LONGEST = 1 << 26  # bytes of a line; what is longer is no article
PIECE = 1 << 16


class Line(NamedTuple):
    """A line that came, or why it cannot be read."""

    number: int
    data: bytes
    why: str | None = None


class LineSplitter:
    """Takes bytes apart into lines; blank ones count and are left out."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._rest = bytearray()
        self._number = 0
        self._passing = False  # the rest of a line that is too long

    def feed(self, data: bytes) -> list[Line]:
        """The lines that are whole by now."""
        *whole, tail = data.split(b"\n")
        lines = [line for piece in whole if (line := self._ended(piece))]
        self._hold(tail)
        return lines

    def end(self) -> list[Line]:
        """The last line, where it was not ended."""
        line = self._ended(b"")
        return [line] if line else []

    def _hold(self, data: bytes) -> None:
        if not self._passing:
            self._rest += data
        if len(self._rest) > self._longest:
            self._passing = True
            self._rest.clear()

    def _ended(self, data: bytes) -> Line | None:
        self._hold(data)
        self._number += 1
        data, passing = bytes(self._rest), self._passing
        self._rest.clear()
        self._passing = False
        if passing:
            return Line(self._number, b"", f"a line may have {self._longest:,} bytes: shorten it")
        return Line(self._number, data) if data.strip() else None


class LineStream:
    """The lines of a file as messages; what came of them is handed to `answer`.

    What is there is taken at once: a single line is answered while the next is awaited.
    """

    def __init__(
        self, file: BinaryIO, name: str, answer: Callable[[Sequence[Outcome]], None]
    ) -> None:
        self._file, self._name, self._answer = file, name, answer
        self._descriptor = _descriptor(file)
        self._lines = LineSplitter(LONGEST)
        self._waiting: list[Line] = []
        self._whole = False

    @property
    def ended(self) -> bool:
        """Whether all lines are taken."""
        return self._whole and not self._waiting

    def take(self, most: int, seconds: float) -> list[Message]:
        """The lines that are there, after waiting for the first."""
        while len(self._waiting) < most and not self._whole:
            if not self._ready(0 if self._waiting else seconds):
                break
            self._read()
        lines, self._waiting = self._waiting[:most], self._waiting[most:]
        return [self._message(line) for line in lines]

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Answer."""
        self._answer(outcomes)

    def lag(self) -> int | None:
        """Nobody knows how many lines there will be."""
        return None

    def close(self) -> None:
        """The file is its owner's to close."""

    def _ready(self, seconds: float) -> bool:
        if self._descriptor is None:
            return True
        return bool(select.select([self._descriptor], [], [], seconds)[0])

    def _read(self) -> None:
        if self._descriptor is None:
            data = self._file.read(PIECE)
        else:
            data = os.read(self._descriptor, PIECE)
        self._waiting += self._lines.feed(data) if data else self._lines.end()
        self._whole = not data

    def _message(self, line: Line) -> Message:
        place = f"{self._name}:{line.number}"
        return Message(place, line.data, token=line.number, why=line.why)


def _descriptor(file: BinaryIO) -> int | None:
    """What the system knows the file by; None for one that is in memory."""
    try:
        return file.fileno()
    except (UnsupportedOperation, AttributeError):
        return None
