"""Rows of a long measurement, saved one by one, and their table in a page of the docs."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import results
import table

Row = dict[str, Any]


def keep(
    path: Path,
    row: Row,
    named: Sequence[str],
    mark: str,
    shown: Callable[[list[Row]], str],
    page: Path = table.STORES,
) -> None:
    """Put a row in place of the one for the same into a file of results, and renew their table.

    The table stands between <!-- mark --> and <!-- /mark -->.
    """
    content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"rows": []}
    unchanged = [
        entry for entry in content["rows"] if [entry[n] for n in named] != [row[n] for n in named]
    ]
    rows = sorted([*unchanged, row], key=lambda each: [each[n] for n in named])
    results.write(path, {"machine": results.machine(), "rows": rows})
    table.put(page, mark, shown(rows))


def plain(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of which all but the first column are numbers."""
    aligned = ["---", *["---:"] * (len(heads) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heads, aligned, *rows))


def marked(value: float, *, held: bool) -> str:
    """A number, in bold where it misses its bar."""
    return table.number(value) if held else f"**{table.number(value)}**"
