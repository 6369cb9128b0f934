"""Output of a corpus job: every row with its annotation, or only the rows that are kept.

Each unit is written to a file in the work folder; `publish` joins these into the output files.
"""

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copyfileobj
from typing import Any, NamedTuple

import numpy as np
import orjson

from nearcopy.batch.column_rules import RELATIONS
from nearcopy.batch.corpus_settings import Shard
from nearcopy.batch.local.candidate_pairs import ids_of, renamed_ids
from nearcopy.batch.local.clusters import CLUSTERS_FILE, NONE, ClusterColumns
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
from nearcopy.batch.output_columns import CLUSTER_COLUMNS, add_columns
from nearcopy.cluster.stories import own_story_id
from nearcopy.errors import BadCorpus
from nearcopy.io.files.atomic_write import open_atomic
from nearcopy.io.files.json import as_json
from nearcopy.io.files.read import READ_ONLY
from nearcopy.io.files.rows import Rejected, Row
from nearcopy.io.files.write import open_writer
from nearcopy.models.batches import batches

MANIFEST = "nearcopy.json"
LINES_PER_BATCH = 2048
JSON_COLUMNS = (
    b', "relation": "%s", "is_duplicate": %s, "duplicate_of": %s, '
    b'"story_id": "%s", "overlap": %s}\n'
)


class Annotation(NamedTuple):
    """The id of a row, and the values of its CLUSTER_COLUMNS."""

    id: str
    relation: str
    is_duplicate: bool
    duplicate_of: str | None
    story_id: str
    overlap: float | None

    @property
    def values(self) -> dict[str, Any]:
        """The values by column."""
        return {name: getattr(self, name) for name in CLUSTER_COLUMNS}

    @property
    def json_suffix(self) -> bytes:
        """The values as the last members of a JSON object, with its closing brace."""
        return JSON_COLUMNS % (
            self.relation.encode(),
            b"true" if self.is_duplicate else b"false",
            b"null" if self.duplicate_of is None else _json_string(self.duplicate_of),
            self.story_id.encode(),
            b"null" if self.overlap is None else repr(self.overlap).encode(),
        )


Select = Callable[[Annotation], bool]


def _json_string(text: str) -> bytes:
    try:
        return orjson.dumps(text)
    except orjson.JSONEncodeError:  # a lone surrogate
        return as_json(text)


def annotations(job: CorpusJob, part: Part) -> Iterator[Annotation]:
    """The annotations of the rows of a part, in order."""
    stop = part.first + part.size
    clusters = ClusterColumns.read(job.paths.work / CLUSTERS_FILE, part.first, stop)
    rows = np.arange(part.first, stop)
    kept = clusters.of[clusters.of != NONE].astype(np.int64)
    ids = ids_of(job, np.concatenate([rows, kept, clusters.founder.astype(np.int64)]))
    overlaps = np.round(clusters.overlap.astype(np.float64), 4)
    columns = (clusters.of, clusters.relation, overlaps, clusters.founder)
    for row, of, relation, overlap, founder in zip(
        rows.tolist(), *(column.tolist() for column in columns), strict=True
    ):
        is_duplicate = of != NONE
        yield Annotation(
            ids[row],
            RELATIONS[relation].value,
            is_duplicate,
            ids[of] if is_duplicate else None,
            own_story_id(ids[founder]),
            overlap if overlap == overlap else None,
        )


# One unit.


def part_path(job: CorpusJob, unit: int) -> Path:
    """The file of the rows of a unit, in the work folder."""
    source = job.source_of(unit)
    return job.folder("output") / f"{unit:06d}{''.join(Path(source.name).suffixes[-2:])}"


def counts_path(job: CorpusJob, unit: int) -> Path:
    """The file of the counts of a unit, in the work folder."""
    return job.folder("output") / f"{unit:06d}.counts"


def write_unit(job: CorpusJob, unit: int) -> None:
    """Write the rows of a unit, and their counts."""
    path, counts = part_path(job, unit), Counter[str]()
    relations = Counter[str]()

    def select(annotation: Annotation) -> bool:
        """Count a row; whether it is to be written."""
        relations[annotation.relation] += 1
        counts["rows"] += 1
        counts["kept"] += not annotation.is_duplicate
        is_written = job.form == "annotations" or not annotation.is_duplicate
        counts["written"] += is_written
        return is_written

    has_lines = job.source_of(unit).format == "jsonl"
    (_write_lines if has_lines else _write_records)(job, unit, path, select)
    notes = {name: counts[name] for name in ("rows", "kept", "written")}
    size, digest = path.stat().st_size, checksum(path)
    write_pack(counts_path(job, unit), {}, size=size, checksum=digest, relations=relations, **notes)


def is_unit_written(job: CorpusJob, unit: int) -> bool:
    """Whether the rows of a unit are written, and their checksum holds."""
    try:
        notes = Pack(counts_path(job, unit)).notes
        return bool(checksum(part_path(job, unit)) == notes["checksum"])
    except (OSError, BadCorpus):
        return False


def _write_lines(job: CorpusJob, unit: int, path: Path, select: Select) -> None:
    compress = _compressor(job.source_of(unit))
    with open_atomic(path, durable=False) as file:
        for batch in batches(_annotated_lines(job, unit, select), LINES_PER_BATCH):
            file.write(compress(b"".join(batch)))


def _compressor(source: Input) -> Callable[[bytes], bytes]:
    """The compression of a source; compressed parts can be concatenated to one file."""
    if source.path.lower().endswith(".zst"):
        from zstandard import ZstdCompressor  # imported on demand

        return ZstdCompressor(write_checksum=True).compress
    if source.path.lower().endswith(".gz"):
        return lambda data: gzip.compress(data, 6, mtime=0)
    return bytes


def _annotated_lines(job: CorpusJob, unit: int, select: Select) -> Iterator[bytes]:
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
            if job.form == "clean":
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


def _write_records(job: CorpusJob, unit: int, path: Path, select: Select) -> None:
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
                annotated = job.form == "annotations"
                out.write(_annotated_values(row, annotation) if annotated else row.values)


def _annotated_values(row: Row, annotation: Annotation) -> dict[str, Any]:
    return add_columns(row, annotation.id, annotation.values, CLUSTER_COLUMNS)


# All units.


def publish(job: CorpusJob) -> list[Shard]:
    """Join the files of the units into the output files."""
    return [
        _publish_file(job, file) for file, source in enumerate(job.sources) if not source.reference
    ]


def _publish_file(job: CorpusJob, file: int) -> Shard:
    source = job.sources[file]
    path = job.paths.output if _is_file(job) else job.paths.output / source.name
    units = [unit.number for unit in job.units if unit.file == file]
    notes = [Pack(counts_path(job, unit)).notes for unit in units]
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomic(path) as out:
        for unit in units:
            with part_path(job, unit).open("rb") as part:
                copyfileobj(part, out, 1 << 20)
    size = path.stat().st_size
    if size != sum(note["size"] for note in notes):
        raise BadCorpus(f"{path} has {size} bytes and should have more: is the disk full?")
    rows, written = (sum(note[name] for note in notes) for name in ("rows", "written"))
    return Shard(source.name, rows, written, size, checksum(path))


def _is_file(job: CorpusJob) -> bool:
    """Whether the output is one file, and not a folder."""
    own = [source for source in job.sources if not source.reference]
    return job.paths.output.suffix != "" and len(own) == 1


def write_manifest(job: CorpusJob, shards: list[Shard], summary: dict[str, Any]) -> None:
    """Write the list of output files with their counts and checksums into the output folder."""
    if not _is_file(job):
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
