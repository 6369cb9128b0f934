"""The work of `nearcopy spark`: a session, what to read and write, and the summary."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from nearcopy.cli.corpora import summary_table
from nearcopy.cli.terminal import aside, json_line, noted
from nearcopy.config import Policy, Recipe
from nearcopy.corpus.columns import OURS
from nearcopy.corpus.job import FORMS
from nearcopy.corpus.places import check_folder
from nearcopy.errors import BadCorpus, require
from nearcopy.formats import Columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from nearcopy.spark import Summary

ENDINGS = {"parquet": "parquet", "json": "json", "jsonl": "json", "ndjson": "json", "csv": "csv"}
OPTIONS: dict[str, dict[str, Any]] = {
    "csv": {"header": True, "multiLine": True, "quote": '"', "escape": '"'},
    "json": {},
    "parquet": {},
}
PACKED = (".gz", ".zst", ".bz2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked for, but for how to judge."""

    source: str
    output: str
    form: str
    kind: str | None
    master: str | None
    work: str | None
    partitions: int | None
    columns: Columns
    html: bool
    yes: bool
    json: bool
    quiet: bool


def run(asked: Asked, recipe: Recipe, policy: Policy) -> None:
    """Does what was asked, and says what became of the rows."""
    started = perf_counter()
    kind = _kind(asked)
    _check(asked)
    require("pyspark", extra="spark")
    from nearcopy import spark as machines
    from nearcopy.spark.work import is_there

    with _session(asked.master) as session:
        if is_there(session, asked.output) and not asked.yes:
            raise BadCorpus(f"{asked.output} is there already: write elsewhere, or say --yes")
        _check_there(session, asked.source)
        rows = _read(session, asked.source, kind)
        found = machines.run(
            rows,
            recipe=recipe,
            policy=policy,
            columns=asked.columns,
            html=asked.html,
            work=_work(asked),
            partitions=asked.partitions,
        )
        clean = asked.form == "clean"
        made = found.table.where("not is_duplicate").drop(*OURS) if clean else found.table
        mode = "overwrite" if asked.yes else "errorifexists"
        made.write.mode(mode).options(**OPTIONS[kind]).format(kind).save(asked.output)
        machines.forget(session, found.work)
    _tell(asked, found.summary, perf_counter() - started)


def _kind(asked: Asked) -> str:
    """What rows are read and written as."""
    if asked.kind is not None:
        if asked.kind not in OPTIONS:
            raise BadCorpus(f"kind is {asked.kind!r}: choose one of {', '.join(sorted(OPTIONS))}")
        return asked.kind
    name = asked.source.rstrip("/").lower()
    for ending in PACKED:
        name = name.removesuffix(ending)
    return ENDINGS.get(name.rpartition(".")[2], "parquet")


def _check(asked: Asked) -> None:
    """Raises where files would be written over or removed with the work, or the form is none."""
    if asked.form not in FORMS:
        raise BadCorpus(f"form is {asked.form!r}: choose one of {', '.join(FORMS)}")
    work = _work(asked)
    if any(_is_in(asked.source, place) for place in (asked.output, work)):
        raise BadCorpus(f"{asked.source} would be written over: write to a place of its own")
    if _is_in(asked.output, work):
        raise BadCorpus(
            f"{asked.output} is in {work}, the folder of the work: write to another place, "
            "or name another folder with --work"
        )
    if "://" not in _place(work):  # elsewhere only Spark can look
        check_folder(Path(_place(work)))


def _work(asked: Asked) -> str:
    """The folder of the work, which is removed at the end."""
    return asked.work or f"{asked.output.rstrip('/')}.nearcopy"


def _is_in(name: str, folder: str) -> bool:
    return f"{_place(name)}/".startswith(f"{_place(folder)}/")


def _place(name: str) -> str:
    """A name as it can be compared with others: that of a local file in full."""
    plain = name.removeprefix("file://").rstrip("/")
    return plain if "://" in plain else os.path.abspath(plain)


@contextmanager
def _session(master: str | None) -> "Iterator[SparkSession]":
    """The session there is, or a new one, which is ended."""
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    builder = SparkSession.builder.appName("nearcopy")
    session = running or (builder.master(master) if master else builder).getOrCreate()
    try:
        yield session
    finally:
        if running is None:
            session.stop()


def _check_there(session: "SparkSession", source: str) -> None:
    """Raises where there is nothing by a name; Spark would tell so with a page of its own calls."""
    from nearcopy.spark.work import is_there

    if not set(source) & set("*?[{") and not is_there(session, source):
        raise BadCorpus(f"there is no {source}: name a file, a folder or a pattern")


def _read(session: "SparkSession", source: str, kind: str) -> "DataFrame":
    from pyspark.errors import AnalysisException

    try:
        return session.read.options(**OPTIONS[kind]).format(kind).load(source)
    except AnalysisException as wrong:
        first = str(wrong).partition("\n")[0]
        raise BadCorpus(
            f"{source} cannot be read as {kind}: {first}; say with --kind what it is"
        ) from None


def _tell(asked: Asked, found: "Summary", seconds: float) -> None:
    row = {
        "rows": found.rows,
        "kept": found.kept,
        "duplicates": found.duplicates,
        "rejected": found.rejected,
        "repeated_ids": found.renamed,
        "relations": found.relations,
        "crowded": found.crowds._asdict(),
        "seconds": round(seconds, 3),
    }
    if asked.json:
        sys.stderr.write(json_line(row) + "\n")
    elif not asked.quiet:
        aside().print(summary_table(found, found.rejected, seconds))
    for why in found.reasons if not asked.quiet else ():
        noted(f"no article: {why}")
