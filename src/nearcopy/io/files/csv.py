"""CSV and TSV: a header, and a record per row, which may span several lines."""

import csv
from collections.abc import Iterator
from itertools import chain, islice

from nearcopy.errors import NearcopyError
from nearcopy.io.files.decompress import CUT_OFF, LONGEST, Line, Stream, not_utf8
from nearcopy.io.files.json import Record, decode_lossy
from nearcopy.io.files.rows import Place, Rejected

DELIMITERS = ",;\t|"
MOST_COLUMNS = 10_000
MOST_LINES = 100_000  # of one row


def read_csv(stream: Stream, file: str) -> Iterator[Record]:
    """A record per row; the delimiter is guessed from the header."""
    return _TableReader(stream, file, None).records()


def read_tsv(stream: Stream, file: str) -> Iterator[Record]:
    """A record per row, delimited by tabs."""
    return _TableReader(stream, file, "\t").records()


def guess_delimiter(header: str) -> str:
    """The most likely delimiter of a header.

    >>> guess_delimiter('id;"title, as printed";text')
    ';'
    """
    names = "".join(header.split('"')[::2])  # without quoted parts
    return max(DELIMITERS, key=names.count)


def header_names(fields: list[str]) -> list[str]:
    """A unique name for every column.

    >>> header_names(["id", "text", "", "text"])
    ['id', 'text', 'column_3', 'text_4']
    """
    labels = [field.strip() or f"column_{number}" for number, field in enumerate(fields, start=1)]
    reserved = set(labels)
    names: dict[str, None] = {}
    for number, name in enumerate(labels, start=1):
        own = name
        while own in names or (own != name and own in reserved):
            own = f"{own}_{number}"
        names[own] = None
    return list(names)


class _TableReader:
    """The lines of a table on their way through the CSV reader, and their errors."""

    def __init__(self, stream: Stream, file: str, delimiter: str | None) -> None:
        self._stream, self._file, self._delimiter = stream, file, delimiter
        self._lines: list[bytes] = []  # the lines of this row
        self._start, self._size = 1, 0
        self._why: str | None = None  # why one of them cannot be read

    def records(self) -> Iterator[Record]:
        """The rows below the header."""
        header: list[str] = []
        for fields in self._rows():
            if isinstance(fields, Rejected):
                if not header and not self._stream.broken:
                    raise NearcopyError(f"{fields.place}: the header is {fields.why}")
                yield fields
            elif not header:
                header = self._header(fields)
            else:
                yield self._record(header, fields)

    def _header(self, fields: list[str]) -> list[str]:
        if len(fields) > MOST_COLUMNS:
            raise NearcopyError(
                f"{self._file} has {len(fields):,} columns, {MOST_COLUMNS:,} is the limit: remove "
                "those that are not needed"
            )
        return header_names(fields)

    def _record(self, header: list[str], fields: list[str]) -> Record:
        short = len(header) - len(fields)
        if short < 0:
            return self._reject(f"{len(fields)} fields in a table of {len(header)} columns")
        if short > 0 and not self._lines[-1].endswith(b"\n"):
            return self._reject(f"{CUT_OFF}: {len(fields)} fields of {len(header)}")
        place = Place(self._file, self._start)
        return place, dict(zip(header, fields + [""] * short, strict=True))

    def _rows(self) -> Iterator[list[str] | Rejected]:
        """The fields of every row that is not blank."""
        reader = self._reader()
        while True:
            self._lines, self._why = [], None
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as exc:
                yield self._reject(self._why or _reason(exc))
                continue
            if self._why:
                yield self._reject(self._why)
            elif fields:
                yield fields

    def _reader(self) -> Iterator[list[str]]:
        csv.field_size_limit(LONGEST)
        lines = self._stream.lines()
        first = list(islice(lines, 1))
        head = first[0].data.decode("utf-8", "replace") if first else ""
        delimiter = self._delimiter or guess_delimiter(head)
        text = map(self._text, chain(first, lines))  # goes on after an error
        return csv.reader(text, delimiter=delimiter, strict=True)

    def _text(self, line: Line) -> str:
        """A line of the current row; raises where that is too long."""
        if not self._lines:
            self._start, self._size = line.number, 0
        self._lines.append(line.data)
        self._size += len(line.data)
        self._why = self._why or line.why
        if self._size > LONGEST or len(self._lines) > MOST_LINES:
            raise csv.Error(f"a row of more than {LONGEST >> 20} MB or {MOST_LINES:,} lines")
        try:
            return line.data.decode()
        except UnicodeDecodeError as exc:
            self._why = self._why or not_utf8(exc, f"in line {line.number}")
            return line.data.decode("utf-8", "replace")

    def _reject(self, why: str) -> Rejected:
        return Rejected(Place(self._file, self._start), why, decode_lossy(b"".join(self._lines)))


def _reason(exc: csv.Error) -> str:
    if "unexpected end" in str(exc):
        return f"{CUT_OFF}: a quotation mark is not closed"
    return f"not CSV: {exc}"
