"""`nearcopy dedupe`: find the duplicates in files, and write every row with its verdict."""

import logging
from pathlib import Path
from time import perf_counter

from rich.table import Table

from nearcopy.batch.dedupe_job import MEMORY, DedupeJob, DedupeSummary
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
    argument,
    flag,
    option,
)
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import (
    Phases,
    confirm_removal,
    exit_guarded,
    note,
    report_summary,
    show,
    wants_json_lines,
    warn_of_removal,
)
from nearcopy.errors import NearcopyError
from nearcopy.io.files import FORMATS, READ_ONLY, Format, Row, check_output_suffix
from nearcopy.models import Relation, Verdict

LONGEST = 50  # duplicates in the short list


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


def dedupe(
    files: list[str] = argument(
        "FILE", "JSONL, JSON, CSV, TSV, Parquet or WARC files, also .gz or .zst; - for stdin."
    ),
    *,
    output: str | None = option(
        "FILE", "Output file; by default stdout.", OUT, names=("-o", "--output")
    ),
    format_: str | None = option("FORMAT", "Output format: jsonl, json, csv, tsv or parquet.", OUT),
    apply: bool = flag("Write only kept rows."),
    removed: str | None = option("FILE", "With --apply: write removed rows here.", OUT),
    rejected: RejectedRowsOption = None,
    merge: bool = flag("With --apply: fill kept rows from their duplicates."),
    yes: YesOption = False,
    as_json: bool = flag("Write the summary as JSON, and data on a terminal.", name="--json"),
    quiet: QuietOption = False,
    decisions: PresetKeepOptions,
    store: StoreOptions,
    jobs: ThreadsOption = 0,
    input_format: str | None = option("FORMAT", "If neither name nor content determine it.", IN),
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
    seconds, label = perf_counter() - started, "removed" if apply else "duplicates"
    table = summary_table(summary, seconds, label)
    report_summary(summary.row(seconds, label), table, as_json=as_json, quiet=quiet)
    if not (as_json or quiet):
        note(summary.equation(label))


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


def _run(job: DedupeJob, *, quiet: bool, yes: bool) -> DedupeSummary:
    """Deduplicate with progress bars, and a short list of duplicates if there is no output."""
    from nearcopy.batch.dedupe_job import Hooks, dedupe_files

    logging.getLogger("nearcopy").addHandler(logging.NullHandler())  # the guard reports here
    shortlist = Shortlist()
    with Phases(quiet=quiet) as phases:

        def confirm(why: str) -> bool:
            phases.stop()
            return confirm_removal(why, yes)

        hooks = Hooks(
            progress=phases.track,
            inspect=lambda rows, sources: watch_rows(rows, sources, phases.note),
            on_verdict=shortlist.add,
            confirm=confirm,
        )
        with exit_guarded():
            summary = dedupe_files(job, hooks)
    if not job.apply and not yes:
        warn_of_removal(summary.warning)
    if job.output is None:
        shortlist.show()
    return summary


def summary_table(summary: DedupeSummary, seconds: float, label: str) -> Table:
    """The counts as a table; `label` names the duplicates."""
    shown = make_table("rows", "count", numbers=["count"])
    add_row(shown, "read", f"{summary.read:,}")
    add_row(shown, "kept", f"{summary.kept:,}")
    add_row(shown, label, f"{summary.duplicates:,}")
    add_row(shown, "rejected", f"{summary.rejected:,}", last=True)
    for relation in Relation:
        if summary.relations[relation]:
            add_row(shown, relation.value, f"{summary.relations[relation]:,}")
    shown.add_section()
    story, size = summary.largest_story
    add_row(shown, "stories", f"{len(summary.stories):,}")
    if size > 1:
        add_row(shown, f"largest story, {story}", f"{size:,}")
    if summary.repeated_ids:
        add_row(shown, "repeated ids", f"{summary.repeated_ids:,}")
    add_row(shown, "seconds", f"{seconds:.1f}")
    add_row(shown, "rows per second", f"{summary.read / seconds:,.0f}" if seconds else "")
    return shown


class Shortlist:
    """The first duplicates, and how many more there are."""

    def __init__(self) -> None:
        columns = ("duplicate", "title", "is", "of", "sure", "because")
        self._table = make_table(*columns, numbers=["sure"], optional=["sure", "because"])
        self._count = 0

    def add(self, row: Row, verdict: Verdict) -> None:
        """Add an article, if it is a duplicate."""
        if not verdict.is_duplicate:
            return
        self._count += 1
        if self._count <= LONGEST:
            shown = (row.article.id, row.article.title, verdict.relation.value)
            why = "; ".join(verdict.reasons)
            add_row(self._table, *shown, verdict.duplicate_of, verdict.confidence, why)

    def show(self) -> None:
        """Print the table, and how many more there are."""
        if self._count:
            show(self._table)
        else:
            note("no duplicates")
        if self._count > LONGEST:
            note(f"... and {self._count - LONGEST:,} more")
        note("write every row with its verdict: -o FILE")
