"""Write rows to files, atomically."""

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
from nearcopy.io.files.csv import guess_delimiter
from nearcopy.io.files.decompress import UTF8_BOM
from nearcopy.io.files.json import as_cell, as_json
from nearcopy.io.files.parquet import ParquetRowWriter
from nearcopy.io.files.read import READ_ONLY, Format, format_of


class RowWriter(Protocol):
    """Writes rows in a format."""

    def write(self, row: Mapping[str, Any]) -> None:
        """Add a row."""

    def end(self) -> None:
        """Write what is still buffered."""

    def close(self) -> None:
        """Release temporary files."""


@contextmanager
def open_writer(
    target: str | Path,
    format: Format | None = None,  # noqa: A002
    *,
    columns: Iterable[str] = (),
) -> Iterator[RowWriter]:
    """A writer for rows. The file is renamed into place at the end; "-" is stdout.

    On an error the file stays as it was, and nothing is written to stdout. A table has the given
    columns first, then those that only rows have.
    """
    kind: Format = format or format_of(str(target)) or "jsonl"
    if kind in READ_ONLY:
        raise NearcopyError(f"{target}: {kind} is not an output format: use jsonl")
    to_stdout = str(target) == "-"
    with _open_stdout() if to_stdout else _open_file(Path(target)) as file:
        if kind in ("csv", "tsv") and not to_stdout:
            file.write(UTF8_BOM)  # so that spreadsheets recognise UTF-8
        with closing(WRITERS[kind](file, columns)) as rows:
            yield rows
            rows.end()


@contextmanager
def _open_stdout() -> Iterator[BinaryIO]:
    with TemporaryFile() as spool:
        yield cast(BinaryIO, spool)
        spool.seek(0)
        copyfileobj(spool, sys.stdout.buffer)
    sys.stdout.buffer.flush()


@contextmanager
def _open_file(target: Path) -> Iterator[BinaryIO]:
    with open_atomic(target) as raw, _compress(raw, target.resolve().suffix.lower()) as file:
        yield file


@contextmanager
def _compress(raw: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    """The file, or a compressor that writes to it, by its suffix."""
    if suffix == ".gz":
        # Without a time, the same rows give the same bytes.
        with gzip.GzipFile("", "wb", 6, raw, mtime=0) as compressed:
            yield cast(BinaryIO, compressed)
    elif suffix == ".zst":
        import zstandard  # imported on demand

        compressor = zstandard.ZstdCompressor(write_checksum=True)
        with compressor.stream_writer(raw, closefd=False) as compressed:
            yield cast(BinaryIO, compressed)
    else:
        yield raw


class JsonLinesWriter:
    """Writes a row per line."""

    def __init__(self, file: BinaryIO, columns: Iterable[str] = ()) -> None:
        del columns  # each row has its own
        self._file = file

    def write(self, row: Mapping[str, Any]) -> None:
        """Add a row."""
        self._file.write(as_json(row) + b"\n")

    def end(self) -> None:
        """Nothing is buffered."""

    def close(self) -> None:
        """There are no temporary files."""


class JsonArrayWriter(JsonLinesWriter):
    """Writes all rows as one array, a row per line."""

    _before = b"[\n"  # the next row

    def write(self, row: Mapping[str, Any]) -> None:
        """Add a row."""
        self._file.write(self._before + as_json(row))
        self._before = b",\n"

    def end(self) -> None:
        """Close the array."""
        self._file.write(b"[]\n" if self._before == b"[\n" else b"\n]\n")


class TableWriter:
    """Writes a table. Its columns are known with the last row, so rows wait in a temporary file."""

    def __init__(self, file: BinaryIO, columns: Iterable[str], *, delimiter: str) -> None:
        self._file, self._delimiter = file, delimiter
        self._columns = dict.fromkeys(columns)
        self._widened = False
        spool = TemporaryFile()  # noqa: SIM115 (see close)
        self._spool = io.TextIOWrapper(spool, encoding="utf-8", newline="")
        self._rows = csv.writer(self._spool, delimiter=delimiter)

    def write(self, row: Mapping[str, Any]) -> None:
        """Add a row."""
        if not row.keys() <= self._columns.keys():
            self._widened = bool(self._columns)
            self._columns.update(dict.fromkeys(row))
        self._rows.writerow([as_cell(row.get(name)) for name in self._columns])

    def end(self) -> None:
        """Write the header, and all rows below it."""
        self._spool.seek(0)
        out = io.TextIOWrapper(self._file, encoding="utf-8", newline="")
        rows = csv.writer(out, delimiter=self._delimiter)
        if self._columns:
            names = [str(as_cell(name)) for name in self._columns]
            # Readers guess the delimiter from what is not quoted in the header.
            misleading = guess_delimiter(self._delimiter.join(names)) != self._delimiter
            header = csv.writer(out, delimiter=self._delimiter, quoting=csv.QUOTE_ALL)
            (header if misleading else rows).writerow(names)
        self._copy(rows) if self._widened else copyfileobj(self._spool, out)
        out.flush()
        out.detach()  # the caller closes it

    def close(self) -> None:
        """Remove the temporary file."""
        self._spool.close()

    def _copy(self, rows: Any) -> None:
        """Copy the rows, padding those from before the last columns appeared."""
        csv.field_size_limit((1 << 31) - 1)
        for fields in csv.reader(self._spool, delimiter=self._delimiter):
            rows.writerow(fields + [""] * (len(self._columns) - len(fields)))


WRITERS: Mapping[Format, Callable[[BinaryIO, Iterable[str]], RowWriter]] = {
    "jsonl": JsonLinesWriter,
    "json": JsonArrayWriter,
    "csv": partial(TableWriter, delimiter=","),
    "tsv": partial(TableWriter, delimiter="\t"),
    "parquet": ParquetRowWriter,
}
