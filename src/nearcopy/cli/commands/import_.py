"""`nearcopy import`: add articles from a file, or restore a whole export.

The file is read once to check it, then again to add its articles.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearcopy.cli.inputs import refuse_overwrite, reject_rows, watch_rows
from nearcopy.cli.open_store import open_raw_store, store_file
from nearcopy.cli.options import (
    JsonOption,
    KeepOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    RejectedOption,
    StoreOption,
    ThreadsOption,
    WindowOption,
    store_address,
)
from nearcopy.cli.terminal import format_count, note, report_errors, write_json_lines
from nearcopy.config import Policy, Recipe
from nearcopy.deduper.deduper import Deduper
from nearcopy.io.files import Rejected, Row, Source, assign_unique_ids, open_sources, read
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.cli.terminal import Phases

STDIN = "-"

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A file that `export` wrote, or any file of articles; - for stdin."
    ),
]
ArticlesOnly = Annotated[
    bool,
    typer.Option(
        "--articles-only",
        help="Import only the articles of a whole export, in their current revision.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportJob:
    """The file to import, the store to fill, and the settings to compare with."""

    file: str
    address: str
    pool: str | None
    articles_only: bool
    recipe: Recipe | None
    policy: Policy
    rejected: Path | None
    threads: int
    json: bool

    def __post_init__(self) -> None:
        refuse_overwrite([self.file, store_file(self.address)], self.rejected)

    @property
    def name(self) -> str:
        """The name of the file, the same from every working directory."""
        return "stdin" if self.file == STDIN else str(Path(self.file).resolve())


@report_errors
def import_(
    file: File,
    store: StoreOption = None,
    pool: PoolOption = None,
    articles_only: ArticlesOnly = False,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    keep: KeepOption = None,
    rejected: RejectedOption = None,
    threads: ThreadsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Import articles from a file, or restore a whole export.

    An export written with --all restores runs, revisions, feedback and story ids into an empty
    store; an interrupted import is resumed by running it again.
    """
    recipe, chosen_policy = settings(preset, policy, window, keep)
    job = ImportJob(
        file=file,
        address=store_address(store),
        pool=pool,
        articles_only=articles_only,
        recipe=recipe,
        policy=chosen_policy,
        rejected=rejected,
        threads=threads,
        json=as_json,
    )
    _run(job)


def _run(job: ImportJob) -> None:
    """Import the file, and report the counts."""
    from nearcopy.cli.terminal import Phases

    started = perf_counter()
    with open_sources([job.file]) as (source,), Phases() as phases:
        whole = _is_whole(source)
        import_file = _import_export if whole and not job.articles_only else _import_articles
        row = import_file(job, source, phases)
    row |= {"seconds": round(perf_counter() - started, 3)}
    if job.json:
        write_json_lines([row])
    note(_summary(row))


def _summary(row: Mapping[str, Any]) -> str:
    if not row["whole"]:
        copies = format_count(row["duplicates"], "duplicate")
        return f"imported {format_count(row['articles'], 'article')}, {copies}"
    articles = format_count(row["articles"], "article")
    skipped = f", skipped {row['skipped']:,} that were stored already" if row["skipped"] else ""
    return (
        f"imported {articles}{skipped}; stories with several articles: {row['stories']:,}; "
        f"feedback: {row['feedback']:,}"
    )


def _is_whole(source: Source) -> bool:
    """Whether the file was written with --all."""
    from nearcopy.io.files.store_export import STORE, record_of

    first = next(read(source), None)
    record = record_of(first) if first else None
    return record is not None and record["kind"] == STORE


# Any articles.


def _import_articles(job: ImportJob, source: Source, phases: "Phases") -> dict[str, Any]:
    rejected = (
        row
        for row in watch_rows(_article_rows(source), [source], phases.note)
        if isinstance(row, Rejected)
    )
    reject_rows(rejected, job.rejected)
    rows = (row for row in assign_unique_ids(_article_rows(source)) if isinstance(row, Row))
    with Deduper(
        job.address, job.recipe, job.policy, threads=job.threads, pool=job.pool
    ) as deduper:
        verdicts = deduper.run(row.article for row in rows)
        duplicates = [verdict.is_duplicate for verdict in phases.track(verdicts, "importing")]
        if deduper.provisional:
            deduper.recluster()
    row = {"file": source.name, "store": deduper.address, "whole": False}
    return row | {"articles": len(duplicates), "duplicates": sum(duplicates)}


def _article_rows(source: Source) -> Iterator[Row | Rejected]:
    """The rows of a file, without the records that an export holds beside articles."""
    from nearcopy.io.files.store_export import record_of

    return (row for row in read(source) if record_of(row) is None)


# A whole export.


def _import_export(job: ImportJob, source: Source, phases: "Phases") -> dict[str, Any]:
    from nearcopy.maintenance.export import ExportFile
    from nearcopy.maintenance.rebuild import RebuildSettings, import_articles

    export = ExportFile(source, phases.track)
    chosen = RebuildSettings(job.recipe or export.head.recipe, job.policy, job.threads)
    with open_raw_store(job.address, job.pool) as target:
        name = f"import of {job.name}, {export.digest}"
        filled = import_articles(target, export.batches(), export.metadata(), chosen, name=name)
    for group in filled.clusters.oversized:
        note(f"warning: {group.why}")
    row = {"file": source.name, "store": target.address, "whole": True}
    return row | {
        "articles": filled.added,
        "skipped": filled.skipped,
        "stories": filled.clusters.stories,
        "feedback": len(export.feedback),
    }
