"""Files that are there when all of them is written, and not before; till then they are private."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from threading import Lock
from typing import IO, Any, BinaryIO

from nearcopy.errors import NearcopyError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LONGEST = 55  # characters of a name: up to 220 bytes, with room for what is put around them
_ASKING = Lock()


@contextmanager
def open_atomic(path: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write to, which takes its place when all is written; else all is as it was.

    Until then it is its owner's alone; then it has the rights of the file that was there, or of
    any new one. What a link points to is replaced, not the link; a device or a pipe is written to.
    What is `durable` is on the disk by the end.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():  # a device or a pipe, or an error
        with path.open("wb") as file:
            yield file
        return
    handle, beside = _begun(path)
    try:
        with open(handle, "wb") as file:
            yield file
            file.flush()
            beside.chmod(_rights(path))
            if durable:
                os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    if durable:
        sync_folder(path.parent)


def write_atomic(path: Path, data: bytes | str) -> None:
    """Writes a file so that others see all of it or what was there before; text as UTF-8."""
    with open_atomic(path) as file:
        file.write(data.encode("utf-8", "replace") if isinstance(data, str) else data)


def lock_file(file: IO[Any]) -> None:
    """Holds a file until it is closed; an OSError where another process does."""
    if sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sync_folder(folder: Path) -> None:
    """Has the names in a folder be on the disk, where a folder can be asked for that."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _begun(path: Path) -> tuple[int, Path]:
    """The file that is written beside its place; an error names what was asked for."""
    if not path.parent.is_dir():
        raise NearcopyError(f"{path}: there is no folder {path.parent}: make it first")
    try:
        handle, name = mkstemp(".part", f".{path.name[:LONGEST]}.", path.parent)
    except OSError as exc:
        raise OSError(exc.errno, exc.strerror, str(path)) from None
    return handle, Path(name)


def _rights(path: Path) -> int:
    """Who may do what with a file: as with the one that is there, else as with any new one."""
    if path.exists():
        return path.stat().st_mode & 0o7777
    with _ASKING:  # there is no asking without setting: for a moment, to what takes most away
        masked = os.umask(0o077)
        os.umask(masked)
    return 0o666 & ~masked
