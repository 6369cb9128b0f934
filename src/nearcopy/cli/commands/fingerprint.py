"""`nearcopy fingerprint`: what is remembered of each article."""

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearcopy.cli.options import JsonOption, PresetOption, ThreadsOption
from nearcopy.cli.terminal import add_row, noted, reported, show, table, write_lines
from nearcopy.io.settings import known_preset

if TYPE_CHECKING:
    from nearcopy.models.model import Fingerprint


@reported
def fingerprint(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Articles, or - for JSON lines on stdin.")
    ],
    preset: PresetOption = None,
    threads: ThreadsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Show the fingerprint of every article in a file."""
    made = _fingerprints(file, known_preset(preset or "default"), threads)
    first = list(islice(made, 1))
    if not first:
        noted(f"warning: {'<stdin>' if str(file) == '-' else file} has no rows")
    rows = map(_row, chain(first, made))
    write_lines(rows) if as_json else _show(rows)


def _fingerprints(file: Path, preset: str, threads: int) -> Iterator["Fingerprint"]:
    from nearcopy.config import RECIPES
    from nearcopy.fingerprint.fingerprint import fingerprints
    from nearcopy.io.files import format_of, read_articles

    named = format_of(str(file)) or "jsonl"
    yield from fingerprints(read_articles(file, format=named), RECIPES[preset], threads=threads)


def _row(made: "Fingerprint") -> dict[str, Any]:
    return {
        "id": made.id,
        "words": made.words,
        "digest": made.digest.hex() if made.digest else None,
        "simhash": f"{made.simhash:016x}" if made.simhash is not None else None,
        "minhash": made.minhash.hex() if made.minhash else None,
    }


def _show(rows: Iterator[dict[str, Any]]) -> None:
    shown = table(
        "id",
        "words",
        "digest",
        "simhash",
        "minhash",
        numbers=["words"],
        least=["minhash", "simhash"],
    )
    for row in rows:
        id_, words, digest, simhash, minhash = row.values()
        short = f"{minhash[:16]}…" if minhash else "-"
        add_row(shown, id_, words, digest or "-", simhash or "-", short)
    show(shown)
