"""Running: the stages of the work one after another, on all cores, each done once.

What a stage makes is in files of their own, with checksums. Where the work was stopped, at any
point, it goes on: what is there and whole is not made again, and all else is.
"""

import os
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from nearcopy.batch.local.candidate_pairs import PAIRS_FOLDER as PAIRS
from nearcopy.batch.local.candidate_pairs import (
    column_tasks,
    oversized_keys,
    pair_columns,
    text_blocks,
)
from nearcopy.batch.local.cluster_columns import FILE as CLUSTERS
from nearcopy.batch.local.column_files import Pack, whole_pack
from nearcopy.batch.local.compare_rows import article_blocks, count_truncated, judge_block
from nearcopy.batch.local.durable import read_json, write_json
from nearcopy.batch.local.exact_duplicates import FILE as EXACT_DUPLICATES
from nearcopy.batch.local.exact_duplicates import (
    count_reference_rows,
    find_exact_duplicates,
    renamed_ids,
)
from nearcopy.batch.local.fingerprint_rows import fingerprint_unit
from nearcopy.batch.local.job import Job
from nearcopy.batch.local.paths import WORK_FILES, check_folder
from nearcopy.batch.local.publish import Shard, finish, write_listing
from nearcopy.batch.local.rejected_rows import Reject, number_lines, write_rejects
from nearcopy.batch.local.row_table import FOLDER as ROWS
from nearcopy.batch.local.row_table import pack_path, table_of
from nearcopy.batch.local.shared_keys import OversizedKeys
from nearcopy.batch.local.sketch_rows import sketch_unit
from nearcopy.batch.local.story_clusters import cluster_by_all
from nearcopy.batch.local.text_clusters import cluster_by_text
from nearcopy.batch.local.text_relations import EDGES_FOLDER as EDGES
from nearcopy.batch.local.text_relations import count_block
from nearcopy.batch.local.write_rows import FOLDER as WRITTEN
from nearcopy.batch.local.write_rows import counts_path, is_unit_written, write_unit
from nearcopy.errors import BadCorpus
from nearcopy.io.files.atomic_write import lock_file

Progress = Callable[[str, int, int], None]  # the stage, how much of it is done, of how much
Task = Callable[[Job, int], None]
POLL_SECONDS = 1.0
FOLDERS = (ROWS, PAIRS, EDGES, WRITTEN)


class Summary(NamedTuple):
    """What became of a corpus."""

    rows: int
    kept: int
    duplicates: int
    rejected: list[Reject]
    renamed: int  # rows whose id an earlier one had
    relations: dict[str, int]
    crowds: OversizedKeys
    shards: list[Shard]
    cpu_seconds: float = 0.0  # of this process so far, and of all others


def run(job: Job, progress: Progress = lambda *_: None, *, keep_work: bool = False) -> Summary:
    """Does all there is left to do, and says what became of every row."""
    with _open_work_folder(job, keep=keep_work), _pool(job) as (stage, spent):
        units = [unit.number for unit in job.units]
        read = sketch_unit if job.by_text else fingerprint_unit
        stage("reading", read, units, lambda n: whole_unit(job, n), progress)
        rejected = _read_rejected(job)
        if rejected and job.rejected is None:
            raise BadCorpus(_rejection_message(rejected, len(table_of(job))))
        stage(
            "sorting",
            find_exact_duplicates,
            [0],
            lambda _: whole_pack(job.work / EXACT_DUPLICATES),
            progress,
        )
        _text_stages(job, stage, progress) if job.by_text else _article_stages(job, stage, progress)
        own = [unit.number for unit in job.units if not job.inputs[unit.file].against]
        stage("writing", write_unit, own, lambda n: is_unit_written(job, n), progress)
        summary = _publish(job, own, rejected)
    return summary._replace(cpu_seconds=time.process_time() + sum(spent))


def _text_stages(job: Job, stage: "Stage", progress: Progress) -> None:
    pairs, edges = job.folder(PAIRS), job.folder(EDGES)
    columns, blocks = column_tasks(job), text_blocks(job)
    stage("sorting", pair_columns, columns, lambda n: whole_pack(pairs / f"{n:03d}.pack"), progress)
    stage("comparing", count_block, blocks, lambda n: whole_pack(edges / f"{n:06d}.pack"), progress)
    stage("telling", cluster_by_text, [0], lambda _: whole_pack(job.work / CLUSTERS), progress)


def _article_stages(job: Job, stage: "Stage", progress: Progress) -> None:
    edges, blocks = job.folder(EDGES), article_blocks(job)
    stage("comparing", judge_block, blocks, lambda n: whole_pack(edges / f"{n:06d}.pack"), progress)
    stage("telling", cluster_by_all, [0], lambda _: whole_pack(job.work / CLUSTERS), progress)


def _publish(job: Job, units: Sequence[int], rejected: list[Reject]) -> Summary:
    _check_unchanged(job)
    notes = [Pack(counts_path(job, unit)).notes for unit in units]
    relations: Counter[str] = Counter()
    for note in notes:
        relations.update(note["relations"])
    rows, kept = (sum(note[name] for note in notes) for name in ("rows", "kept"))
    read = len(table_of(job)) - count_reference_rows(table_of(job), job)
    if not read == rows == sum(relations.values()):
        raise BadCorpus("rows are missing: nothing was written; start anew")
    shards = finish(job)
    if job.rejected is not None:
        write_rejects(job.rejected, rejected)
    crowds = oversized_keys(job) if job.by_text else OversizedKeys(passed_over=count_truncated(job))
    renamed = len(renamed_ids(job))
    summary = Summary(rows, kept, rows - kept, rejected, renamed, dict(relations), crowds, shards)
    write_listing(job, shards, summary_row(summary))
    return summary


