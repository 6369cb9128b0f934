"""`make quality`: how the default policy judges the labelled news, held to floors.toml.

Exits with 1 where a floor is not held on the corpus it was set for. `--all` measures the exact join
as well, which takes minutes more. `--raise` sets the floors as high as what is held allows, and
lowers none.
"""

import json
import sys
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

import accuracy
import accuracy_page
import corpora
import near_text
import results
from floors import Held, digest, held, raised, read, write


def measured(console: Console) -> list[Held]:
    """Every row of the sets that are there, beside its floor."""
    rows = []
    for name in track(accuracy.present(), "measuring", console=console):
        rows += accuracy.SECTIONS[name][1]()
    return held(rows, read())


def shown(lines: list[Held]) -> Table:
    """The rows for the terminal."""
    table = Table("set", "measure", "value", "95 %", "of", "bar", "floor", "held")
    marks = {True: "[green]yes", False: "[red]no", None: ""}
    for line in lines:
        cells = accuracy_page.cells(line)
        other = "" if line.floor is None or line.same_corpus else "another corpus"
        table.add_row(*cells, other or marks[line.held])
    return table


def as_json(line: Held) -> dict[str, Any]:
    """A row of the results."""
    entry: dict[str, Any] = asdict(line.row) | {"digest": digest(line.row.set)}
    if line.floor is not None:
        entry |= {"limit": line.floor.bar.limit, "bar": line.floor.bar.value}
        entry |= {"floor": line.floor.floor, "reason": line.floor.reason}
    return entry | {"reached": line.reached, "held": line.held}


def besides(console: Console) -> dict[str, Any]:
    """The exact join: measured again, or as it was."""
    if "--all" not in sys.argv:
        previous = json.loads(results.QUALITY.read_text(encoding="utf-8"))
        return {"joins": previous["joins"]} if "joins" in previous else {}
    joined = list(near_text.measured())
    console.print(near_text.table(joined))
    return {"joins": [line.as_json() for line in joined]}


def main() -> None:
    """Measure, write, and fail where a floor is not held."""
    console = Console(stderr=True)
    if not corpora.DATA.is_dir():
        console.print(f"no labelled news in {corpora.DATA}: nothing to measure")
        sys.exit(0)
    lines = measured(console)
    console.print(shown(lines))
    rows = [as_json(line) for line in lines]
    content = {"machine": results.machine(), "rows": rows, **besides(console)}
    accuracy_page.renew(results.write(results.QUALITY, content))
    console.print(f"written to {results.QUALITY} and {accuracy_page.PAGE}")
    if "--raise" in sys.argv:
        write(raised(lines))
    failed = [line.row for line in lines if line.held is False]
    for row in failed:
        console.print(f"[red]floor not held[/]: {row.set}, {row.measure}: {row.value:.4f}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
