"""JSON form of evaluation results, apart so that other answers do not import `evaluate`."""

from collections.abc import Sequence
from typing import Any

from nearcopy.evaluate.metrics import Estimate, OperatingPoint
from nearcopy.evaluate.outcomes import Cell, Evaluation, Mistake, Table
from nearcopy.evaluate.tune import Tuning
from nearcopy.io.serializers.verdict import Answer, judgement_row

CURVE_POINTS = 100  # of a curve, about


def tuning_row(tuning: Tuning) -> Answer:
    """What tuning would change, and what that gains on held-out pairs."""
    return {
        "pairs": tuning.examples,
        "duplicates": tuning.duplicates,
        "folds": tuning.folds,
        "before": tuning.before._asdict(),
        "after": tuning.after._asdict(),
        "gain": round(tuning.gain, 6),
        "worth_it": tuning.worth_it,
        "shifts": [shift._asdict() for shift in tuning.shifts],
        "calibrated": tuning.calibrated,
        "calibration": [list(point) for point in tuning.policy.calibration],
    }


def evaluation_row(evaluation: Evaluation) -> Answer:
    """The whole evaluation; curves are thinned out to about CURVE_POINTS points."""
    return {
        "kind": evaluation.kind,
        "about": evaluation.about,
        "settings": dict(evaluation.settings),
        "counts": dict(evaluation.counts),
        "scores": {name: _value(score) for name, score in evaluation.scores.items()},
        "resampled": evaluation.resampled,
        "best_threshold": evaluation.best and evaluation.best._asdict(),
        "lines": [point._asdict() for point in _thin_out(evaluation.lines)],
        **{table.name: _table_rows(table) for table in evaluation.tables},
        "calibration": [bin_._asdict() for bin_ in evaluation.bins],
        "histogram": [bar._asdict() for bar in evaluation.histogram],
        "mistakes": [_mistake_row(mistake) for mistake in evaluation.mistakes],
        "unknown_ids": list(evaluation.unknown),
    }


def _thin_out(points: Sequence[OperatingPoint]) -> Sequence[OperatingPoint]:
    return points[:: max(1, len(points) // CURVE_POINTS)]


def _table_rows(table: Table) -> list[Answer]:
    names = [name.replace(" ", "_") for name in table.columns]
    return [dict(zip(names, map(_value, row), strict=True)) for row in table.rows]


def _value(cell: Cell) -> Any:
    return cell._asdict() if isinstance(cell, Estimate) else cell


def _mistake_row(mistake: Mistake) -> Answer:
    pair = mistake.outcome.pair
    return {
        "kind": mistake.kind,
        "line": pair.line or None,
        "label": pair.label,
        "grade": pair.grade,
        "language": pair.language,
        "score": mistake.outcome.score,
        "titles": [pair.a.title, pair.b.title],
        **judgement_row(pair.a.id, pair.b.id, mistake.outcome.judgement),
    }
