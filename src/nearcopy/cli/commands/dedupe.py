"""`nearcopy dedupe`: find the duplicates in files, and write every row with its verdict.

The files are read three times (to check, to compare, to write), so that nothing is added to a store
before all rows are checked, and rows need not be held in memory.
"""

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from nearcopy.cli.inputs import refuse_overwrite, rejected_row, watch_rows
from nearcopy.cli.open_store import store_file
from nearcopy.cli.options import (
    IN,
    OUT,
    CanonicalUrlField,
    HtmlField,
    HtmlOption,
    IdField,
    KeepOption,
    LanguageField,
    PolicyOption,
    PoolOption,
    PresetOption,
    PublishedField,
    QuietOption,
    RejectedRowsOption,
    SeenField,
    SourceField,
    StoreOption,
    TextField,
    ThreadsOption,
    TierField,
    TitleField,
    UrlField,
    WindowOption,
    YesOption,
    flag,
    option,
    store_address,
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
from nearcopy.cluster.duplicate_groups import OversizedGroup
from nearcopy.config import Policy, Recipe
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NearcopyError
from nearcopy.io.files import (
    FORMATS,
    READ_ONLY,
    Columns,
    Format,
    Rejected,
    Row,
    RowWriter,
    Source,
    UniqueIds,
    assign_unique_ids,
    check_output_suffix,
    format_of,
    open_sources,
    open_writer,
    read,
)
from nearcopy.io.settings import settings
from nearcopy.models import Verdict

if TYPE_CHECKING:
    from nearcopy.batch.output_columns import Copies
    from nearcopy.cli.progress import Phases
    from nearcopy.cli.render.dedupe_summary import Tally

LISTED = 20  # rejected rows
MEMORY = "memory://"


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupeJob:
    """What to read, how to compare it, and what to write."""

    files: tuple[str, ...]
    columns: Columns
    html: bool
    input_format: Format | None
    format: Format | None
    output: str | None
    apply: bool
    removed: str | None
    rejected: str | None
    merge: bool
    recipe: Recipe | None
    policy: Policy
    address: str
    pool: str | None
    threads: int
    yes: bool
    json: bool
    quiet: bool

    def __post_init__(self) -> None:
        if not self.apply and (self.removed or self.merge):
            raise NearcopyError("--removed and --merge go with --apply: nothing is removed without")
        names = [self.output or "-", self.removed, self.rejected]
        places = [Path(name).resolve() if name != "-" else name for name in names if name]
        if len(set(places)) < len(places):
            raise NearcopyError("-o, --removed and --rejected must be files of their own")
        refuse_overwrite(
            self.files, self.removed, self.rejected
        )  # -o may be: a file is cleaned in place
        refuse_overwrite([store_file(self.address)], self.output, self.removed, self.rejected)
        self._check_endings()

    def _check_endings(self) -> None:
        """Refuse names without a format, unless it is an option or the file is cleaned in place."""
        inputs = {Path(name).resolve() for name in self.files}
        for name in (self.output, self.removed):
            if self.format is None and name and Path(name).resolve() not in inputs:
                check_file_ending(name)

    @property
    def duplicates_label(self) -> str:
        """What the summary calls the duplicates."""
        return "removed" if self.apply else "duplicates"


def check_file_ending(name: str) -> None:
    """Raise where the ending of a file name does not determine a format, and suggest --format."""
    try:
        check_output_suffix(name)
    except NearcopyError as exc:
        raise NearcopyError(f"{exc}; or say with --format which it is") from None


def check_format(name: str | None) -> Format | None:
    """The format of that name; raises where there is none."""
    for known_format in (*FORMATS, *READ_ONLY):
        if name is None or name == known_format:
            return None if name is None else known_format
    raise NearcopyError(f"no format {name!r}: choose one of {', '.join(FORMATS)}")


@report_errors
def dedupe(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="JSONL, JSON, CSV, TSV or Parquet, also as .gz or .zst; - for stdin.",
        ),
    ],
    output: Annotated[
        str | None, option("--output", "FILE", "Where to; else stdout.", OUT, "-o")
    ] = None,
    format_: Annotated[
        str | None, option("--format", "FORMAT", "jsonl, json, csv, tsv or parquet.", OUT)
    ] = None,
    apply: Annotated[bool, flag("--apply", "Write only what is kept.")] = False,
    removed: Annotated[
        str | None, option("--removed", "FILE", "With --apply: the rest.", OUT)
    ] = None,
    rejected: RejectedRowsOption = None,
    merge: Annotated[
        bool, flag("--merge", "With --apply: fill what is kept from its copies, and list them.")
    ] = False,
    yes: YesOption = False,
    as_json: Annotated[bool, flag("--json", "The summary as JSON; data on terminals.")] = False,
    quiet: QuietOption = False,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    keep: KeepOption = None,
    store: StoreOption = None,
    pool: PoolOption = None,
    jobs: ThreadsOption = 0,
    input_format: Annotated[
        str | None,
        option("--input-format", "FORMAT", "Where neither name nor content tell.", IN),
    ] = None,
    html: HtmlOption = False,
    id_field: IdField = None,
    title_field: TitleField = None,
    text_field: TextField = None,
    url_field: UrlField = None,
    canonical_url_field: CanonicalUrlField = None,
    source_field: SourceField = None,
    published_field: PublishedField = None,
    seen_field: SeenField = None,
    language_field: LanguageField = None,
    tier_field: TierField = None,
    html_field: HtmlField = None,
) -> None:
    """Find duplicates in files: every row, with its verdict."""
    recipe, chosen_policy = settings(preset, policy, window, keep)
    columns = Columns(
        id=id_field,
        title=title_field,
        text=text_field,
        url=url_field,
        canonical_url=canonical_url_field,
        source=source_field,
        published=published_field,
        seen=seen_field,
        language=language_field,
        tier=tier_field,
        html=html_field,
    )
    job = DedupeJob(
        files=tuple(files),
        columns=columns,
        html=html,
        input_format=check_format(input_format),
        format=check_format(format_),
        output=output,
        apply=apply,
        removed=removed,
        rejected=rejected,
        merge=merge,
        recipe=recipe,
        policy=chosen_policy,
        address=store_address(store) if store else MEMORY,
        pool=pool,
        threads=jobs,
        yes=yes,
        json=as_json,
        quiet=quiet,
    )
    _run(job)


