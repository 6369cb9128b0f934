"""`nearcopy tune`: a policy fitted to labels, tried on held-out pairs, and written."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nearcopy.cli.ground_truth import table as rows_of
from nearcopy.cli.inputs import article_of, readable, rows
from nearcopy.cli.options import (
    JsonOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    StoreOption,
    store_address,
)
from nearcopy.cli.overwrite_guard import spare
from nearcopy.cli.terminal import ANSWER_NO, add_row, noted, reported, show, table, write_lines
from nearcopy.config import Policy, Recipe, policy_toml
from nearcopy.config.policy_file import preset_of
from nearcopy.errors import BadFeedback
from nearcopy.io.files.atomic_write import write_atomic
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.deduper.feedback.labelled_examples import Example
    from nearcopy.evaluate.tune import Scores, Tuning

FEEDBACK = "feedback"

From = Annotated[
    str,
    typer.Option("--from", metavar="feedback|FILE", help="What people said, or labelled pairs."),
]
ArticlesOption = Annotated[
    list[str] | None,
    typer.Option("--articles", metavar="FILE", help="The articles that pairs name by id."),
]
Label = Annotated[
    str | None,
    typer.Option("--label", metavar="COLUMN", help="The column of labels; else guessed."),
]
Positive = Annotated[
    str | None,
    typer.Option("--positive", metavar="VALUE,...", help="Labels that mean a duplicate."),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE.toml", help="Where to write the policy."),
]
Folds = Annotated[
    int,
    typer.Option("--folds", metavar="K", min=2, max=50, help="Parts that are held out in turn."),
]
Force = Annotated[
    bool, typer.Option("--force", help="Write it though held-out pairs gain nothing.")
]


@reported
def tune(
    from_: From = FEEDBACK,
    articles: ArticlesOption = None,
    label: Label = None,
    positive: Positive = None,
    store: StoreOption = None,
    pool: PoolOption = None,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    folds: Folds = 5,
    output: Output = None,
    force: Force = False,
    as_json: JsonOption = False,
) -> None:
    """Fit a policy and its confidence to what people say."""
    from nearcopy.evaluate.tune import tune as tuned
    from nearcopy.io.serializers.answers import tuning_row

    read = () if from_ == FEEDBACK else (from_, *(articles or ()))
    spare([*read, policy], output)
    recipe, judging = settings(preset, policy)
    if from_ == FEEDBACK:
        examples = _told(store_address(store), pool, judging)
    else:
        named = tuple(each.strip() for each in (positive or "").split(",") if each.strip())
        examples = _labelled(from_, articles or [], (label, named), recipe or Recipe(), judging)
    found = tuned(examples, judging, folds=folds)
    write_lines([tuning_row(found)]) if as_json else show(*_tables(found))
    written = (found.worth_it or force) and output is not None
    if output is not None and written:
        base = preset or (preset_of(policy.read_text("utf-8-sig")) if policy else None)
        write_atomic(output, policy_toml(found.policy, base or "default"))
        noted(f"wrote {output}: use it with --policy {output}")
    if not found.worth_it:
        noted("no gain on held-out pairs: the policy is best left as it is")
        raise typer.Exit(0 if written else ANSWER_NO)
    if output is None:
        noted("write it with --output policy.toml")


def _told(address: str, pool: str | None, policy: Policy) -> "list[Example]":
    from nearcopy.cli.open_store import reading

    with reading(address, None, policy, pool=pool) as deduper:
        return deduper.examples()


def _labelled(
    file: str,
    files: list[str],
    asked: tuple[str | None, tuple[str, ...]],
    recipe: Recipe,
    policy: Policy,
) -> "list[Example]":
    from nearcopy.evaluate import Asked, labelled, scheme
    from nearcopy.evaluate.tune import labelled_examples

    known = None
    if files:
        with readable(files, None) as sources:
            known = {row.article.id: row.article for row in rows(sources)}
    given = rows_of(file)
    by = scheme(Asked(label=asked[0], positive=asked[1], target="duplicate"), given, policy)
    labels = labelled(given, by, known, article_of)
    if labels.unknown:
        noted(f"left out {labels.unpaired:,} pairs for want of {len(labels.unknown):,} articles")
    if not labels.pairs:
        raise BadFeedback(f"{file} holds no pair of known articles to learn from")
    return list(labelled_examples(labels.pairs, recipe, policy))


MEASURES = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1 of duplicates",
    "story_f1": "F1 of being one story",
    "calibration_error": "calibration error (ECE)",
    "confidence_error": "the same of duplicates",
}


def _tables(found: "Tuning") -> Sequence[Table]:
    pairs = f"{found.examples} pairs, {found.duplicates} duplicates, {found.folds} folds"
    shown = table("held-out pairs", "before", "after", title=pairs, numbers=["before", "after"])
    for name, meaning in MEASURES.items():
        add_row(shown, meaning, *(_number(getattr(each, name)) for each in _both(found)))
    moved = table("threshold", "before", "after", numbers=["before", "after"])
    for each in found.shifts:
        add_row(moved, *each)
    sure = table("confidence as given", "as found right", numbers=["as found right"])
    for point in found.policy.calibration if found.calibrated else ():
        add_row(sure, *point)
    return [shown, *([moved] if found.shifts else []), *([sure] if found.calibrated else [])]


def _both(found: "Tuning") -> "tuple[Scores, Scores]":
    return found.before, found.after


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
