"""`nearcopy estimate`: estimate the time, memory and disk of `nearcopy corpus`."""

from pathlib import Path
from typing import TYPE_CHECKING

from nearcopy.cli.commands.corpus import corpus_settings
from nearcopy.cli.options import (
    HtmlOption,
    IdField,
    InputsArgument,
    JsonOption,
    PresetKeepOptions,
    TextField,
    ThreadsOption,
)
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import show, write_json_lines
from nearcopy.io.files import Columns

if TYPE_CHECKING:
    from nearcopy.batch.local import Estimate

MEGABYTE = 1 << 20


def estimate(
    files: InputsArgument,
    decisions: PresetKeepOptions,
    jobs: ThreadsOption = 0,
    html: HtmlOption = False,
    id_field: IdField = None,
    text_field: TextField = None,
    as_json: JsonOption = False,
) -> None:
    """Estimate time, memory and disk of a corpus run."""
    from nearcopy.batch.local import CorpusJob
    from nearcopy.batch.local import estimate as estimate_job

    recipe, policy = corpus_settings(decisions)
    columns = Columns(id=id_field, text=text_field)
    out = Path("nearcopy-estimate")  # not written
    job = CorpusJob(files, out, recipe=recipe, policy=policy, columns=columns, html=html, jobs=jobs)
    estimated = estimate_job(job)
    if as_json:
        write_json_lines([{**estimated._asdict(), "jobs": job.jobs}])
    else:
        _show(estimated, job.jobs)


def _show(estimated: "Estimate", jobs: int) -> None:
    table = make_table("estimate", "value", numbers=["value"])
    add_row(table, "rows", f"{estimated.rows:,}")
    add_row(table, f"seconds on {jobs} cores", f"{estimated.seconds:,.0f}")
    add_row(table, "memory", _megabytes(estimated.memory))
    add_row(table, "disk in addition to the input", _megabytes(estimated.disk))
    add_row(table, "output, included in it", _megabytes(estimated.output), last=True)
    add_row(table, "rows sampled", f"{estimated.sampled:,}")
    add_row(table, "duplicates in the sample", f"{estimated.duplicates:.1%}")
    show(table)


def _megabytes(size: float) -> str:
    return f"{size / MEGABYTE:,.0f} MB"
