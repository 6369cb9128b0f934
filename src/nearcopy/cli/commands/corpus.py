"""`nearcopy corpus`: deduplicate whole corpora, file by file, without a store."""

import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.table import Table

from nearcopy.cli.options import (
    IN,
    OUT,
    WORK,
    FormOption,
    HtmlField,
    HtmlOption,
    IdField,
    KeepOption,
    PolicyOption,
    PresetOption,
    PublishedField,
    QuietOption,
    RejectedRowsOption,
    SourceField,
    SummaryJsonOption,
    TextField,
    ThreadsOption,
    TitleField,
    UrlField,
    WindowOption,
    YesOption,
    option,
)
from nearcopy.cli.render.tables import add_row, make_table
from nearcopy.cli.terminal import json_line, note, report_errors, stderr_console
from nearcopy.config import RECIPES, Policy, Recipe
from nearcopy.errors import BadCorpus
from nearcopy.io.files import Columns
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.batch.local import CorpusJob, CorpusSummary
    from nearcopy.batch.settings import Form

PRESET = "copies"  # where none is named


@report_errors
def corpus(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="IN",
            help="Files, folders and patterns: JSONL, JSON, CSV, TSV or Parquet, also packed.",
        ),
    ],
    output: Annotated[
        str, option("--output", "FILE", "The folder to write to, or a file.", OUT, "-o")
    ],
    form: FormOption = "annotations",
    rejected: RejectedRowsOption = None,
    yes: YesOption = False,
    as_json: SummaryJsonOption = False,
    quiet: QuietOption = False,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    keep: KeepOption = None,
    against: Annotated[
        list[str] | None,
        option(
            "--against",
            "IN|STORE",
            "Compare with these files, or this store, too; none of it is written.",
            IN,
        ),
    ] = None,
    sample: Annotated[
        float | None, option("--sample", "SHARE", "Only a share of the rows.", IN)
    ] = None,
    without: Annotated[
        str | None,
        option(
            "--without",
            "LINES",
            "Lines to leave out of texts, as `nearcopy boilerplate` finds them.",
            IN,
        ),
    ] = None,
    jobs: ThreadsOption = 0,
    memory: Annotated[str, option("--memory", "SIZE", "To be used at most, about.", WORK)] = "4GB",
    work: Annotated[
        str | None,
        option("--work", "FOLDER", "What is begun and not done; else beside the output.", WORK),
    ] = None,
    html: HtmlOption = False,
    id_field: IdField = None,
    title_field: TitleField = None,
    text_field: TextField = None,
    url_field: UrlField = None,
    source_field: SourceField = None,
    published_field: PublishedField = None,
    html_field: HtmlField = None,
) -> None:
    """Mark or remove the duplicates of a whole corpus.

    Texts alone are compared, by the preset copies, unless --preset or --policy says otherwise:
    no title, figure or name keeps two apart then.
    """
    from nearcopy.batch.local import CorpusJob
    from nearcopy.config.units import parse_size

    started = perf_counter()
    recipe, chosen_policy = corpus_settings(preset, policy, window, keep)
    job = CorpusJob(
        tuple(files),
        output,
        recipe=recipe,
        policy=chosen_policy,
        form=cast("Form", form),
        against=tuple(against or ()),
        columns=Columns(
            id=id_field,
            title=title_field,
            text=text_field,
            url=url_field,
            source=source_field,
            published=published_field,
            html=html_field,
        ),
        html=html,
        memory=parse_size(memory),
        jobs=jobs,
        work=work,
        rejected=rejected,
        without=without,
        sample=sample,
    )
    summary = _run(job, quiet=quiet, yes=yes)
    _report(summary, perf_counter() - started, as_json=as_json, quiet=quiet)


def corpus_settings(
    preset: str | None, policy: Path | None, window: str | None, keep: str | None
) -> tuple[Recipe, Policy]:
    """The recipe and the policy: those of the preset "copies", unless others are named."""
    if preset is None and policy is None:
        preset = PRESET
    recipe, chosen_policy = settings(preset, policy, window, keep)
    return recipe or RECIPES["default"], chosen_policy


def _run(job: "CorpusJob", *, quiet: bool, yes: bool) -> "CorpusSummary":
    """Run all stages of the job with a progress bar for each."""
    from nearcopy.batch.local import deduplicate
    from nearcopy.batch.local.work_folder import has_job
    from nearcopy.cli.progress import Stages

    size = sum(source.size for source in job.sources)
    output, resumed = job.paths.output, has_job(job.paths.work)
    exists = output.exists() and (output.is_file() or any(output.iterdir()))
    if exists and not resumed and not yes:
        raise BadCorpus(f"{output} already exists: write elsewhere, or give --yes")
    if resumed and not quiet:
        note(f"resuming the interrupted job in {job.paths.work}")
    with Stages(size, quiet=quiet) as bars:
        return deduplicate(job, bars.update)


def _report(summary: "CorpusSummary", seconds: float, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        times = {"seconds": round(seconds, 3), "cpu_seconds": round(summary.cpu_seconds, 3)}
        sys.stderr.write(json_line(summary.row() | times) + "\n")
    elif not quiet:
        stderr_console().print(summary_table(summary, seconds))


def summary_table(summary: "CorpusSummary", seconds: float) -> Table:
    """The counts of a corpus run: rows kept, duplicates, relations and speed."""
    shown = make_table("rows", "count", numbers=["count"])
    for name in ("rows", "kept", "duplicates"):
        add_row(shown, name, f"{getattr(summary, name):,}")
    add_row(shown, "rejected", f"{summary.rejected:,}", last=True)
    for relation, count in sorted(summary.relations.items()):
        add_row(shown, relation, f"{count:,}")
    shown.add_section()
    if summary.repeated_ids:
        add_row(shown, "repeated ids", f"{summary.repeated_ids:,}")
    if summary.oversized_keys.skipped_pairs:
        add_row(
            shown, "pairs of oversized keys skipped", f"{summary.oversized_keys.skipped_pairs:,}"
        )
    add_row(shown, "seconds", f"{seconds:.1f}")
    add_row(shown, "rows per second", f"{summary.rows / seconds:,.0f}" if seconds else "")
    return shown
