"""`nearcopy corpus`: deduplicate whole corpora, file by file, without a store."""

import sys
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.table import Table

from nearcopy.cli.options import (
    IN,
    OUT,
    WORK,
    CorpusColumnOptions,
    FormOption,
    PresetKeepOptions,
    QuietOption,
    RejectedRowsOption,
    SummaryJsonOption,
    ThreadsOption,
    YesOption,
    option,
)
from nearcopy.cli.render.tables import add_row, make_table
from nearcopy.cli.terminal import json_line, note, report_errors, stderr_console
from nearcopy.config import RECIPES, Policy, Recipe
from nearcopy.errors import BadCorpus

if TYPE_CHECKING:
    from nearcopy.batch.local import CorpusJob, CorpusSummary
    from nearcopy.batch.output_columns import Form

PRESET = "copies"  # the default


@report_errors
def corpus(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="IN",
            help="Files, folders, patterns: JSONL, JSON, CSV, TSV, Parquet, also compressed.",
        ),
    ],
    output: Annotated[str, option("--output", "FILE", "Output folder or file.", OUT, "-o")],
    *,
    form: FormOption = "annotations",
    rejected: RejectedRowsOption = None,
    yes: YesOption = False,
    as_json: SummaryJsonOption = False,
    quiet: QuietOption = False,
    decisions: PresetKeepOptions,
    reference: Annotated[
        list[str] | None,
        option("--reference", "IN|STORE", "Reference set: compared, but not written.", IN),
    ] = None,
    sample: Annotated[
        float | None, option("--sample", "SHARE", "Deduplicate only a share of the rows.", IN)
    ] = None,
    boilerplate: Annotated[
        str | None,
        option("--boilerplate", "FILE", "Lines to ignore, from `nearcopy boilerplate`.", IN),
    ] = None,
    jobs: ThreadsOption = 0,
    memory: Annotated[str, option("--memory", "SIZE", "Approximate memory limit.", WORK)] = "4GB",
    work: Annotated[
        str | None,
        option("--work", "FOLDER", "Checkpoints; by default beside the output.", WORK),
    ] = None,
    columns: CorpusColumnOptions,
) -> None:
    """Mark or remove the duplicates in a large corpus.

    By default only texts are compared, with the preset copies; --preset or --policy compare titles,
    figures and names too.
    """
    from nearcopy.batch.local import CorpusJob
    from nearcopy.config.units import parse_size

    started = perf_counter()
    recipe, policy = corpus_settings(decisions)
    job = CorpusJob(
        tuple(files),
        output,
        recipe=recipe,
        policy=policy,
        form=cast("Form", form),
        reference=tuple(reference or ()),
        columns=columns.columns(),
        html=columns.html,
        memory=parse_size(memory),
        jobs=jobs,
        work=work,
        rejected=rejected,
        boilerplate=boilerplate,
        sample=sample,
    )
    summary = _run(job, quiet=quiet, yes=yes)
    _report(summary, perf_counter() - started, as_json=as_json, quiet=quiet)


def corpus_settings(decisions: PresetKeepOptions) -> tuple[Recipe, Policy]:
    """The recipe and the policy, by default those of the preset "copies"."""
    if decisions.preset is None and decisions.policy is None:
        decisions = replace(decisions, preset=PRESET)
    recipe, policy = decisions.load()
    return recipe or RECIPES["default"], policy


def _run(job: "CorpusJob", *, quiet: bool, yes: bool) -> "CorpusSummary":
    """Run all stages of the job with a progress bar for each."""
    from nearcopy.batch.local import deduplicate
    from nearcopy.batch.local.column_files import has_job
    from nearcopy.cli.terminal import Stages

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
    table = make_table("rows", "count", numbers=["count"])
    for name in ("rows", "kept", "duplicates"):
        add_row(table, name, f"{getattr(summary, name):,}")
    add_row(table, "rejected", f"{summary.rejected:,}", last=True)
    for relation, count in sorted(summary.relations.items()):
        add_row(table, relation, f"{count:,}")
    table.add_section()
    if summary.repeated_ids:
        add_row(table, "repeated ids", f"{summary.repeated_ids:,}")
    if summary.oversized_keys.skipped_pairs:
        add_row(
            table, "pairs of oversized keys skipped", f"{summary.oversized_keys.skipped_pairs:,}"
        )
    add_row(table, "seconds", f"{seconds:.1f}")
    add_row(table, "rows per second", f"{summary.rows / seconds:,.0f}" if seconds else "")
    return table
