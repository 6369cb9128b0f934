"""JSON: lines, arrays and wrapped arrays in; values as JSON and as table cells out."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from itertools import chain
from math import isfinite
from typing import Any

from nearcopy.io.files.decompress import CUT_OFF, Line, Stream, not_utf8
from nearcopy.io.files.rows import Place, Rejected, Values

Record = tuple[Place, Values] | Rejected
WRAPPER_KEYS = frozenset({"articles", "items"})  # of the array in an object that wraps it
SPACE = re.compile(r"[ \t\n\r]*")
DEEPEST = 100  # nested lists and objects
LARGEST = 1 << 30  # bytes of a file that is read as a whole, decompressed


class Decoder(json.JSONDecoder):
    """A decoder for JSON that can be written again: without NaN, and of limited depth."""

    def __init__(self) -> None:
        super().__init__(parse_constant=lambda _: None)  # NaN and Infinity are not JSON

    def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
        """The value that begins here, and where it ends."""
        value, end = super().raw_decode(s, idx)
        if too_deep(value):
            raise ValueError(f"nested more than {DEEPEST} deep")
        return value, end


def too_deep(value: Any) -> bool:
    """Whether lists and objects are nested deeper than in any article.

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
    """A record per line; blank lines are skipped."""
    for line in stream.lines():
        if line.data.strip() or line.why:
            yield read_line(Place(file, line.number), line)


def read_line(place: Place, line: Line) -> Record:
    """The record of a line."""
    why = line.why
    try:
        value = None if why else DECODER.decode(line.data.decode())
        if isinstance(value, dict):
            return place, value
        why = why or _not_an_object(value)
    except UnicodeDecodeError as exc:
        why = not_utf8(exc)
    except json.JSONDecodeError as exc:
        end = "" if line.data.endswith(b"\n") else f"; {CUT_OFF}, or damaged"
        why = f"not JSON: {exc.msg.removesuffix(' at')} at {exc.pos}{end}"
    except (ValueError, RecursionError) as exc:
        why = f"not JSON: {exc}"
    return Rejected(place, why, decode_lossy(line.data))


def _not_an_object(value: Any) -> str:
    return f"expected an object, got {json.dumps(value, ensure_ascii=False):.60}"


def decode_lossy(data: bytes) -> str:
    """The bytes as text, with invalid ones escaped."""
    return data.decode("utf-8", "backslashreplace").rstrip("\r\n")


def read_json(stream: Stream, file: str) -> Iterator[Record]:
    """The objects of a file, one after another or in an array, up to the first syntax error."""
    data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        why = f"larger than {LARGEST >> 20} MB decompressed: write it as JSON lines"
        yield Rejected(Place(file, 1), why, "")
        return
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = data.count(b"\n", 0, exc.start) + 1
        yield Rejected(Place(file, line), not_utf8(exc), decode_lossy(data))
        return
    reader = _JsonReader(text, file)
    try:
        yield from reader.records()
        if stream.broken:
            yield Rejected(reader.place(), stream.broken, "")
    except (ValueError, RecursionError) as exc:
        why = stream.broken or _reason(exc, text)
        yield Rejected(reader.place(), why, text[reader.at :])


def _reason(exc: Exception, text: str) -> str:
    if not isinstance(exc, json.JSONDecodeError):
        return f"not JSON from here on: {exc}"
    cut = exc.pos >= len(text.rstrip()) or exc.msg.startswith("Unterminated")
    return f"{CUT_OFF}: {exc.msg}" if cut else f"not JSON from here on: {exc.msg}"


class _JsonReader:
    """Reads JSON value by value, so that values before a syntax error are not lost."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.at = 0  # the next value
        self._line, self._counted = 1, 0

    def place(self) -> Place:
        """Where the next value begins."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return Place(self.file, self._line)

    def records(self) -> Iterator[Record]:
        """The objects of every value of the file."""
        while self._next():
            yield from self._value()

    def _value(self) -> Iterator[Record]:
        if self._next() == "[":
            yield from self._array()
        elif (inside := self._wrapped_array()) is not None:
            self.at = inside
            yield from self._array()
            self._end_wrapper()
        else:
            yield self._record()

    def _array(self) -> Iterator[Record]:
        self.at += 1
        while not self._skip("]"):
            yield self._record()
            if not self._skip(",") and self._next() != "]":
                raise json.JSONDecodeError("expected , or ]", self.text, self.at)

    def _record(self) -> Record:
        place = self.place()
        value = self._decode()
        if isinstance(value, dict):
            return place, value
        return Rejected(place, _not_an_object(value), value)

    def _decode(self) -> Any:
        value, self.at = DECODER.raw_decode(self.text, self.at)
        return value

    def _next(self) -> str:
        """The next character that is not white space, "" at the end."""
        space = SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at
        return self.text[self.at : self.at + 1]

    def _skip(self, mark: str) -> bool:
        """Skip this character if it is next; whether it was."""
        is_next = self._next() == mark
        if is_next:
            self.at += 1
        return is_next

    def _wrapped_array(self) -> int | None:
        """Where the array of objects begins that the object here wraps."""
        start, self.at = self.at, self.at + 1
        start_of_array: int | None = None
        try:
            while start_of_array is None and self._next() == '"':
                start_of_array = self._find_in_member()
        finally:
            self.at = start
        return start_of_array

    def _find_in_member(self) -> int | None:
        """Skip a member of an object; where its array begins if it is the wrapped one."""
        key = self._key()
        if self._next() == "[" and key in WRAPPER_KEYS:
            start, self.at = self.at, self.at + 1
            if self._next() in ("{", "]"):
                return start
            self.at = start
        self._skip_value()
        return None

    def _key(self) -> Any:
        key = self._decode()
        self._skip(":")
        return key

    def _skip_value(self) -> None:
        self._next()
        self._decode()
        self._skip(",")

    def _end_wrapper(self) -> None:
        """Skip the rest of the object around the array."""
        self._skip(",")
        while self._next() == '"':
            self._key()
            self._skip_value()
        if not self._skip("}"):
            raise json.JSONDecodeError("expected }", self.text, self.at)


LIST_SEPARATOR = "; "  # of the items of a list in a cell


def as_json(row: Any) -> bytes:
    """The value as JSON in UTF-8; numbers that JSON does not have are null."""
    try:
        return _dump(row).encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can hold and UTF-8 cannot
        return _dump(row, ensure_ascii=True).encode()


def _dump(row: Any, *, ensure_ascii: bool = False) -> str:
    encode = ENCODERS[ensure_ascii].encode
    try:
        return encode(row)
    except ValueError:
        return encode(_finite(row))


def _json_value(value: Any) -> Any:
    """A JSON value for a type that JSON does not have."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return str(value)


ENCODERS = [
    json.JSONEncoder(ensure_ascii=ensure_ascii, allow_nan=False, default=_json_value)
    for ensure_ascii in (False, True)
]


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def as_cell(value: Any) -> str:
    """The value as the text of a table cell; a list as its items, an object as JSON."""
    if isinstance(value, str):
        return replace_lone_surrogates(value)
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return LIST_SEPARATOR.join(map(as_cell, value))
    return as_text(value) or ""


def as_text(value: Any) -> str | None:
    """The value as text, JSON for what is not text; None if it is absent."""
    if value is None or isinstance(value, str):
        return None if value is None else replace_lone_surrogates(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    return as_json(value).decode()


def replace_lone_surrogates(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot encode."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
