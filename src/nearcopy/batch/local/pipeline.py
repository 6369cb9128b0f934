"""The local pipeline: the stages of a corpus job, each on all cores and resumable.

Each task of a stage writes a file of its own, with checksums. An interrupted job is resumed: files
that are complete are kept, all others are written again.
"""

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import process_time
from typing import NamedTuple

from nearcopy.batch.corpus_settings import LISTED, CorpusSummary, rejection_message
from nearcopy.batch.local.article_clusters import cluster_articles
from nearcopy.batch.local.candidate_pairs import (
    EXACT_DUPLICATES_FILE,
    column_tasks,
    count_reference_rows,
    find_exact_duplicates,
    oversized_keys,
    pair_columns,
    pairs_path,
    renamed_ids,
    row_blocks,
)
from nearcopy.batch.local.column_files import Pack, is_complete
from nearcopy.batch.local.compare import (
    compare_articles,
    compare_texts,
    count_truncated,
    edges_path,
    index_of,
)
from nearcopy.batch.local.corpus_job import CorpusJob
from nearcopy.batch.local.fingerprints import read_unit
from nearcopy.batch.local.output import (
    counts_path,
    is_unit_written,
    publish,
    write_manifest,
    write_unit,
)
from nearcopy.batch.local.row_reader import RejectedRecord, number_lines, write_rejected
from nearcopy.batch.local.row_table import pack_path, table_of
from nearcopy.batch.local.text_clusters import cluster_texts
from nearcopy.batch.local.verdict_table import clusters_path, read_story_notes
from nearcopy.batch.local.work_folder import open_work_folder
from nearcopy.batch.removal_guard import Confirm, guard_removal, refuse, removal_warning
from nearcopy.batch.shared_keys import OversizedKeys
from nearcopy.errors import BadCorpus

Progress = Callable[[str, int, int], None]  # the stage, tasks done, tasks in all
Task = Callable[[CorpusJob, int], None]
POLL_SECONDS = 1.0


class Stage(NamedTuple):
    """Tasks that may run in parallel, by number, and how to see that one is done."""

    name: str
    task: Task
    numbers: Sequence[int]
    is_done: Callable[[int], bool]


RunStage = Callable[[Stage], None]


def deduplicate(
    job: CorpusJob,
    progress: Progress = lambda *_: None,
    *,
    confirm: Confirm = refuse,
    keep_work: bool = False,
) -> CorpusSummary:
    """Write the files again with the verdict of each row, or without the duplicates.

    Without the duplicates, an unusually large removal raises TooManyDuplicates unless `confirm`
    confirms it; that job can be resumed. So is an interrupted one. With several processes, call
    this from a module that can be imported: `if __name__ == "__main__":`.
    """
    with open_work_folder(job.paths.work, job.identity, keep=keep_work):
        table_of.cache_clear()
        renamed_ids.cache_clear()
        index_of.cache_clear()
        with _open_runner(job, progress) as (run_stage, cpu_seconds):
            summary = _run_stages(job, run_stage, confirm)
    return replace(summary, cpu_seconds=time.process_time() + sum(cpu_seconds))


def _run_stages(job: CorpusJob, run_stage: RunStage, confirm: Confirm) -> CorpusSummary:
    units = [unit.number for unit in job.units]
    run_stage(Stage("reading", read_unit, units, lambda unit: _is_unit_read(job, unit)))
    rejected = _read_rejected(job)
    if rejected and job.paths.rejected is None:
        listed = [f"{file}:{line}: {why}" for file, line, why, _ in rejected[:LISTED]]
        rows = len(rejected) + len(table_of(job))
        raise BadCorpus(rejection_message(listed, len(rejected), rows, "nothing was written"))
    duplicates = job.paths.work / EXACT_DUPLICATES_FILE
    run_stage(Stage("sorting", find_exact_duplicates, [0], lambda _: is_complete(duplicates)))
    for stage in _cluster_stages(job):
        run_stage(stage)
    own = [unit.number for unit in job.units if not job.sources[unit.file].reference]
    run_stage(Stage("writing", write_unit, own, lambda unit: is_unit_written(job, unit)))
    return _publish(job, own, rejected, confirm)


def _cluster_stages(job: CorpusJob) -> Iterator[Stage]:
    """The stages that compare and cluster; each needs the one before it to be complete."""
    compare, cluster = compare_articles, cluster_articles
    if job.by_text:
        compare, cluster = compare_texts, cluster_texts
        columns = column_tasks(job)
        yield Stage("sorting", pair_columns, columns, lambda n: is_complete(pairs_path(job, n)))
    blocks = row_blocks(job)
    yield Stage("comparing", compare, blocks, lambda n: is_complete(edges_path(job, n)))
    yield Stage("clustering", cluster, [0], lambda _: is_complete(clusters_path(job)))


