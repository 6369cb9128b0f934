"""The results as Markdown tables, put between the markers of the pages that show them.

Runs alone too: `python benchmarks/table.py` renews the pages from benchmarks/results.
"""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import results

HERE = Path(__file__).resolve().parent
README = HERE.parent / "README.md"
RELATIONS = HERE.parent / "docs" / "relations.md"
STORES = HERE.parent / "docs" / "stores.md"
COMMANDS = HERE.parent / "docs" / "commands.md"
SERVICE = HERE.parent / "docs" / "service.md"
PAGES = {
    HERE / "results" / "fingerprints.json": README,
    HERE / "results" / "decisions.json": RELATIONS,
    HERE / "results" / "stores.json": STORES,
    HERE / "results" / "dedupe.json": COMMANDS,
    HERE / "results" / "service.json": SERVICE,
}
START, END = "<!-- bench -->", "<!-- /bench -->"

Line = dict[str, Any]
Shown = Callable[[list[Line]], str]


def markdown(found: dict[str, Any]) -> str:
    """The tables: what has a bar, then what was measured besides."""
    lines: list[Line] = found["measurements"]
    barred = [line for line in lines if "bar" in line]
    besides = [line for line in lines if "bar" not in line]
    parts = [_heading(found), _table(barred, with_bar=True)]
    if besides:
        parts += ["Also measured, without a bar:", _table(besides, with_bar=False)]
    return "\n\n".join(parts)


def renew(readme: Path, found: dict[str, Any]) -> bool:
    """Put the tables between the markers of a file; whether it has any."""
    text = readme.read_text(encoding="utf-8") if readme.exists() else ""
    if START not in text or END not in text.split(START, 1)[1]:
        return False
    before, rest = text.split(START, 1)
    after = rest.split(END, 1)[1]
    content = f"{before}{START}\n{markdown(found)}\n{END}{after}"
    readme.write_text(content, encoding="utf-8")
    return True


def keep(path: Path, row: Line, named: Sequence[str], mark: str, shown: Shown) -> None:
    """Put a row in place of the one for the same into results, and all into a table of stores.md.

    The table stands between <!-- mark --> and <!-- /mark -->.
    """
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"rows": []}
    rest = [each for each in found["rows"] if [each[n] for n in named] != [row[n] for n in named]]
    rows = sorted([*rest, row], key=lambda each: [each[n] for n in named])
    results.write(path, {"machine": results.machine(), "rows": rows})
    start, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    page = STORES.read_text(encoding="utf-8")
    before, after = page.split(start)[0], page.split(end)[1]
    STORES.write_text(f"{before}{start}\n{shown(rows)}\n{end}{after}", encoding="utf-8")


def plain(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of which all but the first column are numbers."""
    aligned = ["---", *["---:"] * (len(heads) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heads, aligned, *rows))


def marked(value: float, *, held: bool) -> str:
    """A number, in bold where it misses its bar."""
    return number(value) if held else f"**{number(value)}**"


def number(value: float) -> str:
    """Three digits that count, thousands apart.

    >>> [number(value) for value in (123456.7, 1234.5, 45.678, 1.7, 0.98765, 10.0)]
    ['123,000', '1,230', '45.7', '1.7', '0.988', '10']
    """
    if value and abs(value) >= 100:
        digits = len(str(int(abs(value))))
        return f"{round(value, 3 - digits):,.0f}"
    return f"{value:.3g}"


def _heading(found: dict[str, Any]) -> str:
    machine = found["machine"]
    peers = ", ".join(f"{name} {version}" for name, version in found["peers"].items())
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
    theirs, ratio = line.get("theirs"), line.get("ratio")
    return [
        line["work"],
        f"{number(line['ours'])} {line['unit']}",
        line.get("against", ""),
        "" if theirs is None else number(theirs),
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
