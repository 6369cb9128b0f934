"""Estimates: what a corpus would take, from going through a sample of it."""

from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import process_time
from typing import NamedTuple

from nearcopy.batch.local.job import Job
from nearcopy.batch.local.pipeline import run

SAMPLE_BYTES = 48 << 20  # of the input, as much as tells something
PROCESS = 90 << 20  # bytes that a process takes before it has read anything
WORKING = 130 << 20  # and while it reads and writes
HELD_A_ROW = 160  # bytes of each row that are held while stories are told


class Estimate(NamedTuple):
    """What going through all rows would take, about; and what was found in the sample."""

    rows: int
    seconds: float
    memory: int  # bytes
    disk: int  # bytes, while the work is done and beside the input
    output: int  # bytes
    sampled: int  # rows
    duplicates: float  # of the rows of the sample; of all it may be more


def estimate(job: Job) -> Estimate:
    """What a job would take, about. Nothing is written but to a temporary folder."""
    size = sum(source.size for source in job.inputs)
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
        summary = run(sample, keep_work=True)
        spent = process_time() - started
        times = 1 / share
        work, output = _size(place / "work"), _size(place / "out")
        rmtree(place / "work")
    rows = round(summary.rows * times)
    return Estimate(
        rows=rows,
        seconds=spent * times / job.jobs,
        memory=job.jobs * WORKING + max(0, PROCESS + rows * HELD_A_ROW - WORKING),
        disk=round((work + output) * times),
        output=round(output * times),
        sampled=summary.rows,
        duplicates=summary.duplicates / max(1, summary.rows),
    )


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
