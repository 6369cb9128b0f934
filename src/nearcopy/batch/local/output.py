"""Output of a corpus job: every row with its annotation, or only the rows that are kept.

Each unit is written to a file in the work folder; `publish` joins these into the output files.
"""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise, repeat
from operator import attrgetter
from pathlib import Path
from shutil import copyfileobj
from typing import Any, Literal, NamedTuple

import numpy as np
import orjson

from nearcopy.batch.corpus_settings import Shard
from nearcopy.batch.local.candidate_pairs import ids_of, renamed_ids
from nearcopy.batch.local.column_files import Pack, checksum, read_json, write_json, write_pack
from nearcopy.batch.local.corpus_job import CorpusJob, Input
from nearcopy.batch.local.row_reader import (
    NO_ID,
    REWRITE,
    RawLine,
    RowReader,
    parse_line,
    read_records,
    stream_lines,
)
from nearcopy.batch.local.row_table import Part, table_of
from nearcopy.batch.local.text_clusters import text_verdicts
from nearcopy.batch.local.verdict_table import clusters_path
from nearcopy.batch.output_columns import add_columns
from nearcopy.cluster.stories import own_story_id
from nearcopy.deduper.verdicts import block_page_reason
from nearcopy.errors import BadCorpus
from nearcopy.io.files.atomic_write import open_atomic
from nearcopy.io.files.json import as_json
from nearcopy.io.files.read import READ_ONLY
from nearcopy.io.files.rows import Rejected, Row
from nearcopy.io.files.write import open_writer
from nearcopy.io.serializers import verdict_columns
from nearcopy.models import Verdict
from nearcopy.models.batches import batches

MANIFEST = "nearcopy.json"
LINES_PER_BATCH = 2048


ALONE = verdict_columns(Verdict(id=""))  # of a row that has nothing in common with others
ALONE_SUFFIX = b", " + as_json({**ALONE, "story_id": "%s"})[1:] + b"\n"


class Annotation(NamedTuple):
    """The id of a row, and the values of its output columns."""

    id: str
    values: dict[str, Any]

    @property
    def is_duplicate(self) -> bool:
        """Whether the row is a duplicate of another."""
        return bool(self.values["is_duplicate"])

    @property
    def json_suffix(self) -> bytes:
        """The values as the last members of a JSON object, with its closing brace."""
        if self.values["rule"] == ALONE["rule"] and not self.values["reasons"]:  # most rows
            return ALONE_SUFFIX.replace(b"%s", self.values["story_id"].encode())
        return b", " + as_json(self.values)[1:] + b"\n"


Select = Callable[[Annotation], bool]
Destination = Literal["output", "removed"]


def _json_string(text: str) -> bytes:
    try:
        return orjson.dumps(text)
    except orjson.JSONEncodeError:  # a lone surrogate
        return as_json(text)


def annotations(job: CorpusJob, part: Part) -> Iterator[Annotation]:
    """The annotations of the rows of a part, in order."""
    rows = range(part.first, part.first + part.size)
    ids = ids_of(job, rows)
    decided = _read_verdicts(job, part)
    undecided = text_verdicts(job, part, ids) if job.by_text else repeat(None)
    block_pages = [b""] * part.size if job.by_text else _block_pages(job, part)
    for row, values, verdict, page in zip(rows, decided, undecided, block_pages, strict=False):
        if verdict is not None and not values:
            values = verdict_columns(verdict)
        values = values or {**ALONE, "story_id": own_story_id(ids[row])}
        if page and not values["reasons"]:
            values = {**values, "reasons": [block_page_reason(page.decode())]}
        yield Annotation(ids[row], values)


def _block_pages(job: CorpusJob, part: Part) -> list[bytes]:
    """What kind of block page each row is, empty for articles."""
    return table_of(job).blobs("block_page", np.arange(part.first, part.first + part.size))


def _read_verdicts(job: CorpusJob, part: Part) -> Iterator[dict[str, Any]]:
    """The output columns of each row, empty where it was decided without objects."""
    pack = Pack(clusters_path(job))
    ends = pack.view("verdict_ends")[max(0, part.first - 1) : part.first + part.size].tolist()
    bounds = ends if part.first else [0, *ends]
    data = pack.read("verdict", bounds[0], bounds[-1]).tobytes()
    for start, end in pairwise(end - bounds[0] for end in bounds):
        yield json.loads(data[start:end]) if end > start else {}


