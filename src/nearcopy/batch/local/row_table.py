"""The table of all rows of a corpus: columns in packs on disk, and texts read again on demand."""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from zstandard import ZstdCompressor, ZstdDecompressor

from nearcopy.batch.local.column_files import Array, Pack, join_blobs
from nearcopy.batch.local.corpus_job import CorpusJob
from nearcopy.batch.local.row_reader import HTML, RawLine, RowReader, parse_line
from nearcopy.batch.shared_keys import sorted_distinct
from nearcopy.errors import BadCorpus
from nearcopy.io.files.rows import Rejected
from nearcopy.models.batches import batches

RowNumbers = NDArray[np.int64]
TEXTS_PER_BLOCK = 64  # compressed together
COMPRESSION_LEVEL = 1


class Part(NamedTuple):
    """A pack of rows: the unit they are from, the number of the first, and how many there are."""

    pack: Pack
    unit: int
    first: int
    size: int


def pack_path(job: CorpusJob, unit: int, number: int = 0) -> Path:
    """The file of a pack of rows of a unit."""
    return job.folder("rows") / f"{unit:06d}.{number:04d}.pack"


class Table:
    """All rows, numbered in input order. Columns are read on demand."""

    def __init__(self, job: CorpusJob) -> None:
        self.parts: list[Part] = []
        count = 0
        for unit in job.units:
            first = Pack(pack_path(job, unit.number))
            for number in range(first.notes["packs"]):
                pack = Pack(pack_path(job, unit.number, number)) if number else first
                self.parts.append(Part(pack, unit.number, count, pack.notes["rows"]))
                count += pack.notes["rows"]
        self._count = count

    def __len__(self) -> int:
        return self._count

    def column(self, name: str) -> Array:
        """A column of all rows."""
        return np.concatenate([part.pack.read(name) for part in self.parts])

    def spans(self, rows: RowNumbers) -> Iterator[tuple[Part, slice]]:
        """For rows in ascending order, the parts that hold them, and which of them each holds."""
        ends = np.searchsorted(rows, [part.first + part.size for part in self.parts])
        start = 0
        for part, end in zip(self.parts, ends.tolist(), strict=True):
            if end > start:
                yield part, slice(start, end)
            start = end

    def take(self, name: str, rows: RowNumbers) -> Array:
        """The values of a column for rows in ascending order."""
        values = [part.pack.view(name)[rows[span] - part.first] for part, span in self.spans(rows)]
        return np.concatenate(values) if values else self.parts[0].pack.read(name, 0, 0)

    def blobs(self, name: str, rows: RowNumbers) -> list[bytes]:
        """The values of a column of blobs for rows in ascending order."""
        values: list[bytes] = []
        for part, span in self.spans(rows):
            data, ends = part.pack.view(name).data, part.pack.view(f"{name}_ends")
            places = rows[span] - part.first
            starts = np.where(places > 0, ends[places - 1], 0)
            bounds = zip(starts.tolist(), ends[places].tolist(), strict=True)
            values += [bytes(data[start:end]) for start, end in bounds]
        return values

    def ids(self, rows: Sequence[int] | RowNumbers) -> dict[int, str]:
        """The ids of rows as they are in the input."""
        ordered = sorted_distinct(np.asarray(rows, np.int64))
        ids = self.blobs("id", ordered)
        return {
            row: article_id.decode("utf-8", "surrogatepass")
            for row, article_id in zip(ordered.tolist(), ids, strict=True)
        }


@lru_cache(maxsize=1)
def table_of(job: CorpusJob) -> Table:
    """The rows of a job once they have been read, cached."""
    return Table(job)


# Texts.


def text_columns(texts: Iterable[str]) -> dict[str, Array]:
    """The texts as columns of a pack, compressed in blocks."""
    compress = ZstdCompressor(level=COMPRESSION_LEVEL).compress
    encoded = (text.encode("utf-8", "surrogatepass") for text in texts)
    blocks, sizes = list[bytes](), list[int]()
    for batch in batches(encoded, TEXTS_PER_BLOCK):
        blocks.append(compress(b"".join(batch)))
        sizes += map(len, batch)
    data, ends = join_blobs(blocks)
    return {"texts": data, "texts_ends": ends, "text_sizes": np.array(sizes, np.uint64)}


def read_texts(job: CorpusJob, rows: RowNumbers) -> tuple[list[str], list[bool]]:
    """The texts of rows in ascending order, and whether each is HTML.

    They are read from plain files by byte offset, from packs otherwise.
    """
    texts: list[str] = []
    html: list[bool] = []
    for part, span in table_of(job).spans(rows):
        places = rows[span] - part.first
        plain = job.source_of(part.unit).plain
        texts += _read_lines(job, part, places) if plain else _decompress(part, places)
        html += (part.pack.view("flags")[places] & HTML > 0).tolist()
    return texts, html


def _read_lines(job: CorpusJob, part: Part, places: RowNumbers) -> Iterator[str]:
    source = job.source_of(part.unit)
    reader = RowReader(job, source)
    starts, sizes = part.pack.view("start"), part.pack.view("size")
    with open(source.path, "rb") as file:
        for start, size in zip(starts[places].tolist(), sizes[places].tolist(), strict=True):
            line = RawLine(start, os.pread(file.fileno(), size, start))
            row = reader.read_text(parse_line(line, source.name))
            if isinstance(row, Rejected):
                raise BadCorpus(f"{source.path} has changed while it was read: start again")
            yield row.text


def _decompress(part: Part, places: RowNumbers) -> Iterator[str]:
    decompress = ZstdDecompressor().decompress
    ends = np.concatenate([[0], part.pack.view("texts_ends")]).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(part.pack.view("text_sizes"))]).astype(np.int64)
    texts, block = b"", -1
    for place in places.tolist():
        if place // TEXTS_PER_BLOCK != block:
            block = place // TEXTS_PER_BLOCK
            start, end = ends[block : block + 2].tolist()
            texts = decompress(part.pack.read("texts", start, end).tobytes())
        first = offsets[block * TEXTS_PER_BLOCK]
        span = slice(offsets[place] - first, offsets[place + 1] - first)
        yield texts[span].decode("utf-8", "surrogatepass")
