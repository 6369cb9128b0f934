"""The work of `nearcopy corpus`: what was asked for, a bar for each stage, and the summary."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, cast

from rich.progress import TaskID, TextColumn, TransferSpeedColumn
from rich.table import Table

from nearcopy.cli.progress import Bars
from nearcopy.cli.settings import settings
from nearcopy.cli.terminal import (
    add_row,
    as_lines,
    aside,
    json_line,
    noted,
    show,
    table,
    write_lines,
)
from nearcopy.config import RECIPES, Policy, Recipe
from nearcopy.config.sizes import size
from nearcopy.corpus import Estimate, Repeated, Summary, job_of
from nearcopy.corpus import running as stages
from nearcopy.corpus.inputs import inputs_of
from nearcopy.corpus.job import Form, Job
from nearcopy.errors import BadCorpus
from nearcopy.formats import Columns, Row, Source, read
from nearcopy.model import Article

if TYPE_CHECKING:
    from nearcopy.spark import Summary as SparkSummary

PRESET = "copies"  # where none is named
LONGEST_LINE = 200  # characters that are shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked for, but for how to judge."""

    files: tuple[str, ...]
    output: str
    form: str
    rejected: str | None
    against: tuple[str, ...]
    sample: float | None
    without: str | None
    jobs: int
    memory: str
    work: str | None
    columns: Columns
    html: bool
    yes: bool
    json: bool
    quiet: bool


class Stages(Bars):
    """One bar for each stage, in bytes of what was read."""

    def __init__(self, size: int, *, quiet: bool) -> None:
        share = TextColumn("{task.percentage:>3.0f} %")
        super().__init__(share, TransferSpeedColumn(), quiet=quiet)
        self._size = size
        self._stage, self._task = "", TaskID(0)

    def tell(self, stage: str, done: int, total: int) -> None:
        """Has the bar of the stage follow."""
        if stage != self._stage:
            self._stage, self._task = stage, self._bars.add_task(stage, total=self._size)
        self._bars.update(self._task, completed=self._size * done // max(1, total))


def judged_by(
    preset: str | None, policy: Path | None, window: str | None, keep: str | None
) -> tuple[Recipe, Policy]:
    """The recipe and the policy: those of "copies", unless others are named."""
    if preset is None and policy is None:
        preset = PRESET
    recipe, judged = settings(preset, policy, window, keep)
    return recipe or RECIPES["default"], judged


def job_for(asked: Asked, recipe: Recipe, policy: Policy) -> Job:
    """The job that is asked for."""
    return job_of(
        asked.files,
        asked.output,
        recipe=recipe,
        policy=policy,
        form=cast(Form, asked.form),
        against=asked.against,
        columns=asked.columns,
        html=asked.html,
        memory=size(asked.memory),
        jobs=asked.jobs,
        work=asked.work,
        rejected=asked.rejected,
        without=asked.without,
        sample=asked.sample,
    )


def run(
    asked: Asked,
    preset: str | None,
    policy: Path | None,
    window: str | None,
    keep: str | None,
) -> None:
    """Does what was asked, and says what became of every row."""
    started = perf_counter()
    job = job_for(asked, *judged_by(preset, policy, window, keep))
    _refuse_to_replace(asked, job)
    gone_on = (job.work / "job.json").exists()
    if gone_on and not asked.quiet:
        noted(f"going on with what was begun in {job.work}")
    with Stages(sum(each.size for each in job.inputs), quiet=asked.quiet) as bars:
        found = stages.run(job, bars.tell)
    seconds = perf_counter() - started
    if asked.json:
        spent = {"seconds": round(seconds, 3), "cpu_seconds": round(found.cpu_seconds, 3)}
        row = stages.summary_row(found) | spent
        sys.stderr.write(json_line(row) + "\n")
    elif not asked.quiet:
        aside().print(summary_table(found, len(found.rejected), seconds))


def _refuse_to_replace(asked: Asked, job: Job) -> None:
    """Raises where something is there already that this did not begin."""
    there = job.output.exists() and (job.output.is_file() or any(job.output.iterdir()))
    if there and not (asked.yes or (job.work / "job.json").exists()):
        raise BadCorpus(f"{job.output} is there already: write elsewhere, or say --yes")


def summary_table(found: "Summary | SparkSummary", rejected: int, seconds: float) -> Table:
    """What became of the rows."""
    made = table("rows", "count", numbers=["count"])
    for name in ("rows", "kept", "duplicates"):
        add_row(made, name, f"{getattr(found, name):,}")
    add_row(made, "rejected", f"{rejected:,}", last=True)
    for relation, count in sorted(found.relations.items()):
        add_row(made, relation, f"{count:,}")
    made.add_section()
    if found.renamed:
        add_row(made, "ids that came again", f"{found.renamed:,}")
    if found.crowds.passed_over:
        add_row(made, "pairs passed over under crowded keys", f"{found.crowds.passed_over:,}")
    add_row(made, "seconds", f"{seconds:.1f}")
    add_row(made, "rows a second", f"{found.rows / seconds:,.0f}" if seconds else "")
    return made


def show_estimate(found: Estimate, job: Job, *, as_json: bool) -> None:
    """What a corpus would take."""
    if as_json:
        write_lines([{**found._asdict(), "jobs": job.jobs}])
        return
    made = table("about", "is", numbers=["is"])
    add_row(made, "rows", f"{found.rows:,}")
    add_row(made, f"seconds on {job.jobs} cores", f"{found.seconds:,.0f}")
    add_row(made, "memory", f"{found.memory / (1 << 20):,.0f} MB")
    add_row(made, "disk beside the input", f"{found.disk / (1 << 20):,.0f} MB")
    add_row(made, "of it the output", f"{found.output / (1 << 20):,.0f} MB", last=True)
    add_row(made, "rows looked at", f"{found.sampled:,}")
    add_row(made, "duplicates among these", f"{found.duplicates:.1%}")
    show(made)


def articles_in(files: Sequence[str], columns: Columns, *, html: bool) -> Iterator[Article]:
    """The articles of files, folders and patterns; rows that are none are passed over."""
    for each in inputs_of(files):
        source = Source(each.name, Path(each.path), each.format)
        for found in read(source, columns, html=html):
            if isinstance(found, Row):
                yield found.article


def show_lines(lines: Iterable[Repeated], *, as_json: bool) -> None:
    """Lines of hosts, with how many pages have each."""
    if as_lines(as_json):
        write_lines(each._asdict() for each in lines)
        return
    made = table("host", "pages", "line", numbers=["pages"])
    for each in sorted(lines, key=lambda line: (line.host, -line.pages, line.line)):
        add_row(made, each.host, f"{each.pages:,}", each.line[:LONGEST_LINE])
    show(made)
