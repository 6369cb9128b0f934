"""Candidate pairs: exact duplicates, repeated ids, and rows that share a blocking key."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearcopy.batch.column_rules import Numbers, Ranking
from nearcopy.batch.local.column_files import Array, Pack, write_pack
from nearcopy.batch.local.corpus_job import CorpusJob
from nearcopy.batch.local.row_table import Part, table_of
from nearcopy.batch.shared_keys import (
    NO_PAIRS,
    Keys,
    OversizedKeys,
    Pairs,
    distinct_pairs,
    pair_neighbours,
    sorted_keys,
)
from nearcopy.config import Policy
from nearcopy.io.files.read import UniqueIds
from nearcopy.models import Relation

EXACT_DUPLICATES_FILE = "exact_duplicates.pack"
BYTES_PER_KEY = 48  # of memory, to sort


def find_exact_duplicates(job: CorpusJob, _: int = 0) -> None:
    """Write the representative of each row's text, and the new ids of rows."""
    table = table_of(job)
    representatives = np.arange(len(table), dtype=np.uint32)
    if job.by_text and collapses_exact_duplicates(job.policy):
        ranking = ranking_of(job)
        for groups, rows in _equal_rows(job, partial(_text_hashes, job)):
            best = ranking.best(groups, rows, job.policy.keep)
            representatives[rows] = best[groups]
    write_pack(
        job.paths.work / EXACT_DUPLICATES_FILE,
        {"representative": representatives},
        ids=list(_rename_repeated_ids(job).items()),
    )


def collapses_exact_duplicates(policy: Policy) -> bool:
    """Whether one row can represent all rows of the same text."""
    always = policy.window is None and policy.sources != "across"
    return always and Relation.SAME_TEXT in policy.duplicates


def ranking_of(job: CorpusJob) -> Ranking:
    """The columns by which rows are ranked."""
    table = table_of(job)
    published, seen, words = (table.column(name) for name in ("published", "seen", "words"))
    return Ranking(published, seen, words, table.ids, count_reference_rows(job))


def count_reference_rows(job: CorpusJob) -> int:
    """The number of rows that are compared with, but not written."""
    return sum(part.size for part in table_of(job).parts if job.source_of(part.unit).reference)


def _sorted_in_passes(
    job: CorpusJob, keys_of: Callable[[Part], Keys]
) -> Iterator[tuple[Keys, int]]:
    """The keys of all rows as `sorted_keys` returns them, without 0, in passes that fit in memory.

    With the number of low bits that hold the row.
    """
    table = table_of(job)
    bits = max(1, len(table).bit_length())
    passes = 1 + len(table) * BYTES_PER_KEY // job.memory_per_process
    for number in range(passes):
        keys, rows = [NO_PAIRS], [np.zeros(0, np.uint32)]
        for part in table.parts:
            if part.size:
                part_keys: Keys = keys_of(part)
                in_pass = part_keys % np.uint64(passes) == number
                (places,) = np.nonzero(in_pass & (part_keys != 0))
                keys.append(part_keys[places])
                rows.append((places + part.first).astype(np.uint32))
        yield sorted_keys(np.concatenate(keys), np.concatenate(rows), bits), bits


def _text_hashes(job: CorpusJob, part: Part) -> Keys:
    """A hash of each text, 0 for those that are not collapsed."""
    digests = part.pack.read("digest")
    hashes: Array = digests[:, 0] ^ digests[:, 1]
    if job.policy.sources == "within":
        sources = part.pack.read("source")
        hashes = np.where((hashes != 0) & (sources != 0), hashes ^ sources, np.uint64(0))
    return hashes


def _equal_rows(
    job: CorpusJob, hashes_of: Callable[[Part], Keys]
) -> Iterator[tuple[Numbers, Numbers]]:
    """The rows that share a hash with another row, and their group numbers, in passes."""
    for ordered, bits in _sorted_in_passes(job, hashes_of):
        hashes = ordered >> np.uint64(bits)
        repeated = hashes[1:] == hashes[:-1]
        shared = np.zeros(len(ordered), np.bool_)
        shared[1:] |= repeated
        shared[:-1] |= repeated
        members = (ordered[shared] & np.uint64((1 << bits) - 1)).astype(np.int64)
        is_first = np.ones(len(members), np.int64)
        is_first[1:] = hashes[shared][1:] != hashes[shared][:-1]
        yield np.cumsum(is_first) - 1, members


