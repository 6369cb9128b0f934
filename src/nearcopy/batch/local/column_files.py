"""Packs: named columns in one file, with a checksum each, read in whole or in part."""

import json
from collections.abc import Iterable, Mapping
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearcopy.errors import BadCorpus
from nearcopy.io.files.atomic_write import open_atomic
from nearcopy.kernels import xxh3_64

Array = NDArray[Any]
MAGIC = b"nearcopy pack 1\n"
ALIGNED = 8  # bytes at multiples of which columns begin
LENGTH = 8  # bytes of the number that says how long the head is


def write_pack(path: Path, columns: Mapping[str, Array], **notes: Any) -> None:
    """Writes columns, and notes on them, to a file that is there when all of it is."""
    head: dict[str, Any] = {"notes": notes, "columns": {}}
    at, bodies = 0, []
    for name, column in columns.items():
        body = np.ascontiguousarray(column).tobytes()
        shape, kind = list(column.shape), column.dtype.str
        head["columns"][name] = [kind, shape, at, len(body), xxh3_64(body)]
        body += bytes(-len(body) % ALIGNED)
        at += len(body)
        bodies.append(body)
    written = json.dumps(head, separators=(",", ":")).encode()
    written += b" " * (-(len(MAGIC) + LENGTH + len(written)) % ALIGNED)
    with open_atomic(path, durable=False) as file:
        file.write(MAGIC + len(written).to_bytes(LENGTH, "little") + written)
        file.writelines(bodies)


class Pack:
    """A file of columns. Nothing of it is held but its head, and what was looked at of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise BadCorpus(f"{path} is no pack: remove the folder it is in and start anew")
            length = int.from_bytes(file.read(LENGTH), "little")
            try:
                head = json.loads(file.read(length))
            except ValueError as exc:
                raise BadCorpus(f"{path} is damaged: remove it and start again") from exc
        self._body = len(MAGIC) + LENGTH + length
        self._columns = head["columns"]
        self.notes: dict[str, Any] = head["notes"]
        self._mapped: mmap | None = None

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def rows(self, name: str) -> int:
        """The rows of a column."""
        return int(self._columns[name][1][0])

    def read(self, name: str, start: int = 0, stop: int | None = None) -> Array:
        """The rows of a column from one up to another, in memory."""
        kind, shape, at, _, _ = self._columns[name]
        stop = shape[0] if stop is None else min(stop, shape[0])
        width = int(np.prod(shape[1:], dtype=np.int64))
        size = np.dtype(kind).itemsize * width
        count = max(0, stop - start) * width
        values = np.fromfile(self._path, kind, count, offset=self._body + at + start * size)
        return values.reshape(-1, *shape[1:])

    def view(self, name: str) -> Array:
        """A column as it stands in the file: only what is looked at of it is read."""
        kind, shape, at, size, _ = self._columns[name]
        if not size:
            return np.zeros(shape, kind)
        if self._mapped is None:
            with self._path.open("rb") as file:
                self._mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self._mapped, kind, count, self._body + at).reshape(shape)

    def check(self) -> None:
        """Raises where a column is not as it was written."""
        for name, (_, _, at, size, expected) in self._columns.items():
            body = np.fromfile(self._path, np.uint8, size, offset=self._body + at).tobytes()
            if len(body) != size or xxh3_64(body) != expected:
                raise BadCorpus(f"{self._path}: {name} is damaged: remove it and start again")


def whole_pack(path: Path) -> bool:
    """Whether there is such a pack, as it was written; one that is damaged is made anew."""
    try:
        Pack(path).check()
    except (OSError, BadCorpus):
        return False
    return True


def blobs(parts: Iterable[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """Strings of bytes as one, and where each ends."""
    held = list(parts)
    ends = np.cumsum(np.fromiter(map(len, held), np.uint64, len(held)), dtype=np.uint64)
    return np.frombuffer(b"".join(held), np.uint8), ends