# One unit.


OUTPUT: Destination = "output"
REMOVED: Destination = "removed"


def part_path(job: CorpusJob, unit: int, to: Destination = OUTPUT) -> Path:
    """The file of the rows of a unit, in the work folder."""
    suffixes = "".join(Path(job.source_of(unit).name).suffixes[-2:])
    return job.folder("output") / f"{unit:06d}{'.removed' * (to == REMOVED)}{suffixes}"


def counts_path(job: CorpusJob, unit: int) -> Path:
    """The file of the counts of a unit, in the work folder."""
    return job.folder("output") / f"{unit:06d}.counts"


def write_unit(job: CorpusJob, unit: int) -> None:
    """Write the rows of a unit, and their counts."""
    counts, relations = Counter[str](), Counter[str]()

    def select(annotation: Annotation) -> bool:
        """Count a row; whether it is to be written."""
        relations[annotation.values["relation"]] += 1
        counts["rows"] += 1
        counts["kept"] += not annotation.is_duplicate
        is_written = job.form == "annotations" or not annotation.is_duplicate
        counts["written"] += is_written
        return is_written

    _write(job, unit, OUTPUT, select)
    if job.paths.removed is not None:
        _write(job, unit, REMOVED, attrgetter("is_duplicate"))
    paths = {to: part_path(job, unit, to) for to in _destinations(job)}
    files = {to: [path.stat().st_size, checksum(path)] for to, path in paths.items()}
    notes = {name: counts[name] for name in ("rows", "kept", "written")}
    write_pack(counts_path(job, unit), {}, files=files, relations=relations, **notes)


def _destinations(job: CorpusJob) -> tuple[Destination, ...]:
    return (OUTPUT,) if job.paths.removed is None else (OUTPUT, REMOVED)


def _write(job: CorpusJob, unit: int, to: Destination, select: Select) -> None:
    """Write the selected rows of a unit; kept rows of a clean corpus are unchanged."""
    annotated = job.form == "annotations" or to == REMOVED
    has_lines = job.source_of(unit).format == "jsonl"
    write = _write_lines if has_lines else _write_records
    write(job, unit, part_path(job, unit, to), select, annotated)


def is_unit_written(job: CorpusJob, unit: int) -> bool:
    """Whether the rows of a unit are written, and their checksum holds."""
    try:
        notes = Pack(counts_path(job, unit)).notes
        return all(
            checksum(part_path(job, unit, to)) == notes["files"][to][1] for to in _destinations(job)
        )
    except (OSError, BadCorpus):
        return False


def _write_lines(job: CorpusJob, unit: int, path: Path, select: Select, annotated: bool) -> None:
    compress = _compressor(job.source_of(unit))
    with open_atomic(path, durable=False) as file:
        for batch in batches(_selected_lines(job, unit, select, annotated), LINES_PER_BATCH):
            file.write(compress(b"".join(batch)))


def _compressor(source: Input) -> Callable[[bytes], bytes]:
    """The compression of a source; compressed parts can be concatenated to one file."""
    if source.path.lower().endswith(".zst"):
        from zstandard import ZstdCompressor  # imported on demand

        return ZstdCompressor(write_checksum=True).compress
    if source.path.lower().endswith(".gz"):
        return lambda data: gzip.compress(data, 6, mtime=0)
    return bytes


def _selected_lines(job: CorpusJob, unit: int, select: Select, annotated: bool) -> Iterator[bytes]:
    """The lines of a unit that are written, unchanged but for the columns added."""
    source = job.source_of(unit)
    reader = RowReader(job, source)
    renamed = renamed_ids(job)
    for part in (part for part in table_of(job).parts if part.unit == unit and part.size):
        flags = part.pack.read("flags").tolist()
        rows = zip(_lines(job, part), flags, annotations(job, part), strict=True)
        for row, (line, flag, annotation) in enumerate(rows, start=part.first):
            if not select(annotation):
                continue
            if not annotated:
                yield line + b"\n"
            elif flag & REWRITE or row in renamed:
                yield _rewrite_line(line, annotation, reader, source)
            else:
                yield _extend_line(line, flag, annotation)


