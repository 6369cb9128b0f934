"""`nearcopy estimate`: the time, memory and disk that `nearcopy corpus` would take."""

from pathlib import Path
from typing import TYPE_CHECKING

from nearcopy.cli.commands.corpus import corpus_settings
from nearcopy.cli.options import (
    HtmlOption,
    IdField,
    InputsArgument,
    JsonOption,
    KeepOption,
    PolicyOption,
    PresetOption,
    TextField,
    ThreadsOption,
    WindowOption,
)
from nearcopy.cli.terminal import add_row, reported, show, table, write_lines
from nearcopy.io.files import Columns

if TYPE_CHECKING:
    from nearcopy.batch.local import Estimate

MEGABYTE = 1 << 20


@reported
def estimate(
    files: InputsArgument,
    as_json: JsonOption = False,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    keep: KeepOption = None,
    jobs: ThreadsOption = 0,
    html: HtmlOption = False,
    id_field: IdField = None,
    text_field: TextField = None,
) -> None:
    """Tell time, memory and disk of a corpus, from a sample."""
    from nearcopy.batch.local import estimate as estimate_job
    from nearcopy.batch.local import job_of

    recipe, chosen = corpus_settings(preset, policy, window, keep)
    columns = Columns(id=id_field, text=text_field)
    out = Path("nearcopy-estimate")  # nothing is written there
    job = job_of(files, out, recipe=recipe, policy=chosen, columns=columns, html=html, jobs=jobs)
    estimated = estimate_job(job)
    if as_json:
        write_lines([{**estimated._asdict(), "jobs": job.jobs}])
    else:
        _show(estimated, job.jobs)


def _show(estimated: "Estimate", jobs: int) -> None:
    shown = table("about", "is", numbers=["is"])
    add_row(shown, "rows", f"{estimated.rows:,}")
    add_row(shown, f"seconds on {jobs} cores", f"{estimated.seconds:,.0f}")
    add_row(shown, "memory", _megabytes(estimated.memory))
    add_row(shown, "disk beside the input", _megabytes(estimated.disk))
    add_row(shown, "of it the output", _megabytes(estimated.output), last=True)
    add_row(shown, "rows looked at", f"{estimated.sampled:,}")
    add_row(shown, "duplicates among these", f"{estimated.duplicates:.1%}")
    show(shown)


def _megabytes(size: float) -> str:
    return f"{size / MEGABYTE:,.0f} MB"
