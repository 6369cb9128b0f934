"""Texts, read again where they are needed: from plain files by their places, else from packs."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from zstandard import ZstdCompressor, ZstdDecompressor

from nearcopy.batch.local.column_files import Array, blobs
from nearcopy.batch.local.job import Job
from nearcopy.batch.local.row_reader import HTML, Raw, RowReader, values_of
from nearcopy.batch.local.row_table import Part, Rows, table_of
from nearcopy.errors import BadCorpus
from nearcopy.io.files.rows import Rejected

TOGETHER = 64  # texts that are packed together
LEVEL = 1


def text_columns(texts: Iterable[str]) -> dict[str, Array]:
    """The texts as columns of a pack."""
    compress = ZstdCompressor(level=LEVEL).compress
    remaining, blocks, sizes = iter(texts), [], list[int]()
    while batch := [text.encode("utf-8", "surrogatepass") for text in islice(remaining, TOGETHER)]:
        blocks.append(compress(b"".join(batch)))
        sizes += map(len, batch)
    data, ends = blobs(blocks)
    return {"texts": data, "texts_ends": ends, "text_sizes": np.array(sizes, np.uint64)}


class Texts:
    """The texts of a corpus, and which of them are HTML."""

    def __init__(self, job: Job) -> None:
        self._job, self._table = job, table_of(job)

    def of(self, rows: Rows) -> tuple[list[str], list[bool]]:
        """Those of some rows, which are in ascending order."""
        texts: list[str] = []
        html: list[bool] = []
        for part, at in self._table.spans(rows):
            places = rows[at] - part.first
            plain = self._job.inputs[self._job.units[part.unit].file].plain
            texts += self._reread(part, places) if plain else self._unpack(part, places)
            html += (part.pack.view("flags")[places] & HTML > 0).tolist()
        return texts, html

    def _reread(self, part: Part, places: NDArray[np.int64]) -> Iterator[str]:
        """The texts of lines that are read once more."""
        job = self._job
        source = job.inputs[job.units[part.unit].file]
        reader = RowReader(job, source)
        starts, sizes = part.pack.view("start"), part.pack.view("size")
        handle = os.open(source.path, os.O_RDONLY)
        try:
            for start, size in zip(starts[places].tolist(), sizes[places].tolist(), strict=True):
                record = values_of(Raw(start, os.pread(handle, size, start)), source.name)
                row = (
                    record
                    if isinstance(record, Rejected)
                    else reader.text_row(record[1], record[0])
                )
                if isinstance(row, Rejected):
                    raise BadCorpus(f"{source.path} has changed while it was read: start anew")
                yield row.text
        finally:
            os.close(handle)

    def _unpack(self, part: Part, places: NDArray[np.int64]) -> Iterator[str]:
        expand = ZstdDecompressor().decompress
        ends = np.concatenate([[0], part.pack.view("texts_ends")]).astype(np.int64)
        within = np.concatenate([[0], np.cumsum(part.pack.view("text_sizes"))]).astype(np.int64)
        held, block = b"", -1
        for place in places.tolist():
            if place // TOGETHER != block:
                block = place // TOGETHER
                start, end = ends[block : block + 2].tolist()
                held = expand(part.pack.read("texts", start, end).tobytes())
            first = within[block * TOGETHER]
            span = slice(within[place] - first, within[place + 1] - first)
            yield held[span].decode("utf-8", "surrogatepass")
