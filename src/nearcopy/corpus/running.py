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

from nearcopy.corpus.counting import FOLDER as EDGES
from nearcopy.corpus.counting import count_block
from nearcopy.corpus.durable import read_json, write_json
from nearcopy.corpus.fingerprinting import fingerprint_unit
from nearcopy.corpus.finishing import Shard, finish, write_listing
from nearcopy.corpus.job import Job
from nearcopy.corpus.judging import blocks as judging_blocks
from nearcopy.corpus.judging import judge_block, left_out
from nearcopy.corpus.likes import FILE as LIKES
from nearcopy.corpus.likes import find_likes, given_rows, new_names
from nearcopy.corpus.packs import Pack, whole_pack
from nearcopy.corpus.pairing import FOLDER as PAIRS
from nearcopy.corpus.pairing import blocks as counting_blocks
from nearcopy.corpus.pairing import column_tasks, crowds_of, pair_columns
from nearcopy.corpus.places import MADE, check_folder
from nearcopy.corpus.rejects import Reject, numbered, write_rejects
from nearcopy.corpus.sharing import Crowds
from nearcopy.corpus.sketching import sketch_unit
from nearcopy.corpus.stories import tell_stories
from nearcopy.corpus.table import FOLDER as ROWS
from nearcopy.corpus.table import pack_path, table_of
from nearcopy.corpus.telling import tell
from nearcopy.corpus.told import FILE as TOLD
from nearcopy.corpus.writing import FOLDER as WRITTEN
from nearcopy.corpus.writing import counts_path, unit_written, write_unit
from nearcopy.errors import BadCorpus
from nearcopy.replacing import hold

Progress = Callable[[str, int, int], None]  # the stage, how much of it is done, of how much
Task = Callable[[Job, int], None]
LOOK_SECONDS = 1.0
FOLDERS = (ROWS, PAIRS, EDGES, WRITTEN)


class Summary(NamedTuple):
    """What became of a corpus."""

    rows: int
    kept: int
    duplicates: int
    rejected: list[Reject]
    renamed: int  # rows whose id an earlier one had
    relations: dict[str, int]
    crowds: Crowds
    shards: list[Shard]
    cpu_seconds: float = 0.0  # of this process so far, and of all others


def run(job: Job, progress: Progress = lambda *_: None, *, keep_work: bool = False) -> Summary:
    """Does all there is left to do, and says what became of every row."""
    with _held(job, keep=keep_work), _pool(job) as (stage, spent):
        units = [unit.number for unit in job.units]
        read = sketch_unit if job.by_text else fingerprint_unit
        stage("reading", read, units, lambda n: whole_unit(job, n), progress)
        rejected = _rejected(job)
        if rejected and job.rejected is None:
            raise BadCorpus(_refused(rejected, len(table_of(job))))
        stage("sorting", find_likes, [0], lambda _: whole_pack(job.work / LIKES), progress)
        _by_text(job, stage, progress) if job.by_text else _by_all(job, stage, progress)
        own = [unit.number for unit in job.units if not job.inputs[unit.file].against]
        stage("writing", write_unit, own, lambda n: unit_written(job, n), progress)
        found = _finished(job, own, rejected)
    return found._replace(cpu_seconds=time.process_time() + sum(spent))


def _by_text(job: Job, stage: "Stage", progress: Progress) -> None:
    pairs, edges = job.folder(PAIRS), job.folder(EDGES)
    columns, some = column_tasks(job), counting_blocks(job)
    stage("sorting", pair_columns, columns, lambda n: whole_pack(pairs / f"{n:03d}.pack"), progress)
    stage("comparing", count_block, some, lambda n: whole_pack(edges / f"{n:06d}.pack"), progress)
    stage("telling", tell, [0], lambda _: whole_pack(job.work / TOLD), progress)


def _by_all(job: Job, stage: "Stage", progress: Progress) -> None:
    edges, some = job.folder(EDGES), judging_blocks(job)
    stage("comparing", judge_block, some, lambda n: whole_pack(edges / f"{n:06d}.pack"), progress)
    stage("telling", tell_stories, [0], lambda _: whole_pack(job.work / TOLD), progress)


def _finished(job: Job, units: Sequence[int], rejected: list[Reject]) -> Summary:
    _unchanged(job)
    notes = [Pack(counts_path(job, unit)).notes for unit in units]
    relations: Counter[str] = Counter()
    for each in notes:
        relations.update(each["relations"])
    rows, kept = (sum(each[name] for each in notes) for name in ("rows", "kept"))
    read = len(table_of(job)) - given_rows(table_of(job), job)
    if not read == rows == sum(relations.values()):
        raise BadCorpus("rows are missing: nothing was written; start anew")
    shards = finish(job)
    if job.rejected is not None:
        write_rejects(job.rejected, rejected)
    crowds = crowds_of(job) if job.by_text else Crowds(passed_over=left_out(job))
    renamed = len(new_names(job))
    found = Summary(rows, kept, rows - kept, rejected, renamed, dict(relations), crowds, shards)
    write_listing(job, shards, summary_row(found))
    return found


