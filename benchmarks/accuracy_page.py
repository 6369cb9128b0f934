"""The measured parts of docs/accuracy.md, put between its markers.

Runs alone too: `python benchmarks/accuracy_page.py` renews the page from benchmarks/results.
"""

import json
import textwrap
from collections.abc import Iterable
from typing import Any

import results
from floors import HERE, Held
from table import END, README, START, put

PAGE = HERE.parent / "docs" / "accuracy.md"
BRIEF = ("set", "measure", "value", "95 %", "of", "bar", "reached")  # in the README
BRIEFLY = {"near-relations", "headline-pairs", "wikinews", "ecbplus", "semeval22", "block pages"}
COLUMNS = ("set", "measure", "value", "95 %", "of", "bar", "floor", "reached")

Line = dict[str, Any]


def cells(line: Held) -> list[str]:
    """A row as text: set, measure, value, interval, count, bar, floor."""
    row, floor = line.row, line.floor
    return [
        row.set,
        row.measure,
        _number(row.value),
        _interval(row.low, row.high),
        row.of,
        "" if floor is None else f"{floor.bar.limit} {floor.bar.value:g}",
        "" if floor is None else f"{floor.floor:g}",
    ]


def markdown(content: dict[str, Any]) -> str:
    """The table of all rows, then the reasons of the floors below their bars."""
    machine, lines = content["machine"], content["rows"]
    heading = f"{machine['date'][:10]}, nearcopy {machine['nearcopy']}, default policy."
    aligned = ["---" if name in ("set", "measure", "of") else "---:" for name in COLUMNS]
    table = [COLUMNS, aligned, *map(_row, lines)]
    rows = ["| " + " | ".join(row) + " |" for row in table]
    return "\n".join([heading, "", *rows, "", *_reasons(lines)]).rstrip()


def renew(content: dict[str, Any]) -> None:
    """Put the table between the markers of the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, remainder = text.split(START, 1)
    after = remainder.split(END, 1)[1]
    page = f"{before}{START}\n{markdown(content)}\n{END}{after}"
    PAGE.write_text(page, encoding="utf-8")
    put(README, "accuracy", brief(content))


def brief(content: dict[str, Any]) -> str:
    """The rows of some sets that have a bar."""
    lines = [line for line in content["rows"] if line["set"] in BRIEFLY and "bar" in line]
    aligned = ["---" if name in ("set", "measure", "of") else "---:" for name in BRIEF]
    rows = [
        [cell for cell, name in zip(_row(line), COLUMNS, strict=True) if name in BRIEF]
        for line in lines
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in (BRIEF, aligned, *rows))


def _row(line: Line) -> list[str]:
    reached = {True: "yes", False: "**no**"}.get(line["reached"], "")
    return [
        line["set"],
        line["measure"],
        _number(line["value"]),
        _interval(line.get("low"), line.get("high")),
        line["of"],
        f"{line['limit']} {line['bar']:g}" if "bar" in line else "",
        f"{line['floor']:g}" if "floor" in line else "",
        reached,
    ]


def _reasons(lines: Iterable[Line]) -> list[str]:
    explained = [line for line in lines if line.get("reason")]
    if not explained:
        return []
    listed = [f"- {line['set']}, {line['measure']}: {line['reason']}" for line in explained]
    wrapped = [textwrap.fill(line, 118, subsequent_indent="  ") for line in listed]
    return ["Floors below their bars, and why:", "", *wrapped]


def _number(value: float) -> str:
    if value == int(value) and value != 1:
        return f"{value:.0f}"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1g}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def main() -> None:
    """Renew the page from the last results."""
    renew(json.loads(results.QUALITY.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
