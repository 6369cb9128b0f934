"""Column files ("packs"): named columns in one file, with a checksum each, and small JSON files."""

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy.errors import BadCorpus
from nearcopy.io.files.atomic_write import lock_file, open_atomic, write_atomic
from nearcopy.kernels import xxh3_64

FOLDERS = ("rows", "pairs", "edges", "output")
JOB_FILE = "job.json"
_FILES = r"store-[0-9a-f]{16}\.jsonl|exact_duplicates\.pack|clusters\.pack"
# The files a job creates beside FOLDERS and JOB_FILE; an interrupted one may leave .part files.
WORK_FILES = re.compile(rf"lock|{_FILES}|\.(job\.json|{_FILES})\.\w{{8}}\.part")


class Paths(NamedTuple):
    """Where the output, the rejected rows and the intermediate files of a job are."""

    output: Path
    rejected: Path | None
    work: Path

    def check(self) -> None:
        """Raise where one path would overwrite another, or the work folder is not our own."""
        check_work_folder(self.work)
        for path in (self.output, self.rejected):
            if path is not None and path.resolve().is_relative_to(self.work.resolve()):
                raise BadCorpus(
                    f"{path} is in the work folder {self.work}: write to another place, "
                    "or name another folder with --work"
                )
        if len(set(self._outputs())) < len(self._outputs()):
            raise BadCorpus(f"{self.output} cannot hold both output and rejected rows: name two")

    def protect(self, files: Iterable[str | Path], *folders: Path) -> None:
        """Raise where an input file would be overwritten, or is in one of these folders."""
        outputs = set(self._outputs())
        within = [folder.resolve() for folder in (self.work, *folders)]
        for file in files:
            source = Path(file).resolve()
            if source in outputs or any(source.is_relative_to(folder) for folder in within):
                raise BadCorpus(f"{file} would be overwritten: write to another place")

    def _outputs(self) -> list[Path]:
        return [path.resolve() for path in (self.output, self.rejected) if path is not None]


def has_job(folder: Path) -> bool:
    """Whether a folder holds an interrupted job."""
    try:
        identity = read_json(folder / JOB_FILE)
    except ValueError:  # a file of that name that is not ours
        return False
    return isinstance(identity, dict) and "version" in identity


def check_work_folder(folder: Path) -> None:
    """Raise where a folder holds other files than those of an interrupted job."""
    if not folder.exists() or has_job(folder):
        return
    for entry in sorted(folder.iterdir()):
        if not WORK_FILES.fullmatch(entry.name):
            raise BadCorpus(
                f"{folder} holds {entry.name}, which is not part of an interrupted job: "
                "name an empty or a new folder with --work"
            )


@contextmanager
def open_work_folder(
    folder: Path, identity: Mapping[str, Any], *, keep: bool = False
) -> Iterator[None]:
    """Create or resume the work folder under a lock; it is removed when the job is complete."""
    check_work_folder(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it holds texts of articles
    with (folder / "lock").open("w") as lock:
        try:
            lock_file(lock)
        except OSError:
            raise BadCorpus(f"{folder} is in use by another process: wait for it") from None
        earlier = read_json(folder / JOB_FILE)
        if earlier is not None and earlier != json.loads(json.dumps(identity)):
            raise BadCorpus(
                f"{folder} holds an interrupted job on other files or with other settings: "
                "finish that, remove the folder, or name another with --work"
            )
        write_json(folder / JOB_FILE, identity)
        for name in FOLDERS:
            (folder / name).mkdir(exist_ok=True)
        yield
    if not keep:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove the files of the job, and the folder unless it holds other files."""
    for name in FOLDERS:
        shutil.rmtree(folder / name)
    for path in [*folder.iterdir()]:
        if WORK_FILES.fullmatch(path.name):
            path.unlink()
    (folder / JOB_FILE).unlink()  # last: it marks the other files as ours
    with suppress(OSError):  # not empty
        folder.rmdir()


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
