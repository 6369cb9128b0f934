"""`nearcopy eval`: accuracy on labelled pairs, clusters or near-duplicate pairs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from nearcopy.cli.inputs import (
    open_inputs,
    parse_article,
    read_clusters,
    read_rows,
    read_table,
    refuse_overwrite,
    split_values,
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
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import Phases, note, one_line, show, write_json_lines
from nearcopy.config import Policy, Recipe
from nearcopy.errors import NearcopyError
from nearcopy.io.files.atomic_write import write_atomic
from nearcopy.models import Article

if TYPE_CHECKING:
    from nearcopy.evaluate.labels import LabelOptions
    from nearcopy.evaluate.metrics import Estimate
    from nearcopy.evaluate.outcomes import Cell, Evaluation, Table

PREDICTED = "predicted"
INTERVAL = "95% interval"
# Columns that only the report and the JSON form have.
REPORT_COLUMNS = frozenset(
    {
        *("average_precision", "brier", "calibration_error", "spearman"),
        *("pair_precision", "pair_recall", "pair_f1"),
    }
)
MAX_LISTED = 20  # unknown ids in a message


class Target(StrEnum):
    """What is evaluated."""

    DUPLICATE = "duplicate"
    EVENT = "event"
    COPY = "copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthOptions:
    """The labels, and how to read them."""

    pairs: str | None = option("FILE", "Pairs, each with a label or a grade.", LABELS)
    clusters: str | None = option("FILE", "Columns id, cluster.", LABELS)
    near_pairs: str | None = option("FILE", "All overlapping pairs: columns a, b, jaccard.", LABELS)
    label: LabelOption = None
    positive: PositiveOption = None
    ignore: str | None = option("VALUE,...", "Labels to leave out; by default unsure etc.", LABELS)
    grade: str | None = option("COLUMN", "Column of grades; guessed by default.", LABELS)
    higher_is_less: bool | None = option(
        None,
        "Whether higher grades mean less similar; guessed by default.",
        LABELS,
        names=("--higher-is-less/--higher-is-more",),
    )
    target: Target | None = option(None, "What is evaluated; guessed by default.", LABELS)

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
            positive=split_values(self.positive),
            ignore=split_values(self.ignore),
            grade=self.grade,
            higher_is_less=self.higher_is_less,
            target=None if self.target is None else TARGETS[list(Target).index(self.target)],
        )


def eval_(
    truth: TruthOptions,
    decisions: PresetOptions,
    articles: ArticlesOption = None,
    rejected: RejectedOption = None,
    mistakes: int = option(
        "N", "Mistakes to list, of each kind.", OUT, default=10, min=0, max=1000
    ),
    html: Path | None = option("FILE", "Write an HTML report.", OUT),
    as_json: bool = flag("Write one JSON object instead of tables.", name="--json"),
) -> None:
    """Measure accuracy on labelled articles; list mistakes.

    Without --window articles are compared however far apart in time.
    """
    from nearcopy.io.serializers import evaluation_row

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
    policy: Policy
    mistakes: int

    def run(self) -> "Evaluation":
        """Evaluate against the one file of labels."""
        if len(self.truth.files) != 1:
            raise NearcopyError("give one of --pairs FILE, --clusters FILE and --near-pairs FILE")
        if self.truth.pairs is None and not self.files:
            raise NearcopyError("which articles? Give --articles FILE")

        (file,) = self.truth.files
        with Phases() as phases:
            if self.truth.pairs is not None:
                return self._evaluate_pairs(file, phases)
            if self.truth.clusters is not None:
                return self._evaluate_clusters(file, phases)
            return self._evaluate_near_pairs(file, phases)

    def _evaluate_pairs(self, file: str, phases: Phases) -> "Evaluation":
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

    def _evaluate_clusters(self, file: str, phases: Phases) -> "Evaluation":
        from nearcopy.evaluate.clusters import evaluate_clusters

        clusters = read_clusters(file, self.truth.label)
        articles = self._read_articles(phases)
        evaluation = evaluate_clusters(
            articles, clusters, self.recipe, self.policy, mistakes=self.mistakes
        )
        if not evaluation.counts["articles"]:
            _raise_empty(file, evaluation.unknown)
        return evaluation

    def _evaluate_near_pairs(self, file: str, phases: Phases) -> "Evaluation":
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

    def _read_articles(self, phases: Phases) -> Iterator[Article]:
        with open_inputs(self.files, self.rejected) as sources:
            articles = (row.article for row in read_rows(sources))
            yield from phases.track(articles, "articles")


def _raise_empty(file: str, unknown: Iterable[str]) -> Any:
    ids = ", ".join(list(unknown)[:MAX_LISTED])
    reason = f": no article has the ids {ids}" if ids else ""
    raise NearcopyError(f"{file} has no labelled articles to measure{reason}")


# The evaluation as tables.


def render_evaluation(evaluation: "Evaluation") -> Iterator[RenderableType]:
    """The scores, the tables behind them, and the mistakes."""
    counts = (f"{name.replace('_', ' ')} {n:,}" for name, n in evaluation.counts.items())
    yield Text(f"{evaluation.about}\n{', '.join(counts)}")
    yield _score_table(evaluation)
    for table in evaluation.tables:
        yield Text(f"\n{table.title}", "bold")
        yield _render_table(_narrow(table))
    if evaluation.mistakes:
        yield Text("\nThe worst mistakes", "bold")
        yield _mistake_table(evaluation)


def _score_table(evaluation: "Evaluation") -> RenderableType:
    table = make_table("measure", "value", INTERVAL, numbers=["value", INTERVAL])
    for name, score in evaluation.scores.items():
        add_row(table, name.replace("_", " "), _format_number(score.value), _format_interval(score))
    if evaluation.best is not None:
        best = evaluation.best
        add_row(table, "best f1", f"{best.f1:.3f}", f"at a score of {best.score:.2f}")
    return table


def _render_table(table: "Table") -> RenderableType:
    headers = [name.replace("_", " ") for name in table.columns]
    numbers = [header for header in headers[1:] if header != PREDICTED]
    rendered = make_table(*headers, numbers=numbers, optional=["auc", "same"])
    for row in table.rows:
        add_row(rendered, *map(_format_cell, row))
    return rendered


def _narrow(table: "Table") -> "Table":
    """The table with the columns that fit a terminal; the report and the JSON form have all."""
    if table.name == "confusion":
        rows = tuple((*row[:3], _join_counts(table.columns[3:], row[3:])) for row in table.rows)
        return replace(table, columns=(*table.columns[:3], PREDICTED), rows=rows)
    indexes = [i for i, name in enumerate(table.columns) if name not in REPORT_COLUMNS]
    return replace(
        table,
        columns=tuple(table.columns[i] for i in indexes),
        rows=tuple(tuple(row[i] for i in indexes) for row in table.rows),
    )


def _join_counts(relations: Sequence[str], counts: Sequence["Cell"]) -> str:
    cells = zip(relations, counts, strict=True)
    return ", ".join(f"{relation} {count}" for relation, count in cells if count)


def _format_cell(value: "Cell") -> str:
    from nearcopy.evaluate.metrics import Estimate

    if isinstance(value, Estimate):
        return _format_number(value.value)
    if isinstance(value, float):
        return _format_number(value)
    return f"{value:,}" if isinstance(value, int) else (value or "")


def _format_number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _format_interval(score: "Estimate") -> str:
    if score.low is None or score.high is None:
        return ""
    return f"{score.low:.3f} to {score.high:.3f}"


def _mistake_table(evaluation: "Evaluation") -> RenderableType:
    columns = ("mistake", "score", "label", "rule", "articles")
    table = make_table(*columns, numbers=["score"], optional=["score", "label"])
    for mistake in evaluation.mistakes:
        pair, decision = mistake.outcome.pair, mistake.outcome.judgement.decision
        articles = "\n".join(
            one_line(f"{article.id}: {article.title or article.text[:100]}"[:200])
            for article in (pair.a, pair.b)
        )
        rule = f"{decision.rule}: {decision.reason}"
        score = mistake.outcome.score
        add_row(table, mistake.kind, score, pair.label, rule, Text(articles), last=True)
    return table
