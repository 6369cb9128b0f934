"""Writing: every row in its place again, beside what it is; or only those that are kept."""

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from nearcopy.corpus.columns import OURS
from nearcopy.corpus.durable import checksum
from nearcopy.corpus.inputs import Input
from nearcopy.corpus.job import Job
from nearcopy.corpus.likes import new_names
from nearcopy.corpus.marks import Mark, marks, quoted
from nearcopy.corpus.packs import Pack, write_pack
from nearcopy.corpus.table import Part, table_of
from nearcopy.corpus.taking import NO_ID, REWRITE, Raw, RowReader, found_in, streamed, values_of
from nearcopy.errors import BadCorpus
from nearcopy.formats.cells import as_json
from nearcopy.formats.rows import Rejected, Row
from nearcopy.formats.sources import READ_ONLY
from nearcopy.formats.writing import writer
from nearcopy.replacing import replaced

FOLDER = "written"
AT_ONCE = 2048  # lines
Wanted = Callable[[Mark], bool]


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

    def wanted(mark: Mark) -> bool:
        """Takes note of a row; whether it is to be written."""
        relations[mark.relation] += 1
        counts["rows"] += 1
        counts["kept"] += not mark.is_duplicate
        written = job.form == "annotations" or not mark.is_duplicate
        counts["written"] += written
        return written

    lines = job.inputs[job.units[unit].file].format == "jsonl"
    (_write_lines if lines else _write_records)(job, unit, path, wanted)
    notes = {name: counts[name] for name in ("rows", "kept", "written")}
    size, sum_ = path.stat().st_size, checksum(path)
    write_pack(counts_path(job, unit), {}, size=size, checksum=sum_, relations=relations, **notes)


def unit_written(job: Job, unit: int) -> bool:
    """Whether the rows of a unit are written, and as they were."""
    try:
        notes = Pack(counts_path(job, unit)).notes
        return bool(checksum(part_path(job, unit)) == notes["checksum"])
    except (OSError, BadCorpus):
        return False


def _write_lines(job: Job, unit: int, path: Path, wanted: Wanted) -> None:
    pack = _packer(job.inputs[job.units[unit].file])
    with replaced(path, lasting=False) as file:
        lines = _marked_lines(job, unit, wanted)
        while some := list(islice(lines, AT_ONCE)):
            file.write(pack(b"".join(some)))


def _packer(source: Input) -> Callable[[bytes], bytes]:
    """What packs bytes as the file does; packed one after another they are one file."""
    if source.path.lower().endswith(".zst"):
        from zstandard import ZstdCompressor  # only for those who need it

        return ZstdCompressor(write_checksum=True).compress
    if source.path.lower().endswith(".gz"):
        return lambda data: gzip.compress(data, 6, mtime=0)
    return bytes


def _marked_lines(job: Job, unit: int, wanted: Wanted) -> Iterator[bytes]:
    """The lines of a unit that are written, as they were but for what is added."""
    source = job.inputs[job.units[unit].file]
    reader = RowReader(job, source)
    new = new_names(job)
    for part in (each for each in table_of(job).parts if each.unit == unit and each.size):
        flags = part.pack.read("flags").tolist()
        told = marks(job, part.first, part.size)
        rows = zip(_lines(job, part), flags, told, strict=True)
        for row, (line, flag, mark) in enumerate(rows, start=part.first):
            if not wanted(mark):
                continue
            if job.form == "clean":
                yield line + b"\n"
            elif flag & REWRITE or row in new:
                yield _rewritten(line, mark, reader, source)
            else:
                yield _extended(line, flag, mark)


def _lines(job: Job, part: Part) -> Iterator[bytes]:
    """The lines of a pack of rows as they stand in the file."""
    source = job.inputs[job.units[part.unit].file]
    starts = part.pack.read("start").tolist()
    if not source.plain:
        wanted = set(starts)
        yield from (raw.data for raw in streamed(source) if raw.start in wanted)
        return
    sizes = part.pack.read("size").tolist()
    first, end = starts[0], starts[-1] + sizes[-1]
    with Path(source.path).open("rb") as file:
        file.seek(first)
        data = file.read(end - first)
    for start, size in zip(starts, sizes, strict=True):
        yield data[start - first : start - first + size]


def _extended(line: bytes, flag: int, mark: Mark) -> bytes:
    """The line with ours after all it has; it always has its id."""
    body = line if line.endswith(b"}") else line.rstrip()
    if flag & NO_ID:
        body = b'{"id": ' + quoted(mark.id) + b", " + body.lstrip()[1:].lstrip()
    return body[:-1] + mark.tail


def _rewritten(line: bytes, mark: Mark, reader: RowReader, source: Input) -> bytes:
    """The row made anew: it has columns of ours already, or gets another id."""
    record = values_of(Raw(0, line), source.name)
    row = record if isinstance(record, Rejected) else reader.article(record[1], record[0])
    if isinstance(row, Rejected):
        raise BadCorpus(f"{source.path} has changed while it was read: start anew")
    return as_json(_values(row, mark)) + b"\n"


def _write_records(job: Job, unit: int, path: Path, wanted: Wanted) -> None:
    """Writes the rows of a file that is no lines of JSON."""
    source = job.inputs[job.units[unit].file]
    reader = RowReader(job, source)
    parts = [part for part in table_of(job).parts if part.unit == unit]
    told = (mark for part in parts for mark in marks(job, part.first, part.size))
    kind = "jsonl" if source.format in READ_ONLY else source.format
    with writer(path, kind) as out:
        for _, record in found_in(source, job.units[unit], job.sample):
            row = record if isinstance(record, Rejected) else reader.article(record[1], record[0])
            if isinstance(row, Row) and wanted(mark := next(told)):
                out.write(_values(row, mark) if job.form == "annotations" else row.values)


def _values(row: Row, mark: Mark) -> dict[str, Any]:
    """The row's own values and ours after them, under the id it has here."""
    values = {name: value for name, value in row.values.items() if name not in OURS}
    if row.id_column is None:
        values = {"id": mark.id, **values}
    elif str(values.get(row.id_column)) != mark.id:
        values[row.id_column] = mark.id
    return {**values, **mark.values}
