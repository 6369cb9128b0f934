"""Rows that are no articles, as they are kept until they are told of."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from nearcopy.batch.local.inputs import Input
from nearcopy.io.files.cell_values import as_json
from nearcopy.io.files.rows import Rejected
from nearcopy.io.files.write import open_writer

PIECE = 1 << 20
Reject = list[Any]  # the file, the place in it, why, and what stands there


def rejects(bad: Iterable[Rejected]) -> list[Reject]:
    """The rows as a pack can note them."""
    records = ([row.place.file, row.place.line, row.why, row.raw] for row in bad)
    return [json.loads(as_json(fields)) for fields in records]


def number_lines(rejected: Sequence[Reject], inputs: Sequence[Input]) -> list[Reject]:
    """The same with the numbers of lines, where only places in bytes were known."""
    plain = {source.name: source.path for source in inputs if source.plain}
    return [
        [file, _line(plain[file], place) if file in plain else place, why, raw]
        for file, place, why, raw in rejected
    ]


def _line(path: str, place: int) -> int:
    """The number of the line that stands at a place."""
    count, left = 1, place
    with Path(path).open("rb") as file:
        while left > 0 and (piece := file.read(min(left, PIECE))):
            count, left = count + piece.count(b"\n"), left - len(piece)
    return count


def write_rejects(path: Path, rejected: Iterable[Reject]) -> None:
    """Writes rows that are no articles, with file, line and reason."""
    with open_writer(path, "jsonl") as out:
        for file, line, why, raw in rejected:
            out.write({"file": file, "line": line, "why": why, "raw": raw})