def summary_row(summary: Summary) -> dict[str, Any]:
    """The numbers, as JSON has them."""
    return {
        "rows": summary.rows,
        "kept": summary.kept,
        "duplicates": summary.duplicates,
        "rejected": len(summary.rejected),
        "repeated_ids": summary.renamed,
        "relations": summary.relations,
        "crowded": summary.crowds._asdict(),
    }


def whole_unit(job: Job, unit: int) -> bool:
    """Whether all packs of a unit are there, and as they were written."""
    first = pack_path(job, unit)
    if not whole_pack(first):
        return False
    return all(whole_pack(pack_path(job, unit, n)) for n in range(1, Pack(first).notes["packs"]))


def _read_rejected(job: Job) -> list[Reject]:
    packs = (Pack(pack_path(job, unit.number)) for unit in job.units)
    return number_lines([reject for pack in packs for reject in pack.notes["rejected"]], job.inputs)


def _rejection_message(rejected: list[Reject], rows: int) -> str:
    shown = [f"{file}:{line}: {why}" for file, line, why, _ in rejected[:20]]
    more = [f"... and {len(rejected) - 20:,} more"] if len(rejected) > 20 else []
    return "\n".join(
        [
            f"{len(rejected):,} of {len(rejected) + rows:,} rows are no articles, so nothing was "
            "written: mend them, or put them aside with --rejected FILE",
            *shown,
            *more,
        ]
    )


def _check_unchanged(job: Job) -> None:
    """Raises where a file is not what was read."""
    for source in job.inputs:
        about = os.stat(source.path)
        if (about.st_size, about.st_mtime_ns) != (source.size, source.changed):
            raise BadCorpus(f"{source.path} has changed while it was read: start anew")


@contextmanager
def _open_work_folder(job: Job, *, keep: bool) -> Iterator[None]:
    """The folder of the work, begun or gone on with, and removed when all is done."""
    check_folder(job.work)
    job.work.mkdir(mode=0o700, parents=True, exist_ok=True)  # it holds what articles say
    with (job.work / "lock").open("w") as lock:
        try:
            lock_file(lock)
        except OSError:
            raise BadCorpus(f"another process is at work in {job.work}: let it end") from None
        earlier = read_json(job.work / "job.json")
        identity = {**job.identity}
        if earlier is not None and earlier != _as_json_value(identity):
            raise BadCorpus(
                f"{job.work} holds work on other files or with other settings: "
                "finish that, remove the folder, or name another with --work"
            )
        write_json(job.work / "job.json", identity)
        for name in FOLDERS:
            job.folder(name).mkdir(exist_ok=True)
        table_of.cache_clear()
        renamed_ids.cache_clear()
        yield
    if not keep:
        _remove(job.work)


def _remove(work: Path) -> None:
    """Removes what the work has made, and its folder unless somebody else's files are there."""
    for name in FOLDERS:
        shutil.rmtree(work / name)
    for path in [*work.iterdir()]:
        if WORK_FILES.fullmatch(path.name):
            path.unlink()
    (work / "job.json").unlink()  # the last, as it tells that the rest is ours
    with suppress(OSError):  # it is not empty
        work.rmdir()


def _as_json_value(value: Any) -> Any:
    """The value as it is read from JSON."""
    if isinstance(value, list | tuple):
        return [_as_json_value(item) for item in value]
    return (
        {name: _as_json_value(item) for name, item in value.items()}
        if isinstance(value, dict)
        else value
    )


Stage = Callable[[str, Task, Sequence[int], Callable[[int], bool], Progress], None]


@contextmanager
def _pool(job: Job) -> Iterator[tuple[Stage, list[float]]]:
    """What does the tasks of a stage, on several processes where there are several.

    Beside it, the time that each task took of the processor of another process.
    """
    if job.jobs == 1 or len(job.units) == 1:
        yield _sequential_stage(job), []
        return
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", "nearcopy.batch.local.pipeline"])
    with ProcessPoolExecutor(job.jobs, context, _watch_parent, (os.getpid(),)) as pool:
        spent: list[float] = []
        yield _parallel_stage(job, pool, spent), spent


def _sequential_stage(job: Job) -> Stage:
    def stage(
        name: str, task: Task, numbers: Sequence[int], done: Callable[[int], bool], report: Progress
    ) -> None:
        for count, number in enumerate(numbers, start=1):
            if not done(number):
                task(job, number)
            report(name, count, len(numbers))

    return stage


def _parallel_stage(job: Job, pool: ProcessPoolExecutor, spent: list[float]) -> Stage:
    def stage(
        name: str, task: Task, numbers: Sequence[int], done: Callable[[int], bool], report: Progress
    ) -> None:
        remaining = [number for number in numbers if not done(number)]
        if len(remaining) == 1:  # a process of its own would read all columns once more
            task(job, remaining[0])
            remaining = []
        waiting = [pool.submit(_run_timed, task, job, number) for number in remaining]
        count = len(numbers) - len(remaining)
        try:
            for future in as_completed(waiting):
                spent.append(future.result())
                count += 1
                report(name, count, len(numbers))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise

    return stage


def _run_timed(task: Task, job: Job, number: int) -> float:
    """Does a task; the seconds that it took of the processor."""
    started = time.process_time()
    task(job, number)
    return time.process_time() - started


def _watch_parent(parent: int) -> None:
    """Ends this process when the one that started the work is gone."""

    def look() -> None:
        while True:
            try:
                os.kill(parent, 0)
            except OSError:
                os._exit(1)
            time.sleep(POLL_SECONDS)

    threading.Thread(target=look, daemon=True).start()