def summary_row(found: Summary) -> dict[str, Any]:
    """The numbers, as JSON has them."""
    return {
        "rows": found.rows,
        "kept": found.kept,
        "duplicates": found.duplicates,
        "rejected": len(found.rejected),
        "repeated_ids": found.renamed,
        "relations": found.relations,
        "crowded": found.crowds._asdict(),
    }


def whole_unit(job: Job, unit: int) -> bool:
    """Whether all packs of a unit are there, and as they were written."""
    first = pack_path(job, unit)
    if not whole_pack(first):
        return False
    return all(whole_pack(pack_path(job, unit, n)) for n in range(1, Pack(first).notes["packs"]))


def _rejected(job: Job) -> list[Reject]:
    packs = (Pack(pack_path(job, unit.number)) for unit in job.units)
    return numbered([each for pack in packs for each in pack.notes["rejected"]], job.inputs)


def _refused(rejected: list[Reject], rows: int) -> str:
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


def _unchanged(job: Job) -> None:
    """Raises where a file is not what was read."""
    for each in job.inputs:
        about = os.stat(each.path)
        if (about.st_size, about.st_mtime_ns) != (each.size, each.changed):
            raise BadCorpus(f"{each.path} has changed while it was read: start anew")


@contextmanager
def _held(job: Job, *, keep: bool) -> Iterator[None]:
    """The folder of the work, begun or gone on with, and removed when all is done."""
    check_folder(job.work)
    job.work.mkdir(mode=0o700, parents=True, exist_ok=True)  # it holds what articles say
    with (job.work / "lock").open("w") as lock:
        try:
            hold(lock)
        except OSError:
            raise BadCorpus(f"another process is at work in {job.work}: let it end") from None
        begun = read_json(job.work / "job.json")
        wanted = {**job.identity}
        if begun is not None and begun != _plain(wanted):
            raise BadCorpus(
                f"{job.work} holds work on other files or with other settings: "
                "finish that, remove the folder, or name another with --work"
            )
        write_json(job.work / "job.json", wanted)
        for name in FOLDERS:
            job.folder(name).mkdir(exist_ok=True)
        table_of.cache_clear()
        new_names.cache_clear()
        yield
    if not keep:
        _remove(job.work)


def _remove(work: Path) -> None:
    """Removes what the work has made, and its folder unless somebody else's files are there."""
    for name in FOLDERS:
        shutil.rmtree(work / name)
    for each in [*work.iterdir()]:
        if MADE.fullmatch(each.name):
            each.unlink()
    (work / "job.json").unlink()  # the last, as it tells that the rest is ours
    with suppress(OSError):  # it is not empty
        work.rmdir()


def _plain(value: Any) -> Any:
    """The value as it is read from JSON."""
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return (
        {name: _plain(each) for name, each in value.items()} if isinstance(value, dict) else value
    )


Stage = Callable[[str, Task, Sequence[int], Callable[[int], bool], Progress], None]


@contextmanager
def _pool(job: Job) -> Iterator[tuple[Stage, list[float]]]:
    """What does the tasks of a stage, on several processes where there are several.

    Beside it, the time that each task took of the processor of another process.
    """
    if job.jobs == 1 or len(job.units) == 1:
        yield _here(job), []
        return
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", "nearcopy.corpus.running"])
    with ProcessPoolExecutor(job.jobs, context, _watch, (os.getpid(),)) as pool:
        spent: list[float] = []
        yield _there(job, pool, spent), spent


def _here(job: Job) -> Stage:
    def stage(
        name: str, task: Task, numbers: Sequence[int], done: Callable[[int], bool], tell: Progress
    ) -> None:
        for count, number in enumerate(numbers, start=1):
            if not done(number):
                task(job, number)
            tell(name, count, len(numbers))

    return stage


def _there(job: Job, pool: ProcessPoolExecutor, spent: list[float]) -> Stage:
    def stage(
        name: str, task: Task, numbers: Sequence[int], done: Callable[[int], bool], tell: Progress
    ) -> None:
        left = [number for number in numbers if not done(number)]
        if len(left) == 1:  # a process of its own would read all columns once more
            task(job, left[0])
            left = []
        waiting = [pool.submit(_timed, task, job, number) for number in left]
        count = len(numbers) - len(left)
        try:
            for each in as_completed(waiting):
                spent.append(each.result())
                count += 1
                tell(name, count, len(numbers))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise

    return stage


def _timed(task: Task, job: Job, number: int) -> float:
    """Does a task; the seconds that it took of the processor."""
    started = time.process_time()
    task(job, number)
    return time.process_time() - started


def _watch(parent: int) -> None:
    """Ends this process when the one that started the work is gone."""

    def look() -> None:
        while True:
            try:
                os.kill(parent, 0)
            except OSError:
                os._exit(1)
            time.sleep(LOOK_SECONDS)

    threading.Thread(target=look, daemon=True).start()
