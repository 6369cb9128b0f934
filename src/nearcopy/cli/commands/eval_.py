"""`nearcopy eval`: accuracy on labelled pairs, clusters or near-duplicate pairs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearcopy.cli.inputs import (
    open_inputs,
    parse_article,
    read_clusters,
    read_rows,
    read_table,
    refuse_overwrite,
)
from nearcopy.cli.options import (
    LABELS,
    OUT,
    ArticlesOption,
    LabelOption,
    PositiveOption,
    PresetOptions,
    RejectedOption,
    flag,
    option,
)
from nearcopy.cli.terminal import note, report_errors, show, write_json_lines
from nearcopy.errors import NearcopyError
from nearcopy.io.files.atomic_write import write_atomic

if TYPE_CHECKING:
    from nearcopy.cli.terminal import Phases
    from nearcopy.config import Policy, Recipe
    from nearcopy.evaluate.labels import LabelOptions
    from nearcopy.evaluate.outcomes import Evaluation
    from nearcopy.models import Article

MAX_LISTED = 20  # unknown ids in a message


class Target(StrEnum):
    """What is evaluated."""

    DUPLICATE = "duplicate"
    EVENT = "event"
    COPY = "copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthOptions:
    """The labels, and how to read them."""

    pairs: Annotated[
        str | None, option("--pairs", "FILE", "Pairs, each with a label or a grade.", LABELS)
    ] = None
    clusters: Annotated[
        str | None, option("--clusters", "FILE", "Columns id, cluster.", LABELS)
    ] = None
    near_pairs: Annotated[
        str | None,
        option("--near-pairs", "FILE", "All overlapping pairs: columns a, b, jaccard.", LABELS),
    ] = None
    label: LabelOption = None
    positive: PositiveOption = None
    ignore: Annotated[
        str | None,
        option("--ignore", "VALUE,...", "Labels to leave out; by default unsure etc.", LABELS),
    ] = None
    grade: Annotated[
        str | None, option("--grade", "COLUMN", "Column of grades; guessed by default.", LABELS)
    ] = None
    higher_is_less: Annotated[
        bool | None,
        typer.Option(
            "--higher-is-less/--higher-is-more",
            rich_help_panel=LABELS,
            help="Whether higher grades mean less similar; guessed by default.",
        ),
    ] = None
    target: Annotated[
        Target | None,
        typer.Option(
            "--target", rich_help_panel=LABELS, help="What is evaluated; guessed by default."
        ),
    ] = None

    @property
    def files(self) -> list[str]:
        """The files of labels."""
        files = (self.pairs, self.clusters, self.near_pairs)
        return [file for file in files if file is not None]

    @property
    def label_options(self) -> "LabelOptions":
        """How to read the labels."""
        from nearcopy.evaluate.labels import TARGETS, LabelOptions

        return LabelOptions(
            label=self.label,
            positive=_split_values(self.positive),
            ignore=_split_values(self.ignore),
            grade=self.grade,
            higher_is_less=self.higher_is_less,
            target=None if self.target is None else TARGETS[list(Target).index(self.target)],
        )


@report_errors
def eval_(
    truth: TruthOptions,
    decisions: PresetOptions,
    articles: ArticlesOption = None,
    rejected: RejectedOption = None,
    mistakes: Annotated[
        int,
        typer.Option(
            "--mistakes",
            metavar="N",
            min=0,
            max=1000,
            rich_help_panel=OUT,
            help="Mistakes to list, of each kind.",
        ),
    ] = 10,
    html: Annotated[Path | None, option("--html", "FILE", "Write an HTML report.", OUT)] = None,
    as_json: Annotated[bool, flag("--json", "Write one JSON object instead of tables.")] = False,
) -> None:
    """Measure accuracy on labelled articles; list mistakes.

    Without --window articles are compared however far apart in time.
    """
    from nearcopy.cli.render.evaluation import render_evaluation
    from nearcopy.io.serializers.evaluation import evaluation_row

    refuse_overwrite([*(articles or ()), *truth.files, decisions.policy], html, rejected)
    if html is not None and not html.parent.is_dir():
        raise NearcopyError(f"--html {html}: there is no folder {html.parent}: create it first")
    window = decisions.window or "all"
    recipe, policy = replace(decisions, window=window).load()
    evaluator = _Evaluator(articles or [], rejected, truth, recipe, policy, mistakes)
    evaluation = replace(
        evaluator.run(), settings=_describe_settings(decisions) | {"window": window}
    )
    _warn_of_unknown_ids(evaluation)
    if html is not None:
        from nearcopy.evaluate.html_report import page

        write_atomic(html, page(evaluation))
        note(f"wrote {html}")
    if as_json:
        write_json_lines([evaluation_row(evaluation)])
    else:
        show(*render_evaluation(evaluation))


def _split_values(values: str | None) -> tuple[str, ...]:
    return tuple(value.strip() for value in (values or "").split(",") if value.strip())


def _describe_settings(decisions: PresetOptions) -> dict[str, str]:
    preset = decisions.preset or (None if decisions.policy else "default")
    named = {"preset": preset, "policy": decisions.policy and str(decisions.policy)}
    return {name: value for name, value in named.items() if value}


def _warn_of_unknown_ids(evaluation: "Evaluation") -> None:
    """List the labelled ids that are missing from the articles."""
    unknown = evaluation.unknown
    if unknown:
        more = len(unknown) - MAX_LISTED
        listed = ", ".join(unknown[:MAX_LISTED]) + (f" and {more:,} more" if more > 0 else "")
        left_out = evaluation.counts["with_unknown_ids"]
        note(f"left out {left_out:,}: {len(unknown):,} articles are missing: {listed}")


@dataclass(frozen=True, slots=True)
class _Evaluator:
    """The articles and labels to evaluate, and the settings."""

    files: list[str]
    rejected: Path | None
    truth: TruthOptions
    recipe: "Recipe | None"
    policy: "Policy"
    mistakes: int

    def run(self) -> "Evaluation":
        """Evaluate against the one file of labels."""
        if len(self.truth.files) != 1:
            raise NearcopyError("give one of --pairs FILE, --clusters FILE and --near-pairs FILE")
        if self.truth.pairs is None and not self.files:
            raise NearcopyError("which articles? Give --articles FILE")
        from nearcopy.cli.terminal import Phases

        (file,) = self.truth.files
        with Phases() as phases:
            if self.truth.pairs is not None:
                return self._evaluate_pairs(file, phases)
            if self.truth.clusters is not None:
                return self._evaluate_clusters(file, phases)
            return self._evaluate_near_pairs(file, phases)

    def _evaluate_pairs(self, file: str, phases: "Phases") -> "Evaluation":
        from nearcopy.config import Recipe
        from nearcopy.evaluate.labels import find_scheme, read_labels
        from nearcopy.evaluate.pairs import evaluate_pairs

        rows = read_table(file)
        label_scheme = find_scheme(self.truth.label_options, rows, self.policy)
        read = self._read_articles(phases) if self.files else ()
        articles = {article.id: article for article in read} if self.files else None
        labels = read_labels(rows, label_scheme, articles, parse_article)
        if not labels.pairs:
            _raise_empty(file, labels.unknown)
        return evaluate_pairs(
            labels,
            label_scheme,
            self.recipe or Recipe(),
            self.policy,
            mistakes=self.mistakes,
            progress=lambda pairs: phases.track(pairs, "judging", total=len(labels.pairs)),
        )

    def _evaluate_clusters(self, file: str, phases: "Phases") -> "Evaluation":
        from nearcopy.evaluate.clusters import evaluate_clusters

        clusters = read_clusters(file, self.truth.label)
        articles = self._read_articles(phases)
        evaluation = evaluate_clusters(
            articles, clusters, self.recipe, self.policy, mistakes=self.mistakes
        )
        if not evaluation.counts["articles"]:
            _raise_empty(file, evaluation.unknown)
        return evaluation

    def _evaluate_near_pairs(self, file: str, phases: "Phases") -> "Evaluation":
        from nearcopy.evaluate.near_duplicates import evaluate_near_pairs, read_listed_pairs

        pairs, bound = read_listed_pairs(read_table(file), self.truth.label_options, self.policy)
        evaluation = evaluate_near_pairs(
            self._read_articles(phases),
            pairs,
            self.recipe,
            self.policy,
            bound=bound,
            mistakes=self.mistakes,
        )
        if len(pairs) <= evaluation.counts["with_unknown_ids"]:
            _raise_empty(file, evaluation.unknown)
        return evaluation

    def _read_articles(self, phases: "Phases") -> Iterator["Article"]:
        with open_inputs(self.files, self.rejected) as sources:
            articles = (row.article for row in read_rows(sources))
            yield from phases.track(articles, "articles")


def _raise_empty(file: str, unknown: Iterable[str]) -> Any:
    ids = ", ".join(list(unknown)[:MAX_LISTED])
    reason = f": no article has the ids {ids}" if ids else ""
    raise NearcopyError(f"{file} has no labelled articles to measure{reason}")
