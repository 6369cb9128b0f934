"""`nearcopy estimate`: what `nearcopy corpus` would take."""

from pathlib import Path
from typing import Annotated

import typer

from nearcopy.cli.dedupe import IN, column, flag
from nearcopy.cli.settings import (
    JsonOption,
    KeepOption,
    PolicyOption,
    PresetOption,
    ThreadsOption,
    WindowOption,
)
from nearcopy.cli.terminal import reported


@reported
def estimate(
    files: Annotated[list[str], typer.Argument(metavar="IN", help="Files, folders and patterns.")],
    as_json: JsonOption = False,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    keep: KeepOption = None,
    jobs: ThreadsOption = 0,
    html: Annotated[bool, flag("--html", "The texts are HTML.", IN)] = False,
    id_field: Annotated[str | None, column("id", "The id; else guessed, as all these.")] = None,
    text_field: Annotated[str | None, column("text", "The body.")] = None,
) -> None:
    """Tell time, memory and disk of a corpus, from a sample."""
    from nearcopy.cli.corpora import judged_by, show_estimate
    from nearcopy.corpus import estimate as estimated
    from nearcopy.corpus import job_of
    from nearcopy.formats import Columns

    recipe, judged = judged_by(preset, policy, window, keep)
    columns = Columns(id=id_field, text=text_field)
    out = Path("nearcopy-estimate")  # nothing is written there
    job = job_of(files, out, recipe=recipe, policy=judged, columns=columns, html=html, jobs=jobs)
    show_estimate(estimated(job), job, as_json=as_json)
