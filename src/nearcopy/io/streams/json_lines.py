"""JSON lines from a file or a pipe, answered line by line."""

import os
import select
from collections.abc import Callable, Sequence
from io import UnsupportedOperation
from typing import BinaryIO

from nearcopy.io.files.decompress import LONGEST, Line
from nearcopy.io.streams.messages import Message, Outcome

CHUNK = 1 << 16


class LineSplitter:
    """Splits bytes into lines; blank ones are counted and skipped."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._buffer = bytearray()
        self._number = 0
        self._skipping = False  # a line that is too long

    def feed(self, data: bytes) -> list[Line]:
        """The lines that are complete by now."""
        *whole, tail = data.split(b"\n")
        lines = [line for piece in whole if (line := self._complete(piece))]
        self._hold(tail)
        return lines

    def end(self) -> list[Line]:
        """The last line, if it has no line break."""
        line = self._complete(b"")
        return [line] if line else []

    def _hold(self, data: bytes) -> None:
        if not self._skipping:
            self._buffer += data
        if len(self._buffer) > self._longest:
            self._skipping = True
            self._buffer.clear()

    def _complete(self, data: bytes) -> Line | None:
        self._hold(data)
        self._number += 1
        data, skipping = bytes(self._buffer), self._skipping
        self._buffer.clear()
        self._skipping = False
        if skipping:
            return Line(self._number, b"", f"a line may have at most {self._longest:,} bytes")
        return Line(self._number, data) if data.strip() else None


class LineStream:
    """The lines of a file as messages; their outcomes are passed to `answer`.

    Available lines are taken at once: a single line is answered while the next is awaited.
    """

    def __init__(
        self, file: BinaryIO, name: str, answer: Callable[[Sequence[Outcome]], None]
    ) -> None:
        self._file, self._name, self._answer = file, name, answer
        self._descriptor = _descriptor(file)
        self._lines = LineSplitter(LONGEST)
        self._waiting: list[Line] = []
        self._at_end = False

    @property
    def ended(self) -> bool:
        """Whether all lines are taken."""
        return self._at_end and not self._waiting

    def take(self, most: int, seconds: float) -> list[Message]:
        """The available lines, after waiting for the first."""
        while len(self._waiting) < most and not self._at_end:
            if not self._ready(0 if self._waiting else seconds):
                break
            self._read()
        lines, self._waiting = self._waiting[:most], self._waiting[most:]
        return [self._message(line) for line in lines]

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Answer."""
        self._answer(outcomes)

    def lag(self) -> int | None:
        """Unknown."""
        return None

    def close(self) -> None:
        """Do nothing: the caller closes the file."""

    def _ready(self, seconds: float) -> bool:
        if self._descriptor is None:
            return True
        return bool(select.select([self._descriptor], [], [], seconds)[0])

    def _read(self) -> None:
        if self._descriptor is None:
            data = self._file.read(CHUNK)
        else:
            data = os.read(self._descriptor, CHUNK)
        self._waiting += self._lines.feed(data) if data else self._lines.end()
        self._at_end = not data

    def _message(self, line: Line) -> Message:
        place = f"{self._name}:{line.number}"
        return Message(place, line.data, token=line.number, why=line.why)


def _descriptor(file: BinaryIO) -> int | None:
    """The file descriptor; None for a file in memory."""
    try:
        return file.fileno()
    except (UnsupportedOperation, AttributeError):
        return None
