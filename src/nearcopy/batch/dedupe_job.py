"""Deduplicate files through a Deduper, and write every row with its verdict.

The files are read three times (to check, to compare, to write), so that nothing is added to a store
before all rows are checked, and rows need not be held in memory. No row is lost, and a guard stops
a run that would remove unusually many articles before any file is written.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from nearcopy.batch.corpus_settings import LISTED, rejection_message
from nearcopy.batch.output_columns import MergedDuplicates, annotate_row, own_columns
from nearcopy.batch.removal_guard import Confirm, guard_removal, refuse, removal_warning
from nearcopy.config import POLICIES, Policy, Recipe
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NearcopyError
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
from nearcopy.io.files.dates import UNDATED
from nearcopy.io.files.rows import GUESSED
from nearcopy.io.serializers import VERDICT_COLUMNS
from nearcopy.models import Relation, Verdict
from nearcopy.models.batches import Progress, no_progress

MEMORY = "memory://"
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
        if isinstance(self.files, str):
            raise NearcopyError(f"files is {self.files!r:.60}: give a list of names, [...]")
        if not self.apply and (self.removed or self.merge):
            raise NearcopyError("--removed and --merge need --apply: nothing is removed without it")
        names = [name for name in (self.output, self.removed, self.rejected) if name]
        paths = [Path(name).resolve() if name != "-" else name for name in names]
        if len(set(paths)) < len(paths):
            raise NearcopyError("-o, --removed and --rejected must be different files")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What a caller may observe and decide during a run."""

    progress: Progress = no_progress
    inspect: Callable[[Iterable[AnyRow], Sequence[Source]], Iterable[AnyRow]] = lambda rows, _: rows
    on_verdict: Callable[[Row, Verdict], None] = lambda *_: None
    confirm: Confirm = refuse  # of an unusually large removal


@dataclass(slots=True)
class DedupeSummary:
    """The counts of a dedupe run, which grow row by row."""

    read: int = 0
    repeated_ids: int = 0
    rejected: int = 0
    kept: int = 0
    duplicates: int = 0
    relations: Counter[Relation] = field(default_factory=Counter)
    stories: Counter[str] = field(default_factory=Counter)
    warning: str | None = None  # why a user should confirm the removal

    def count(self, verdict: Verdict) -> None:
        """Count an article."""
        self.relations[verdict.relation] += 1
        self.stories[verdict.story_id or verdict.id] += 1
        if verdict.is_duplicate:
            self.duplicates += 1
        else:
            self.kept += 1

    @property
    def largest_story(self) -> tuple[str, int]:
        """The id of the largest story, and the number of its members."""
        return max(self.stories.items(), key=lambda item: item[1], default=("", 0))

    def check_conserved(self) -> None:
        """Raise where a row has been lost."""
        if not self.conserved:
            raise NearcopyError(f"rows are missing: {self.equation('removed')}; nothing written")

    @property
    def conserved(self) -> bool:
        """Whether every row that was read is kept, a duplicate or rejected."""
        return self.kept + self.duplicates + self.rejected == self.read

    def equation(self, label: str) -> str:
        """The equation that shows that no row was lost; `label` names the duplicates."""
        return (
            f"kept {self.kept:,} + {label} {self.duplicates:,} + rejected {self.rejected:,} "
            f"= read {self.read:,}"
        )

    def row(self, seconds: float, label: str) -> dict[str, Any]:
        """The summary as JSON values."""
        story, size = self.largest_story
        return {
            "read": self.read,
            "kept": self.kept,
            label: self.duplicates,
            "rejected": self.rejected,
            "repeated_ids": self.repeated_ids,
            "stories": len(self.stories),
            "largest_story": {"id": story, "members": size} if story else None,
            "relations": {relation.value: self.relations[relation] for relation in Relation},
            "seconds": round(seconds, 3),
            "rows_per_second": round(self.read / seconds) if seconds else None,
            "conserved": self.conserved,
        }


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
        seen = UNDATED if job.store == MEMORY else datetime.now(UTC)  # rows without a time
        with Deduper(
            job.store,
            job.recipe,
            job.policy,
            threads=job.threads,
            clock=lambda: seen,
            pool=job.pool,
        ) as deduper:
            run.compare(deduper)
            run.write(deduper, outputs)
        run.summary.check_conserved()
        removals = run.summary.duplicates, run.summary.kept
        stories = run.summary.largest_story, deduper.oversized_groups
        run.summary.warning = removal_warning(*removals, *stories, job.policy)
        _guard_removals(run)
    return run.summary


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
            listed = [f"{row.place}: {row.why}" for row in rejected]
            count = summary.read - len(self._ids)
            raise NearcopyError(rejection_message(listed, count, summary.read, "nothing was done"))
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


def _guard_removals(run: _Run) -> None:
    """Raise before any file is written where too much would be removed."""
    if not run.job.apply:
        return
    in_memory = run.job.store == MEMORY
    state = "nothing was written" if in_memory else "no file was written, but the store was filled"
    guard_removal(run.summary.warning, run.hooks.confirm, state)
