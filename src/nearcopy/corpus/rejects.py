"""Rows that are no articles, as they are kept until they are told of."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from nearcopy.corpus.inputs import Input
from nearcopy.formats.cells import as_json
from nearcopy.formats.rows import Rejected
from nearcopy.formats.writing import writer

PIECE = 1 << 20
Reject = list[Any]  # the file, the place in it, why, and what stands there


def rejects(bad: Iterable[Rejected]) -> list[Reject]:
    """The rows as a pack can note them."""
    found = ([row.place.file, row.place.line, row.why, row.raw] for row in bad)
    return [json.loads(as_json(each)) for each in found]


def numbered(found: Sequence[Reject], inputs: Sequence[Input]) -> list[Reject]:
    """The same with the numbers of lines, where only places in bytes were known."""
    plain = {each.name: each.path for each in inputs if each.plain}
    return [
        [file, _line(plain[file], place) if file in plain else place, why, raw]
        for file, place, why, raw in found
    ]


def _line(path: str, place: int) -> int:
    """The number of the line that stands at a place."""
    count, left = 1, place
    with Path(path).open("rb") as file:
        while left > 0 and (piece := file.read(min(left, PIECE))):
            count, left = count + piece.count(b"\n"), left - len(piece)
    return count


def write_rejects(path: Path, found: Iterable[Reject]) -> None:
    """Writes rows that are no articles, with file, line and reason."""
    with writer(path, "jsonl") as out:
        for file, line, why, raw in found:
            out.write({"file": file, "line": line, "why": why, "raw": raw})
