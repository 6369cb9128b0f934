"""Rows beside their verdicts, as they are written."""

from typing import Any

from nearcopy.formats import Row
from nearcopy.formats.answers import verdict_row
from nearcopy.model import Verdict

OURS = (
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
        found = sorted(self._of.get(kept, ()), key=lambda copy: -copy[0])
        return [(name, values) for _, name, values in found]


def columns(row: Row) -> list[str]:
    """The names of the row's own values that are written."""
    names = [name for name in row.values if name not in OURS]
    return names if row.id_column is not None else ["id", *names]


def marked(row: Row, verdict: Verdict, copies: Copies | None = None) -> Values:
    """The row's own values, and ours after them; it always has its id."""
    values = {name: value for name, value in row.values.items() if name not in OURS}
    if row.id_column is None:
        values = {"id": row.article.id, **values}
    elif str(values.get(row.id_column)) != row.article.id:
        values[row.id_column] = row.article.id
    found = copies.of(row.article.id) if copies else []
    merged = _filled(values, [each for _, each in found])
    answer = verdict_row(verdict)
    ours = {name: answer[name] for name in OURS}
    return {**merged, **ours, **({"copies": [name for name, _ in found]} if found else {})}


def _filled(values: Values, copies: list[Values]) -> Values:
    """The values, what is empty in them taken from the first copy that has it."""
    filled = dict(values)
    for copy in copies:
        for name, value in copy.items():
            if name not in OURS and _empty(filled.get(name)) and not _empty(value):
                filled[name] = value
    return filled


def _empty(value: Any) -> bool:
    return value is None or value == "" or value != value
