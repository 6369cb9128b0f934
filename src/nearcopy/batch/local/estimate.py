"""Estimates of time, memory and disk of a corpus job, from a sample."""

from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import process_time
from typing import NamedTuple

from nearcopy.batch.local.job import CorpusJob
from nearcopy.batch.local.pipeline import deduplicate

SAMPLE_BYTES = 48 << 20  # of the input
IDLE_BYTES = 90 << 20  # of a process before it has read anything
WORKING_BYTES = 130 << 20  # of a process that reads and writes
BYTES_PER_ROW = 160  # in memory while rows are clustered


class Estimate(NamedTuple):
    """What a job would take, approximately, and what the sample showed."""

    rows: int
    seconds: float
    memory: int  # bytes
    disk: int  # bytes of intermediate files and output
    output: int  # bytes
    sampled: int  # rows
    duplicates: float  # share of the sampled rows; of all rows it may be more


def estimate(job: CorpusJob) -> Estimate:
    """The estimate for a job; only a temporary folder is written."""
    size = sum(source.size for source in job.sources)
    share = min(1.0, SAMPLE_BYTES / max(1, size))
    with TemporaryDirectory(prefix="nearcopy-") as folder:
        place = Path(folder)
        sample = replace(
            job,
            sample=None if share == 1.0 else share,
            output=place / "out",
            work=place / "work",
            rejected=place / "rejected.jsonl",
            jobs=1,
        )
        started = process_time()
        summary = deduplicate(sample, keep_work=True)
        cpu_seconds = process_time() - started
        factor = 1 / share
        work, output = _size(place / "work"), _size(place / "out")
        rmtree(place / "work")
    rows = round(summary.rows * factor)
    return Estimate(
        rows=rows,
        seconds=cpu_seconds * factor / job.jobs,
        memory=job.jobs * WORKING_BYTES + max(0, IDLE_BYTES + rows * BYTES_PER_ROW - WORKING_BYTES),
        disk=round((work + output) * factor),
        output=round(output * factor),
        sampled=summary.rows,
        duplicates=summary.duplicates / max(1, summary.rows),
    )


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
