"""`nearcopy spark`: deduplicate whole corpora on many machines with Apache Spark."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from nearcopy.batch.corpus_settings import Settings, check_removed
from nearcopy.cli.commands.corpus import corpus_settings, summary_table
from nearcopy.cli.options import (
    IN,
    WORK,
    ColumnOptions,
    FormOption,
    PresetKeepOptions,
    RejectedRowsOption,
    RemovedRowsOption,
    SummaryJsonOption,
    YesOption,
    argument,
    flag,
    option,
)
from nearcopy.cli.terminal import (
    confirm_removal,
    exit_guarded,
    report_summary,
    warn_of_removal,
)
from nearcopy.errors import BadCorpus, require
from nearcopy.io.files.json import LIST_SEPARATOR
from nearcopy.io.serializers import VERDICT_COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from nearcopy.batch.corpus_settings import CorpusSummary
    from nearcopy.batch.spark import Result

ENDINGS = {"parquet": "parquet", "json": "json", "jsonl": "json", "ndjson": "json", "csv": "csv"}
OPTIONS: dict[str, dict[str, Any]] = {
    "csv": {"header": True, "multiLine": True, "quote": '"', "escape": '"'},
    "json": {},
    "parquet": {},
}
PACKED = (".gz", ".zst", ".bz2")


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkJob:
    """What to read and write, and where; how to compare it."""

    source: str
    output: str
    form: str
    removed: str | None
    rejected: str | None
    kind: str
    master: str | None
    work: str  # the folder of checkpoints, which is removed at the end
    partitions: int | None
    settings: Settings
    yes: bool

    @property
    def outputs(self) -> list[str]:
        """The folders that are written."""
        return [place for place in (self.output, self.removed, self.rejected) if place is not None]


def spark(
    source: str = argument("IN", "A file, folder or pattern that Spark can read."),
    output: str = argument("OUT", "Output folder."),
    *,
    form: FormOption = "annotations",
    removed: RemovedRowsOption = None,
    rejected: RejectedRowsOption = None,
    kind: str | None = option(
        "KIND", "Format of input and output: parquet, json or csv; default by the name of IN.", IN
    ),
    yes: YesOption = False,
    as_json: SummaryJsonOption = False,
    quiet: bool = flag("Print no summary."),
    decisions: PresetKeepOptions,
    master: str | None = option(
        "URL", "Spark master: spark://host:7077, local[4]; default that of spark-submit.", WORK
    ),
    work: str | None = option(
        "FOLDER", "Folder of checkpoints that all machines can access; default beside OUT.", WORK
    ),
    partitions: int | None = option(
        "N", "Shuffle partitions; default that of the Spark session.", WORK
    ),
    columns: ColumnOptions,
) -> None:
    """Mark or remove the duplicates in a corpus, with Spark.

    The verdicts are those of `dedupe`. With --preset copies texts alone are compared, much faster.
    """
    started = perf_counter()
    recipe, policy = corpus_settings(decisions)
    settings = Settings(recipe=recipe, policy=policy, columns=columns.columns(), html=columns.html)
    job = SparkJob(
        source=source,
        output=output,
        form=form,
        removed=removed,
        rejected=rejected,
        kind=_row_format(source, kind),
        master=master,
        work=work or f"{output.rstrip('/')}.nearcopy",
        partitions=partitions,
        settings=settings,
        yes=yes,
    )
    summary = _run(job)
    seconds = perf_counter() - started
    row = summary.row() | {"seconds": round(seconds, 3)}
    report_summary(row, summary_table(summary, seconds), as_json=as_json, quiet=quiet)


def _run(job: SparkJob) -> "CorpusSummary":
    """Read, deduplicate and write the rows in a Spark session."""
    _check_places(job)
    require("pyspark", extra="spark")
    from nearcopy.batch import spark as pipeline
    from nearcopy.batch.spark.checkpoints import path_exists

    with _open_session(job.master) as session:
        for place in job.outputs:
            if path_exists(session, place) and not job.yes:
                raise BadCorpus(f"{place} already exists: write elsewhere, or give --yes")
        _check_source_exists(session, job.source)
        rows = _read(session, job.source, job.kind)
        result = pipeline.run(rows, job.settings, work=job.work, partitions=job.partitions)
        _guard(job, result.summary)
        _write(job, result)
        pipeline.forget(session, result.work)
    return result.summary


def _guard(job: SparkJob, summary: "CorpusSummary") -> None:
    """Raise before anything is written where rows are not articles, or too much is removed."""
    from nearcopy.batch.corpus_settings import rejection_message
    from nearcopy.batch.removal_guard import guard_removal

    if summary.rejected and job.rejected is None:
        rows = summary.rows + summary.rejected
        why = list(summary.reasons)
        raise BadCorpus(rejection_message(why, summary.rejected, rows, "nothing was written"))
    if job.form == "clean":
        with exit_guarded():
            confirm = partial(confirm_removal, yes=job.yes)
            guard_removal(summary.warning, confirm, "nothing was written")
    elif not job.yes:
        warn_of_removal(summary.warning)


def _write(job: SparkJob, result: "Result") -> None:
    """Write the rows, those that are removed, and those that are no articles."""
    accepted = result.table.where("is_duplicate is not null")
    if job.form == "clean":
        _save(job, accepted.where("not is_duplicate").drop(*VERDICT_COLUMNS), job.output)
    else:
        _save(job, accepted, job.output)
    if job.removed is not None:
        _save(job, accepted.where("is_duplicate"), job.removed)
    if job.rejected is not None:
        _save(job, result.rejected, job.rejected)


def _save(job: SparkJob, rows: "DataFrame", place: str) -> None:
    mode = "overwrite" if job.yes else "errorifexists"
    if job.kind == "csv" and "reasons" in rows.columns:  # a cell cannot hold a list
        from pyspark.sql import functions as F  # noqa: N812

        rows = rows.withColumn("reasons", F.array_join("reasons", LIST_SEPARATOR))
    rows.write.mode(mode).options(**OPTIONS[job.kind]).format(job.kind).save(place)


def _row_format(source: str, kind: str | None) -> str:
    """The format in which rows are read and written."""
    if kind is not None:
        if kind not in OPTIONS:
            raise BadCorpus(f"kind is {kind!r}: choose one of {', '.join(sorted(OPTIONS))}")
        return kind
    name = source.rstrip("/").lower()
    for ending in PACKED:
        name = name.removesuffix(ending)
    return ENDINGS.get(name.rpartition(".")[2], "parquet")


def _check_places(job: SparkJob) -> None:
    """Raise where files would be overwritten or removed with the work folder, or on a bad form."""
    from nearcopy.batch.local.work_folder import check_work_folder

    check_removed(job.form, job.removed)
    if any(_is_in(job.source, place) for place in (*job.outputs, job.work)):
        raise BadCorpus(f"{job.source} would be overwritten: write to another place")
    if len({_absolute(place) for place in job.outputs}) < len(job.outputs):
        raise BadCorpus("OUT, --removed and --rejected must be different folders")
    for place in job.outputs:
        if _is_in(place, job.work):
            raise BadCorpus(
                f"{place} is in the work folder {job.work}: write to another place, "
                "or name another folder with --work"
            )
    if "://" not in _absolute(job.work):  # elsewhere only Spark can look
        check_work_folder(Path(_absolute(job.work)))


def _is_in(name: str, folder: str) -> bool:
    return f"{_absolute(name)}/".startswith(f"{_absolute(folder)}/")


def _absolute(name: str) -> str:
    """A name that can be compared with others: the absolute path of a local file, or a URL."""
    plain = name.removeprefix("file://").rstrip("/")
    return plain if "://" in plain else os.path.abspath(plain)


@contextmanager
def _open_session(master: str | None) -> "Iterator[SparkSession]":
    """The active session, or a new one, which is stopped at the end."""
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    builder = SparkSession.builder.appName("nearcopy")
    session = running or (builder.master(master) if master else builder).getOrCreate()
    try:
        yield session
    finally:
        if running is None:
            session.stop()


def _check_source_exists(session: "SparkSession", source: str) -> None:
    """Raise where the source does not exist; Spark itself would print a long stack trace."""
    from nearcopy.batch.spark.checkpoints import path_exists

    if not set(source) & set("*?[{") and not path_exists(session, source):
        raise BadCorpus(f"{source} does not exist: name a file, a folder or a pattern")


def _read(session: "SparkSession", source: str, kind: str) -> "DataFrame":
    from pyspark.errors import AnalysisException

    try:
        return session.read.options(**OPTIONS[kind]).format(kind).load(source)
    except AnalysisException as exc:
        first = str(exc).partition("\n")[0]
        raise BadCorpus(
            f"{source} cannot be read as {kind}: {first}; name its format with --kind"
        ) from None
