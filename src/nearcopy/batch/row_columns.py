"""Rows beside their verdicts, as they are written."""

from typing import Any

from nearcopy.io.files import Row
from nearcopy.io.serializers.answers import verdict_row
from nearcopy.models.model import Verdict

VERDICT_COLUMNS = (
    "relation",
    "is_duplicate",
    "duplicate_of",
    "story_id",
    "confidence",
    "rule",
    "reasons",
    "news",
    "copy",
    "match",
)
Values = dict[str, Any]


class Copies:
    """What is removed, by what is kept in its place."""

    def __init__(self) -> None:
        self._of: dict[str, list[tuple[float, str, Values]]] = {}

    def add(self, row: Row, verdict: Verdict) -> None:
        """Remembers a copy."""
        if verdict.is_duplicate and verdict.duplicate_of is not None:
            copy = (verdict.confidence, row.article.id, row.values)
            self._of.setdefault(verdict.duplicate_of, []).append(copy)

    def of(self, kept: str) -> list[tuple[str, Values]]:
        """The ids and values of the copies of an article, the surest first."""
        copies = sorted(self._of.get(kept, ()), key=lambda copy: -copy[0])
        return [(name, values) for _, name, values in copies]


def columns(row: Row) -> list[str]:
    """The names of the row's own values that are written."""
    names = [name for name in row.values if name not in VERDICT_COLUMNS]
    return names if row.id_column is not None else ["id", *names]


def annotate_row(row: Row, verdict: Verdict, copies: Copies | None = None) -> Values:
    """The row's own values, and ours after them; it always has its id."""
    values = {name: value for name, value in row.values.items() if name not in VERDICT_COLUMNS}
    if row.id_column is None:
        values = {"id": row.article.id, **values}
    elif str(values.get(row.id_column)) != row.article.id:
        values[row.id_column] = row.article.id
    removed = copies.of(row.article.id) if copies else []
    merged = _fill_empty(values, [other for _, other in removed])
    answer = verdict_row(verdict)
    verdict_values = {name: answer[name] for name in VERDICT_COLUMNS}
    return {
        **merged,
        **verdict_values,
        **({"copies": [name for name, _ in removed]} if removed else {}),
    }


def _fill_empty(values: Values, copies: list[Values]) -> Values:
    """The values, what is empty in them taken from the first copy that has it."""
    filled = dict(values)
    for copy in copies:
        for name, value in copy.items():
            if name not in VERDICT_COLUMNS and _empty(filled.get(name)) and not _empty(value):
                filled[name] = value
    return filled


def _empty(value: Any) -> bool:
    return value is None or value == "" or value != value