def _lines(job: CorpusJob, part: Part) -> Iterator[bytes]:
    """The lines of the rows of a part, from the file."""
    source = job.source_of(part.unit)
    starts = part.pack.read("start").tolist()
    if not source.plain:
        numbers = set(starts)
        yield from (line.data for line in stream_lines(source) if line.start in numbers)
        return
    sizes = part.pack.read("size").tolist()
    first, end = starts[0], starts[-1] + sizes[-1]
    with Path(source.path).open("rb") as file:
        file.seek(first)
        data = file.read(end - first)
    for start, size in zip(starts, sizes, strict=True):
        yield data[start - first : start - first + size]


def _extend_line(line: bytes, flag: int, annotation: Annotation) -> bytes:
    """The line with the columns added at its end, and an id at its start where it has none."""
    body = line if line.endswith(b"}") else line.rstrip()
    if flag & NO_ID:
        body = b'{"id": ' + _json_string(annotation.id) + b", " + body.lstrip()[1:].lstrip()
    return body[:-1] + annotation.json_suffix


def _rewrite_line(line: bytes, annotation: Annotation, reader: RowReader, source: Input) -> bytes:
    """The line encoded again: it has output columns already, or gets another id."""
    row = reader.read_article(parse_line(RawLine(0, line), source.name))
    if isinstance(row, Rejected):
        raise BadCorpus(f"{source.path} has changed while it was read: start again")
    return as_json(_annotated_values(row, annotation)) + b"\n"


def _write_records(job: CorpusJob, unit: int, path: Path, select: Select, annotated: bool) -> None:
    """Write the rows of a file that is not JSON lines."""
    source = job.source_of(unit)
    reader = RowReader(job, source)
    parts = [part for part in table_of(job).parts if part.unit == unit]
    every = (annotation for part in parts for annotation in annotations(job, part))
    kind = "jsonl" if source.format in READ_ONLY else source.format
    with open_writer(path, kind) as out:
        for _, record in read_records(source, job.units[unit], job.sample):
            row = reader.read_article(record)
            if isinstance(row, Row) and select(annotation := next(every)):
                out.write(_annotated_values(row, annotation) if annotated else row.values)


def _annotated_values(row: Row, annotation: Annotation) -> dict[str, Any]:
    return add_columns(row, annotation.id, annotation.values)


# All units.


def publish(job: CorpusJob) -> list[Shard]:
    """Join the files of the units into the output files."""
    files = [file for file, source in enumerate(job.sources) if not source.reference]
    if job.paths.removed is not None:
        for file in files:
            _publish_file(job, file, job.paths.removed, REMOVED)
    return [_publish_file(job, file, job.paths.output, OUTPUT) for file in files]


def _publish_file(job: CorpusJob, file: int, place: Path, to: Destination) -> Shard:
    source = job.sources[file]
    path = place if _is_file(job, place) else place / source.name
    units = [unit.number for unit in job.units if unit.file == file]
    notes = [Pack(counts_path(job, unit)).notes for unit in units]
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomic(path) as out:
        for unit in units:
            with part_path(job, unit, to).open("rb") as part:
                copyfileobj(part, out, 1 << 20)
    size = path.stat().st_size
    if size != sum(note["files"][to][0] for note in notes):
        raise BadCorpus(f"{path} has {size} bytes and should have more: is the disk full?")
    rows, written = (sum(note[name] for note in notes) for name in ("rows", "written"))
    return Shard(source.name, rows, written, size, checksum(path))


def _is_file(job: CorpusJob, place: Path) -> bool:
    """Whether a place of the output is one file, and not a folder."""
    own = [source for source in job.sources if not source.reference]
    return place.suffix != "" and len(own) == 1


def write_manifest(job: CorpusJob, shards: list[Shard], summary: dict[str, Any]) -> None:
    """Write the list of output files with their counts and checksums into the output folder."""
    if not _is_file(job, job.paths.output):
        listed = [shard._asdict() for shard in shards]
        write_json(job.paths.output / MANIFEST, {"shards": listed, **summary})


def verify(output: Path) -> list[str]:
    """The names of the output files whose checksum does not hold."""
    manifest = read_json(output / MANIFEST)
    if manifest is None:
        raise BadCorpus(f"{output} has no {MANIFEST}: no corpus job was completed there")
    return [
        shard["name"]
        for shard in manifest["shards"]
        if not (output / shard["name"]).is_file()
        or checksum(output / shard["name"]) != shard["checksum"]
    ]
