"""Deduplicate files through a Deduper, and write every row with its verdict.

The files are read three times (to check, to compare, to write), so that nothing is added to a store
before all rows are checked, and rows need not be held in memory. No row is lost, and a guard stops
a run that would remove unusually many articles before any file is written.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from nearcopy.batch.output_columns import (
    VERDICT_COLUMNS,
    MergedDuplicates,
    annotate_row,
    own_columns,
)
from nearcopy.batch.summary import DedupeSummary, removal_warning
from nearcopy.config import POLICIES, Policy, Recipe
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NearcopyError, TooManyDuplicates
from nearcopy.io.files import (
    READ_ONLY,
    Columns,
    Format,
    Rejected,
    Row,
    RowWriter,
    Source,
    UniqueIds,
    assign_unique_ids,
    format_of,
    open_sources,
    open_writer,
    read,
)
from nearcopy.io.files.read import GUESSED
from nearcopy.models import Verdict

MEMORY = "memory://"
LISTED = 20  # rejected rows in an error message
REJECTED_COLUMNS = ("file", "line", "why", "raw")
Item = TypeVar("Item")
AnyRow = Row | Rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupeJob:
    """What to read, how to compare it, and what to write."""

    files: tuple[str, ...]
    columns: Columns = GUESSED
    html: bool = False
    input_format: Format | None = None
    format: Format | None = None
    output: str | None = None  # "-" for stdout, None for no output
    apply: bool = False  # write only the kept articles
    removed: str | None = None  # with apply: the file of the duplicates
    rejected: str | None = None
    merge: bool = False  # with apply: fill kept articles from their duplicates
    recipe: Recipe | None = None
    policy: Policy = POLICIES["default"]
    store: str = MEMORY
    pool: str | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        if not self.apply and (self.removed or self.merge):
            raise NearcopyError("--removed and --merge need --apply: nothing is removed without it")
        names = [name for name in (self.output, self.removed, self.rejected) if name]
        paths = [Path(name).resolve() if name != "-" else name for name in names]
        if len(set(paths)) < len(paths):
            raise NearcopyError("-o, --removed and --rejected must be different files")


class Progress(Protocol):
    """Follows the rows of a phase as they are read."""

    def __call__(
        self, rows: Iterable[Item], phase: str, *, total: int | None = None
    ) -> Iterable[Item]:
        """The rows."""


def _untracked(rows: Iterable[Item], phase: str, *, total: int | None = None) -> Iterable[Item]:
    del phase, total
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What a caller may observe and decide during a run."""

    progress: Progress = _untracked
    inspect: Callable[[Iterable[AnyRow], Sequence[Source]], Iterable[AnyRow]] = lambda rows, _: rows
    on_verdict: Callable[[Row, Verdict], None] = lambda *_: None
    confirm: Callable[[str], bool] = lambda _: False  # of an unusually large removal


def dedupe_files(job: DedupeJob, hooks: Hooks | None = None) -> DedupeSummary:
    """Check, compare and write all rows; their counts.

    With `apply`, an unusually large removal raises TooManyDuplicates unless it is confirmed;
    without, it is the `warning` of the summary.
    """
    if not isinstance(job, DedupeJob):
        raise NearcopyError(
            f"expected a DedupeJob, got {type(job).__name__}: "
            "give nearcopy.batch.DedupeJob(files=[...])"
        )
    with (
        open_sources(job.files, job.input_format, otherwise=job.format) as sources,
        ExitStack() as outs,
    ):
        run = _Run(job, sources, hooks or Hooks())
        names = run.check()
        outputs = _Outputs(job, sources, names, outs)
        with _open_deduper(job) as deduper:
            run.compare(deduper)
            run.write(deduper, outputs)
        run.summary.check_conserved()
        _guard_removals(run, removal_warning(run.summary, job.policy, deduper.oversized_groups))
    return run.summary


def _open_deduper(job: DedupeJob) -> Deduper:
    return Deduper(job.store, job.recipe, job.policy, threads=job.threads, pool=job.pool)


