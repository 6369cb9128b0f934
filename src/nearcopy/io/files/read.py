"""Read sources of rows: files, and pipes copied so that they can be read again.

A row is an article, or rejected with a reason.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Literal, get_args

from nearcopy.errors import BadArticle, NearcopyError
from nearcopy.io.files.csv import guess_delimiter, read_csv, read_tsv
from nearcopy.io.files.decompress import COMPRESSIONS, UTF8_BOM, Stream
from nearcopy.io.files.json import WRAPPER_KEYS, Record, read_json, read_jsonl
from nearcopy.io.files.parquet import read_parquet
from nearcopy.io.files.rows import CONTENT, GUESSED, Columns, Rejected, Row, join_names, read_row
from nearcopy.io.files.warc import read_warc
from nearcopy.models import Article

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
        names = ["<stdin>" if file == "-" else file for file in files]
        yield [
            Source(name, path, format or _detect_format(name, path, otherwise))
            for name, path in zip(names, paths, strict=True)
        ]


def _path(file: str, kept: Path) -> Path:
    """Where the file can be read again: a copy of what a pipe delivers."""
    path = Path(file)
    if file != "-" and (path.is_file() or path.is_dir() or not path.exists()):
        return path
    with (
        kept.open("wb") as copy,
        nullcontext(sys.stdin.buffer) if file == "-" else path.open("rb") as pipe,
    ):
        copyfileobj(pipe, copy)
    return kept


def _detect_format(name: str, path: Path, otherwise: Format | None) -> Format:
    """By its name, else by its first bytes; many a .json holds JSON lines."""
    named = format_of(name)
    if named is not None and named != "json":
        return named
    try:
        detected = sniff_format(path, name)
    except NearcopyError:
        if otherwise is None and named is None:
            raise
        detected = otherwise or "json"
    return "json" if named and detected != "jsonl" else detected


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
    header = head.partition(b"\n")[0].decode("utf-8", "replace")
    return _table(header, name or str(path))


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


# Rows.


def read(
    source: Source, columns: Columns = GUESSED, *, html: bool = False
) -> Iterator[Row | Rejected]:
    """Every row of the source in order, with its own or a derived id."""
    checked = False
    for record in read_records(source):
        if isinstance(record, Rejected):
            yield record
            continue
        place, values = record
        names = tuple(values)
        if not checked:
            check_columns(source.name, source.format, columns, names)
            checked = True
        yield read_row(place, values, columns.places(names), html=html)


def read_articles(
    file: str | Path,
    columns: Columns = GUESSED,
    *,
    format: Format | None = None,  # noqa: A002
    html: bool = False,
) -> Iterator[Article]:
    """The articles of a file with unique ids; raises at the first rejected row."""
    with open_sources([str(file)], format) as sources:
        for row in assign_unique_ids(read(sources[0], columns, html=html)):
            if isinstance(row, Rejected):
                raise BadArticle(f"{row.place.file}, line {row.place.line}: {row.why}")
            yield row.article


def id_family(article_id: str) -> str:
    """The id without the numbers that were added to it.

    >>> id_family("wire#2#11"), id_family("wire#")
    ('wire', 'wire#')
    """
    while (head := article_id.rstrip("0123456789")) != article_id and head.endswith("#"):
        article_id = head[:-1]
    return article_id


class UniqueIds:
    """Assigns a unique id to every row: one that an earlier row got becomes "id#2", "id#3".

    It depends on the earlier ids of its family alone, so that families may be assigned apart.
    """

    def __init__(self) -> None:
        self.repeated = 0
        self._ids: set[str] = set()
        self._numbers: dict[str, int] = {}

    def __call__(self, row: Row) -> Row:
        """The row, under an id that no earlier row has."""
        unique_id = self.assign(row.article.id)
        if unique_id == row.article.id:
            return row
        return replace(row, article=replace(row.article, id=unique_id))

    def assign(self, article_id: str) -> str:
        """The id, or one with a number where an earlier row got it."""
        if article_id in self._ids:
            self.repeated += 1
            article_id = self._number(article_id)
        self._ids.add(article_id)
        return article_id

    def _number(self, article_id: str) -> str:
        number = self._numbers.get(article_id, 1) + 1
        while (numbered_id := f"{article_id}#{number}") in self._ids:
            number += 1
        self._numbers[article_id] = number
        return numbered_id


def assign_unique_ids(
    rows: Iterable[Row | Rejected], unique_ids: UniqueIds | None = None
) -> Iterator[Row | Rejected]:
    """The rows, each under a unique id."""
    assign = unique_ids or UniqueIds()
    for row in rows:
        yield row if isinstance(row, Rejected) else assign(row)


def read_records(source: Source) -> Iterator[Record]:
    """Every record of the source in order, before it is read as an article."""
    with Stream(source.path) as stream:
        match source.format:
            case "jsonl":
                yield from read_jsonl(stream, source.name)
            case "json":
                yield from read_json(stream, source.name)
            case "csv":
                yield from read_csv(stream, source.name)
            case "tsv":
                yield from read_tsv(stream, source.name)
            case "parquet":
                yield from read_parquet(stream, source.name, source.path)
            case "warc":
                yield from read_warc(source.path, source.name)


def check_columns(file: str, format: Format, columns: Columns, names: tuple[str, ...]) -> None:  # noqa: A002
    """Raise where a named column does not exist, or a table has no column of an article."""
    columns.check(names, file)
    places = columns.places(names)
    if format in ("csv", "tsv", "parquet") and not any(places[part] for part in CONTENT):
        raise NearcopyError(
            f"{file} has no column that looks like an id, title, text or url: its columns "
            f"are {join_names(names)}; name them, for instance with --text-field"
        )
