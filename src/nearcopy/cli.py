"""The command line."""

import json
import sys
from collections.abc import Iterator
from importlib.metadata import version as installed_version
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from nearcopy.config import RECIPES
from nearcopy.errors import NearcopyError
from nearcopy.fingerprint import fingerprints
from nearcopy.formats import read_jsonl
from nearcopy.model import Fingerprint

app = typer.Typer(
    help="Has this been published before, where, and how do we know?",
    no_args_is_help=True,
    add_completion=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"nearcopy {installed_version('nearcopy')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="The version.")
    ] = False,
) -> None:
    del version


@app.command()
def fingerprint(
    file: Annotated[Path, typer.Argument(help="JSON lines with id and text, or - for stdin.")],
    preset: Annotated[str, typer.Option(help=f"The recipe: {', '.join(RECIPES)}.")] = "default",
    threads: Annotated[int, typer.Option(min=0, max=1024, help="Threads; 0 means all.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, not a table.")] = False,
) -> None:
    """Show the fingerprint of every article in a file."""
    try:
        made = _fingerprints(file, preset, threads)
        _print_json(made) if as_json else _print_table(made)
    except BrokenPipeError:  # who reads us has seen enough
        sys.stdout = None
    except (NearcopyError, OSError, UnicodeError) as wrong:
        Console(stderr=True).print(Text("error: ", "red") + Text(str(wrong)), soft_wrap=True)
        raise typer.Exit(2) from wrong


def _fingerprints(file: Path, preset: str, threads: int) -> Iterator[Fingerprint]:
    if preset not in RECIPES:
        raise NearcopyError(f"no preset {preset!r}: choose one of {', '.join(RECIPES)}")
    source = sys.stdin.buffer if str(file) == "-" else file.open("rb")
    with TextIOWrapper(source, encoding="utf-8-sig") as lines:  # whatever the locale says
        yield from fingerprints(read_jsonl(lines), RECIPES[preset], threads=threads)


def _row(made: Fingerprint) -> dict[str, str | int | None]:
    return {
        "id": made.id,
        "words": made.words,
        "digest": made.digest.hex() if made.digest else None,
        "simhash": f"{made.simhash:016x}" if made.simhash is not None else None,
        "minhash": made.minhash.hex() if made.minhash else None,
    }


def _print_json(fingerprints: Iterator[Fingerprint]) -> None:
    for made in fingerprints:
        typer.echo(json.dumps(_row(made)))


def _print_table(fingerprints: Iterator[Fingerprint]) -> None:
    table = Table("id", "words", "digest", "simhash", "minhash")
    for made in fingerprints:
        id_, words, digest, simhash, minhash = _row(made).values()
        short = f"{minhash[:16]}…" if isinstance(minhash, str) else "-"
        table.add_row(Text(str(id_)), str(words), str(digest or "-"), str(simhash or "-"), short)
    Console().print(table)


if __name__ == "__main__":
    app()
