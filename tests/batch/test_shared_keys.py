"""Pairs of rows that share a key, and oversized keys."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.batch.shared_keys import (
    LEADING_ROWS,
    PRECEDING_ROWS,
    distinct_pairs,
    pair_neighbours,
    sorted_keys,
)


def pairs_under(keys: list[int]) -> set[tuple[int, int]]:
    rows = np.arange(len(keys), dtype=np.uint32)
    hashed = np.array(keys, np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    pairs = distinct_pairs([pair_neighbours(sorted_keys(hashed, rows, 16), 16)[0]])
    return {(int(pair) >> 32, int(pair) & 0xFFFFFFFF) for pair in pairs}


@given(st.lists(st.integers(1, 6), max_size=40))
def test_rows_of_one_key_are_paired(keys):
    expected = {(i, j) for i in range(len(keys)) for j in range(i) if keys[i] == keys[j]}
    assert pairs_under(keys) == expected


def test_oversized_keys_stay_linked_and_are_counted():
    count = 2000
    ordered = sorted_keys(np.full(count, 1 << 40, np.uint64), np.arange(count, dtype=np.uint32), 16)
    pairs, oversized = pair_neighbours(ordered, 16)
    assert len(pairs) < count * (PRECEDING_ROWS + LEADING_ROWS)
    assert oversized.keys == 1
    assert oversized.largest == count
    assert oversized.skipped_pairs == count * (count - 1) // 2 - len(distinct_pairs([pairs]))
    assert {int(pair) >> 32 for pair in pairs} == set(range(1, count))