def _run(job: DedupeJob) -> None:
    """Check, compare and write all rows, then report the counts."""
    from nearcopy.cli.progress import Phases
    from nearcopy.cli.render.dedupe_summary import Tally

    logging.getLogger("nearcopy").addHandler(logging.NullHandler())  # the guard reports here
    started = perf_counter()
    tally = Tally()
    with (
        open_sources(job.files, job.input_format, otherwise=job.format) as sources,
        ExitStack() as outs,
    ):
        with Phases(quiet=job.quiet) as phases:
            ids, names = _check_rows(job, sources, phases, tally)
            outputs = _Outputs(job, sources, names, outs)
            with _open_deduper(job) as deduper:
                rows = _Rows(job, sources, deduper, ids, phases)
                rows.add()
                rows.write(outputs, tally)
        tally.check()
        _guard_removals(job, tally, deduper.oversized_groups)
    outputs.show()
    _report(job, tally, perf_counter() - started)


def _open_deduper(job: DedupeJob) -> Deduper:
    return Deduper(job.address, job.recipe, job.policy, threads=job.threads, pool=job.pool)


def _read(
    job: DedupeJob, sources: list[Source], own: UniqueIds | None = None
) -> Iterator[Row | Rejected]:
    rows = (row for source in sources for row in read(source, job.columns, html=job.html))
    return assign_unique_ids(rows, own)


def _check_rows(
    job: DedupeJob, sources: list[Source], phases: "Phases", tally: "Tally"
) -> tuple[list[str], list[str]]:
    """The ids of all articles, and the columns that are written.

    Raises where a row is not an article and there is no file for rejected rows.
    """
    from nearcopy.batch.output_columns import VERDICT_COLUMNS, columns

    own = UniqueIds()
    ids: list[str] = []
    names: dict[str, None] = {}
    rejected: list[Rejected] = []
    for row in phases.track(watch_rows(_read(job, sources, own), sources, phases.note), "reading"):
        tally.read += 1
        if isinstance(row, Row):
            ids.append(row.article.id)
            names |= dict.fromkeys(columns(row))
        elif len(rejected) < LISTED:
            rejected.append(row)
    tally.repeated = own.repeated
    if rejected and job.rejected is None:
        phases.note(_list_rejected(rejected, tally.read - len(ids)))
        raise NearcopyError(
            f"{tally.read - len(ids):,} of {tally.read:,} rows are no articles, so nothing was "
            "done: mend them, or put them aside with --rejected FILE"
        )
    return ids, [*names, *VERDICT_COLUMNS] if names else []


def _list_rejected(rejected: list[Rejected], count: int) -> str:
    more = [f"... and {count - len(rejected):,} more"] if count > len(rejected) else []
    return "\n".join([*(f"{row.place}: {row.why}" for row in rejected), *more])


