"""Column files ("packs"): named columns in one file, with a checksum each, and small JSON files."""

import json
from collections.abc import Iterable, Mapping
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearcopy.errors import BadCorpus
from nearcopy.io.files.atomic_write import open_atomic, write_atomic
from nearcopy.kernels import xxh3_64

Array = NDArray[Any]
MAGIC = b"nearcopy pack 1\n"
ALIGNED = 8  # bytes; columns begin at multiples of this
LENGTH = 8  # bytes that hold the size of the header
CHUNK = 1 << 20


def write_pack(path: Path, columns: Mapping[str, Array], **notes: Any) -> None:
    """Write columns, and notes on them, atomically."""
    head: dict[str, Any] = {"notes": notes, "columns": {}}
    at, bodies = 0, []
    for name, column in columns.items():
        body = np.ascontiguousarray(column).tobytes()
        shape, kind = list(column.shape), column.dtype.str
        head["columns"][name] = [kind, shape, at, len(body), xxh3_64(body)]
        body += bytes(-len(body) % ALIGNED)
        at += len(body)
        bodies.append(body)
    header = json.dumps(head, separators=(",", ":")).encode()
    header += b" " * (-(len(MAGIC) + LENGTH + len(header)) % ALIGNED)
    with open_atomic(path, durable=False) as file:
        file.write(MAGIC + len(header).to_bytes(LENGTH, "little") + header)
        file.writelines(bodies)


class Pack:
    """A file of columns; only its header is held in memory."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise BadCorpus(f"{path} is not a pack: remove its folder and start again")
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
        """The number of rows of a column."""
        return int(self._columns[name][1][0])

    def read(self, name: str, start: int = 0, stop: int | None = None) -> Array:
        """Rows `start` to `stop` of a column, in memory."""
        kind, shape, at, _, _ = self._columns[name]
        stop = shape[0] if stop is None else min(stop, shape[0])
        width = int(np.prod(shape[1:], dtype=np.int64))
        size = np.dtype(kind).itemsize * width
        count = max(0, stop - start) * width
        values = np.fromfile(self._path, kind, count, offset=self._body + at + start * size)
        return values.reshape(-1, *shape[1:])

    def view(self, name: str) -> Array:
        """A column as a memory map."""
        kind, shape, at, size, _ = self._columns[name]
        if not size:
            return np.zeros(shape, kind)
        if self._mapped is None:
            with self._path.open("rb") as file:
                self._mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self._mapped, kind, count, self._body + at).reshape(shape)

    def check(self) -> None:
        """Raise where the checksum of a column does not hold."""
        for name, (_, _, at, size, expected) in self._columns.items():
            body = np.fromfile(self._path, np.uint8, size, offset=self._body + at).tobytes()
            if len(body) != size or xxh3_64(body) != expected:
                raise BadCorpus(f"{self._path}: {name} is damaged: remove it and start again")


def is_complete(path: Path) -> bool:
    """Whether the pack exists and its checksums hold."""
    try:
        Pack(path).check()
    except (OSError, BadCorpus):
        return False
    return True


def join_blobs(values: Iterable[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """The blobs joined to one array, and the offset of the end of each."""
    blobs = list(values)
    ends = np.cumsum(np.fromiter(map(len, blobs), np.uint64, len(blobs)), dtype=np.uint64)
    return np.frombuffer(b"".join(blobs), np.uint8), ends


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, atomically."""
    write_atomic(path, json.dumps(value, indent=1, sort_keys=True) + "\n")


def read_json(path: Path) -> Any:
    """The value in a JSON file, None where there is no such file."""
    return json.loads(path.read_bytes()) if path.exists() else None


def checksum(path: Path) -> int:
    """The checksum of a file."""
    digest = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest = xxh3_64(digest.to_bytes(8, "little") + chunk)
    return digest
