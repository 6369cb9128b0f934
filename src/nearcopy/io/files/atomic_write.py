"""Atomic writes: a file appears when it is complete, and is private until then."""

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

LONGEST = 55  # characters of a name: up to 220 bytes, with room for prefix and suffix
_UMASK_LOCK = Lock()


@contextmanager
def open_atomic(path: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write to, which replaces `path` at the end, or not at all.

    Until then only its owner can read it; then it has the mode of the replaced file, or the
    default one. The target of a symbolic link is replaced, not the link; a device or a pipe is
    written to directly. A `durable` file is synced to disk.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():  # a device or a pipe, or an error
        with path.open("wb") as file:
            yield file
        return
    handle, temporary = _open_temporary(path)
    try:
        with open(handle, "wb") as file:
            yield file
            file.flush()
            temporary.chmod(_file_mode(path))
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    if durable:
        sync_folder(path.parent)


def write_atomic(path: Path, data: bytes | str) -> None:
    """Write a file atomically; text as UTF-8."""
    with open_atomic(path) as file:
        file.write(data.encode("utf-8", "replace") if isinstance(data, str) else data)


def lock_file(file: IO[Any]) -> None:
    """Lock a file until it is closed; OSError where another process holds the lock."""
    if sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk, where the platform can."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _open_temporary(path: Path) -> tuple[int, Path]:
    """The file that is written beside its place; an error names what was asked for."""
    if not path.parent.is_dir():
        raise NearcopyError(f"{path}: the folder {path.parent} does not exist: create it first")
    try:
        handle, name = mkstemp(".part", f".{path.name[:LONGEST]}.", path.parent)
    except OSError as exc:
        raise OSError(exc.errno, exc.strerror, str(path)) from None
    return handle, Path(name)


def _file_mode(path: Path) -> int:
    """Who may do what with a file: as with the one that is there, else as with any new one."""
    if path.exists():
        return path.stat().st_mode & 0o7777
    with _UMASK_LOCK:  # it can only be read by setting it: briefly, to the strictest value
        masked = os.umask(0o077)
        os.umask(masked)
    return 0o666 & ~masked
