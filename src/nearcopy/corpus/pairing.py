"""Pairing: rows that have a key of their texts in common, from columns of keys on the disk."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nearcopy.corpus.job import Job
from nearcopy.corpus.likes import FILE as LIKES
from nearcopy.corpus.packs import Pack, write_pack
from nearcopy.corpus.sharing import NO_PAIRS, Crowds, Pairs, distinct, neighbours, sorted_keys
from nearcopy.corpus.table import Table, table_of

FOLDER = "pairs"
COLUMNS = 7  # of keys, at a time: what they find is made distinct together
BLOCK = 1 << 14  # rows whose pairs are judged together
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
    like = Pack(job.work / LIKES).read("like")
    last = min(first + COLUMNS, _columns(table))
    pairs, crowds = NO_PAIRS, Crowds()
    for column in range(first, last):
        here = Crowds()
        for found, crowd in _found(table, like, column, job):
            pairs, here = distinct([pairs, found]), here.plus(crowd)
        crowds = crowds.beside(here)
    bounds = np.searchsorted(pairs >> HIGH, np.arange(0, len(table) + BLOCK, BLOCK))
    path = job.folder(FOLDER) / f"{first:03d}.pack"
    write_pack(path, {"pairs": pairs, "bounds": bounds.astype(np.uint64)}, crowds=list(crowds))


def _found(
    table: Table, like: NDArray[np.uint32], column: int, job: Job
) -> Iterator[tuple[Pairs, Crowds]]:
    bits = max(1, len(table).bit_length())
    passes = 1 + len(table) * BYTES_A_ROW // job.share
    for number in range(passes):
        keys, rows = [], []
        for part in table.parts:
            if not part.size:
                continue
            read = part.pack.read("keys", column, column + 1)[0]
            standing = like[part.first : part.first + part.size]
            own = standing == np.arange(part.first, part.first + part.size)
            wanted = (read != 0) & own & (read % np.uint64(passes) == number)
            (places,) = np.nonzero(wanted)
            keys.append(read[places])
            rows.append((places + part.first).astype(np.uint32))
        if keys:
            ordered = sorted_keys(np.concatenate(keys), np.concatenate(rows), bits)
            yield neighbours(ordered, bits)


def blocks(job: Job) -> list[int]:
    """The numbers of the blocks of rows."""
    return list(range(-(-len(table_of(job)) // BLOCK)))


def pairs_of(job: Job, block: int) -> Pairs:
    """The pairs whose later row is in a block, in order."""
    found = []
    for first in column_tasks(job):
        pack = Pack(job.folder(FOLDER) / f"{first:03d}.pack")
        start, end = pack.read("bounds", block, block + 2).tolist()
        found.append(pack.read("pairs", start, end))
    return distinct(found)


def crowds_of(job: Job) -> Crowds:
    """What was passed over, in all columns."""
    crowds = Crowds()
    for first in column_tasks(job):
        notes = Pack(job.folder(FOLDER) / f"{first:03d}.pack").notes
        crowds = crowds.beside(Crowds(*notes["crowds"]))
    return crowds
