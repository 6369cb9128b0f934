"""`nearcopy import`: add articles from a file, or restore a whole export.

The file is read once to check it, then again to add its articles.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from nearcopy.cli.inputs import refuse_overwrite, reject_rows, watch_rows
from nearcopy.cli.open_store import open_raw_store, store_file
from nearcopy.cli.options import (
    JsonOption,
    PresetKeepOptions,
    RejectedOption,
    StoreOptions,
    ThreadsOption,
    argument,
    flag,
)
from nearcopy.cli.terminal import Phases, format_count, note, write_json_lines
from nearcopy.config import Policy, Recipe
from nearcopy.deduper.deduper import Deduper
from nearcopy.io.files import Rejected, Row, Source, assign_unique_ids, open_sources, read
from nearcopy.maintenance.export import STORE, record_of

STDIN = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportJob:
    """The file to import, the store to fill, and the settings to compare with."""

    file: str
    address: str
    pool: str | None
    recipe: Recipe | None
    policy: Policy
    rejected: Path | None
    threads: int

    @property
    def name(self) -> str:
        """The name of the file, the same from every working directory."""
        return "stdin" if self.file == STDIN else str(Path(self.file).resolve())


def import_(
    file: str = argument(
        "FILE", "A file that `export` wrote, or any file of articles; - for stdin."
    ),
    *,
    store: StoreOptions,
    articles_only: bool = flag(
        "Import only the articles of a whole export, in their current revision.", None
    ),
    decisions: PresetKeepOptions,
    rejected: RejectedOption = None,
    threads: ThreadsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Import articles from a file, or restore a whole export.

    An export written with --all restores runs, revisions, feedback and story ids into an empty
    store; an interrupted import is resumed by running it again.
    """
    recipe, policy = decisions.load()
    job = ImportJob(
        file=file,
        address=store.address,
        pool=store.pool,
        recipe=recipe,
        policy=policy,
        rejected=rejected,
        threads=threads,
    )
    refuse_overwrite([file, store_file(job.address)], rejected)
    started = perf_counter()
    with open_sources([file]) as (source,), Phases() as phases:
        whole = _is_whole(source)
        import_file = _import_export if whole and not articles_only else _import_articles
        row = import_file(job, source, phases)
    row |= {"seconds": round(perf_counter() - started, 3)}
    if as_json:
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
    first = next(read(source), None)
    record = record_of(first) if first else None
    return record is not None and record["kind"] == STORE


# Any articles.


def _import_articles(job: ImportJob, source: Source, phases: Phases) -> dict[str, Any]:
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
    return (row for row in read(source) if record_of(row) is None)


# A whole export.


def _import_export(job: ImportJob, source: Source, phases: Phases) -> dict[str, Any]:
    from nearcopy.maintenance.export import ExportFile
    from nearcopy.maintenance.rebuild import RebuildSettings, import_articles

    export = ExportFile(source, phases.track)
    chosen = RebuildSettings(job.recipe or export.recipe, job.policy, job.threads)
    with open_raw_store(job.address, job.pool) as target:
        name = f"import of {job.name}, {export.digest}"
        filled = import_articles(target, export.batches(), export.metadata, chosen, name=name)
    for group in filled.clusters.oversized:
        note(f"warning: {group.why}")
    row = {"file": source.name, "store": target.address, "whole": True}
    return row | {
        "articles": filled.added,
        "skipped": filled.skipped,
        "stories": filled.clusters.stories,
        "feedback": len(export.metadata.feedback),
    }
