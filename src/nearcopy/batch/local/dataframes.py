"""Frames of pandas and polars, and datasets of Hugging Face, marked as files are."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from nearcopy.batch.local.output_columns import CLUSTER_COLUMNS
from nearcopy.errors import NearcopyError
from nearcopy.io.dataframes import iter_records
from nearcopy.io.files.cell_values import as_json

Frame = TypeVar("Frame")
Values = dict[str, Any]
NUMBER = "nearcopy_row"
KINDS = ("pandas", "polars", "datasets")


def kind_of(frame: object) -> str | None:
    """The library that a frame or a dataset is of; None for what is neither."""
    kind = type(frame).__module__.partition(".")[0]
    return kind if kind in KINDS and type(frame).__name__ in ("DataFrame", "Dataset") else None


def mark_frame(frame: Frame, **settings: Any) -> Frame:
    """The frame or dataset with what each row is in columns after its own; no row is left out.

    Settings are those of `deduplicate`. Rows without an id are named by their number; those that
    are no articles have nothing in the columns.
    """
    from nearcopy.batch.local import deduplicate

    kind = kind_of(frame)
    if kind is None:
        raise NearcopyError(
            f"expected a frame of pandas or polars, or a Dataset, got {type(frame).__name__}: "
            "files are for `nearcopy.batch.local.deduplicate`"
        )
    table: Any = frame
    with TemporaryDirectory(prefix="nearcopy-") as folder:
        place = Path(folder)
        with (place / "rows.jsonl").open("wb") as out:
            out.writelines(as_json(values) + b"\n" for values in _number_rows(table, kind))
        rejected = place / "rejected.jsonl"
        deduplicate(place / "rows.jsonl", place / "marked.jsonl", rejected=rejected, **settings)
        marked = _read_annotations(place / "marked.jsonl", len(table))
    with_columns: Frame = _with_columns(table, kind, marked)
    return with_columns


def _number_rows(table: Any, kind: str) -> Iterator[Values]:
    rows = iter(table) if kind == "datasets" else iter_records(table, kind)
    for number, values in enumerate(rows):
        own = {name: value for name, value in values.items() if name not in CLUSTER_COLUMNS}
        named = own if own.get("id") not in (None, "") else {**own, "id": str(number)}
        yield {**named, NUMBER: number}


def _read_annotations(path: Path, count: int) -> dict[str, list[Any]]:
    """Ours, a list a column."""
    columns: dict[str, list[Any]] = {name: [None] * count for name in CLUSTER_COLUMNS}
    with path.open("rb") as lines:
        for row in map(json.loads, lines):
            for name in CLUSTER_COLUMNS:
                columns[name][row[NUMBER]] = row[name]
    return columns


def _with_columns(table: Any, kind: str, columns: dict[str, list[Any]]) -> Any:
    if kind == "pandas":
        return table.assign(**columns)
    if kind == "datasets":
        for name, values in columns.items():
            table = table.remove_columns(name) if name in table.column_names else table
            table = table.add_column(name, values)
        return table
    import polars

    texts = dict.fromkeys(("relation", "duplicate_of", "story_id"), polars.String)
    kinds = texts | {"is_duplicate": polars.Boolean, "overlap": polars.Float64}
    return table.with_columns(
        polars.Series(name, values, dtype=kinds[name]) for name, values in columns.items()
    )
