"""Ranked lists as JSON has them: each result with what it stands for, or is a duplicate of."""

from collections.abc import Iterator
from typing import Any

from nearcopy.deduper.search_results import Ranked
from nearcopy.io.files.rows import Row

Answer = dict[str, Any]


def ranked_rows(rows: list[Row], results: list[Ranked], *, mark: bool = False) -> Iterator[Answer]:
    """The results that are kept, in order; with `mark` all, and what the others duplicate."""
    for row, result in zip(rows, results, strict=True):
        if result.duplicate_of is None:
            more: Answer = {"duplicate_of": None} if mark else {}
            yield {**_named(row), **more, "duplicates": result.duplicates}
        elif mark:
            yield _dropped(row, result)


def dropped_rows(rows: list[Row], results: list[Ranked]) -> Iterator[Answer]:
    """The results that are dropped, each with what it is to the one that is kept."""
    for row, result in zip(rows, results, strict=True):
        if result.duplicate_of is not None:
            yield _dropped(row, result)


def _named(row: Row) -> Answer:
    """The values of a result, with its id where it has none of its own."""
    own = row.id_column is not None and str(row.values[row.id_column]) == row.article.id
    return row.values if own else row.values | {"id": row.article.id}


def _dropped(row: Row, result: Ranked) -> Answer:
    answer = {**_named(row), "duplicate_of": result.duplicate_of}
    if result.judgement is not None:
        decision = result.judgement.decision
        answer |= {
            "relation": str(decision.relation),
            "confidence": decision.confidence,
            "rule": decision.rule,
            "reasons": [decision.reason],
        }
    return answer
