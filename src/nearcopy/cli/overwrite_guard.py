"""Files that a command reads are not written over."""

from collections.abc import Iterable
from pathlib import Path

from nearcopy.errors import NearcopyError

SQLITE = "sqlite:///"


def spare(read: Iterable[str | Path | None], *written: str | Path | None) -> None:
    """Raises where a file to be written is one of those that are read, by whatever name."""
    files = [Path(file) for file in read if file is not None]
    for to in written:
        if to is not None and any(_is_same(Path(to), file) for file in files):
            raise NearcopyError(f"{to} is read here: write to another file")


def store_file(address: str) -> str | None:
    """The file of a store, None where it has none."""
    return address.removeprefix(SQLITE) if address.startswith(SQLITE) else None


def _is_same(one: Path, other: Path) -> bool:
    """Whether both are one regular file; writing to a device or a pipe takes nothing away."""
    return one.is_file() and other.is_file() and one.samefile(other)
