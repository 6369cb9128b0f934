"""An evaluation as tables on a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import RenderableType
from rich.text import Text

from nearcopy.cli.render.tables import add_row, make_table
from nearcopy.cli.terminal import one_line
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


def render_evaluation(evaluation: Evaluation) -> Iterator[RenderableType]:
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


def _score_table(evaluation: Evaluation) -> RenderableType:
    table = make_table("measure", "value", INTERVAL, numbers=["value", INTERVAL])
    for name, score in evaluation.scores.items():
        add_row(table, name.replace("_", " "), _format_number(score.value), _format_interval(score))
    if evaluation.best is not None:
        best = evaluation.best
        add_row(table, "best f1", f"{best.f1:.3f}", f"at a score of {best.score:.2f}")
    return table


def _render_table(table: Table) -> RenderableType:
    headers = [name.replace("_", " ") for name in table.columns]
    numbers = [header for header in headers[1:] if header != PREDICTED]
    rendered = make_table(*headers, numbers=numbers, optional=["auc", "same"])
    for row in table.rows:
        add_row(rendered, *map(_format_cell, row))
    return rendered


def _narrow(table: Table) -> Table:
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


def _join_counts(relations: Sequence[str], counts: Sequence[Cell]) -> str:
    cells = zip(relations, counts, strict=True)
    return ", ".join(f"{relation} {count}" for relation, count in cells if count)


def _format_cell(value: Cell) -> str:
    if isinstance(value, Estimate):
        return _format_number(value.value)
    if isinstance(value, float):
        return _format_number(value)
    return f"{value:,}" if isinstance(value, int) else (value or "")


def _format_number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _format_interval(score: Estimate) -> str:
    if score.low is None or score.high is None:
        return ""
    return f"{score.low:.3f} to {score.high:.3f}"


def _mistake_table(evaluation: Evaluation) -> RenderableType:
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
