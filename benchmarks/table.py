"""The results as Markdown tables, put between the markers of the pages that show them.

Runs alone too: `python benchmarks/table.py` renews the pages from benchmarks/results.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
README = HERE.parent / "README.md"
SPEED = HERE.parent / "docs" / "speed.md"
RELATIONS = HERE.parent / "docs" / "relations.md"
STORES = HERE.parent / "docs" / "stores.md"
COMMANDS = HERE.parent / "docs" / "commands.md"
SERVICE = HERE.parent / "docs" / "service.md"
PAGES = {
    HERE / "results" / "fingerprints.json": SPEED,
    HERE / "results" / "decisions.json": RELATIONS,
    HERE / "results" / "stores.json": STORES,
    HERE / "results" / "dedupe.json": COMMANDS,
    HERE / "results" / "service.json": SERVICE,
}
START, END = "<!-- bench -->", "<!-- /bench -->"
BRIEF = "brief"  # what the README shows of the speed

Line = dict[str, Any]


def markdown(results: dict[str, Any]) -> str:
    """The tables: what has a bar, then what was measured besides."""
    lines: list[Line] = results["measurements"]
    barred = [line for line in lines if "bar" in line]
    besides = [line for line in lines if "bar" not in line]
    parts = [_heading(results), _table(barred, with_bar=True)]
    if besides:
        parts += ["Also measured, without a bar:", _table(besides, with_bar=False)]
    return "\n\n".join(parts)


def renew(readme: Path, results: dict[str, Any]) -> bool:
    """Put the tables between the markers of a file; whether it has any."""
    text = readme.read_text(encoding="utf-8") if readme.exists() else ""
    if START not in text or END not in text.split(START, 1)[1]:
        return False
    before, remainder = text.split(START, 1)
    after = remainder.split(END, 1)[1]
    content = f"{before}{START}\n{markdown(results)}\n{END}{after}"
    readme.write_text(content, encoding="utf-8")
    if readme == SPEED:
        put(README, BRIEF, brief(results))
    return True


def brief(results: dict[str, Any]) -> str:
    """The races with a bar, without it."""
    races = [line for line in results["measurements"] if "bar" in line and "against" in line]
    return _table(races, with_bar=False)


def put(page: Path, mark: str, shown: str) -> None:
    """Put a table between <!-- mark --> and <!-- /mark --> of a page."""
    start, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    text = page.read_text(encoding="utf-8")
    before, after = text.split(start)[0], text.split(end)[1]
    page.write_text(f"{before}{start}\n{shown}\n{end}{after}", encoding="utf-8")


def number(value: float) -> str:
    """Three digits that count, thousands apart.

    >>> [number(value) for value in (123456.7, 1234.5, 45.678, 1.7, 0.98765, 10.0)]
    ['123,000', '1,230', '45.7', '1.7', '0.988', '10']
    """
    if value and abs(value) >= 100:
        digits = len(str(int(abs(value))))
        return f"{round(value, 3 - digits):,.0f}"
    return f"{value:.3g}"


def _heading(results: dict[str, Any]) -> str:
    machine = results["machine"]
    peers = ", ".join(f"{name} {version}" for name, version in results["peers"].items())
    return (
        f"{machine['date'][:10]}, {machine['processor']}, one core, {machine['kernels']} kernels, "
        f"Python {machine['python']}; {peers or 'no peers'}."
    )


def _table(lines: Iterable[Line], *, with_bar: bool) -> str:
    columns = ["work", "nearcopy", "beside", "its", "ratio"] + ["bar", "held"] * with_bar
    rows = [_row(line) + _bar(line) * with_bar for line in lines]
    aligned = ["---" if name in ("work", "beside") else "---:" for name in columns]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (columns, aligned, *rows))


def _row(line: Line) -> list[str]:
    peer, ratio = line.get("theirs"), line.get("ratio")
    return [
        line["work"],
        f"{number(line['ours'])} {line['unit']}",
        line.get("against", ""),
        "" if peer is None else number(peer),
        "" if ratio is None else number(ratio),
    ]


def _bar(line: Line) -> list[str]:
    if "bar" not in line:
        return ["", ""]
    held = {True: "yes", False: "**no**"}.get(line.get("passed"), "not measured")
    return [f"{line['bar']['limit']} {number(line['bar']['value'])}", held]


def main() -> None:
    """Renew the pages from the last results."""
    for path, page in PAGES.items():
        if not path.exists():
            sys.exit(f"{path} is not there: run `make bench` first")
        done = renew(page, json.loads(path.read_text(encoding="utf-8")))
        print(f"{page}: {'renewed' if done else f'has no {START} ... {END}, left alone'}")


if __name__ == "__main__":
    main()