def _rename_repeated_ids(job: CorpusJob) -> dict[int, str]:
    """The new ids of rows that do not get their own, as `UniqueIds` assigns them."""
    table, assign = table_of(job), UniqueIds().assign
    repeated = [rows for _, rows in _equal_rows(job, lambda part: part.pack.read("id_hash"))]
    rows = np.concatenate([np.zeros(0, np.int64), *repeated])
    if not len(rows):
        return {}
    families = table.column("family_hash")
    members = np.flatnonzero(np.isin(families, families[rows]))
    own = table.ids(members)
    assigned = {row: assign(own[row]) for row in members.tolist()}
    return {row: unique_id for row, unique_id in assigned.items() if unique_id != own[row]}


@lru_cache(maxsize=1)
def renamed_ids(job: CorpusJob) -> dict[int, str]:
    """The new ids of rows that did not get their own."""
    return dict(Pack(job.paths.work / EXACT_DUPLICATES_FILE).notes["ids"])


def ids_of(job: CorpusJob, rows: Sequence[int] | Numbers) -> dict[int, str]:
    """The unique ids of rows."""
    ids, renamed = table_of(job).ids(rows), renamed_ids(job)
    return {row: renamed.get(row, own) for row, own in ids.items()} if renamed else ids


# Rows that share a blocking key.

COLUMNS_PER_TASK = 7  # of keys: their pairs are made distinct together
TEXT_BLOCK = 1 << 14  # rows whose pairs are compared together
ARTICLE_BLOCK = 2048  # the same for whole articles
HIGH = np.uint64(32)


def column_tasks(job: CorpusJob) -> list[int]:
    """The first key column of each task."""
    return list(range(0, _columns(job), COLUMNS_PER_TASK))


def _columns(job: CorpusJob) -> int:
    return max((part.pack.rows("keys") for part in table_of(job).parts if part.size), default=0)


def pairs_path(job: CorpusJob, first: int) -> Path:
    """The file of the pairs that share a key in the columns from `first` on."""
    return job.folder("pairs") / f"{first:03d}.pack"


def pair_columns(job: CorpusJob, first: int) -> None:
    """Write the pairs of rows that share a key in some columns, and where each block begins."""
    representatives = Pack(job.paths.work / EXACT_DUPLICATES_FILE).read("representative")
    pairs, oversized = NO_PAIRS, OversizedKeys()
    for column in range(first, min(first + COLUMNS_PER_TASK, _columns(job))):
        of_column = OversizedKeys()
        keys_of = partial(_representative_keys, representatives, column)
        for ordered, bits in _sorted_in_passes(job, keys_of):
            new_pairs, oversized_in_pass = pair_neighbours(ordered, bits)
            pairs, of_column = distinct_pairs([pairs, new_pairs]), of_column.add(oversized_in_pass)
        oversized = oversized.combine(of_column)
    blocks = np.arange(0, len(table_of(job)) + TEXT_BLOCK, TEXT_BLOCK)
    bounds = np.searchsorted(pairs >> HIGH, blocks).astype(np.uint64)
    columns = {"pairs": pairs, "bounds": bounds}
    write_pack(pairs_path(job, first), columns, oversized=list(oversized))


def _representative_keys(representatives: NDArray[np.uint32], column: int, part: Part) -> Keys:
    """A column of keys, 0 for exact duplicates of other rows."""
    rows = np.arange(part.first, part.first + part.size)
    keys: Keys = part.pack.read("keys", column, column + 1)[0]
    return np.where(representatives[rows] == rows, keys, np.uint64(0))


def row_blocks(job: CorpusJob) -> list[int]:
    """The numbers of the blocks of rows that are compared together."""
    size = TEXT_BLOCK if job.by_text else ARTICLE_BLOCK
    return list(range(-(-len(table_of(job)) // size)))


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
