"""Sharing: which rows have a key in common, without looking at every two of many.

Rows are sorted by key and number, so that those under one key follow each other. Where many do,
each is put beside those just before it and the first ones: all stay linked, and the pairs that were
passed over are counted.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Pairs = NDArray[np.uint64]  # the later row << 32 | the earlier one
Keys = NDArray[np.uint64]
Numbers = NDArray[np.int64]
BEFORE, FIRST = 64, 8  # rows under one key that each is put beside: just before it, and of all
NO_PAIRS = np.zeros(0, np.uint64)


class OversizedKeys(NamedTuple):
    """What was passed over: keys with more rows than are all compared, and pairs of these."""

    keys: int = 0
    largest: int = 0  # rows under one key
    passed_over: int = 0  # pairs, in the column of keys where these are most

    def add(self, other: "OversizedKeys") -> "OversizedKeys":
        """Both of one column of keys together."""
        both = self.passed_over + other.passed_over
        return OversizedKeys(self.keys + other.keys, max(self.largest, other.largest), both)

    def combine(self, other: "OversizedKeys") -> "OversizedKeys":
        """Those of two columns: what one passes over, another may find."""
        most = max(self.passed_over, other.passed_over)
        return OversizedKeys(self.keys + other.keys, max(self.largest, other.largest), most)


def sorted_keys(keys: Keys, rows: NDArray[np.unsignedinteger], bits: int) -> Keys:
    """Key and row in one number each, ascending: the row in the last bits, the key before it."""
    shift = np.uint64(bits)
    ordered = (keys >> shift << shift) | rows.astype(np.uint64)
    ordered.sort()
    return ordered


def neighbours(ordered: Keys, bits: int) -> tuple[Pairs, OversizedKeys]:
    """The pairs of rows with a key in common, from what `sorted_keys` made."""
    shift, low = np.uint64(bits), np.uint64((1 << bits) - 1)
    keys = ordered >> shift
    (places,) = np.nonzero(keys[1:] == keys[:-1])
    if not len(places):
        return NO_PAIRS, OversizedKeys()
    members = np.union1d(places, places + 1)
    rows, keys = ordered[members] & low, keys[members]
    new = np.concatenate([[True], keys[1:] != keys[:-1]])
    pairs = [
        rows[later] << np.uint64(32) | rows[earlier] for later, earlier in neighbour_places(new)
    ]
    (starts,) = np.nonzero(new)
    sizes = np.diff(np.append(starts, len(rows)))
    return np.concatenate([NO_PAIRS, *pairs]), _oversized(sizes)


def neighbour_places(
    new: NDArray[np.bool_], most: int = BEFORE
) -> Iterable[tuple[Numbers, Numbers]]:
    """The places of what is put beside each other, the later ones and the earlier ones.

    `new` tells where a group begins; each is put beside `most` just before it and the first ones.
    """
    (starts,) = np.nonzero(new)
    sizes = np.diff(np.append(starts, len(new)))
    before = np.arange(len(new)) - np.repeat(starts, sizes)  # how many of the group come first
    yield from _just_before(before, most)
    yield from _first_ones(before, most)


def _just_before(before: Numbers, most: int) -> Iterable[tuple[Numbers, Numbers]]:
    """Each beside those just before it."""
    (places,) = np.nonzero(before)
    for back in range(1, most + 1):
        places = places[before[places] >= back]
        if not len(places):
            return
        yield places, places - back


def _first_ones(before: Numbers, most: int) -> Iterable[tuple[Numbers, Numbers]]:
    """Each that is not just behind them beside the first of its group."""
    for number in range(FIRST):
        (places,) = np.nonzero(before > most + number)
        if not len(places):
            return
        yield places, places - before[places] + number


def _oversized(sizes: Numbers) -> OversizedKeys:
    large = sizes[sizes > BEFORE + FIRST + 1].astype(object)  # their squares may be beyond 64 bits
    looked_at = BEFORE + FIRST
    passed = sum(n * (n - 1) // 2 - _pairs_of(n, looked_at) for n in large)
    return OversizedKeys(len(large), int(sizes.max(initial=0)), int(passed))


def _pairs_of(size: int, most: int) -> int:
    """How many pairs there are where each is put beside so many before it, at most."""
    return most * (most + 1) // 2 + (size - most - 1) * most


def distinct(pairs: Iterable[Pairs]) -> Pairs:
    """The pairs, each once, in order; never one of a row with itself."""
    ordered: Pairs = ascending(np.concatenate([NO_PAIRS, *pairs]))
    apart: Pairs = ordered[(ordered >> np.uint64(32)) != (ordered & np.uint64(0xFFFFFFFF))]
    return apart


def ascending(values: NDArray[Any]) -> NDArray[Any]:
    """The values, each once, in order; `np.unique` takes long where there are few different."""
    ordered = np.sort(values)
    new = np.ones(len(ordered), np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]
