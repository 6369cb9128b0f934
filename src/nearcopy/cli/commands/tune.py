"""`nearcopy tune`: a policy fitted to labels, validated on held-out pairs."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from nearcopy.cli.inputs import (
    open_inputs,
    parse_article,
    read_rows,
    read_table,
    refuse_overwrite,
    split_values,
)
from nearcopy.cli.open_store import require_store
from nearcopy.cli.options import (
    ArticlesOption,
    JsonOption,
    LabelOption,
    PolicyOption,
    PositiveOption,
    PresetOption,
    StoreOptions,
    flag,
    option,
)
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import ANSWER_NO, note, show, write_json_lines
from nearcopy.config import Policy, Recipe, policy_toml
from nearcopy.config.policy_file import preset_of
from nearcopy.errors import BadFeedback
from nearcopy.io.files.atomic_write import write_atomic
from nearcopy.io.policy_choice import settings

if TYPE_CHECKING:
    from nearcopy.deduper.review_queue import Example
    from nearcopy.evaluate.tune import Tuning

FEEDBACK = "feedback"
MEASURES = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1 of duplicates",
    "story_f1": "F1 of being one story",
    "calibration_error": "calibration error (ECE)",
    "confidence_error": "calibration error of duplicates",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleOptions:
    """Where the labelled pairs are: in the feedback of a store, or in a file."""

    from_: str = option(
        "feedback|FILE", "Feedback of the store, or labelled pairs.", default=FEEDBACK
    )
    articles: ArticlesOption = None
    label: LabelOption = None
    positive: PositiveOption = None

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are read."""
        return () if self.from_ == FEEDBACK else (self.from_, *(self.articles or ()))

    def load(self, store: StoreOptions, recipe: Recipe, policy: Policy) -> "list[Example]":
        """The labelled pairs, with their evidence."""
        if self.from_ != FEEDBACK:
            return self._load_file(recipe, policy)
        from nearcopy.deduper.deduper import Deduper

        require_store(store.address, store.pool)
        with Deduper(store.address, None, policy, pool=store.pool) as deduper:
            return deduper.examples()

    def _load_file(self, recipe: Recipe, policy: Policy) -> "list[Example]":
        from nearcopy.evaluate.labels import LabelOptions, find_scheme, read_labels
        from nearcopy.evaluate.tune import measure_labels

        articles = None
        if self.articles:
            with open_inputs(self.articles) as sources:
                articles = {row.article.id: row.article for row in read_rows(sources)}
        rows = read_table(self.from_)
        positive = split_values(self.positive)
        options = LabelOptions(label=self.label, positive=positive, target="duplicate")
        labels = read_labels(rows, find_scheme(options, rows, policy), articles, parse_article)
        if labels.unknown:
            missing = f"{len(labels.unknown):,} articles are missing"
            note(f"left out {labels.unpaired:,} pairs: {missing}")
        if not labels.pairs:
            raise BadFeedback(
                f"{self.from_} has no pair with both articles: give their file with --articles"
            )
        return list(measure_labels(labels.pairs, recipe, policy))


def tune(
    examples: ExampleOptions,
    store: StoreOptions,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    folds: int = option("K", "Folds of the cross-validation.", default=5, min=2, max=50),
    output: Path | None = option("FILE.toml", "Policy file to write.", names=("-o", "--output")),
    force: bool = flag("Write it even without a gain on held-out pairs.", None),
    as_json: JsonOption = False,
) -> None:
    """Fit a policy and its confidence to labels or feedback."""
    from nearcopy.evaluate.tune import tune as tune_policy
    from nearcopy.io.serializers import tuning_row

    refuse_overwrite([*examples.files, policy], output)
    recipe, start = settings(preset, policy)
    tuning = tune_policy(examples.load(store, recipe or Recipe(), start), start, folds=folds)
    write_json_lines([tuning_row(tuning)]) if as_json else show(*_tables(tuning))
    written = (tuning.worth_it or force) and output is not None
    if output is not None and written:
        base = preset or (preset_of(policy.read_text("utf-8-sig")) if policy else None)
        write_atomic(output, policy_toml(tuning.policy, base or "default"))
        note(f"wrote {output}: use it with --policy {output}")
    if not tuning.worth_it:
        note("no gain on held-out pairs: keep the policy as it is")
        raise typer.Exit(0 if written else ANSWER_NO)
    if output is None:
        note("write it with --output policy.toml")


def _tables(tuning: "Tuning") -> Iterable[Table]:
    title = f"{tuning.examples} pairs, {tuning.duplicates} duplicates, {tuning.folds} folds"
    numbers = ["before", "after"]
    scores = make_table("held-out pairs", *numbers, title=title, numbers=numbers)
    for name, meaning in MEASURES.items():
        before, after = getattr(tuning.before, name), getattr(tuning.after, name)
        add_row(scores, meaning, _format_score(before), _format_score(after))
    yield scores
    if tuning.shifts:
        thresholds = make_table("threshold", *numbers, numbers=numbers)
        for shift in tuning.shifts:
            add_row(thresholds, *shift)
        yield thresholds
    if tuning.calibrated:
        calibration = make_table("confidence", "calibrated", numbers=["calibrated"])
        for point in tuning.policy.calibration:
            add_row(calibration, *point)
        yield calibration


def _format_score(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
