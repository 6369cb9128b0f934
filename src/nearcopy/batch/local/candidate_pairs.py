"""Pairing: rows that have a key of their texts in common, from columns of keys on the disk."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nearcopy.batch.local.column_files import Pack, write_pack
from nearcopy.batch.local.exact_duplicates import FILE as EXACT_DUPLICATES
from nearcopy.batch.local.job import Job
from nearcopy.batch.local.row_table import Table, table_of
from nearcopy.batch.local.shared_keys import (
    NO_PAIRS,
    OversizedKeys,
    Pairs,
    distinct,
    neighbours,
    sorted_keys,
)

PAIRS_FOLDER = "pairs"
COLUMNS = 7  # of keys, at a time: what they find is made distinct together
TEXT_BLOCK = 1 << 14  # rows whose pairs are judged together
BYTES_A_ROW = 40  # that a column takes to be sorted
HIGH = np.uint64(32)


def column_tasks(job: Job) -> list[int]:
    """The numbers of the first columns of each task."""
    return list(range(0, _columns(table_of(job)), COLUMNS))


def _columns(table: Table) -> int:
    return max((part.pack.rows("keys") for part in table.parts if part.size), default=0)


def pair_columns(job: Job, first: int) -> None:
    """Writes the pairs of rows that share a key in some columns, and where each block begins."""
    table = table_of(job)
    like = Pack(job.work / EXACT_DUPLICATES).read("like")
    last = min(first + COLUMNS, _columns(table))
    pairs, crowds = NO_PAIRS, OversizedKeys()
    for column in range(first, last):
        here = OversizedKeys()
        for new_pairs, crowd in _shared_key_pairs(table, like, column, job):
            pairs, here = distinct([pairs, new_pairs]), here.add(crowd)
        crowds = crowds.combine(here)
    bounds = np.searchsorted(pairs >> HIGH, np.arange(0, len(table) + TEXT_BLOCK, TEXT_BLOCK))
    path = job.folder(PAIRS_FOLDER) / f"{first:03d}.pack"
    write_pack(path, {"pairs": pairs, "bounds": bounds.astype(np.uint64)}, crowds=list(crowds))


def _shared_key_pairs(
    table: Table, like: NDArray[np.uint32], column: int, job: Job
) -> Iterator[tuple[Pairs, OversizedKeys]]:
    bits = max(1, len(table).bit_length())
    passes = 1 + len(table) * BYTES_A_ROW // job.share
    for number in range(passes):
        keys, rows = [], []
        for part in table.parts:
            if not part.size:
                continue
            column_keys = part.pack.read("keys", column, column + 1)[0]
            representative = like[part.first : part.first + part.size]
            own = representative == np.arange(part.first, part.first + part.size)
            selected = (column_keys != 0) & own & (column_keys % np.uint64(passes) == number)
            (places,) = np.nonzero(selected)
            keys.append(column_keys[places])
            rows.append((places + part.first).astype(np.uint32))
        if keys:
            ordered = sorted_keys(np.concatenate(keys), np.concatenate(rows), bits)
            yield neighbours(ordered, bits)


def text_blocks(job: Job) -> list[int]:
    """The numbers of the blocks of rows."""
    return list(range(-(-len(table_of(job)) // TEXT_BLOCK)))


def pairs_of(job: Job, block: int) -> Pairs:
    """The pairs whose later row is in a block, in order."""
    parts = []
    for first in column_tasks(job):
        pack = Pack(job.folder(PAIRS_FOLDER) / f"{first:03d}.pack")
        start, end = pack.read("bounds", block, block + 2).tolist()
        parts.append(pack.read("pairs", start, end))
    return distinct(parts)


def oversized_keys(job: Job) -> OversizedKeys:
    """What was passed over, in all columns."""
    crowds = OversizedKeys()
    for first in column_tasks(job):
        notes = Pack(job.folder(PAIRS_FOLDER) / f"{first:03d}.pack").notes
        crowds = crowds.combine(OversizedKeys(*notes["crowds"]))
    return crowds
