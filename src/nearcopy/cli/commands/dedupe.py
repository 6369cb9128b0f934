"""`nearcopy dedupe`: find the duplicates in files, and write every row with its verdict."""

import logging
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from nearcopy.batch.inline import MEMORY, DedupeJob
from nearcopy.cli.inputs import refuse_overwrite, watch_rows
from nearcopy.cli.open_store import store_file
from nearcopy.cli.options import (
    IN,
    OUT,
    ColumnOptions,
    PresetKeepOptions,
    QuietOption,
    RejectedRowsOption,
    StoreOptions,
    ThreadsOption,
    YesOption,
    flag,
    option,
)
from nearcopy.cli.terminal import (
    GUARDED,
    is_interactive,
    json_line,
    note,
    print_error,
    printable,
    report_errors,
    stderr_console,
    wants_json_lines,
)
from nearcopy.errors import NearcopyError, TooManyDuplicates
from nearcopy.io.files import FORMATS, READ_ONLY, Format, check_output_suffix

if TYPE_CHECKING:
    from nearcopy.batch.summary import DedupeSummary


def check_file_ending(name: str) -> None:
    """Raise where the ending of a file name does not determine a format, and suggest --format."""
    try:
        check_output_suffix(name)
    except NearcopyError as exc:
        raise NearcopyError(f"{exc}; or name it with --format") from None


def check_format(name: str | None) -> Format | None:
    """The format of that name, None if it is None; raises where there is none."""
    for known_format in (*FORMATS, *READ_ONLY):
        if name == known_format:
            return known_format
    if name is None:
        return None
    raise NearcopyError(f"no format {name!r}: choose one of {', '.join(FORMATS)}")


@report_errors
def dedupe(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="JSONL, JSON, CSV, TSV, Parquet or WARC files, also .gz or .zst; - for stdin.",
        ),
    ],
    *,
    output: Annotated[
        str | None, option("--output", "FILE", "Output file; by default stdout.", OUT, "-o")
    ] = None,
    format_: Annotated[
        str | None,
        option("--format", "FORMAT", "Output format: jsonl, json, csv, tsv or parquet.", OUT),
    ] = None,
    apply: Annotated[bool, flag("--apply", "Write only kept rows.")] = False,
    removed: Annotated[
        str | None, option("--removed", "FILE", "With --apply: write removed rows here.", OUT)
    ] = None,
    rejected: RejectedRowsOption = None,
    merge: Annotated[
        bool, flag("--merge", "With --apply: fill kept rows from their duplicates.")
    ] = False,
    yes: YesOption = False,
    as_json: Annotated[
        bool, flag("--json", "Write the summary as JSON, and data on a terminal.")
    ] = False,
    quiet: QuietOption = False,
    decisions: PresetKeepOptions,
    store: StoreOptions,
    jobs: ThreadsOption = 0,
    input_format: Annotated[
        str | None,
        option("--input-format", "FORMAT", "If neither name nor content determine it.", IN),
    ] = None,
    columns: ColumnOptions,
) -> None:
    """Find duplicates in files; write rows with verdicts."""
    recipe, policy = decisions.load()
    to_list = output is None and not wants_json_lines(as_json)
    job = DedupeJob(
        files=tuple(files),
        columns=columns.columns(),
        html=columns.html,
        input_format=check_format(input_format),
        format=check_format(format_),
        output=None if to_list else output or "-",
        apply=apply,
        removed=removed,
        rejected=rejected,
        merge=merge,
        recipe=recipe,
        policy=policy,
        store=store.address if store.store else MEMORY,
        pool=store.pool,
        threads=jobs,
    )
    _check_outputs(job)
    started = perf_counter()
    summary = _run(job, quiet=quiet, yes=yes)
    _report(summary, perf_counter() - started, job, as_json=as_json, quiet=quiet)


def _check_outputs(job: DedupeJob) -> None:
    """Raise where an input or the store would be overwritten, or a name has no known format.

    The output may be an input: that file is cleaned in place.
    """
    refuse_overwrite(job.files, job.removed, job.rejected)
    refuse_overwrite([store_file(job.store)], job.output, job.removed, job.rejected)
    inputs = {Path(name).resolve() for name in job.files}
    for name in (job.output, job.removed):
        if job.format is None and name and Path(name).resolve() not in inputs:
            check_file_ending(name)


def _run(job: DedupeJob, *, quiet: bool, yes: bool) -> "DedupeSummary":
    """Deduplicate with progress bars, and a short list of duplicates if there is no output."""
    from nearcopy.batch.inline import Hooks, dedupe_files
    from nearcopy.cli.render.dedupe_summary import Shortlist
    from nearcopy.cli.terminal import Phases

    logging.getLogger("nearcopy").addHandler(logging.NullHandler())  # the guard reports here
    shortlist = Shortlist()
    with Phases(quiet=quiet) as phases:

        def confirm(why: str) -> bool:
            phases.stop()
            question = printable(f"{why}. Remove them?")
            return yes or (is_interactive() and typer.confirm(question, err=True))

        hooks = Hooks(
            progress=phases.track,
            inspect=lambda rows, sources: watch_rows(rows, sources, phases.note),
            on_verdict=shortlist.add,
            confirm=confirm,
        )
        try:
            summary = dedupe_files(job, hooks)
        except TooManyDuplicates as exc:
            phases.stop()
            print_error(str(exc))
            raise typer.Exit(GUARDED) from None
    if summary.warning and not job.apply and not yes:
        note(f"warning: {summary.warning}: review the duplicates before you use --apply")
    if job.output is None:
        shortlist.show()
    return summary


def _report(
    summary: "DedupeSummary", seconds: float, job: DedupeJob, *, as_json: bool, quiet: bool
) -> None:
    from nearcopy.cli.render.dedupe_summary import summary_table

    label = "removed" if job.apply else "duplicates"
    if as_json:
        sys.stderr.write(json_line(summary.row(seconds, label)) + "\n")
    elif not quiet:
        stderr_console().print(summary_table(summary, seconds, label))
        note(summary.equation(label))
