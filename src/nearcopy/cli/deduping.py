"""The work of `nearcopy dedupe`: rows checked, articles compared, rows written beside verdicts.

The files are read three times, so that nothing is added before all rows are known to be good, and
what is written does not have to be held.
"""

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import typer

from nearcopy.cli.articles import rejected_row, watched
from nearcopy.cli.marking import OURS, Copies, columns, marked
from nearcopy.cli.progress import Phases
from nearcopy.cli.shortlist import Shortlist
from nearcopy.cli.spared import spare, store_file
from nearcopy.cli.tally import Tally
from nearcopy.cli.terminal import (
    BRAKED,
    as_lines,
    aside,
    can_ask,
    failed,
    json_line,
    noted,
    printable,
)
from nearcopy.cluster import Brake
from nearcopy.config import Policy, Recipe
from nearcopy.deduper import Deduper
from nearcopy.errors import NearcopyError
from nearcopy.formats import (
    FORMATS,
    READ_ONLY,
    Columns,
    Format,
    OwnIds,
    Rejected,
    Row,
    Rows,
    Source,
    check_ending,
    format_of,
    opened,
    own_ids,
    read,
    writer,
)
from nearcopy.model import Verdict

LISTED = 20  # rejected rows
MEMORY = "memory://"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What was asked for."""

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
        named = [self.output or "-", self.removed, self.rejected]
        places = [Path(name).resolve() if name != "-" else name for name in named if name]
        if len(set(places)) < len(places):
            raise NearcopyError("-o, --removed and --rejected must be files of their own")
        spare(self.files, self.removed, self.rejected)  # -o may be: a file is cleaned in place
        spare([store_file(self.address)], self.output, self.removed, self.rejected)
        self._check_endings()

    def _check_endings(self) -> None:
        """Refuses names that tell no format, unless it is given or the file is cleaned in place."""
        read = {Path(name).resolve() for name in self.files}
        for name in (self.output, self.removed):
            if self.format is None and name and Path(name).resolve() not in read:
                checked_ending(name)

    @property
    def gone(self) -> str:
        """What to call the duplicates."""
        return "removed" if self.apply else "duplicates"


def checked_ending(name: str) -> None:
    """Raises where a name tells no format, and says how to tell it otherwise."""
    try:
        check_ending(name)
    except NearcopyError as wrong:
        raise NearcopyError(f"{wrong}; or say with --format which it is") from None


def checked_format(name: str | None) -> Format | None:
    """The format of that name."""
    for known in (*FORMATS, *READ_ONLY):
        if name is None or name == known:
            return None if name is None else known
    raise NearcopyError(f"no format {name!r}: choose one of {', '.join(FORMATS)}")


def run(job: Job) -> None:
    """Does what was asked, and says what became of every row."""
    logging.getLogger("nearcopy").addHandler(logging.NullHandler())  # we tell of brakes ourselves
    started = perf_counter()
    tally = Tally()
    with opened(job.files, job.input_format, otherwise=job.format) as sources, ExitStack() as outs:
        with Phases(quiet=job.quiet) as phases:
            ids, names = _checked(job, sources, phases, tally)
            outputs = _Outputs(job, sources, names, outs)
            with _deduper(job) as deduper:
                rows = _Rows(job, sources, deduper, ids, phases)
                rows.add()
                rows.write(outputs, tally)
        tally.check()
        _brake(job, tally, deduper.brakes)
    outputs.show()
    _summary(job, tally, perf_counter() - started)


def _deduper(job: Job) -> Deduper:
    return Deduper(job.address, job.recipe, job.policy, threads=job.threads, pool=job.pool)


def _read(job: Job, sources: list[Source], own: OwnIds | None = None) -> Iterator[Row | Rejected]:
    found = (row for source in sources for row in read(source, job.columns, html=job.html))
    return own_ids(found, own)


def _checked(
    job: Job, sources: list[Source], phases: Phases, tally: Tally
) -> tuple[list[str], list[str]]:
    """The ids of all articles, and the columns that are written.

    Ends the run where a row is no article and nobody asked for those.
    """
    own = OwnIds()
    ids: list[str] = []
    names: dict[str, None] = {}
    bad: list[Rejected] = []
    for row in phases.each(watched(_read(job, sources, own), sources, phases.tell), "reading"):
        tally.read += 1
        if isinstance(row, Row):
            ids.append(row.article.id)
            names |= dict.fromkeys(columns(row))
        elif len(bad) < LISTED:
            bad.append(row)
    tally.repeated = own.repeated
    if bad and job.rejected is None:
        phases.tell(_listed(bad, tally.read - len(ids)))
        raise NearcopyError(
            f"{tally.read - len(ids):,} of {tally.read:,} rows are no articles, so nothing was "
            "done: mend them, or put them aside with --rejected FILE"
        )
    return ids, [*names, *OURS] if names else []


def _listed(bad: list[Rejected], count: int) -> str:
    more = [f"... and {count - len(bad):,} more"] if count > len(bad) else []
    return "\n".join([*(f"{row.place}: {row.why}" for row in bad), *more])


class _Outputs:
    """Where rows go: files that are put in their place at the end, or a short list to look at."""

    def __init__(self, job: Job, sources: list[Source], names: list[str], outs: ExitStack) -> None:
        self.apply = job.apply
        kind = _main_format(job, sources)
        self.list = None if job.output or as_lines(job.json) else Shortlist()
        main = None if self.list else job.output or "-"
        self._main = _optional(main, kind, names, outs)
        self._removed = _optional(job.removed, kind, names, outs)
        self._rejected = _optional(job.rejected, "jsonl", ("file", "line", "why", "raw"), outs)

    def put(self, row: Row, verdict: Verdict, copies: Copies) -> None:
        """Writes an article where it belongs."""
        if self.list:
            self.list.add(row, verdict)
        out = self._removed if self.apply and verdict.is_duplicate else self._main
        if out:
            out.write(marked(row, verdict, copies))

    def reject(self, row: Rejected) -> None:
        """Writes what is no article."""
        if self._rejected:
            self._rejected.write(rejected_row(row))

    def show(self) -> None:
        """Shows the short list."""
        if self.list:
            self.list.show()


def _main_format(job: Job, sources: list[Source]) -> Format:
    if job.output in (None, "-"):
        return job.format or "jsonl"
    kind = format_of(str(job.output)) or job.format or sources[0].format
    return "jsonl" if kind in READ_ONLY else kind


def _optional(name: str | None, kind: Format, names: Sequence[str], outs: ExitStack) -> Rows | None:
    if name is None:
        return None
    return outs.enter_context(writer(name, format_of(name) or kind, columns=names))


class _Rows:
    """The rows of the files on their way through the deduper."""

    def __init__(
        self, job: Job, sources: list[Source], deduper: Deduper, ids: list[str], phases: Phases
    ) -> None:
        self._job, self._sources, self._phases = job, sources, phases
        self._deduper, self._ids = deduper, ids

    def add(self) -> None:
        """Compares all articles."""
        rows = _read(self._job, self._sources)
        articles = (row.article for row in rows if isinstance(row, Row))
        # A store that lasts is told the stories as it goes, lest it is left without by a stop.
        added = self._deduper.run(articles, tell=self._job.address != MEMORY)
        for _ in self._phases.each(added, "comparing", total=len(self._ids)):
            pass
        if self._deduper.provisional:
            self._deduper.retell()

    def write(self, outputs: _Outputs, tally: Tally) -> None:
        """Writes every row beside what it is as things stand now."""
        copies = self._copies() if self._job.merge else Copies()
        for row, verdict in self._phases.each(self._judged(), "writing", total=tally.read):
            if isinstance(row, Rejected):
                tally.rejected += 1
                outputs.reject(row)
            elif verdict is not None:
                tally.count(verdict)
                outputs.put(row, verdict, copies)

    def _copies(self) -> Copies:
        found = Copies()
        for row, verdict in self._phases.each(self._judged(), "merging"):
            if isinstance(row, Row) and verdict is not None:
                found.add(row, verdict)
        return found

    def _judged(self) -> Iterator[tuple[Row | Rejected, Verdict | None]]:
        verdicts = self._deduper.verdicts(self._ids)
        for row in _read(self._job, self._sources):
            if isinstance(row, Rejected):
                yield row, None
                continue
            verdict = next(verdicts, None)
            if verdict is None or verdict.id != row.article.id:
                raise NearcopyError(f"{row.place.file} has changed while it was read")
            yield row, verdict


def _brake(job: Job, tally: Tally, brakes: list[Brake]) -> None:
    """Ends the run before a file is written where too much would go."""
    why = tally.too_much(job.policy, brakes)
    if why is None or job.yes:
        return
    if not job.apply:
        noted(f"warning: {why}: look before you use --apply")
    elif not _confirmed(why):
        failed(f"{why}: {_left(job)}; if that is right, say so with --yes")
        raise typer.Exit(BRAKED)


def _left(job: Job) -> str:
    """What a run that ends before its files are written has left behind."""
    if job.address == MEMORY:
        return "nothing was written"
    return "no file was written, but the store holds the articles"


def _confirmed(why: str) -> bool:
    return can_ask() and typer.confirm(printable(f"{why}. Remove them?"), err=True)


def _summary(job: Job, tally: Tally, seconds: float) -> None:
    if job.json:
        sys.stderr.write(json_line(tally.row(seconds, job.gone)) + "\n")
    elif not job.quiet:
        aside().print(tally.table(seconds, job.gone))
        noted(tally.sum(job.gone))
