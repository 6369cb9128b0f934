"""Likes: rows that say the same word for word, of which one stands for all; and ids that repeat."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nearcopy.config import Policy
from nearcopy.corpus.job import Job
from nearcopy.corpus.packs import Array, Pack, write_pack
from nearcopy.corpus.ranking import Ranking
from nearcopy.corpus.sharing import sorted_keys
from nearcopy.corpus.table import Table, table_of
from nearcopy.kernels import xxh3_64
from nearcopy.model import Relation

Numbers = NDArray[np.int64]
FILE = "likes.pack"
BYTES_A_ROW = 48  # that sorting takes


def find_likes(job: Job, _: int = 0) -> None:
    """Writes for each row the one that stands for its text, and new ids for those that repeat."""
    table = table_of(job)
    like = np.arange(len(table), dtype=np.uint32)
    if job.by_text and stand_in(job.policy):
        ranking = ranking_of(table, job)
        for groups, rows in _same(table, job, "digest"):
            best = ranking.best(groups, rows, job.policy.keep)
            like[rows] = best[groups]
    write_pack(job.work / FILE, {"like": like}, names=list(_names(table, job).items()))


def stand_in(policy: Policy) -> bool:
    """Whether one of several rows of the same text can stand for all, whatever else they say."""
    always = policy.window is None and policy.sources != "across"
    return always and Relation.SAME_TEXT in policy.duplicates


def ranking_of(table: Table, job: Job) -> Ranking:
    """What the rows of a table are ranked by."""
    published, seen, words = (table.column(name) for name in ("published", "seen", "words"))
    return Ranking(published, seen, words, table.names, given_rows(table, job))


def given_rows(table: Table, job: Job) -> int:
    """How many rows were given to compare with, and are not written."""
    return sum(part.size for part in table.parts if job.inputs[job.units[part.unit].file].against)


def _same(table: Table, job: Job, name: str) -> Iterator[tuple[Numbers, Numbers]]:
    """The rows that have the same value in a column of hashes: numbers of groups, and the rows."""
    bits = max(1, len(table).bit_length())
    passes = 1 + len(table) * BYTES_A_ROW // job.share
    for number in range(passes):
        parts = [_kept(part.pack, name, part.first, passes, number, job) for part in table.parts]
        keys, rows = (np.concatenate(each) for each in zip(*parts, strict=True))
        yield _grouped(keys, rows, bits)


def _kept(
    pack: Pack, name: str, first: int, passes: int, number: int, job: Job
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """The hashes of a pack that are looked at in this pass, and whose they are."""
    found = pack.read(name)
    keys: Array = found[:, 0] ^ found[:, 1] if found.ndim == 2 else found
    there = keys != 0
    if name == "digest" and job.policy.sources == "within":
        sources = pack.read("source")
        keys, there = keys ^ sources, there & (sources != 0)
    (places,) = np.nonzero(there & (keys % np.uint64(passes) == number))
    return keys[places], (places + first).astype(np.uint32)


def _grouped(
    keys: NDArray[np.uint64], rows: NDArray[np.uint32], bits: int
) -> tuple[Numbers, Numbers]:
    """The rows that share a hash with another, and numbers of the groups they make."""
    ordered = sorted_keys(keys, rows, bits)
    known = ordered >> np.uint64(bits)
    again = known[1:] == known[:-1]
    held = np.zeros(len(ordered), np.bool_)
    held[1:] |= again
    held[:-1] |= again
    found = (ordered[held] & np.uint64((1 << bits) - 1)).astype(np.int64)
    kept = known[held]
    new = np.ones(len(found), np.int64)
    new[1:] = kept[1:] != kept[:-1]
    return np.cumsum(new) - 1, found


def _names(table: Table, job: Job) -> dict[int, str]:
    """New ids for rows whose id an earlier one has: "id#2", "id#3"."""
    made: dict[int, str] = {}
    for groups, rows in _same(table, job, "id_hash"):
        names = table.names(rows)
        seen: dict[str, int] = {}
        for row in rows[np.lexsort((rows, groups))].tolist():
            name = names[row]
            seen[name] = seen.get(name, 0) + 1
            if seen[name] > 1:
                made[row] = f"{name}#{seen[name]}"
    return _free(table, made)


def _free(table: Table, made: dict[int, str]) -> dict[int, str]:
    """The new ids; where a row has such an id already, another that none has."""
    if not made:
        return made

    def hashed(name: str) -> int:
        return xxh3_64(name.encode("utf-8", "surrogatepass"))

    taken = np.unique(table.column("id_hash"))
    given: set[str] = set()
    for row in sorted(made):
        name = made[row]
        stem, _, number = name.rpartition("#")
        while name in given or _holds(taken, hashed(name)):
            number = str(int(number) + 1)
            name = f"{stem}#{number}"
        made[row] = name
        given.add(name)
    return made


def _holds(ordered: NDArray[np.uint64], value: int) -> bool:
    place = int(np.searchsorted(ordered, np.uint64(value)))
    return place < len(ordered) and int(ordered[place]) == value


@lru_cache(maxsize=1)
def new_names(job: Job) -> dict[int, str]:
    """The rows that have another id than they came with."""
    return dict(Pack(job.work / FILE).notes["names"])


def names_of(job: Job, rows: Sequence[int] | Numbers) -> dict[int, str]:
    """The ids of some rows, each of its own."""
    found, new = table_of(job).names(rows), new_names(job)
    return {row: new.get(row, name) for row, name in found.items()} if new else found
