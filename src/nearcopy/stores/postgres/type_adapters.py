"""Values on their way to PostgreSQL and back.

Its texts hold no NUL, while an article's title or id may. So NUL and the mark that stands for it
are written as two characters each, and read back as one. Whole numbers go as 64 bits whatever their
size, lest one statement be prepared many times.
"""

from collections.abc import Callable, Collection, Mapping
from struct import Struct
from typing import Any

from psycopg import Connection
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg.types.string import StrBinaryDumper, StrDumper

MARK = "\ufffe"  # no character, and never meant to be in a text
ZERO, ITSELF = MARK + "0", MARK + "1"


def written(text: str) -> str:
    """A text as PostgreSQL takes it."""
    if "\0" in text or MARK in text:
        return text.replace(MARK, ITSELF).replace("\0", ZERO)
    return text


def read(text: str) -> str:
    """The text again.

    >>> [read(written(each)) == each for each in ("a", "a\\0b", "\\ufffe0", "\\0\\ufffe")]
    [True, True, True, True]
    """
    return text.replace(ZERO, "\0").replace(ITSELF, MARK) if MARK in text else text


class TextDumper(StrDumper):
    """Writes a text, as text."""

    def dump(self, obj: str) -> Buffer | None:
        """The text in bytes."""
        return super().dump(written(obj))


class TextBinaryDumper(StrBinaryDumper):
    """Writes a text, as bytes."""

    def dump(self, obj: str) -> Buffer | None:
        """The text in bytes."""
        return super().dump(written(obj))


class TextLoader(Loader):
    """Reads a text."""

    def load(self, data: Buffer) -> str:
        """The text of bytes."""
        return read(str(data, "utf-8"))


class TextBinaryLoader(TextLoader):
    """Reads a text that comes as bytes."""

    format = Format.BINARY


class Packed(bytes):
    """A list of values as PostgreSQL takes it; the statement has to tell of what type it is."""


class PackedDumper(Dumper):
    """Hands on what is packed already."""

    format = Format.BINARY

    def dump(self, obj: Packed) -> Buffer | None:
        """The bytes as they are."""
        return obj


HEAD = Struct(">5i")  # of an array: axes, whether there are Nones, type, length, first place
LENGTH = Struct(">i")
NOTHING = LENGTH.pack(-1)
INTEGER, TEXT = 20, 25
AS_BYTES: Mapping[int, Callable[[Any], bytes]] = {
    17: bytes,
    INTEGER: Struct(">q").pack,
    TEXT: lambda text: written(text).encode(),
    701: Struct(">d").pack,
}


def packed(values: Collection[Any], kind: int) -> Packed:
    """Values of one of the kinds that nearcopy's tables have, by PostgreSQL's number of it.

    The driver looks at each value thrice, which took a quarter of the time of a small step.

    >>> packed([1], INTEGER).hex(" ", 4)
    '00000001 00000001 00000014 00000001 00000001 00000008 00000000 00000001'
    """
    as_bytes, length = AS_BYTES[kind], LENGTH.pack
    encoded = [NOTHING if value is None else as_bytes(value) for value in values]
    parts = [part if part is NOTHING else length(len(part)) + part for part in encoded]
    return Packed(HEAD.pack(1, 1, kind, len(parts), 1) + b"".join(parts))


def prepare(connection: Connection) -> None:
    """Have the connection write and read values this way."""
    adapters = connection.adapters
    for text in (TextDumper, TextBinaryDumper):
        adapters.register_dumper(str, text)
    for whole in (Int8Dumper, Int8BinaryDumper):
        adapters.register_dumper(int, whole)
    adapters.register_dumper(Packed, PackedDumper)
    for loader in (TextLoader, TextBinaryLoader):
        adapters.register_loader("text", loader)
