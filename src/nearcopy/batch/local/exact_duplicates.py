"""Likes: rows that say the same word for word, of which one stands for all; and ids that repeat."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nearcopy.batch.local.column_files import Array, Pack, write_pack
from nearcopy.batch.local.job import Job
from nearcopy.batch.local.rank import Ranking
from nearcopy.batch.local.row_table import Table, table_of
from nearcopy.batch.local.shared_keys import sorted_keys
from nearcopy.config import Policy
from nearcopy.kernels import xxh3_64
from nearcopy.models.model import Relation

Numbers = NDArray[np.int64]
FILE = "likes.pack"
BYTES_A_ROW = 48  # that sorting takes


def find_exact_duplicates(job: Job, _: int = 0) -> None:
    """Writes for each row the one that stands for its text, and new ids for those that repeat."""
    table = table_of(job)
    representative = np.arange(len(table), dtype=np.uint32)
    if job.by_text and stand_in(job.policy):
        ranking = ranking_of(table, job)
        for groups, rows in _equal_rows(table, job, "digest"):
            best = ranking.best(groups, rows, job.policy.keep)
            representative[rows] = best[groups]
    write_pack(
        job.work / FILE,
        {"like": representative},
        names=list(_rename_repeated_ids(table, job).items()),
    )


def stand_in(policy: Policy) -> bool:
    """Whether one of several rows of the same text can stand for all, whatever else they say."""
    always = policy.window is None and policy.sources != "across"
    return always and Relation.SAME_TEXT in policy.duplicates


def ranking_of(table: Table, job: Job) -> Ranking:
    """What the rows of a table are ranked by."""
    published, seen, words = (table.column(name) for name in ("published", "seen", "words"))
    return Ranking(published, seen, words, table.names, count_reference_rows(table, job))


def count_reference_rows(table: Table, job: Job) -> int:
    """How many rows were given to compare with, and are not written."""
    return sum(part.size for part in table.parts if job.inputs[job.units[part.unit].file].against)


def _equal_rows(table: Table, job: Job, name: str) -> Iterator[tuple[Numbers, Numbers]]:
    """The rows that have the same value in a column of hashes: numbers of groups, and the rows."""
    bits = max(1, len(table).bit_length())
    passes = 1 + len(table) * BYTES_A_ROW // job.share
    for number in range(passes):
        parts = [
            _hashes_in_pass(part.pack, name, part.first, passes, number, job)
            for part in table.parts
        ]
        keys, rows = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        yield _group_equal(keys, rows, bits)


def _hashes_in_pass(
    pack: Pack, name: str, first: int, passes: int, number: int, job: Job
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """The hashes of a pack that are looked at in this pass, and whose they are."""
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
    """The rows that share a hash with another, and numbers of the groups they make."""
    ordered = sorted_keys(keys, rows, bits)
    hashes = ordered >> np.uint64(bits)
    repeated = hashes[1:] == hashes[:-1]
    held = np.zeros(len(ordered), np.bool_)
    held[1:] |= repeated
    held[:-1] |= repeated
    members = (ordered[held] & np.uint64((1 << bits) - 1)).astype(np.int64)
    kept = hashes[held]
    new = np.ones(len(members), np.int64)
    new[1:] = kept[1:] != kept[:-1]
    return np.cumsum(new) - 1, members


def _rename_repeated_ids(table: Table, job: Job) -> dict[int, str]:
    """New ids for rows whose id an earlier one has: "id#2", "id#3"."""
    new_ids: dict[int, str] = {}
    for groups, rows in _equal_rows(table, job, "id_hash"):
        names = table.names(rows)
        seen: dict[str, int] = {}
        for row in rows[np.lexsort((rows, groups))].tolist():
            name = names[row]
            seen[name] = seen.get(name, 0) + 1
            if seen[name] > 1:
                new_ids[row] = f"{name}#{seen[name]}"
    return _make_unique(table, new_ids)


def _make_unique(table: Table, new_ids: dict[int, str]) -> dict[int, str]:
    """The new ids; where a row has such an id already, another that none has."""
    if not new_ids:
        return new_ids

    def hashed(name: str) -> int:
        return xxh3_64(name.encode("utf-8", "surrogatepass"))

    existing = np.unique(table.column("id_hash"))
    assigned: set[str] = set()
    for row in sorted(new_ids):
        name = new_ids[row]
        stem, _, number = name.rpartition("#")
        while name in assigned or _contains(existing, hashed(name)):
            number = str(int(number) + 1)
            name = f"{stem}#{number}"
        new_ids[row] = name
        assigned.add(name)
    return new_ids


def _contains(ordered: NDArray[np.uint64], value: int) -> bool:
    place = int(np.searchsorted(ordered, np.uint64(value)))
    return place < len(ordered) and int(ordered[place]) == value


@lru_cache(maxsize=1)
def renamed_ids(job: Job) -> dict[int, str]:
    """The rows that have another id than they came with."""
    return dict(Pack(job.work / FILE).notes["names"])


def ids_of(job: Job, rows: Sequence[int] | Numbers) -> dict[int, str]:
    """The ids of some rows, each of its own."""
    names, new = table_of(job).names(rows), renamed_ids(job)
    return {row: new.get(row, name) for row, name in names.items()} if new else names
