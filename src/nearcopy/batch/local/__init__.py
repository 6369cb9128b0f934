"""Whole corpora on one machine: every row of many files beside what it is, without a store."""

from collections.abc import Sequence
from os import cpu_count
from pathlib import Path

from nearcopy.batch.local.boilerplate import (
    Boilerplate,
    Repeated,
    line_counts,
    read_lines,
    repeated,
)
from nearcopy.batch.local.estimate import Estimate, estimate
from nearcopy.batch.local.inputs import Input, inputs_of
from nearcopy.batch.local.job import FORMS, LEAST_MEMORY, Form, Job
from nearcopy.batch.local.paths import Paths
from nearcopy.batch.local.pipeline import Progress, Summary, run
from nearcopy.batch.local.publish import Shard, verify
from nearcopy.batch.local.store_snapshot import is_store, store_file, write_store
from nearcopy.config import POLICIES, RECIPES, Policy, Recipe, checked_policy, checked_recipe
from nearcopy.errors import BadCorpus
from nearcopy.io.files.column_names import Columns

__all__ = [
    "Boilerplate",
    "Estimate",
    "Repeated",
    "Shard",
    "Summary",
    "deduplicate",
    "estimate",
    "job_of",
    "line_counts",
    "read_lines",
    "repeated",
    "verify",
]

Names = str | Path | Sequence[str | Path]


def deduplicate(
    inputs: Names,
    output: str | Path,
    *,
    recipe: Recipe | None = None,
    policy: Policy | None = None,
    form: Form = "annotations",
    against: Names = (),
    columns: Columns | None = None,
    html: bool = False,
    memory: int = 4 << 30,
    jobs: int = 1,
    work: str | Path | None = None,
    rejected: str | Path | None = None,
    without: str | Path | None = None,
    sample: float | None = None,
    progress: Progress = lambda *_: None,
) -> Summary:
    """Writes the files again with what each row is, or without the copies; what became of all.

    Recipe and policy are those of the preset "copies" unless given. Where the work was stopped it
    goes on when it is asked for again. With several `jobs`, call this from a module that can be
    imported: `if __name__ == "__main__":`.
    """
    job = job_of(
        inputs,
        output,
        recipe=recipe,
        policy=policy,
        form=form,
        against=against,
        columns=columns,
        html=html,
        memory=memory,
        jobs=jobs,
        work=work,
        rejected=rejected,
        without=without,
        sample=sample,
    )
    return run(job, progress)


def job_of(
    inputs: Names,
    output: str | Path,
    *,
    recipe: Recipe | None = None,
    policy: Policy | None = None,
    form: Form = "annotations",
    against: Names = (),
    columns: Columns | None = None,
    html: bool = False,
    memory: int = 4 << 30,
    jobs: int = 1,
    work: str | Path | None = None,
    rejected: str | Path | None = None,
    without: str | Path | None = None,
    sample: float | None = None,
) -> Job:
    """What is asked for, once it is known that it can be done."""
    if form not in FORMS:
        raise BadCorpus(f"form is {form!r}: choose one of {', '.join(FORMS)}")
    if memory < LEAST_MEMORY:
        raise BadCorpus(f"memory is {memory:,} bytes: give {LEAST_MEMORY >> 20} MB at least")
    if sample is not None and not 0 < sample <= 1:
        raise BadCorpus(f"sample is {sample!r}: give a share of the rows above 0, at most 1")
    out = Path(output)
    beside = Path(work) if work is not None else out.parent / f".{out.name}.nearcopy"
    places = Paths(out, Path(rejected) if rejected is not None else None, beside)
    places.check()
    places.protect([without] if without is not None else [])
    return Job(
        inputs=tuple(_inputs(inputs, against, places)),
        output=out,
        work=beside,
        recipe=checked_recipe(recipe) or RECIPES["copies"],
        policy=checked_policy(policy) if policy is not None else POLICIES["copies"],
        columns=columns or Columns(),
        html=html,
        form=form,
        memory=memory,
        jobs=jobs or cpu_count() or 1,
        rejected=places.rejected,
        without=Path(without) if without is not None else None,
        sample=sample,
    )


def _listed(names: Names) -> list[str]:
    return [str(names)] if isinstance(names, str | Path) else [str(name) for name in names]


def _inputs(inputs: Names, against: Names, places: Paths) -> list[Input]:
    """The files to compare with, and then those to go through; none of them is written over."""
    own = inputs_of(_listed(inputs))
    places.protect((source.path for source in own), places.output)
    against_names = _listed(against)
    places.protect(file for name in against_names if (file := store_file(name)) is not None)
    names = [
        str(write_store(name, places.work)) if is_store(name) else name for name in against_names
    ]
    reference = inputs_of(names, against=True) if names else []
    snapshots = set(names) - set(against_names)
    places.protect(
        (source.path for source in reference if source.path not in snapshots), places.output
    )
    return reference + own
