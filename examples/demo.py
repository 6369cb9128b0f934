"""What the articles of wire.jsonl are to each other, and why: `make demo`.

In the end the stories are to be seen in a browser, until Ctrl-C. The store stays in build/demo.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from rich.console import Console
from rich.table import Table
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
LEFT = ROOT / "build" / "demo"
UP_SECONDS = 120.0  # a machine may be busy
WIDTH = 150
console = Console(width=WIDTH, highlight=False)

Row = dict[str, Any]


def main() -> None:
    """De-duplicates the articles into a store, shows every verdict, asks the store, shows it."""
    shutil.rmtree(LEFT, ignore_errors=True)
    LEFT.mkdir(parents=True)
    store, verdicts = f"{LEFT}/seen.db", f"{LEFT}/verdicts.jsonl"
    run("dedupe", "examples/wire.jsonl", "--store", store, "-o", verdicts)
    rows = [json.loads(line) for line in Path(verdicts).read_text("utf-8").splitlines()]
    console.print(told(rows))
    run("explain", "en-24", "en-25", "--store", store)
    Path(LEFT, "tomorrow.jsonl").write_text(json.dumps(tomorrow(rows)), "utf-8")
    run("check", f"{LEFT}/tomorrow.jsonl", "--store", store)
    run("verify", "--store", store)
    serve(store)
    console.print(f"All this is in {LEFT}; `make clean` removes it.")


def serve(store: str) -> None:
    """Shows the stories in a browser until Ctrl-C; without a terminal, that they can be seen."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["serve", "--store", store, "--port", str(port)]
    page = f"http://127.0.0.1:{port}/stories"
    console.print(Text(f"\n$ nearcopy {' '.join(words)}", "bold"))
    quiet = None if sys.stdout.isatty() else subprocess.DEVNULL
    command = [sys.executable, "-m", "nearcopy", *words]
    service = subprocess.Popen(command, stdout=quiet, stderr=quiet)  # noqa: S603
    try:
        answered(page)
        console.print(f"The stories are at {page}")
        if sys.stdout.isatty():
            webbrowser.open(page)
            service.wait()
        else:
            console.print(
                "Off a terminal the service ends here; `nearcopy serve` as above shows them again."
            )
    except KeyboardInterrupt:
        pass
    finally:
        service.terminate()
        service.wait()


def answered(page: str) -> None:
    """Returns when the page is there."""
    end = time.monotonic() + UP_SECONDS
    while True:
        try:
            with urlopen(page) as answer:  # noqa: S310
                answer.read()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def run(*words: str) -> None:
    """One command, as it is typed and what it says."""
    console.print(Text(f"\n$ nearcopy {' '.join(words)}", "bold"))
    settings = os.environ | {"COLUMNS": str(WIDTH), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "nearcopy", *words]
    subprocess.run(command, cwd=ROOT, env=settings, check=True)  # noqa: S603


def told(rows: list[Row]) -> Table:
    """Every article with its verdict, those of one story together."""
    table = Table("story", "article", "title", "is", "of", "sure", "because")
    alone = False
    for row, place, members in in_stories(rows):
        if place == 0 and not alone:
            table.add_section()
        alone = members == 1
        fresh = row["match"] is None
        table.add_row(
            row["story_id"][:8] if place == 0 else "",
            row["id"],
            one_line(row["title"]),
            ("kept" if row["rule"] == "kept" else "new") if fresh else row["relation"],
            row["match"] or "",
            "" if fresh else f"{row['confidence']:.2f}",
            Text("; ".join(row["reasons"])),
            style="" if not row["is_duplicate"] else "dim",
        )
    return table


def in_stories(rows: list[Row]) -> Iterator[tuple[Row, int, int]]:
    """The rows story by story, the kept copy first; articles on their own come last.

    Each with its place in the story and how many there are in it.
    """
    stories: dict[str, list[Row]] = {}
    for row in rows:
        stories.setdefault(row["story_id"], []).append(row)
    for members in sorted(stories.values(), key=lambda members: len(members) == 1):
        members.sort(key=lambda row: row["is_duplicate"])
        yield from ((row, place, len(members)) for place, row in enumerate(members))


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
