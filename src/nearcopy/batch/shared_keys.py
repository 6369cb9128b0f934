"""Rows that share a key, without comparing all pairs of an oversized key.

Rows are sorted by key and row number. Each is paired with the rows just before it and with the
first rows of its key: all stay linked, and the pairs that were skipped are counted.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Pairs = NDArray[np.uint64]  # the later row << 32 | the earlier row
Keys = NDArray[np.uint64]
Numbers = NDArray[np.int64]
PRECEDING_ROWS, LEADING_ROWS = 64, 8  # of one key, that each row is paired with
NO_PAIRS = np.zeros(0, np.uint64)


class OversizedKeys(NamedTuple):
    """Keys with more rows than are all compared, and the pairs that were skipped."""

    keys: int = 0
    largest: int = 0  # rows of one key
    skipped_pairs: int = 0  # in the column of keys where they are most

    def add(self, other: "OversizedKeys") -> "OversizedKeys":
        """The sum of two parts of one column of keys."""
        both = self.skipped_pairs + other.skipped_pairs
        return OversizedKeys(self.keys + other.keys, max(self.largest, other.largest), both)

    def combine(self, other: "OversizedKeys") -> "OversizedKeys":
        """Those of two columns: a pair that one skips, another may have."""
        most = max(self.skipped_pairs, other.skipped_pairs)
        return OversizedKeys(self.keys + other.keys, max(self.largest, other.largest), most)


def sorted_keys(keys: Keys, rows: NDArray[np.unsignedinteger], bits: int) -> Keys:
    """Key and row in one number each, sorted: the row in the low bits, the key above it."""
    shift = np.uint64(bits)
    ordered = (keys >> shift << shift) | rows.astype(np.uint64)
    ordered.sort()
    return ordered


def pair_neighbours(ordered: Keys, bits: int) -> tuple[Pairs, OversizedKeys]:
    """The pairs of rows that share a key, from what `sorted_keys` returned."""
    shift, low = np.uint64(bits), np.uint64((1 << bits) - 1)
    keys = ordered >> shift
    (places,) = np.nonzero(keys[1:] == keys[:-1])
    if not len(places):
        return NO_PAIRS, OversizedKeys()
    members = np.union1d(places, places + 1)
    rows, keys = ordered[members] & low, keys[members]
    new = np.concatenate([[True], keys[1:] != keys[:-1]])
    pairs = [
        rows[later] << np.uint64(32) | rows[earlier] for later, earlier in neighbour_positions(new)
    ]
    (starts,) = np.nonzero(new)
    sizes = np.diff(np.append(starts, len(rows)))
    return np.concatenate([NO_PAIRS, *pairs]), _oversized(sizes)


def neighbour_positions(
    new: NDArray[np.bool_], most: int = PRECEDING_ROWS
) -> Iterable[tuple[Numbers, Numbers]]:
    """The positions of paired rows, as later and earlier ones.

    `new` marks where a group begins; each row is paired with the `most` rows before it, and with
    the first ones.
    """
    (starts,) = np.nonzero(new)
    sizes = np.diff(np.append(starts, len(new)))
    before = np.arange(len(new)) - np.repeat(starts, sizes)  # rows of the group before each
    yield from _just_before(before, most)
    yield from _first_ones(before, most)


def _just_before(before: Numbers, most: int) -> Iterable[tuple[Numbers, Numbers]]:
    """Each row with the rows just before it."""
    (places,) = np.nonzero(before)
    for back in range(1, most + 1):
        places = places[before[places] >= back]
        if not len(places):
            return
        yield places, places - back


def _first_ones(before: Numbers, most: int) -> Iterable[tuple[Numbers, Numbers]]:
    """Each row with the first rows of its group, unless it follows them closely."""
    for number in range(LEADING_ROWS):
        (places,) = np.nonzero(before > most + number)
        if not len(places):
            return
        yield places, places - before[places] + number


def _oversized(sizes: Numbers) -> OversizedKeys:
    limit = PRECEDING_ROWS + LEADING_ROWS
    large = sizes[sizes > limit + 1].astype(object)  # their squares may exceed 64 bits
    skipped = sum(n * (n - 1) // 2 - _pairs_of(n, limit) for n in large)
    return OversizedKeys(len(large), int(sizes.max(initial=0)), int(skipped))


def _pairs_of(size: int, most: int) -> int:
    """The number of pairs where each row is paired with at most `most` rows before it."""
    return most * (most + 1) // 2 + (size - most - 1) * most


def distinct_pairs(pairs: Iterable[Pairs]) -> Pairs:
    """The pairs sorted and without repetition, and without pairs of a row with itself."""
    ordered: Pairs = sorted_distinct(np.concatenate([NO_PAIRS, *pairs]))
    apart: Pairs = ordered[(ordered >> np.uint64(32)) != (ordered & np.uint64(0xFFFFFFFF))]
    return apart


def sorted_distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The distinct values, sorted; faster than `np.unique` where few values are distinct."""
    ordered = np.sort(values)
    new = np.ones(len(ordered), np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]
