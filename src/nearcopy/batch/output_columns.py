"""The columns that batch jobs add to each row: VERDICT_COLUMNS, the same from every job."""

from typing import Any

from nearcopy.io.files import Row
from nearcopy.io.serializers import VERDICT_COLUMNS, verdict_columns
from nearcopy.models import Verdict

Values = dict[str, Any]


def add_columns(row: Row, article_id: str, added: Values) -> Values:
    """The row's own values, without those of VERDICT_COLUMNS, and the added ones after them."""
    values = {name: value for name, value in row.values.items() if name not in VERDICT_COLUMNS}
    if row.id_column is None:
        values = {"id": article_id, **values}
    elif str(values.get(row.id_column)) != article_id:
        values[row.id_column] = article_id
    return {**values, **added}


def own_columns(row: Row) -> list[str]:
    """The names of the row's own columns that are written beside the verdict."""
    names = [name for name in row.values if name not in VERDICT_COLUMNS]
    return names if row.id_column is not None else ["id", *names]


def annotate_row(row: Row, verdict: Verdict, duplicates: "MergedDuplicates") -> Values:
    """The row with its verdict; empty values are filled from the duplicates."""
    values = add_columns(row, row.article.id, {})
    removed = duplicates.of(row.article.id)
    merged = _fill_empty(values, [other for _, other in removed])
    ids = {"copies": [article_id for article_id, _ in removed]} if removed else {}
    return {**merged, **verdict_columns(verdict), **ids}


class MergedDuplicates:
    """The removed duplicates of each kept article, to fill its empty values from."""

    def __init__(self) -> None:
        self._by_kept: dict[str, list[tuple[float, str, Values]]] = {}

    def add(self, row: Row, verdict: Verdict) -> None:
        """Add the row if it is a duplicate."""
        if verdict.is_duplicate and verdict.duplicate_of is not None:
            duplicate = (verdict.confidence, row.article.id, row.values)
            self._by_kept.setdefault(verdict.duplicate_of, []).append(duplicate)

    def of(self, kept: str) -> list[tuple[str, Values]]:
        """The ids and values of the duplicates of an article, the most confident first."""
        duplicates = sorted(self._by_kept.get(kept, ()), key=lambda duplicate: -duplicate[0])
        return [(article_id, values) for _, article_id, values in duplicates]


def _fill_empty(values: Values, duplicates: list[Values]) -> Values:
    """The values, with empty ones taken from the first duplicate that has them."""
    filled = dict(values)
    for duplicate in duplicates:
        for name, value in duplicate.items():
            if name not in VERDICT_COLUMNS and _empty(filled.get(name)) and not _empty(value):
                filled[name] = value
    return filled


def _empty(value: Any) -> bool:
    return value is None or value == "" or value != value