def _publish(
    job: CorpusJob, units: Sequence[int], rejected: list[RejectedRecord], confirm: Confirm
) -> CorpusSummary:
    """Check that no row is lost, put the output in place, and count."""
    _check_unchanged(job)
    notes = [Pack(counts_path(job, unit)).notes for unit in units]
    relations: Counter[str] = Counter()
    for note in notes:
        relations.update(note["relations"])
    rows, kept = (sum(note[name] for note in notes) for name in ("rows", "kept"))
    read = len(table_of(job)) - count_reference_rows(job)
    if not read == rows == sum(relations.values()):
        raise BadCorpus("rows are missing: nothing was written; start again")
    truncated = OversizedKeys(skipped_pairs=0 if job.by_text else count_truncated(job))
    stories, largest, oversized = read_story_notes(job)
    warning = removal_warning(rows - kept, kept, largest, oversized, job.policy)
    if job.form == "clean":
        guard_removal(warning, confirm, "nothing was written")
    shards = publish(job)
    if job.paths.rejected is not None:
        write_rejected(job.paths.rejected, rejected)
    summary = CorpusSummary(
        rows=rows,
        kept=kept,
        duplicates=rows - kept,
        rejected=len(rejected),
        repeated_ids=len(renamed_ids(job)),
        relations=dict(relations),
        oversized_keys=oversized_keys(job) if job.by_text else truncated,
        stories=stories,
        largest_story=largest,
        warning=warning,
        shards=tuple(shards),
    )
    write_manifest(job, shards, summary.row())
    return summary


def _is_unit_read(job: CorpusJob, unit: int) -> bool:
    """Whether all packs of a unit are there, and as they were written."""
    first = pack_path(job, unit)
    if not is_complete(first):
        return False
    return all(is_complete(pack_path(job, unit, n)) for n in range(1, Pack(first).notes["packs"]))


def _read_rejected(job: CorpusJob) -> list[RejectedRecord]:
    packs = (Pack(pack_path(job, unit.number)) for unit in job.units)
    records = [record for pack in packs for record in pack.notes["rejected"]]
    return number_lines(records, job.sources)


def _check_unchanged(job: CorpusJob) -> None:
    """Raise where a file has changed since it was read."""
    for source in job.sources:
        stat = os.stat(source.path)
        if (stat.st_size, stat.st_mtime_ns) != (source.size, source.changed):
            raise BadCorpus(f"{source.path} has changed while it was read: start again")


@contextmanager
def _open_runner(job: CorpusJob, progress: Progress) -> Iterator[tuple[RunStage, list[float]]]:
    """What runs a stage, in worker processes if there are several; and their CPU seconds."""
    if job.jobs == 1 or len(job.units) == 1:
        yield lambda stage: _run_sequentially(job, stage, progress), []
        return
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", "nearcopy.batch.local.pipeline"])
    with ProcessPoolExecutor(job.jobs, context, _watch_parent, (os.getpid(),)) as pool:
        seconds: list[float] = []
        yield lambda stage: _run_in_parallel(job, stage, progress, pool, seconds), seconds


def _run_sequentially(job: CorpusJob, stage: Stage, progress: Progress) -> None:
    for count, number in enumerate(stage.numbers, start=1):
        if not stage.is_done(number):
            stage.task(job, number)
        progress(stage.name, count, len(stage.numbers))


def _run_in_parallel(
    job: CorpusJob,
    stage: Stage,
    progress: Progress,
    pool: ProcessPoolExecutor,
    seconds: list[float],
) -> None:
    remaining = [number for number in stage.numbers if not stage.is_done(number)]
    if len(remaining) == 1:  # a worker would read all columns once more
        stage.task(job, remaining[0])
        remaining = []
    futures = [pool.submit(_run_timed, stage.task, job, number) for number in remaining]
    count = len(stage.numbers) - len(remaining)
    try:
        for future in as_completed(futures):
            seconds.append(future.result())
            count += 1
            progress(stage.name, count, len(stage.numbers))
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


def _run_timed(task: Task, job: CorpusJob, number: int) -> float:
    """Run a task; the CPU seconds that it took."""
    started = time.process_time()
    task(job, number)
    return time.process_time() - started


def _watch_parent(parent: int) -> None:
    """End this worker when the process that started it is gone."""

    def poll() -> None:
        while True:
            try:
                os.kill(parent, 0)
            except OSError:
                os._exit(1)
            time.sleep(POLL_SECONDS)

    threading.Thread(target=poll, daemon=True).start()


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
        summary = deduplicate(sample, confirm=lambda _: True, keep_work=True)
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
