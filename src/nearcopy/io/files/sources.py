"""Sources of rows: files, and pipes copied so that they can be read again."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Literal, get_args

from nearcopy.errors import NearcopyError
from nearcopy.io.files.column_names import CONTENT, Columns
from nearcopy.io.files.csv import guess_delimiter
from nearcopy.io.files.decompress import COMPRESSIONS, UTF8_BOM, Stream
from nearcopy.io.files.json import WRAPPER_KEYS

Format = Literal["jsonl", "json", "csv", "tsv", "parquet", "warc"]
READ_ONLY: frozenset[Format] = frozenset({"warc"})
FORMATS: tuple[Format, ...] = tuple(name for name in get_args(Format) if name not in READ_ONLY)
SUFFIXES: dict[str, Format] = {
    **dict.fromkeys((".jsonl", ".ndjson", ".jl"), "jsonl"),
    ".json": "json",
    ".csv": "csv",
    **dict.fromkeys((".tsv", ".tab"), "tsv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    ".warc": "warc",
}
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # magic numbers: zip, and the old format
DATABASE = b"SQLite format 3\0"
HEAD = 1 << 20  # bytes by which a format is detected


@dataclass(frozen=True, slots=True)
class Source:
    """A file that can be read again: its name, path and format."""

    name: str
    path: Path
    format: Format


@contextmanager
def open_sources(
    files: Sequence[str],
    format: Format | None = None,  # noqa: A002
    *,
    otherwise: Format | None = None,
) -> Iterator[list[Source]]:
    """The files as sources; "-" is stdin.

    Without a `format`, it is determined by the name, by the first bytes, or `otherwise`.
    """
    if files.count("-") > 1:
        raise NearcopyError("- is stdin, which can be read only once")
    with TemporaryDirectory(prefix="nearcopy-") as kept:
        paths = [_path(file, Path(kept) / str(number)) for number, file in enumerate(files)]
        yield [
            Source(
                "<stdin>" if file == "-" else file,
                path,
                format or _detect_format(file, path, otherwise),
            )
            for file, path in zip(files, paths, strict=True)
        ]


def _path(file: str, kept: Path) -> Path:
    """Where the file can be read again: a pipe is copied."""
    path = Path(file)
    if file != "-" and (path.is_file() or path.is_dir() or not path.exists()):
        return path
    return _keep(file, kept)


def _detect_format(file: str, path: Path, otherwise: Format | None) -> Format:
    """By its name, else by its first bytes; many a .json holds JSON lines."""
    named = format_of(file)
    if named is not None and named != "json":
        return named
    try:
        detected = sniff_format(path, "<stdin>" if file == "-" else file)
    except NearcopyError:
        if otherwise is None and named is None:
            raise
        detected = otherwise or "json"
    return "json" if named and detected != "jsonl" else detected


def _keep(file: str, kept: Path) -> Path:
    """A copy of what a pipe delivers."""
    with kept.open("wb") as copy:
        if file == "-":
            copyfileobj(sys.stdin.buffer, copy)
        else:
            with Path(file).open("rb") as pipe:
                copyfileobj(pipe, copy)
    return kept


def strip_compression_suffix(name: str) -> str:
    """The name without the suffix of its compression.

    >>> strip_compression_suffix("wire.CSV.gz")
    'wire.CSV'
    """
    packed = next((p.suffix for p in COMPRESSIONS if name.lower().endswith(p.suffix)), "")
    return name[: -len(packed)] if packed else name


def format_of(name: str) -> Format | None:
    """The format of a file name, None if its suffix is unknown.

    >>> format_of("wire.ndjson.zst")
    'jsonl'
    """
    return SUFFIXES.get(Path(strip_compression_suffix(name)).suffix.lower())


def check_output_suffix(name: str) -> None:
    """Raise where a suffix is not that of an output format; no suffix is fine.

    >>> check_output_suffix("out.csv.gz"), check_output_suffix("/dev/null")
    (None, None)
    """
    ending = Path(strip_compression_suffix(name)).suffix
    kind = SUFFIXES.get(ending.lower())
    if ending and (kind is None or kind in READ_ONLY):
        packed = " or ".join(item.suffix for item in COMPRESSIONS)
        endings = ", ".join(item for item, kind in SUFFIXES.items() if kind not in READ_ONLY)
        raise NearcopyError(
            f"{name}: {ending} is not an output format: use one of the suffixes {endings}, "
            f"followed by {packed} to compress it"
        )


def sniff_format(path: Path, name: str = "") -> Format:
    """The format by the first bytes; `name` is what an error calls the file."""
    with Stream(path) as stream:
        head = stream.read(HEAD)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"WARC/"):
        return "warc"
    if head.startswith(DATABASE):
        raise NearcopyError(
            f"{name or path} is a SQLite file, not a file of articles: if it is a store, give "
            f"--store {name or path}"
        )
    if head.startswith(WORKBOOKS):
        raise NearcopyError(
            f"{name or path} is an Excel workbook or a zip file: save it as CSV in UTF-8"
        )
    head = head.removeprefix(UTF8_BOM).lstrip()
    if head.startswith(b"{"):
        return "jsonl" if is_json_lines(head) else "json"
    if head.startswith(b"["):
        return "json"
    return _table(_first_line(head), name or str(path))


def is_json_lines(head: bytes) -> bool:
    """Whether these are objects line by line, not one object over several lines."""
    first, _, remainder = head.partition(b"\n")
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return remainder.lstrip().startswith(b"{")
    around = any(isinstance(value.get(key), list) for key in WRAPPER_KEYS)
    return not around or remainder.lstrip().startswith(b"{")


def _table(header: str, name: str) -> Format:
    """CSV or TSV, if the header is that of a table of articles."""
    delimiter = guess_delimiter(header)
    names = tuple(name.strip(' "\r') for name in header.split(delimiter))
    if header and not any(Columns().places(names)[part] for part in CONTENT):
        raise NearcopyError(
            f"{name} is neither JSON nor a table with a column for id, title, text or url "
            f"({header!r:.60}): rename it, as in wire.csv, or give `dedupe` --input-format"
        )
    return "tsv" if delimiter == "\t" else "csv"


def _first_line(head: bytes) -> str:
    return head.partition(b"\n")[0].decode("utf-8", "replace")
