"""The rows of a corpus: columns that stand in packs, one pack after another."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy.batch.local.column_files import Array, Pack
from nearcopy.batch.local.job import Job
from nearcopy.batch.local.shared_keys import ascending

Rows = NDArray[np.int64]
FOLDER = "rows"


class Part(NamedTuple):
    """A pack of rows: which part of the inputs they are of, and the number of the first."""

    pack: Pack
    unit: int
    first: int
    size: int


def pack_path(job: Job, unit: int, number: int = 0) -> Path:
    """Where a pack of the rows of a unit is."""
    return job.folder(FOLDER) / f"{unit:06d}.{number:04d}.pack"


class Table:
    """All rows. Columns are read when they are asked for."""

    def __init__(self, job: Job) -> None:
        self.parts: list[Part] = []
        count = 0
        for unit in job.units:
            first = Pack(pack_path(job, unit.number))
            for number in range(first.notes["packs"]):
                pack = Pack(pack_path(job, unit.number, number)) if number else first
                self.parts.append(Part(pack, unit.number, count, pack.notes["rows"]))
                count += pack.notes["rows"]
        self.count = count

    def __len__(self) -> int:
        return self.count

    def column(self, name: str) -> Array:
        """A column of all rows."""
        return np.concatenate([part.pack.read(name) for part in self.parts])

    def spans(self, rows: Rows) -> Iterator[tuple[Part, slice]]:
        """Of rows in ascending order those of each part, and which of them they are."""
        ends = np.searchsorted(rows, [part.first + part.size for part in self.parts])
        start = 0
        for part, end in zip(self.parts, ends.tolist(), strict=True):
            if end > start:
                yield part, slice(start, end)
            start = end

    def take(self, name: str, rows: Rows) -> Array:
        """Of a column the values of these rows, which are in ascending order."""
        values = [part.pack.view(name)[rows[at] - part.first] for part, at in self.spans(rows)]
        return np.concatenate(values) if values else self.parts[0].pack.read(name, 0, 0)

    def blobs(self, name: str, rows: Rows) -> list[bytes]:
        """Of a column of strings those of these rows, which are in ascending order."""
        values: list[bytes] = []
        for part, at in self.spans(rows):
            data, ends = part.pack.view(name).data, part.pack.view(f"{name}_ends")
            places = rows[at] - part.first
            starts = np.where(places > 0, ends[places - 1], 0)
            bounds = zip(starts.tolist(), ends[places].tolist(), strict=True)
            values += [bytes(data[start:end]) for start, end in bounds]
        return values

    def names(self, rows: Sequence[int] | Rows) -> dict[int, str]:
        """The ids of some rows."""
        ordered = ascending(np.asarray(rows, np.int64))
        ids = self.blobs("id", ordered)
        return {
            row: name.decode("utf-8", "surrogatepass")
            for row, name in zip(ordered.tolist(), ids, strict=True)
        }


@lru_cache(maxsize=1)
def table_of(job: Job) -> Table:
    """The rows of a job, once they have been read; kept for the next who asks."""
    return Table(job)
