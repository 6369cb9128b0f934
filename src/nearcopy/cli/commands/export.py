"""`nearcopy export`: every article of a store as a row with its verdict, written to a file."""

import sys
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated

import typer

from nearcopy.cli.commands.dedupe import check_file_ending, check_format
from nearcopy.cli.inputs import refuse_overwrite
from nearcopy.cli.open_store import open_raw_store, require_store, store_file
from nearcopy.cli.options import PolicyOption, PoolOption, StoreOption, WindowOption, store_address
from nearcopy.cli.terminal import format_count, json_line, note, report_errors
from nearcopy.config import Policy
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NearcopyError
from nearcopy.io.files import Format, format_of, open_writer
from nearcopy.io.settings import settings

TABLES = ("csv", "tsv")

Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Output file: FILE.jsonl, FILE.parquet, ..., also .gz or .zst; default stdout.",
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="FORMAT", help="Output format, if the file name has no known suffix."
    ),
]
All = Annotated[
    bool,
    typer.Option("--all", help="Also write what `nearcopy import` needs to restore the store."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print neither progress nor summary.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportJob:
    """Which store to export, how much of it, and where to."""

    address: str
    pool: str | None
    policy: Policy
    to: str
    chosen_format: Format | None
    whole: bool
    json: bool
    quiet: bool

    def __post_init__(self) -> None:
        if self.whole and self.format in TABLES:
            raise NearcopyError(
                f"--all cannot be written as {self.format}: give FILE.jsonl or FILE.parquet"
            )
        refuse_overwrite([store_file(self.address)], None if self.to == "-" else self.to)
        if self.chosen_format is None:
            check_file_ending(self.to)

    @property
    def format(self) -> Format:
        """The format that is written."""
        return self.chosen_format or format_of(self.to) or "jsonl"

    @property
    def columns(self) -> list[str]:
        """The columns of every row, in order."""
        from nearcopy.batch.output_columns import VERDICT_COLUMNS
        from nearcopy.io.files.store_export import COLUMNS, OF_WHOLE, RECORD

        return [*COLUMNS, *VERDICT_COLUMNS, *([*OF_WHOLE, RECORD] if self.whole else [])]


@report_errors
def export(
    output: Output = None,
    all_: All = False,
    format_: FormatOption = None,
    store: StoreOption = None,
    pool: PoolOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the articles of a store to a file, with verdicts."""
    _, chosen_policy = settings(None, policy, window)
    job = ExportJob(
        address=store_address(store),
        pool=pool,
        policy=chosen_policy,
        to=output or "-",
        chosen_format=check_format(format_),
        whole=all_,
        json=as_json,
        quiet=quiet,
    )
    _run(job)


def _run(job: ExportJob) -> None:
    """Write the file, and report how many articles it holds."""
    from nearcopy.cli.terminal import Phases
    from nearcopy.maintenance.export import ExportRows

    started = perf_counter()
    require_store(job.address, job.pool)
    with (
        Deduper(job.address, None, job.policy, pool=job.pool) as deduper,
        open_raw_store(job.address, job.pool) as store,
        Phases(quiet=job.quiet) as phases,
        open_writer(job.to, job.format, columns=job.columns) as out,
    ):
        rows = ExportRows(deduper, store, phases.track, whole=job.whole)
        for row in rows:
            out.write(row)
    if job.json:
        spent = round(perf_counter() - started, 3)
        row = {"store": deduper.address, "file": job.to, "articles": rows.articles}
        sys.stderr.write(json_line(row | {"seconds": spent}) + "\n")
    elif not job.quiet:
        note(f"exported {format_count(rows.articles, 'article')} from {deduper.address}")
