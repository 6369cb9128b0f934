"""`nearcopy corpus`: deduplicate whole corpora, file by file, without a store."""

from time import perf_counter
from typing import TYPE_CHECKING, cast

from rich.table import Table

from nearcopy.cli.options import (
    IN,
    OUT,
    WORK,
    ColumnOptions,
    FormOption,
    PresetKeepOptions,
    QuietOption,
    RejectedRowsOption,
    RemovedRowsOption,
    SummaryJsonOption,
    ThreadsOption,
    YesOption,
    argument,
    option,
)
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import (
    Stages,
    confirm_removal,
    exit_guarded,
    note,
    report_summary,
    warn_of_removal,
)
from nearcopy.config import RECIPES, Policy, Recipe
from nearcopy.config.units import parse_size
from nearcopy.errors import BadCorpus

if TYPE_CHECKING:
    from nearcopy.batch.corpus_settings import Form
    from nearcopy.batch.local import CorpusJob, CorpusSummary


def corpus(
    files: list[str] = argument(
        "IN", "Files, folders, patterns: JSONL, JSON, CSV, TSV, Parquet, also compressed."
    ),
    output: str = option(
        "FILE", "Output folder or file.", OUT, default=..., names=("-o", "--output")
    ),
    *,
    form: FormOption = "annotations",
    removed: RemovedRowsOption = None,
    rejected: RejectedRowsOption = None,
    yes: YesOption = False,
    as_json: SummaryJsonOption = False,
    quiet: QuietOption = False,
    decisions: PresetKeepOptions,
    reference: list[str] | None = option(
        "IN|STORE", "Reference set: compared, but not written.", IN
    ),
    sample: float | None = option("SHARE", "Deduplicate only a share of the rows.", IN),
    boilerplate: str | None = option("FILE", "Lines to ignore, from `nearcopy boilerplate`.", IN),
    jobs: ThreadsOption = 0,
    memory: str = option("SIZE", "Approximate memory limit.", WORK, default="4GB"),
    work: str | None = option("FOLDER", "Checkpoints; by default beside the output.", WORK),
    columns: ColumnOptions,
) -> None:
    """Mark or remove the duplicates in a large corpus.

    The verdicts are those of `dedupe`. With --preset copies texts alone are compared, much faster.
    """
    from nearcopy.batch.local import CorpusJob

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
        removed=removed,
        rejected=rejected,
        boilerplate=boilerplate,
        sample=sample,
    )
    summary = _run(job, quiet=quiet, yes=yes)
    seconds = perf_counter() - started
    times = {"seconds": round(seconds, 3), "cpu_seconds": round(summary.cpu_seconds, 3)}
    table = summary_table(summary, seconds)
    report_summary(summary.row() | times, table, as_json=as_json, quiet=quiet)


def corpus_settings(decisions: PresetKeepOptions) -> tuple[Recipe, Policy]:
    """The recipe and the policy."""
    recipe, policy = decisions.load()
    return recipe or RECIPES["default"], policy


def _run(job: "CorpusJob", *, quiet: bool, yes: bool) -> "CorpusSummary":
    """Run all stages of the job with a progress bar for each."""
    from nearcopy.batch.local import deduplicate
    from nearcopy.batch.local.work_folder import has_job

    size = sum(source.size for source in job.sources)
    output, resumed = job.paths.output, has_job(job.paths.work)
    exists = output.exists() and (output.is_file() or any(output.iterdir()))
    if exists and not resumed and not yes:
        raise BadCorpus(f"{output} already exists: write elsewhere, or give --yes")
    if resumed and not quiet:
        note(f"resuming the interrupted job in {job.paths.work}")
    with Stages(size, quiet=quiet) as bars, exit_guarded():

        def ask(warning: str) -> bool:
            bars.stop()
            return confirm_removal(warning, yes)

        summary = deduplicate(job, bars.update, confirm=ask)
    if job.form == "annotations" and not yes:
        warn_of_removal(summary.warning)
    return summary


def summary_table(summary: "CorpusSummary", seconds: float) -> Table:
    """The counts of a corpus run: rows kept, duplicates, relations and speed."""
    table = make_table("rows", "count", numbers=["count"])
    for name in ("rows", "kept", "duplicates"):
        add_row(table, name, f"{getattr(summary, name):,}")
    add_row(table, "rejected", f"{summary.rejected:,}", last=True)
    for relation, count in sorted(summary.relations.items()):
        add_row(table, relation, f"{count:,}")
    table.add_section()
    largest = summary.largest_story
    add_row(table, "stories", f"{summary.stories:,}")
    if largest.members > 1:
        add_row(table, f"largest story, {largest.id}", f"{largest.members:,}")
    if summary.repeated_ids:
        add_row(table, "repeated ids", f"{summary.repeated_ids:,}")
    if summary.oversized_keys.skipped_pairs:
        add_row(
            table, "pairs of oversized keys skipped", f"{summary.oversized_keys.skipped_pairs:,}"
        )
    add_row(table, "seconds", f"{seconds:.1f}")
    add_row(table, "rows per second", f"{summary.rows / seconds:,.0f}" if seconds else "")
    return table
