"""JSON lines, and JSON files that hold an array, one object, or an object around an array."""

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from nearcopy.io.files.decompress import CUT_OFF, Line, Stream, not_utf8
from nearcopy.io.files.rows import Place, Rejected, Values

Record = tuple[Place, Values] | Rejected
WRAPPER_KEYS = frozenset({"articles", "items"})  # keys of the array in an object around it
SPACE = re.compile(r"[ \t\n\r]*")
DEEPEST = 100  # lists and objects within each other; what goes deeper is no article
LARGEST = 1 << 30  # bytes of a file that is read as a whole, unpacked


class Decoder(json.JSONDecoder):
    """Reads JSON that may be written again: neither NaN nor what is nested without end."""

    def __init__(self) -> None:
        super().__init__(parse_constant=lambda _: None)  # NaN and Infinity are no JSON

    def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
        """The value that begins here, and where it ends."""
        value, end = super().raw_decode(s, idx)
        if too_deep(value):
            raise ValueError(f"nested more than {DEEPEST} deep")
        return value, end


def too_deep(value: Any) -> bool:
    """Whether lists and objects stand within each other deeper than those of any article.

    >>> too_deep(json.loads("[" * 100 + "]" * 100)), too_deep(json.loads("[" * 101 + "]" * 101))
    (False, True)
    """
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(DEEPEST):
        inside = (item.values() if isinstance(item, dict) else item for item in level)
        level = [item for item in chain.from_iterable(inside) if isinstance(item, dict | list)]
        if not level:
            return False
    return True


DECODER = Decoder()


def read_jsonl(stream: Stream, file: str) -> Iterator[Record]:
    """A record a line; blank lines are none."""
    for line in stream.lines():
        if line.data.strip() or line.why:
            yield read_line(Place(file, line.number), line)


def read_line(place: Place, line: Line) -> Record:
    """The record of a line."""
    if line.why:
        return Rejected(place, line.why, decode_lossy(line.data))
    try:
        value = DECODER.decode(line.data.decode())
        return (
            (place, value)
            if isinstance(value, dict)
            else _odd(place, value, decode_lossy(line.data))
        )
    except UnicodeDecodeError as exc:
        return Rejected(place, not_utf8(exc), decode_lossy(line.data))
    except json.JSONDecodeError as exc:
        end = "" if line.data.endswith(b"\n") else f"; {CUT_OFF}, or broken"
        why = f"not JSON: {exc.msg.removesuffix(' at')} at {exc.pos}{end}"
        return Rejected(place, why, decode_lossy(line.data))
    except (ValueError, RecursionError) as exc:
        return Rejected(place, f"not JSON that can be read: {exc}", decode_lossy(line.data))


def _odd(place: Place, value: Any, raw: Any) -> Rejected:
    return Rejected(
        place, f"expected an object, got {json.dumps(value, ensure_ascii=False):.60}", raw
    )


def decode_lossy(data: bytes) -> str:
    """The bytes as text, those that are none written out."""
    return data.decode("utf-8", "backslashreplace").rstrip("\r\n")


def read_json(stream: Stream, file: str) -> Iterator[Record]:
    """The objects of a file, one after another or in an array; all up to where it breaks."""
    data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        why = f"larger than {LARGEST >> 20} MB, unpacked: write it as JSON lines"
        yield Rejected(Place(file, 1), why, "")
        return
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = data.count(b"\n", 0, exc.start) + 1
        yield Rejected(Place(file, line), not_utf8(exc), decode_lossy(data))
        return
    reader = _Reader(text, file)
    try:
        yield from reader.records()
        if stream.broken:
            yield Rejected(reader.place(), stream.broken, "")
    except (ValueError, RecursionError) as exc:
        why = stream.broken or _reason(exc, text)
        yield Rejected(reader.place(), why, reader.rest())


def _reason(exc: Exception, text: str) -> str:
    if not isinstance(exc, json.JSONDecodeError):
        return f"not JSON that can be read, from here on: {exc}"
    cut = exc.pos >= len(text.rstrip()) or exc.msg.startswith("Unterminated")
    return f"{CUT_OFF}: {exc.msg}" if cut else f"not JSON from here on: {exc.msg}"


class _Reader:
    """JSON read value by value, so that what stands before a break is not lost."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.at = 0  # the next value
        self._line, self._counted = 1, 0

    def place(self) -> Place:
        """Where the next value stands."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return Place(self.file, self._line)

    def rest(self) -> str:
        """What has not been read."""
        return self.text[self.at :]

    def records(self) -> Iterator[Record]:
        """The objects of every value of the file."""
        while self._next():
            yield from self._value()

    def _value(self) -> Iterator[Record]:
        if self._next() == "[":
            yield from self._array()
        elif (inside := self._around()) is not None:
            self.at = inside
            yield from self._array()
            self.at = self._end_around()
        else:
            yield self._record()

    def _array(self) -> Iterator[Record]:
        self.at += 1
        while self._next() != "]":
            yield self._record()
            if self._next() == ",":
                self.at += 1
            elif self._next() != "]":
                raise json.JSONDecodeError("expected , or ]", self.text, self.at)
        self.at += 1

    def _record(self) -> Record:
        place = self.place()
        value = self._decoded()
        return (place, value) if isinstance(value, dict) else _odd(place, value, value)

    def _decoded(self) -> Any:
        value, self.at = DECODER.raw_decode(self.text, self.at)
        return value

    def _next(self) -> str:
        """The next character that is no space, "" at the end."""
        space = SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at
        return self.text[self.at : self.at + 1]

    def _around(self) -> int | None:
        """Where the array of objects begins that the object here is put around."""
        start, self.at = self.at, self.at + 1
        start_of_array: int | None = None
        try:
            while start_of_array is None and self._next() == '"':
                start_of_array = self._member()
        finally:
            self.at = start
        return start_of_array

    def _member(self) -> int | None:
        """Passes a member of an object, unless its array is what is looked for."""
        key = self._key()
        if self._next() == "[" and key in WRAPPER_KEYS:
            start, self.at = self.at, self.at + 1
            if self._next() in ("{", "]"):
                return start
            self.at = start
        self._pass_value()
        return None

    def _key(self) -> Any:
        key = self._decoded()
        if self._next() == ":":
            self.at += 1
        return key

    def _pass_value(self) -> None:
        self._next()
        self._decoded()
        self._pass_comma()

    def _pass_comma(self) -> None:
        if self._next() == ",":
            self.at += 1

    def _end_around(self) -> int:
        """Where the object around the array ends."""
        self._pass_comma()
        while self._next() == '"':
            self._key()
            self._pass_value()
        if self._next() != "}":
            raise json.JSONDecodeError("expected }", self.text, self.at)
        return self.at + 1
