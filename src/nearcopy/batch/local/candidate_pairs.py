"""Candidate pairs: exact duplicates, repeated ids, and rows that share a blocking key."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearcopy.batch.local.column_files import Array, Pack, write_pack
from nearcopy.batch.local.job import CorpusJob
from nearcopy.batch.local.row_table import Table, table_of
from nearcopy.batch.rank import Ranking
from nearcopy.batch.shared_keys import (
    NO_PAIRS,
    OversizedKeys,
    Pairs,
    distinct_pairs,
    pair_neighbours,
    sorted_keys,
)
from nearcopy.config import Policy
from nearcopy.io.files.read import first_free_number, numbered_id
from nearcopy.kernels import xxh3_64
from nearcopy.models import Relation

Numbers = NDArray[np.int64]
EXACT_DUPLICATES_FILE = "exact_duplicates.pack"
BYTES_PER_HASH = 48  # of memory, to sort


def find_exact_duplicates(job: CorpusJob, _: int = 0) -> None:
    """Write the representative of each row's text, and new ids for repeated ones."""
    table = table_of(job)
    representatives = np.arange(len(table), dtype=np.uint32)
    if job.by_text and collapses_exact_duplicates(job.policy):
        ranking = ranking_of(table, job)
        for groups, rows in _equal_rows(table, job, "digest"):
            best = ranking.best(groups, rows, job.policy.keep)
            representatives[rows] = best[groups]
    write_pack(
        job.paths.work / EXACT_DUPLICATES_FILE,
        {"representative": representatives},
        ids=list(_rename_repeated_ids(table, job).items()),
    )


def collapses_exact_duplicates(policy: Policy) -> bool:
    """Whether one row can represent all rows of the same text."""
    always = policy.window is None and policy.sources != "across"
    return always and Relation.SAME_TEXT in policy.duplicates


def ranking_of(table: Table, job: CorpusJob) -> Ranking:
    """The columns by which the rows of a table are ranked."""
    published, seen, words = (table.column(name) for name in ("published", "seen", "words"))
    return Ranking(published, seen, words, table.ids, count_reference_rows(table, job))


def count_reference_rows(table: Table, job: CorpusJob) -> int:
    """The number of rows that are compared with, but not written."""
    files = [job.sources[unit.file] for unit in job.units]
    return sum(part.size for part in table.parts if files[part.unit].reference)


def _equal_rows(table: Table, job: CorpusJob, name: str) -> Iterator[tuple[Numbers, Numbers]]:
    """The rows with the same value in a column of hashes, as group numbers and rows, in passes."""
    bits = max(1, len(table).bit_length())
    passes = 1 + len(table) * BYTES_PER_HASH // job.memory_per_process
    for number in range(passes):
        parts = [
            _hashes_in_pass(part.pack, name, part.first, passes, number, job)
            for part in table.parts
        ]
        keys, rows = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        yield _group_equal(keys, rows, bits)


