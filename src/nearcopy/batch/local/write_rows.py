"""Writing: every row in its place again, beside what it is; or only those that are kept."""

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from nearcopy.batch.local.column_files import Pack, write_pack
from nearcopy.batch.local.durable import checksum
from nearcopy.batch.local.exact_duplicates import renamed_ids
from nearcopy.batch.local.inputs import Input
from nearcopy.batch.local.job import Job
from nearcopy.batch.local.output_columns import CLUSTER_COLUMNS
from nearcopy.batch.local.output_rows import Annotation, annotations, json_string
from nearcopy.batch.local.row_reader import (
    NO_ID,
    REWRITE,
    Raw,
    RowReader,
    read_records,
    stream_lines,
    values_of,
)
from nearcopy.batch.local.row_table import Part, table_of
from nearcopy.errors import BadCorpus
from nearcopy.io.files.atomic_write import open_atomic
from nearcopy.io.files.cell_values import as_json
from nearcopy.io.files.rows import Rejected, Row
from nearcopy.io.files.sources import READ_ONLY
from nearcopy.io.files.write import open_writer

FOLDER = "written"
AT_ONCE = 2048  # lines
Select = Callable[[Annotation], bool]


def part_path(job: Job, unit: int) -> Path:
    """Where the rows of a unit wait until all are written."""
    source = job.inputs[job.units[unit].file]
    return job.folder(FOLDER) / f"{unit:06d}{''.join(Path(source.name).suffixes[-2:])}"


def counts_path(job: Job, unit: int) -> Path:
    """Where it is noted what was written of a unit."""
    return job.folder(FOLDER) / f"{unit:06d}.counts"


def write_unit(job: Job, unit: int) -> None:
    """Writes the rows of a unit, and beside them how many there are."""
    path, counts = part_path(job, unit), Counter[str]()
    relations = Counter[str]()

    def select(mark: Annotation) -> bool:
        """Takes note of a row; whether it is to be written."""
        relations[mark.relation] += 1
        counts["rows"] += 1
        counts["kept"] += not mark.is_duplicate
        is_written = job.form == "annotations" or not mark.is_duplicate
        counts["written"] += is_written
        return is_written

    lines = job.inputs[job.units[unit].file].format == "jsonl"
    (_write_lines if lines else _write_records)(job, unit, path, select)
    notes = {name: counts[name] for name in ("rows", "kept", "written")}
    size, sum_ = path.stat().st_size, checksum(path)
    write_pack(counts_path(job, unit), {}, size=size, checksum=sum_, relations=relations, **notes)


def is_unit_written(job: Job, unit: int) -> bool:
    """Whether the rows of a unit are written, and as they were."""
    try:
        notes = Pack(counts_path(job, unit)).notes
        return bool(checksum(part_path(job, unit)) == notes["checksum"])
    except (OSError, BadCorpus):
        return False


def _write_lines(job: Job, unit: int, path: Path, select: Select) -> None:
    pack = _compressor(job.inputs[job.units[unit].file])
    with open_atomic(path, durable=False) as file:
        lines = _annotated_lines(job, unit, select)
        while batch := list(islice(lines, AT_ONCE)):
            file.write(pack(b"".join(batch)))


def _compressor(source: Input) -> Callable[[bytes], bytes]:
    """What packs bytes as the file does; packed one after another they are one file."""
    if source.path.lower().endswith(".zst"):
        from zstandard import ZstdCompressor  # only for those who need it

        return ZstdCompressor(write_checksum=True).compress
    if source.path.lower().endswith(".gz"):
        return lambda data: gzip.compress(data, 6, mtime=0)
    return bytes


def _annotated_lines(job: Job, unit: int, select: Select) -> Iterator[bytes]:
    """The lines of a unit that are written, as they were but for what is added."""
    source = job.inputs[job.units[unit].file]
    reader = RowReader(job, source)
    new = renamed_ids(job)
    for part in (part for part in table_of(job).parts if part.unit == unit and part.size):
        flags = part.pack.read("flags").tolist()
        results = annotations(job, part.first, part.size)
        rows = zip(_lines(job, part), flags, results, strict=True)
        for row, (line, flag, mark) in enumerate(rows, start=part.first):
            if not select(mark):
                continue
            if job.form == "clean":
                yield line + b"\n"
            elif flag & REWRITE or row in new:
                yield _rewrite_line(line, mark, reader, source)
            else:
                yield _extend_line(line, flag, mark)


def _lines(job: Job, part: Part) -> Iterator[bytes]:
    """The lines of a pack of rows as they stand in the file."""
    source = job.inputs[job.units[part.unit].file]
    starts = part.pack.read("start").tolist()
    if not source.plain:
        numbers = set(starts)
        yield from (raw.data for raw in stream_lines(source) if raw.start in numbers)
        return
    sizes = part.pack.read("size").tolist()
    first, end = starts[0], starts[-1] + sizes[-1]
    with Path(source.path).open("rb") as file:
        file.seek(first)
        data = file.read(end - first)
    for start, size in zip(starts, sizes, strict=True):
        yield data[start - first : start - first + size]


def _extend_line(line: bytes, flag: int, mark: Annotation) -> bytes:
    """The line with ours after all it has; it always has its id."""
    body = line if line.endswith(b"}") else line.rstrip()
    if flag & NO_ID:
        body = b'{"id": ' + json_string(mark.id) + b", " + body.lstrip()[1:].lstrip()
    return body[:-1] + mark.tail


def _rewrite_line(line: bytes, mark: Annotation, reader: RowReader, source: Input) -> bytes:
    """The row made anew: it has columns of ours already, or gets another id."""
    record = values_of(Raw(0, line), source.name)
    row = record if isinstance(record, Rejected) else reader.article(record[1], record[0])
    if isinstance(row, Rejected):
        raise BadCorpus(f"{source.path} has changed while it was read: start anew")
    return as_json(_values(row, mark)) + b"\n"


def _write_records(job: Job, unit: int, path: Path, select: Select) -> None:
    """Writes the rows of a file that is no lines of JSON."""
    source = job.inputs[job.units[unit].file]
    reader = RowReader(job, source)
    parts = [part for part in table_of(job).parts if part.unit == unit]
    results = (mark for part in parts for mark in annotations(job, part.first, part.size))
    kind = "jsonl" if source.format in READ_ONLY else source.format
    with open_writer(path, kind) as out:
        for _, record in read_records(source, job.units[unit], job.sample):
            row = record if isinstance(record, Rejected) else reader.article(record[1], record[0])
            if isinstance(row, Row) and select(mark := next(results)):
                out.write(_values(row, mark) if job.form == "annotations" else row.values)


def _values(row: Row, mark: Annotation) -> dict[str, Any]:
    """The row's own values and ours after them, under the id it has here."""
    values = {name: value for name, value in row.values.items() if name not in CLUSTER_COLUMNS}
    if row.id_column is None:
        values = {"id": mark.id, **values}
    elif str(values.get(row.id_column)) != mark.id:
        values[row.id_column] = mark.id
    return {**values, **mark.values}
