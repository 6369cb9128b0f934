"""Writing: rows to files, which are there when all is written and not before."""

import csv
import gzip
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Protocol, cast

from nearcopy.errors import NearcopyError
from nearcopy.io.files.atomic_write import open_atomic
from nearcopy.io.files.cell_values import as_cell, as_json
from nearcopy.io.files.decompress import UTF8_BOM
from nearcopy.io.files.parquet import ParquetRowWriter
from nearcopy.io.files.sources import READ_ONLY, Format, format_of


class RowWriter(Protocol):
    """Rows on their way into a file."""

    def write(self, row: Mapping[str, Any]) -> None:
        """Takes a row."""

    def end(self) -> None:
        """Writes what is still to be written."""

    def close(self) -> None:
        """Lets go of what was needed on the way."""


@contextmanager
def open_writer(
    target: str | Path,
    format: Format | None = None,  # noqa: A002
    *,
    columns: Iterable[str] = (),
) -> Iterator[RowWriter]:
    """What takes rows. The file is put in its place at the end; "-" is stdout.

    If the work within fails, the file is as it was before, and nothing comes to stdout. A table
    has the columns given, in their order, and those of the rows that are none of them.
    """
    kind: Format = format or format_of(str(target)) or "jsonl"
    if kind in READ_ONLY:
        raise NearcopyError(f"{target}: {kind} is read and not written: let it be jsonl")
    to_stdout = str(target) == "-"
    with _stdout() if to_stdout else _file(Path(target)) as file:
        if kind in ("csv", "tsv") and not to_stdout:
            file.write(UTF8_BOM)  # or spreadsheets take it for something else than UTF-8
        with closing(WRITERS[kind](file, columns)) as rows:
            yield rows
            rows.end()


@contextmanager
def _stdout() -> Iterator[BinaryIO]:
    with TemporaryFile() as waiting:
        yield cast(BinaryIO, waiting)
        waiting.seek(0)
        copyfileobj(waiting, sys.stdout.buffer)
    sys.stdout.buffer.flush()


@contextmanager
def _file(target: Path) -> Iterator[BinaryIO]:
    with open_atomic(target) as raw, _packed(raw, target.resolve().suffix.lower()) as file:
        yield file


@contextmanager
def _packed(raw: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    """The file, or what packs into it as its suffix says."""
    if suffix == ".gz":
        with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:  # the same rows, the same bytes
            yield cast(BinaryIO, packed)
    elif suffix == ".zst":
        import zstandard  # only for those who need it

        compressor = zstandard.ZstdCompressor(write_checksum=True)
        with compressor.stream_writer(raw, closefd=False) as packed:
            yield cast(BinaryIO, packed)
    else:
        yield raw


class JsonLinesWriter:
    """A row a line."""

    def __init__(self, file: BinaryIO, columns: Iterable[str] = ()) -> None:
        del columns  # a row names its own
        self._file = file

    def write(self, row: Mapping[str, Any]) -> None:
        """Takes a row."""
        self._file.write(as_json(row) + b"\n")

    def end(self) -> None:
        """Nothing is left to write."""

    def close(self) -> None:
        """Nothing was needed on the way."""


class JsonArrayWriter:
    """All rows in one array, one a line."""

    def __init__(self, file: BinaryIO, columns: Iterable[str] = ()) -> None:
        del columns  # a row names its own
        self._file = file
        self._before = b"[\n"

    def write(self, row: Mapping[str, Any]) -> None:
        """Takes a row."""
        self._file.write(self._before + as_json(row))
        self._before = b",\n"

    def end(self) -> None:
        """Closes the array."""
        self._file.write(b"[]\n" if self._before == b"[\n" else b"\n]\n")

    def close(self) -> None:
        """Nothing was needed on the way."""


class TableWriter:
    """Rows of a table. Which columns there are is known when the last row is, so they wait."""

    def __init__(self, file: BinaryIO, columns: Iterable[str], *, delimiter: str) -> None:
        self._file, self._delimiter = file, delimiter
        self._columns = dict.fromkeys(columns)
        self._grown = False
        spool = TemporaryFile()  # noqa: SIM115 (see close)
        self._waiting = io.TextIOWrapper(spool, encoding="utf-8", newline="")
        self._rows = csv.writer(self._waiting, delimiter=delimiter)

    def write(self, row: Mapping[str, Any]) -> None:
        """Takes a row."""
        if not row.keys() <= self._columns.keys():
            self._grown = bool(self._columns)
            self._columns.update(dict.fromkeys(row))
        self._rows.writerow([as_cell(row.get(name)) for name in self._columns])

    def end(self) -> None:
        """Writes the header, and every row below it."""
        self._waiting.seek(0)
        out = io.TextIOWrapper(self._file, encoding="utf-8", newline="")
        rows = csv.writer(out, delimiter=self._delimiter)
        if self._columns:
            rows.writerow(map(as_cell, self._columns))
        self._copy(rows) if self._grown else copyfileobj(self._waiting, out)
        out.flush()
        out.detach()  # it is not ours to close

    def close(self) -> None:
        """Lets go of what waited."""
        self._waiting.close()

    def _copy(self, rows: Any) -> None:
        """The rows, those from before the last columns came filled up to the full width."""
        csv.field_size_limit((1 << 31) - 1)
        for fields in csv.reader(self._waiting, delimiter=self._delimiter):
            rows.writerow(fields + [""] * (len(self._columns) - len(fields)))


WRITERS: Mapping[Format, Callable[[BinaryIO, Iterable[str]], RowWriter]] = {
    "jsonl": JsonLinesWriter,
    "json": JsonArrayWriter,
    "csv": partial(TableWriter, delimiter=","),
    "tsv": partial(TableWriter, delimiter="\t"),
    "parquet": ParquetRowWriter,
}
