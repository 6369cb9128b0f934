"""What the scripts of a Redis store are asked, and told to write."""

from collections.abc import Iterable, Iterator

from nearcopy.stores.redis.binary_format import strings
from nearcopy.stores.redis.fingerprint_codec import row_pieces
from nearcopy.stores.redis.lua_scripts import ROWS

Name = bytes
STAGED_BYTES = 8 << 20  # of a step that are sent in one piece


def request(names: Iterable[Name]) -> bytes:
    """The names as a script reads them: of a field first the hash, then the field."""
    flat: list[bytes] = []
    for name in names:
        if name[:1] == b"h":
            flat += name.split(b"\n", 1)
        else:
            flat.append(name)
    return strings(flat)


def applied(name: Name, value: bytes | None, pieces: int) -> list[bytes]:
    """The key of a record, and what writes it."""
    if name[:1] == b"r":
        return _row_written(int(name[1:]), value, pieces)
    if name[:1] == b"g":
        key = name[1:]
        return [key, strings([b"x", key] if value is None else [b"s", key, value])]
    key, _, named = name[1:].partition(b"\n")
    return [key, strings([b"d", key, named] if value is None else [b"h", key, named, value])]


def _row_written(number: int, value: bytes | None, pieces: int) -> list[bytes]:
    key, place = b"r:%d" % (number // ROWS), number % ROWS
    if value is None:
        places = range(place, pieces * ROWS, ROWS)
        return [key, *(strings([b"d", key, b"%d" % offset]) for offset in places)]
    parts = row_pieces(value, pieces)
    return [
        key,
        *(strings([b"h", key, b"%d" % (place + ROWS * n), part]) for n, part in enumerate(parts)),
    ]


def in_parts(operations: Iterable[bytes]) -> Iterator[bytes]:
    """The operations in strings that are not too long; at least one, be it empty."""
    batch: list[bytes] = []
    size = 0
    for operation in operations:
        if size > STAGED_BYTES:
            yield b"".join(batch)
            batch, size = [], 0
        batch.append(operation)
        size += len(operation)
    yield b"".join(batch)
