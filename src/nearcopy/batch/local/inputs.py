"""What a corpus is read from: files by name, by folder and by pattern, and parts of large ones."""

import glob
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from nearcopy.errors import BadCorpus
from nearcopy.io.files.decompress import Stream
from nearcopy.io.files.sources import READ_ONLY, Format, format_of, sniff_format

PART = 16 << 20  # bytes of a plain file that are read in one go
WHOLE = -1  # the end of what is read from its beginning, and cannot be parted
WILDCARDS = frozenset("*?[")


class Input(NamedTuple):
    """A file, and the name that its copy has below the folder of the output."""

    path: str
    name: str
    format: Format
    plain: bool  # lines of JSON as they are: each can be read again by its place
    size: int
    changed: int  # when, in nanoseconds
    against: bool = False  # compared with, and not written


class Unit(NamedTuple):
    """A part of a file, in bytes."""

    number: int
    file: int  # its place among the inputs
    start: int
    end: int


def inputs_of(names: Sequence[str], *, against: bool = False) -> list[Input]:
    """The files that are meant, in the order of their names; those of folders by their endings."""
    inputs: dict[str, Input] = {}
    seen: set[Path] = set()
    for name in names:
        for path, below in _files(name, alone=len(names) == 1):
            place = path.resolve()
            if place in seen:
                raise BadCorpus(f"{path} is named twice: name each file once")
            seen.add(place)
            source = _input(path, below, against)
            inputs[_check_unique(source.name, inputs)] = source
    if not inputs:
        raise BadCorpus(f"no files to read in {', '.join(names) or 'nothing'}")
    return list(inputs.values())


def _files(name: str, *, alone: bool) -> Iterator[tuple[Path, str]]:
    """The files of a name, each with its name below the output."""
    path = Path(name)
    if path.is_dir():
        top = Path() if alone else Path(path.resolve().name)
        for file in sorted(path.rglob("*")):
            hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
            if file.is_file() and not hidden and format_of(file.name):
                yield file, str(top / file.relative_to(path))
    elif path.exists():
        yield path, path.name
    elif WILDCARDS & set(name):
        for match in sorted(glob.glob(name, recursive=True)):
            if Path(match).is_file():
                yield Path(match), Path(match).name
    else:
        raise BadCorpus(f"there is no {name}: name a file, a folder or a pattern such as '*.jsonl'")


def _check_unique(name: str, names: Iterable[str]) -> str:
    if name in names:
        raise BadCorpus(
            f"two files would be written as {name}: give the folder they are in, or rename one"
        )
    return name


def _input(path: Path, name: str, against: bool) -> Input:
    kind = format_of(path.name) or sniff_format(path)
    if kind == "json":
        kind = sniff_format(path)
    with Stream(path) as stream:
        plain = kind == "jsonl" and not stream.compressed
    about = path.stat()
    name = f"{name}.jsonl" if kind in READ_ONLY else name
    return Input(str(path), name, kind, plain, about.st_size, about.st_mtime_ns, against)


def units_of(inputs: Sequence[Input], part: int = PART, sample: float | None = None) -> list[Unit]:
    """The parts of all files, in order; plain files are parted at the ends of lines.

    Of a sample they are such a share of each part.
    """
    spans = (
        (
            place,
            start,
            end if sample is None or end == WHOLE else _sample_end(source, start, end, sample),
        )
        for place, source in enumerate(inputs)
        for start, end in _spans(source, part)
    )
    return [Unit(number, *span) for number, span in enumerate(spans)]


def _spans(source: Input, part: int) -> Iterator[tuple[int, int]]:
    if not source.plain or source.size == 0:
        yield 0, 0 if source.plain else WHOLE
        return
    start = 0
    with Path(source.path).open("rb") as file:
        while start < source.size:
            file.seek(min(start + part, source.size) - 1)
            while (line := file.readline(part)) and not line.endswith(b"\n"):
                pass
            end = file.tell()
            yield start, end
            start = end


def _sample_end(source: Input, start: int, end: int, share: float) -> int:
    """The end of the first lines of a part, such a share of it."""
    with Path(source.path).open("rb") as file:
        file.seek(start + int((end - start) * share))
        file.readline()
        return min(end, file.tell())
