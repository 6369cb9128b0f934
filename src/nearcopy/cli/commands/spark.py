"""`nearcopy spark`: deduplicate whole corpora on many machines with Apache Spark."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearcopy.batch.output_columns import Settings, check_form
from nearcopy.cli.commands.corpus import corpus_settings, summary_table
from nearcopy.cli.options import (
    IN,
    WORK,
    CorpusColumnOptions,
    FormOption,
    PresetKeepOptions,
    SummaryJsonOption,
    YesOption,
    flag,
    option,
)
from nearcopy.cli.terminal import json_line, note, report_errors, stderr_console
from nearcopy.errors import BadCorpus, require

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from nearcopy.batch.summary import CorpusSummary

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
    kind: str | None
    master: str | None
    work: str | None
    partitions: int | None
    settings: Settings
    yes: bool
    json: bool
    quiet: bool


@report_errors
def spark(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A file, folder or pattern that Spark can read.")
    ],
    output: Annotated[str, typer.Argument(metavar="OUT", help="Output folder.")],
    *,
    form: FormOption = "annotations",
    kind: Annotated[
        str | None,
        option(
            "--kind",
            "KIND",
            "Format of input and output: parquet, json or csv; default by the name of IN.",
            IN,
        ),
    ] = None,
    yes: YesOption = False,
    as_json: SummaryJsonOption = False,
    quiet: Annotated[bool, flag("--quiet", "Print no summary.")] = False,
    decisions: PresetKeepOptions,
    master: Annotated[
        str | None,
        option(
            "--master",
            "URL",
            "Spark master: spark://host:7077, local[4]; default that of spark-submit.",
            WORK,
        ),
    ] = None,
    work: Annotated[
        str | None,
        option(
            "--work",
            "FOLDER",
            "Folder of checkpoints that all machines can access; default beside OUT.",
            WORK,
        ),
    ] = None,
    partitions: Annotated[
        int | None,
        option(
            "--partitions",
            "N",
            "Shuffle partitions; default that of the Spark session.",
            WORK,
        ),
    ] = None,
    columns: CorpusColumnOptions,
) -> None:
    """Mark or remove the duplicates in a corpus, with Spark.

    By default texts alone are compared, with the preset copies: differences of titles, figures or
    names do not separate articles. Choose otherwise with --preset or --policy.
    """
    recipe, policy = corpus_settings(decisions)
    settings = Settings(recipe=recipe, policy=policy, columns=columns.columns(), html=columns.html)
    job = SparkJob(
        source=source,
        output=output,
        form=form,
        kind=kind,
        master=master,
        work=work,
        partitions=partitions,
        settings=settings,
        yes=yes,
        json=as_json,
        quiet=quiet,
    )
    _run(job)


def _run(job: SparkJob) -> None:
    """Read, deduplicate and write the rows in a Spark session, and report the counts."""
    started = perf_counter()
    kind = _row_format(job)
    _check_places(job)
    require("pyspark", extra="spark")
    from nearcopy.batch import spark as pipeline
    from nearcopy.batch.output_columns import CLUSTER_COLUMNS
    from nearcopy.batch.spark.checkpoints import path_exists

    with _open_session(job.master) as session:
        if path_exists(session, job.output) and not job.yes:
            raise BadCorpus(f"{job.output} already exists: write elsewhere, or give --yes")
        _check_source_exists(session, job.source)
        rows = _read(session, job.source, kind)
        result = pipeline.run(rows, job.settings, work=_work_folder(job), partitions=job.partitions)
        clean = job.form == "clean"
        written = (
            result.table.where("not is_duplicate").drop(*CLUSTER_COLUMNS) if clean else result.table
        )
        mode = "overwrite" if job.yes else "errorifexists"
        written.write.mode(mode).options(**OPTIONS[kind]).format(kind).save(job.output)
        pipeline.forget(session, result.work)
    _report(job, result.summary, perf_counter() - started)


def _row_format(job: SparkJob) -> str:
    """The format in which rows are read and written."""
    if job.kind is not None:
        if job.kind not in OPTIONS:
            raise BadCorpus(f"kind is {job.kind!r}: choose one of {', '.join(sorted(OPTIONS))}")
        return job.kind
    name = job.source.rstrip("/").lower()
    for ending in PACKED:
        name = name.removesuffix(ending)
    return ENDINGS.get(name.rpartition(".")[2], "parquet")


def _check_places(job: SparkJob) -> None:
    """Raise where files would be overwritten or removed with the work folder, or on a bad form."""
    from nearcopy.batch.local.column_files import check_work_folder

    check_form(job.form)
    work = _work_folder(job)
    if any(_is_in(job.source, place) for place in (job.output, work)):
        raise BadCorpus(f"{job.source} would be overwritten: write to another place")
    if _is_in(job.output, work):
        raise BadCorpus(
            f"{job.output} is in the work folder {work}: write to another place, "
            "or name another folder with --work"
        )
    if "://" not in _absolute(work):  # elsewhere only Spark can look
        check_work_folder(Path(_absolute(work)))


def _work_folder(job: SparkJob) -> str:
    """The folder of checkpoints, which is removed at the end."""
    return job.work or f"{job.output.rstrip('/')}.nearcopy"


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


def _report(job: SparkJob, summary: "CorpusSummary", seconds: float) -> None:
    if job.json:
        sys.stderr.write(json_line(summary.row() | {"seconds": round(seconds, 3)}) + "\n")
    elif not job.quiet:
        stderr_console().print(summary_table(summary, seconds))
    for why in summary.reasons if not job.quiet else ():
        note(f"rejected: {why}")
