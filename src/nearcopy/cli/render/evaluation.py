"""An evaluation as tables on a terminal, and as data."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from nearcopy.cli.terminal import add_row, in_a_line, table
from nearcopy.evaluate.bootstrap import Measured
from nearcopy.evaluate.pair_metrics import Line
from nearcopy.evaluate.result_types import Cell, Evaluation, Mistake, Table
from nearcopy.io.serializers.answers import judgement_row

FOUND = "found to be"
LINES = 100  # of a curve, about, in the data
# Of the tables on a terminal.
LEFT_OUT = frozenset(
    {
        *("average_precision", "brier", "calibration_error", "spearman"),
        *("pair_precision", "pair_recall", "pair_f1"),
    }
)


def tables(found: Evaluation) -> Iterator[RenderableType]:
    """The numbers, what they are made of, and the mistakes."""
    counted = ", ".join(
        f"{name.replace('_', ' ')} {count:,}" for name, count in found.counts.items()
    )
    yield Text(f"{found.about}\n{counted}")
    yield _scores(found)
    for each in found.tables:
        yield Text(f"\n{each.title}", "bold")
        yield _table(_narrow(each))
    if found.mistakes:
        yield Text("\nThe worst mistakes", "bold")
        yield _mistakes(found)


def _scores(found: Evaluation) -> RenderableType:
    shown = table("measure", "value", "95 of 100 draws", numbers=["value", "95 of 100 draws"])
    for name, each in found.scores.items():
        add_row(shown, name.replace("_", " "), _number(each.value), _interval(each))
    if found.best is not None:
        line = found.best
        add_row(shown, "best f1", f"{line.f1:.3f}", f"from a score of {line.score:.2f}")
    return shown


def _table(given: Table) -> RenderableType:
    words = [name.replace("_", " ") for name in given.columns]
    right = [word for word in words[1:] if word != FOUND]
    shown = table(*words, numbers=right, least=["auc", "same"])
    for row in given.rows:
        add_row(shown, *map(_cell, row))
    return shown


def _narrow(given: Table) -> Table:
    """The table as it fits a terminal; all of it is in the report and in the data."""
    if given.name == "confusion":
        rows = tuple((*row[:3], _found(given.columns[3:], row[3:])) for row in given.rows)
        return replace(given, columns=(*given.columns[:3], FOUND), rows=rows)
    kept = [place for place, name in enumerate(given.columns) if name not in LEFT_OUT]
    return replace(
        given,
        columns=tuple(given.columns[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in given.rows),
    )


def _found(relations: Sequence[str], counts: Sequence[Cell]) -> str:
    some = zip(relations, counts, strict=True)
    return ", ".join(f"{relation} {count}" for relation, count in some if count)


def _cell(value: Cell) -> str:
    if isinstance(value, Measured):
        return _number(value.value)
    if isinstance(value, float):
        return _number(value)
    return f"{value:,}" if isinstance(value, int) else (value or "")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _interval(each: Measured) -> str:
    return "" if each.low is None or each.high is None else f"{each.low:.3f} to {each.high:.3f}"


def _mistakes(found: Evaluation) -> RenderableType:
    shown = table(
        "mistake", "score", "label", "rule", "articles", numbers=["score"], least=["score", "label"]
    )
    for each in found.mistakes:
        pair, decision = each.outcome.pair, each.outcome.judgement.decision
        both = "\n".join(
            in_a_line(f"{side.id}: {side.title or side.text[:100]}"[:200])
            for side in (pair.a, pair.b)
        )
        why = f"{decision.rule}: {decision.reason}"
        add_row(shown, each.kind, each.outcome.score, pair.label, why, Text(both), last=True)
    return shown


# As data.


def evaluation_row(found: Evaluation) -> dict[str, Any]:
    """One object with everything; of the lines at most so many."""
    return {
        "kind": found.kind,
        "about": found.about,
        "settings": dict(found.settings),
        "counts": dict(found.counts),
        "scores": {name: _data(each) for name, each in found.scores.items()},
        "resampled": found.resampled,
        "best_line": found.best and found.best._asdict(),
        "lines": [line._asdict() for line in _some(found.lines)],
        **{each.name: _rows(each) for each in found.tables},
        "calibration": [each._asdict() for each in found.bins],
        "histogram": [each._asdict() for each in found.histogram],
        "mistakes": [_mistake(each) for each in found.mistakes],
        "unknown_ids": list(found.unknown),
    }


def _some(lines: Sequence[Line]) -> Sequence[Line]:
    return lines[:: max(1, len(lines) // LINES)]


def _rows(given: Table) -> list[dict[str, Any]]:
    names = [name.replace(" ", "_") for name in given.columns]
    return [dict(zip(names, map(_data, row), strict=True)) for row in given.rows]


def _data(value: Cell) -> Any:
    return value._asdict() if isinstance(value, Measured) else value


def _mistake(each: Mistake) -> dict[str, Any]:
    pair = each.outcome.pair
    return {
        "kind": each.kind,
        "line": pair.line or None,
        "label": pair.label,
        "grade": pair.grade,
        "language": pair.language,
        "score": each.outcome.score,
        "titles": [pair.a.title, pair.b.title],
        **judgement_row(pair.a.id, pair.b.id, each.outcome.judgement),
    }