class _Run:
    """The passes over the rows of the files."""

    def __init__(self, job: DedupeJob, sources: list[Source], hooks: Hooks) -> None:
        self.job, self.hooks, self.summary = job, hooks, DedupeSummary()
        self._sources = sources
        self._ids: list[str] = []

    def check(self) -> list[str]:
        """Read all rows once; the columns that are written.

        Raises where a row is not an article and there is no file for rejected rows.
        """
        summary, unique_ids = self.summary, UniqueIds()
        names: dict[str, None] = {}
        rejected: list[Rejected] = []
        rows = self.hooks.inspect(self._read(unique_ids), self._sources)
        for row in self.hooks.progress(rows, "reading"):
            summary.read += 1
            if isinstance(row, Row):
                self._ids.append(row.article.id)
                names |= dict.fromkeys(own_columns(row))
            elif len(rejected) < LISTED:
                rejected.append(row)
        summary.repeated_ids = unique_ids.repeated
        if rejected and self.job.rejected is None:
            raise NearcopyError(self._rejection_message(rejected))
        return [*names, *VERDICT_COLUMNS] if names else []

    def compare(self, deduper: Deduper) -> None:
        """Add all articles to the store."""
        articles = (row.article for row in self._read() if isinstance(row, Row))
        # A persistent store is clustered along the way, so that an interrupted run leaves stories.
        verdicts = deduper.run(articles, cluster=self.job.store != MEMORY)
        for _ in self.hooks.progress(verdicts, "comparing", total=len(self._ids)):
            pass
        if deduper.provisional:
            deduper.recluster()

    def write(self, deduper: Deduper, outputs: "_Outputs") -> None:
        """Write every row with its current verdict, and count it."""
        duplicates = MergedDuplicates()
        if self.job.merge:
            for row, verdict in self.hooks.progress(self._rows_with_verdicts(deduper), "merging"):
                if isinstance(row, Row) and verdict is not None:
                    duplicates.add(row, verdict)
        rows = self._rows_with_verdicts(deduper)
        for row, verdict in self.hooks.progress(rows, "writing", total=self.summary.read):
            if isinstance(row, Rejected):
                self.summary.rejected += 1
                outputs.reject(row)
            elif verdict is not None:
                self.summary.count(verdict)
                self.hooks.on_verdict(row, verdict)
                outputs.write(row, verdict, duplicates)

    def _read(self, unique_ids: UniqueIds | None = None) -> Iterator[AnyRow]:
        columns, html = self.job.columns, self.job.html
        rows = (row for source in self._sources for row in read(source, columns, html=html))
        return assign_unique_ids(rows, unique_ids)

    def _rows_with_verdicts(self, deduper: Deduper) -> Iterator[tuple[AnyRow, Verdict | None]]:
        verdicts = deduper.verdicts(self._ids)
        for row in self._read():
            if isinstance(row, Rejected):
                yield row, None
                continue
            verdict = next(verdicts, None)
            if verdict is None or verdict.id != row.article.id:
                raise NearcopyError(f"{row.place.file} has changed while it was read")
            yield row, verdict

    def _rejection_message(self, listed: list[Rejected]) -> str:
        count = self.summary.read - len(self._ids)
        more = [f"... and {count - len(listed):,} more"] if count > len(listed) else []
        return "\n".join(
            [
                f"{count:,} of {self.summary.read:,} rows are not articles, so nothing was done: "
                "correct them, or set them aside with --rejected FILE",
                *(f"{row.place}: {row.why}" for row in listed),
                *more,
            ]
        )


class _Outputs:
    """The files that rows are written to, which are renamed into place at the end."""

    def __init__(
        self, job: DedupeJob, sources: list[Source], names: list[str], outs: ExitStack
    ) -> None:
        self._apply = job.apply
        kind = _output_format(job, sources)
        self._main = _open_output(job.output, kind, names, outs)
        self._removed = _open_output(job.removed, kind, names, outs)
        self._rejected = _open_output(job.rejected, "jsonl", REJECTED_COLUMNS, outs)

    def write(self, row: Row, verdict: Verdict, duplicates: MergedDuplicates) -> None:
        """Write an article to the file it belongs in."""
        out = self._removed if self._apply and verdict.is_duplicate else self._main
        if out:
            out.write(annotate_row(row, verdict, duplicates))

    def reject(self, row: Rejected) -> None:
        """Write a row that is not an article."""
        if self._rejected:
            self._rejected.write(row.as_values())


def _output_format(job: DedupeJob, sources: list[Source]) -> Format:
    if job.output in (None, "-"):
        return job.format or "jsonl"
    kind = format_of(str(job.output)) or job.format or sources[0].format
    return "jsonl" if kind in READ_ONLY else kind


def _open_output(
    name: str | None, kind: Format, names: Sequence[str], outs: ExitStack
) -> RowWriter | None:
    if name is None:
        return None
    return outs.enter_context(open_writer(name, format_of(name) or kind, columns=names))


def _guard_removals(run: _Run, warning: str | None) -> None:
    """Raise before any file is written where too much would be removed."""
    run.summary.warning = warning
    if warning is None or not run.job.apply or run.hooks.confirm(warning):
        return
    in_memory = run.job.store == MEMORY
    state = "nothing was written" if in_memory else "no file was written, but the store was filled"
    raise TooManyDuplicates(f"{warning}: {state}; confirm the removal with --yes")
