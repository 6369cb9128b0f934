"""Finishing: what the units wrote put together, file by file, and checked."""

from pathlib import Path
from shutil import copyfileobj
from typing import Any, NamedTuple

from nearcopy.batch.local.column_files import Pack
from nearcopy.batch.local.durable import checksum, read_json, write_json
from nearcopy.batch.local.inputs import Input
from nearcopy.batch.local.job import Job
from nearcopy.batch.local.write_rows import counts_path, part_path
from nearcopy.errors import BadCorpus
from nearcopy.io.files.atomic_write import open_atomic

LISTING = "nearcopy.json"


class Shard(NamedTuple):
    """A file that was written: its rows, its bytes, and the number that stands for them."""

    name: str
    rows: int
    written: int
    bytes: int
    checksum: int


def target(job: Job, source: Input) -> Path:
    """Where the rows of a file go: below the folder of the output, or to the output itself."""
    return job.output if _to_file(job) else job.output / source.name


def _to_file(job: Job) -> bool:
    return (
        job.output.suffix != ""
        and len([source for source in job.inputs if not source.against]) == 1
    )


def finish(job: Job) -> list[Shard]:
    """Puts all files in their places."""
    return [_finish(job, file) for file, source in enumerate(job.inputs) if not source.against]


def _finish(job: Job, file: int) -> Shard:
    source = job.inputs[file]
    path = target(job, source)
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


def write_listing(job: Job, shards: list[Shard], summary: dict[str, Any]) -> None:
    """Writes beside the files what they hold."""
    if not _to_file(job):
        listed = [shard._asdict() for shard in shards]
        write_json(job.output / LISTING, {"shards": listed, **summary})


def verify(output: Path) -> list[str]:
    """What is not as it was written below a folder; nothing where all is well."""
    listing = read_json(output / LISTING)
    if listing is None:
        raise BadCorpus(f"{output} has no {LISTING}: nothing was written there, or not to its end")
    return [
        shard["name"]
        for shard in listing["shards"]
        if not (output / shard["name"]).is_file()
        or checksum(output / shard["name"]) != shard["checksum"]
    ]
