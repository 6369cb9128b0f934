"""Deduplicate the articles of wire.jsonl and explain the verdicts: `make demo`.

At the end the stories are served to a browser until Ctrl-C. The store stays in build/demo.
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
FOLDER = ROOT / "build" / "demo"
STARTUP_SECONDS = 120.0  # on a busy machine
WIDTH = 150
console = Console(width=WIDTH, highlight=False)

Row = dict[str, Any]


def main() -> None:
    """Deduplicate the articles into a store, show the verdicts, query the store, and serve it."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    store, verdicts = f"{FOLDER}/seen.db", f"{FOLDER}/verdicts.jsonl"
    run("dedupe", "examples/wire.jsonl", "--store", store, "-o", verdicts)
    rows = [json.loads(line) for line in Path(verdicts).read_text("utf-8").splitlines()]
    console.print(verdict_table(rows))
    run("explain", "en-24", "en-25", "--store", store)
    Path(FOLDER, "tomorrow.jsonl").write_text(json.dumps(tomorrow(rows)), "utf-8")
    run("check", f"{FOLDER}/tomorrow.jsonl", "--store", store)
    run("verify", "--store", store)
    serve(store)
    console.print(f"The files are in {FOLDER}; `make clean` removes them.")


def serve(store: str) -> None:
    """Serve the stories to a browser until Ctrl-C; without a terminal, stop once they are there."""
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
        wait_for(page)
        console.print(f"The stories are at {page}")
        if sys.stdout.isatty():
            webbrowser.open(page)
            service.wait()
        else:
            console.print(
                "Without a terminal the service stops here; start it again with `nearcopy serve`."
            )
    except KeyboardInterrupt:
        pass
    finally:
        service.terminate()
        service.wait()


def wait_for(page: str) -> None:
    """Wait until the page is served."""
    end = time.monotonic() + STARTUP_SECONDS
    while True:
        try:
            with urlopen(page) as response:  # noqa: S310
                response.read()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def run(*words: str) -> None:
    """Print a command and run it."""
    console.print(Text(f"\n$ nearcopy {' '.join(words)}", "bold"))
    environment = os.environ | {"COLUMNS": str(WIDTH), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "nearcopy", *words]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)  # noqa: S603


def verdict_table(rows: list[Row]) -> Table:
    """Every article with its verdict, grouped by story."""
    table = Table("story", "article", "title", "is", "of", "sure", "because")
    alone = False
    for row, place, members in group_by_story(rows):
        if place == 0 and not alone:
            table.add_section()
        alone = members == 1
        is_new = row["match"] is None
        table.add_row(
            row["story_id"][:8] if place == 0 else "",
            row["id"],
            one_line(row["title"]),
            ("kept" if row["rule"] == "kept" else "new") if is_new else row["relation"],
            row["match"] or "",
            "" if is_new else f"{row['confidence']:.2f}",
            Text("; ".join(row["reasons"])),
            style="" if not row["is_duplicate"] else "dim",
        )
    return table


def group_by_story(rows: list[Row]) -> Iterator[tuple[Row, int, int]]:
    """Each row with its place in the story and the size of the story.

    The kept copy of a story comes first, stories of one article come last.
    """
    stories: dict[str, list[Row]] = {}
    for row in rows:
        stories.setdefault(row["story_id"], []).append(row)
    for members in sorted(stories.values(), key=lambda members: len(members) == 1):
        members.sort(key=lambda row: row["is_duplicate"])
        yield from ((row, place, len(members)) for place, row in enumerate(members))


def one_line(title: str) -> Text:
    """A title truncated to one line."""
    line = Text(title)
    line.truncate(56, overflow="ellipsis")
    return line


def tomorrow(rows: list[Row]) -> Row:
    """The first article again, as another paper prints it the next day."""
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