class _Outputs:
    """Where rows are written: files that are renamed into place at the end, or a short list."""

    def __init__(
        self, job: DedupeJob, sources: list[Source], names: list[str], outs: ExitStack
    ) -> None:
        from nearcopy.cli.render.dedupe_summary import Shortlist

        self.apply = job.apply
        format_ = _main_format(job, sources)
        self.list = None if job.output or wants_json_lines(job.json) else Shortlist()
        main = None if self.list else job.output or "-"
        self._main = _open_output(main, format_, names, outs)
        self._removed = _open_output(job.removed, format_, names, outs)
        self._rejected = _open_output(job.rejected, "jsonl", ("file", "line", "why", "raw"), outs)

    def put(self, row: Row, verdict: Verdict, copies: "Copies") -> None:
        """Write an article to the file it belongs in."""
        from nearcopy.batch.output_columns import annotate_row

        if self.list:
            self.list.add(row, verdict)
        out = self._removed if self.apply and verdict.is_duplicate else self._main
        if out:
            out.write(annotate_row(row, verdict, copies))

    def reject(self, row: Rejected) -> None:
        """Write a row that is not an article."""
        if self._rejected:
            self._rejected.write(rejected_row(row))

    def show(self) -> None:
        """Show the short list, if that is the output."""
        if self.list:
            self.list.show()


def _main_format(job: DedupeJob, sources: list[Source]) -> Format:
    if job.output in (None, "-"):
        return job.format or "jsonl"
    format_ = format_of(str(job.output)) or job.format or sources[0].format
    return "jsonl" if format_ in READ_ONLY else format_


def _open_output(
    name: str | None, format_: Format, names: Sequence[str], outs: ExitStack
) -> RowWriter | None:
    if name is None:
        return None
    return outs.enter_context(open_writer(name, format_of(name) or format_, columns=names))


class _Rows:
    """The rows of the files on their way through the deduper."""

    def __init__(
        self,
        job: DedupeJob,
        sources: list[Source],
        deduper: Deduper,
        ids: list[str],
        phases: "Phases",
    ) -> None:
        self._job, self._sources, self._phases = job, sources, phases
        self._deduper, self._ids = deduper, ids

    def add(self) -> None:
        """Compare all articles."""
        rows = _read(self._job, self._sources)
        articles = (row.article for row in rows if isinstance(row, Row))
        # A persistent store is clustered along the way, so that an interrupted run leaves stories.
        verdicts = self._deduper.run(articles, cluster=self._job.address != MEMORY)
        for _ in self._phases.track(verdicts, "comparing", total=len(self._ids)):
            pass
        if self._deduper.provisional:
            self._deduper.recluster()

    def write(self, outputs: _Outputs, tally: "Tally") -> None:
        """Write every row with its current verdict."""
        from nearcopy.batch.output_columns import Copies

        copies = self._collect_copies() if self._job.merge else Copies()
        for row, verdict in self._phases.track(
            self._rows_with_verdicts(), "writing", total=tally.read
        ):
            if isinstance(row, Rejected):
                tally.rejected += 1
                outputs.reject(row)
            elif verdict is not None:
                tally.count(verdict)
                outputs.put(row, verdict, copies)

    def _collect_copies(self) -> "Copies":
        from nearcopy.batch.output_columns import Copies

        copies = Copies()
        for row, verdict in self._phases.track(self._rows_with_verdicts(), "merging"):
            if isinstance(row, Row) and verdict is not None:
                copies.add(row, verdict)
        return copies

    def _rows_with_verdicts(self) -> Iterator[tuple[Row | Rejected, Verdict | None]]:
        verdicts = self._deduper.verdicts(self._ids)
        for row in _read(self._job, self._sources):
            if isinstance(row, Rejected):
                yield row, None
                continue
            verdict = next(verdicts, None)
            if verdict is None or verdict.id != row.article.id:
                raise NearcopyError(f"{row.place.file} has changed while it was read")
            yield row, verdict


def _guard_removals(job: DedupeJob, tally: "Tally", brakes: list[OversizedGroup]) -> None:
    """End the run before any file is written where too much would be removed."""
    why = tally.too_much(job.policy, brakes)
    if why is None or job.yes:
        return
    if not job.apply:
        note(f"warning: {why}: look before you use --apply")
    elif not _confirm_removal(why):
        print_error(f"{why}: {_state_after_stop(job)}; if that is right, say so with --yes")
        raise typer.Exit(GUARDED)


def _state_after_stop(job: DedupeJob) -> str:
    """What a run that was stopped by the guard has written."""
    if job.address == MEMORY:
        return "nothing was written"
    return "no file was written, but the store holds the articles"


def _confirm_removal(why: str) -> bool:
    return is_interactive() and typer.confirm(printable(f"{why}. Remove them?"), err=True)


def _report(job: DedupeJob, tally: "Tally", seconds: float) -> None:
    if job.json:
        sys.stderr.write(json_line(tally.row(seconds, job.duplicates_label)) + "\n")
    elif not job.quiet:
        stderr_console().print(tally.table(seconds, job.duplicates_label))
        note(tally.sum(job.duplicates_label))
