"""What the articles of wire.jsonl are to each other, and why: `make demo`."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

HERE = Path(__file__).parent
WIDTH = 150
console = Console(width=WIDTH, highlight=False)

Row = dict[str, Any]


def main() -> None:
    """De-duplicates the articles into a store, shows every verdict, and asks the store."""
    with TemporaryDirectory() as folder:
        store, verdicts = f"{folder}/seen.db", f"{folder}/verdicts.jsonl"
        run("dedupe", "wire.jsonl", "--store", store, "-o", verdicts)
        rows = [json.loads(line) for line in Path(verdicts).read_text("utf-8").splitlines()]
        console.print(told(rows))
        run("explain", "en-24", "en-25", "--store", store)
        Path(folder, "tomorrow.jsonl").write_text(json.dumps(tomorrow(rows)), "utf-8")
        run("check", f"{folder}/tomorrow.jsonl", "--store", store)
        run("verify", "--store", store)


def run(*words: str) -> None:
    """One command, as it is typed and what it says."""
    console.print(Text(f"\n$ nearcopy {' '.join(words)}", "bold"))
    settings = os.environ | {"COLUMNS": str(WIDTH), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "nearcopy", *words]
    subprocess.run(command, cwd=HERE, env=settings, check=True)  # noqa: S603


def told(rows: list[Row]) -> Table:
    """Every article with its verdict, those of one story together."""
    table = Table("story", "article", "title", "is", "of", "sure", "because")
    seen: set[str] = set()
    for row in in_stories(rows):
        first = row["story_id"] not in seen
        if first and row["rule"] == "kept":
            table.add_section()
        seen.add(row["story_id"])
        fresh = row["match"] is None
        table.add_row(
            row["story_id"][:8] if first else "",
            row["id"],
            one_line(row["title"]),
            ("kept" if row["rule"] == "kept" else "new") if fresh else row["relation"],
            row["match"] or "",
            "" if fresh else f"{row['confidence']:.2f}",
            Text("; ".join(row["reasons"])),
            style="" if not row["is_duplicate"] else "dim",
        )
    return table


def in_stories(rows: list[Row]) -> Iterator[Row]:
    """The rows story by story, the kept copy first; articles on their own come last."""
    stories: dict[str, list[Row]] = {}
    for row in rows:
        stories.setdefault(row["story_id"], []).append(row)
    for members in sorted(stories.values(), key=lambda members: len(members) == 1):
        yield from sorted(members, key=lambda row: row["is_duplicate"])


def one_line(title: str) -> Text:
    """A title cut to one line."""
    line = Text(title)
    line.truncate(56, overflow="ellipsis")
    return line


def tomorrow(rows: list[Row]) -> Row:
    """The first article again, as another paper prints it the day after."""
    first = rows[0]
    return {
        "id": "tomorrow",
        "title": first["title"],
        "text": first["text"] + " Additional reporting by our own staff.",
        "source": "Another Paper",
        "published": first["published"],
    }


if __name__ == "__main__":
    main()
