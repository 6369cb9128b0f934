"""`nearcopy fingerprint`: the fingerprint of each article in a file."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from nearcopy.cli.options import JsonOption, PresetOption, ThreadsOption, argument
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import note, show, write_json_lines
from nearcopy.config import RECIPES
from nearcopy.io.files import format_of, read_articles
from nearcopy.io.policy_choice import known_preset
from nearcopy.models import Fingerprint


def fingerprint(
    file: str = argument("FILE", "Articles, or - for JSON lines on stdin."),
    preset: PresetOption = None,
    threads: ThreadsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Show the fingerprint of each article in a file."""
    fingerprints = _read_fingerprints(file, known_preset(preset or "default"), threads)
    first = list(islice(fingerprints, 1))
    if not first:
        note(f"warning: {'<stdin>' if file == '-' else file} has no rows")
    rows = map(_row, chain(first, fingerprints))
    write_json_lines(rows) if as_json else _show(rows)


def _read_fingerprints(file: str, preset: str, threads: int) -> Iterator[Fingerprint]:
    from nearcopy.fingerprint.fingerprint import fingerprints

    articles = read_articles(file, format=format_of(file) or "jsonl")
    yield from fingerprints(articles, RECIPES[preset], threads=threads)


def _row(fingerprint: Fingerprint) -> dict[str, Any]:
    simhash = fingerprint.simhash
    return {
        "id": fingerprint.id,
        "words": fingerprint.words,
        "digest": fingerprint.digest.hex() if fingerprint.digest else None,
        "simhash": f"{simhash:016x}" if simhash is not None else None,
        "minhash": fingerprint.minhash.hex() if fingerprint.minhash else None,
    }


def _show(rows: Iterator[dict[str, Any]]) -> None:
    columns = ("id", "words", "digest", "simhash", "minhash")
    table = make_table(*columns, numbers=["words"], optional=["minhash", "simhash"])
    for row in rows:
        id_, words, digest, simhash, minhash = row.values()
        prefix = f"{minhash[:16]}…" if minhash else "-"
        add_row(table, id_, words, digest or "-", simhash or "-", prefix)
    show(table)
