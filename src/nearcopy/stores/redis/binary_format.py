"""Binary formats: packed strings, names of records, entries of the log."""

import struct
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from nearcopy.stores.redis.connection import ROWS, join_pieces

LENGTH = struct.Struct(">I")
NONE_LENGTH = 0xFFFFFFFF


def pack_strings(values: Iterable[bytes | None]) -> bytes:
    """The strings, each after its length in four bytes."""
    parts: list[bytes] = []
    for value in values:
        if value is None:
            parts.append(b"\xff\xff\xff\xff")
        else:
            parts += (LENGTH.pack(len(value)), value)
    return b"".join(parts)


def unpack_strings(packed: bytes) -> list[bytes | None]:
    """The inverse of `pack_strings`."""
    values: list[bytes | None] = []
    at, unpack = 0, LENGTH.unpack_from
    while at < len(packed):
        (length,) = unpack(packed, at)
        at += 4
        if length == NONE_LENGTH:
            values.append(None)
        else:
            values.append(packed[at : at + length])
            at += length
    return values


def unpack_hash(packed: bytes | None) -> dict[bytes, bytes]:
    """The fields of a hash, packed as alternating names and values."""
    flat = [value or b"" for value in unpack_strings(packed or b"")]
    return dict(zip(flat[::2], flat[1::2], strict=True))


def split(value: bytes, size: int) -> list[bytes]:
    """The string in pieces of this size; at least one, though it may be empty."""
    return [value[start : start + size] for start in range(0, max(1, len(value)), size)]


Name = bytes
STAGED_BYTES = 8 << 20  # of a transaction that are sent in one part
PIECE, PIECES = 64, 4  # Redis stores hashes compactly whose fields are no longer than this


def field_name(key: str, field: object) -> Name:
    """The name of a field of a hash."""
    return f"h{key}\n{field}".encode()


def article_name(table: str, number: int) -> Name:
    """The name of an article's record in a table, by sequence number."""
    return b"h%s:%d\n%d" % (table.encode(), number // ROWS, number % ROWS)


def text_name(table: str, text: str) -> Name:
    """The name of a record in a table whose keys are texts."""
    return f"g{table}:{text}".encode("utf-8", "surrogatepass")


def text_of(name: Name) -> str:
    """The inverse of `text_name`."""
    return name.partition(b":")[2].decode("utf-8", "surrogatepass")


def row_name(number: int) -> Name:
    """The name of the row of an article."""
    return b"r%d" % number


def key_of(name: Name) -> bytes:
    """The key of the hash that a field belongs to."""
    return name[1:].partition(b"\n")[0]


def pack_request(names: Iterable[Name]) -> bytes:
    """The names as the script reads them: a field is its hash, then the field."""
    flat: list[bytes] = []
    for name in names:
        if name[:1] == b"h":
            flat += name.split(b"\n", 1)
        else:
            flat.append(name)
    return pack_strings(flat)


def unpack_answer(name: Name, answer: Any) -> bytes | None:
    """A record as it is cached, from the answer of the server."""
    if name[:1] == b"r":
        return join_pieces(answer)
    if name[:1] == b"a":
        return pack_strings(answer) or None
    plain: bytes | None = answer
    return plain


def pack_write(name: Name, value: bytes | None, pieces: int) -> tuple[bytes, list[bytes]]:
    """The key of a record, and the operations that write it."""
    if name[:1] == b"r":
        return _pack_row_write(int(name[1:]), value, pieces)
    if name[:1] == b"g":
        key = name[1:]
        return key, [pack_strings([b"x", key] if value is None else [b"s", key, value])]
    key, _, field = name[1:].partition(b"\n")
    parts = [b"d", key, field] if value is None else [b"h", key, field, value]
    return key, [pack_strings(parts)]


def _pack_row_write(number: int, value: bytes | None, pieces: int) -> tuple[bytes, list[bytes]]:
    key, place = b"r:%d" % (number // ROWS), number % ROWS
    if value is None:
        places = range(place, pieces * ROWS, ROWS)
        return key, [pack_strings([b"d", key, b"%d" % offset]) for offset in places]
    fields = ((b"%d" % (place + ROWS * n), part) for n, part in enumerate(split_row(value, pieces)))
    return key, [pack_strings([b"h", key, field, part]) for field, part in fields]


def split_row(row: bytes, pieces: int) -> list[bytes]:
    """A short row in so many pieces that Redis stores its hash compactly; else whole."""
    return [row] if pieces == 1 or len(row) > PIECE * pieces else split(row, PIECE)


def batch_operations(operations: Iterable[bytes]) -> Iterator[bytes]:
    """The operations in parts of limited size; at least one part, though it may be empty."""
    batch: list[bytes] = []
    size = 0
    for operation in operations:
        if size > STAGED_BYTES:
            yield b"".join(batch)
            batch, size = [], 0
        batch.append(operation)
        size += len(operation)
    yield b"".join(batch)


class LogEntry(NamedTuple):
    """What one transaction changed."""

    token: bytes
    headers: bytes  # of the articles that were added
    removed: list[int]  # sequence numbers
    names: list[Name]

    def pack(self) -> bytes:
        """The entry as it is stored in the log."""
        return pack_strings([self.token, self.headers, pack_ranges(self.removed), *self.names])

    @classmethod
    def unpack(cls, packed: bytes) -> "LogEntry":
        """The inverse of `pack`."""
        token, headers, removed, *names = (part or b"" for part in unpack_strings(packed))
        return cls(token, headers, unpack_ranges(removed), names)


def pack_ranges(numbers: Iterable[int]) -> bytes:
    """Numbers as ranges: short where many are consecutive, as after a purge.

    >>> pack_ranges([4, 1, 2, 3, 9])
    b'1-4,9'
    """
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return b",".join(b"%d" % a if a == b else b"%d-%d" % (a, b) for a, b in ranges)


def unpack_ranges(packed: bytes) -> list[int]:
    """The inverse of `pack_ranges`.

    >>> unpack_ranges(b"1-4,9"), unpack_ranges(b"")
    ([1, 2, 3, 4, 9], [])
    """
    numbers: list[int] = []
    for part in packed.split(b",") if packed else ():
        first, _, last = part.partition(b"-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers
