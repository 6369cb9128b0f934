"""Parquet in and out, a batch at a time. Needs the extra `parquet`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from nearcopy.errors import require
from nearcopy.io.files.decompress import Stream
from nearcopy.io.files.json import Record, as_text
from nearcopy.io.files.rows import Place, Rejected

WRITE_BATCH = 1000  # rows
READ_BATCH = 100  # few, as a small file can repeat one long text in all rows
LARGEST = 1 << 32  # bytes of a compressed file, decompressed
CHUNK = 1 << 20


def read_parquet(stream: Stream, file: str, path: Path) -> Iterator[Record]:
    """A record per row, numbered from 1."""
    pyarrow = require("pyarrow", extra="parquet")
    with TemporaryFile() as decompressed:
        if stream.compressed and not _decompress(stream, decompressed):
            why = f"larger than {LARGEST >> 20} MB decompressed: decompress it first"
            yield Rejected(Place(file, 1), why, "")
            return
        number = 0
        try:
            for number, values in enumerate(
                _rows(decompressed if stream.compressed else path), start=1
            ):
                place = Place(file, number)
                yield Rejected(place, values, "") if isinstance(values, str) else (place, values)
        except (pyarrow.ArrowException, OSError) as exc:
            why = stream.broken or f"not Parquet from here on: {exc}"
            yield Rejected(Place(file, number + 1), why, "")


def _decompress(stream: Stream, to: BinaryIO) -> bool:
    """Whether all of it could be decompressed; Parquet is read from its end."""
    while to.tell() <= LARGEST:
        chunk = stream.read(CHUNK)
        if not chunk:
            return True
        to.write(chunk)
    return False


def _rows(file: Any) -> Iterator[dict[str, Any] | str]:
    """The values of every row, or why it has none."""
    parquet = require("pyarrow.parquet", extra="parquet")
    with parquet.ParquetFile(file) as opened:
        for batch in opened.iter_batches(batch_size=READ_BATCH):
            yield from _values(_without_nanoseconds(batch))


def _values(batch: Any) -> Iterator[dict[str, Any] | str]:
    try:
        return iter(batch.to_pylist())
    except Exception:  # one row is invalid
        return (_row(batch.slice(number, 1)) for number in range(batch.num_rows))


def _row(batch: Any) -> dict[str, Any] | str:
    try:
        (values,) = batch.to_pylist()
        return dict(values)
    except Exception as exc:  # invalid UTF-8, impossible dates and others
        return f"an unreadable value: {exc}"


def _without_nanoseconds(batch: Any) -> Any:
    """The batch with times in microseconds, the resolution of Python."""
    pyarrow = require("pyarrow", extra="parquet")
    for number, field in enumerate(batch.schema):
        if pyarrow.types.is_timestamp(field.type) and field.type.unit == "ns":
            kind = pyarrow.timestamp("us", field.type.tz)
            values = batch.column(number).cast(kind, safe=False)
            batch = batch.set_column(number, pyarrow.field(field.name, kind), values)
    return batch


class ParquetRowWriter:
    """Writes rows to a Parquet file.

    The columns are known with the last row, so batches wait in a temporary file.
    """

    def __init__(self, file: BinaryIO, columns: Iterable[str] = ()) -> None:
        self._arrow = require("pyarrow", extra="parquet")
        self._file, self._columns = file, dict.fromkeys(columns)
        self._spool = TemporaryFile()  # noqa: SIM115 (see close)
        self._rows: list[Mapping[str, Any]] = []
        self._schemas: list[Any] = []

    def write(self, row: Mapping[str, Any]) -> None:
        """Add a row."""
        self._rows.append(row)
        if len(self._rows) >= WRITE_BATCH:
            self._spool_batch()

    def end(self) -> None:
        """Write the file."""
        self._spool_batch()
        self._spool.seek(0)
        self._write(self._schema())

    def close(self) -> None:
        """Remove the temporary file."""
        self._spool.close()

    def _spool_batch(self) -> None:
        names = list(dict.fromkeys(name for row in self._rows for name in row))
        arrays = [self._array([row.get(name) for row in self._rows]) for name in names]
        batch = self._arrow.RecordBatch.from_arrays(arrays, names)
        with self._arrow.ipc.new_stream(self._spool, batch.schema) as stream:
            stream.write_batch(batch)
        self._schemas.append(batch.schema)
        self._rows = []

    def _array(self, values: Sequence[Any]) -> Any:
        try:
            array = self._arrow.array(values)
            if _is_storable(array.type):
                return array
        except (self._arrow.ArrowException, OverflowError, ValueError):  # mixed types
            pass
        return self._arrow.array([as_text(value) for value in values], self._arrow.string())

    def _schema(self) -> Any:
        written = dict.fromkeys(name for schema in self._schemas for name in schema.names)
        names = self._columns | written
        return self._arrow.schema([(name, self._column_type(name)) for name in names])

    def _column_type(self, name: str) -> Any:
        """The common type of a column in all batches, else text."""
        kinds = {s.field(name).type for s in self._schemas if name in s.names}
        kinds |= {self._arrow.null()}
        fields = [self._arrow.schema([(name, kind)]) for kind in kinds]
        try:
            kind = self._arrow.unify_schemas(fields, promote_options="permissive").field(name).type
        except self._arrow.ArrowException:
            return self._arrow.string()
        return self._arrow.string() if self._arrow.types.is_null(kind) else kind

    def _write(self, schema: Any) -> None:
        parquet = require("pyarrow.parquet", extra="parquet")
        with TemporaryFile() as spool:  # the format needs to seek
            with parquet.ParquetWriter(spool, schema, compression="zstd") as writer:
                for batch in self._batches():
                    writer.write_batch(self._cast(batch, schema))
            spool.seek(0)
            copyfileobj(spool, self._file)

    def _batches(self) -> Iterator[Any]:
        for _ in self._schemas:
            with self._arrow.ipc.open_stream(self._spool) as stream:
                yield from stream

    def _cast(self, batch: Any, schema: Any) -> Any:
        arrays = [
            self._as_column_type(batch.column(field.name), field.type)
            if field.name in batch.schema.names
            else self._arrow.nulls(batch.num_rows, field.type)
            for field in schema
        ]
        return self._arrow.RecordBatch.from_arrays(arrays, schema=schema)

    def _as_column_type(self, array: Any, kind: Any) -> Any:
        if array.type == kind:
            return array
        if kind == self._arrow.string():
            return self._arrow.array([as_text(value) for value in array.to_pylist()], kind)
        return array.cast(kind)


def _is_storable(kind: Any) -> bool:
    """Whether Parquet has such a type: it has no empty structs."""
    if kind.num_fields == 0:
        return not str(kind).startswith("struct")
    return all(_is_storable(kind.field(number).type) for number in range(kind.num_fields))