def _hashes_in_pass(
    pack: Pack, name: str, first: int, passes: int, number: int, job: CorpusJob
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """The hashes of a pack that belong to this pass, and their rows."""
    values = pack.read(name)
    keys: Array = values[:, 0] ^ values[:, 1] if values.ndim == 2 else values
    present = keys != 0
    if name == "digest" and job.policy.sources == "within":
        sources = pack.read("source")
        keys, present = keys ^ sources, present & (sources != 0)
    (places,) = np.nonzero(present & (keys % np.uint64(passes) == number))
    return keys[places], (places + first).astype(np.uint32)


def _group_equal(
    keys: NDArray[np.uint64], rows: NDArray[np.uint32], bits: int
) -> tuple[Numbers, Numbers]:
    """The rows that share a hash with another row, and their group numbers."""
    ordered = sorted_keys(keys, rows, bits)
    hashes = ordered >> np.uint64(bits)
    repeated = hashes[1:] == hashes[:-1]
    shared = np.zeros(len(ordered), np.bool_)
    shared[1:] |= repeated
    shared[:-1] |= repeated
    members = (ordered[shared] & np.uint64((1 << bits) - 1)).astype(np.int64)
    member_hashes = hashes[shared]
    is_first = np.ones(len(members), np.int64)
    is_first[1:] = member_hashes[1:] != member_hashes[:-1]
    return np.cumsum(is_first) - 1, members


def _rename_repeated_ids(table: Table, job: CorpusJob) -> dict[int, str]:
    """New ids, "id#2", "id#3", for rows whose id an earlier row has; the twin of `UniqueIds`."""
    repeated: dict[int, tuple[str, int]] = {}
    for groups, rows in _equal_rows(table, job, "id_hash"):
        ids = table.ids(rows)
        counts: Counter[str] = Counter()
        for row in rows[np.lexsort((rows, groups))].tolist():
            counts[ids[row]] += 1
            if counts[ids[row]] > 1:
                repeated[row] = ids[row], counts[ids[row]]
    return _number_ids(table, repeated) if repeated else {}


def _number_ids(table: Table, repeated: dict[int, tuple[str, int]]) -> dict[int, str]:
    """A numbered id for each row, that no other row has."""
    existing = np.unique(table.column("id_hash"))
    assigned: dict[int, str] = {}
    new_ids: set[str] = set()

    def is_taken(candidate: str) -> bool:
        return candidate in new_ids or _contains(
            existing, xxh3_64(candidate.encode("utf-8", "surrogatepass"))
        )

    for row in sorted(repeated):
        article_id, number = repeated[row]
        number = first_free_number(article_id, number, is_taken)
        assigned[row] = numbered_id(article_id, number)
        new_ids.add(assigned[row])
    return assigned


def _contains(ordered: NDArray[np.uint64], value: int) -> bool:
    place = int(np.searchsorted(ordered, np.uint64(value)))
    return place < len(ordered) and int(ordered[place]) == value


@lru_cache(maxsize=1)
def renamed_ids(job: CorpusJob) -> dict[int, str]:
    """The new ids of rows whose id was repeated."""
    return dict(Pack(job.paths.work / EXACT_DUPLICATES_FILE).notes["ids"])


def ids_of(job: CorpusJob, rows: Sequence[int] | Numbers) -> dict[int, str]:
    """The unique ids of rows."""
    ids, renamed = table_of(job).ids(rows), renamed_ids(job)
    return {row: renamed.get(row, own) for row, own in ids.items()} if renamed else ids


# Rows that share a blocking key.

COLUMNS_PER_TASK = 7  # of keys: their pairs are made distinct together
TEXT_BLOCK = 1 << 14  # rows whose pairs are compared together
BYTES_PER_KEY = 40  # of memory, to sort
HIGH = np.uint64(32)


def column_tasks(job: CorpusJob) -> list[int]:
    """The first key column of each task."""
    return list(range(0, _columns(table_of(job)), COLUMNS_PER_TASK))


def _columns(table: Table) -> int:
    return max((part.pack.rows("keys") for part in table.parts if part.size), default=0)


def pairs_path(job: CorpusJob, first: int) -> Path:
    """The file of the pairs that share a key in the columns from `first` on."""
    return job.folder("pairs") / f"{first:03d}.pack"


def pair_columns(job: CorpusJob, first: int) -> None:
    """Write the pairs of rows that share a key in some columns, and where each block begins."""
    table = table_of(job)
    representatives = Pack(job.paths.work / EXACT_DUPLICATES_FILE).read("representative")
    last = min(first + COLUMNS_PER_TASK, _columns(table))
    pairs, oversized = NO_PAIRS, OversizedKeys()
    for column in range(first, last):
        here = OversizedKeys()
        for new_pairs, crowd in _shared_key_pairs(table, representatives, column, job):
            pairs, here = distinct_pairs([pairs, new_pairs]), here.add(crowd)
        oversized = oversized.combine(here)
    bounds = np.searchsorted(pairs >> HIGH, np.arange(0, len(table) + TEXT_BLOCK, TEXT_BLOCK))
    write_pack(
        pairs_path(job, first),
        {"pairs": pairs, "bounds": bounds.astype(np.uint64)},
        oversized=list(oversized),
    )


def _shared_key_pairs(
    table: Table, representatives: NDArray[np.uint32], column: int, job: CorpusJob
) -> Iterator[tuple[Pairs, OversizedKeys]]:
    bits = max(1, len(table).bit_length())
    passes = 1 + len(table) * BYTES_PER_KEY // job.memory_per_process
    for number in range(passes):
        keys, rows = [], []
        for part in table.parts:
            if not part.size:
                continue
            column_keys = part.pack.read("keys", column, column + 1)[0]
            rows_of_part = np.arange(part.first, part.first + part.size)
            own = representatives[rows_of_part] == rows_of_part
            selected = (column_keys != 0) & own & (column_keys % np.uint64(passes) == number)
            (places,) = np.nonzero(selected)
            keys.append(column_keys[places])
            rows.append((places + part.first).astype(np.uint32))
        if keys:
            ordered = sorted_keys(np.concatenate(keys), np.concatenate(rows), bits)
            yield pair_neighbours(ordered, bits)


def text_blocks(job: CorpusJob) -> list[int]:
    """The numbers of the blocks of rows."""
    return list(range(-(-len(table_of(job)) // TEXT_BLOCK)))


def read_pairs(job: CorpusJob, block: int) -> Pairs:
    """The pairs whose later row is in a block, sorted."""
    parts = []
    for first in column_tasks(job):
        pack = Pack(pairs_path(job, first))
        start, end = pack.read("bounds", block, block + 2).tolist()
        parts.append(pack.read("pairs", start, end))
    return distinct_pairs(parts)


def oversized_keys(job: CorpusJob) -> OversizedKeys:
    """The oversized keys of all columns."""
    oversized = OversizedKeys()
    for first in column_tasks(job):
        notes = Pack(pairs_path(job, first)).notes
        oversized = oversized.combine(OversizedKeys(*notes["oversized"]))
    return oversized
