"""The indexes keep their contracts, and the compiled ones answer as the reference does."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, pairwise
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from numpy.typing import NDArray

from nearcopy import kernels

NO_NATIVE = "the native kernel is not built here"
LEVELS = ["baseline", "avx2", "avx512"]
U64 = np.uint64
WORDS = st.integers(0, 2**64 - 1)


@pytest.fixture(params=["reference", "native"])
def kernel(request: pytest.FixtureRequest) -> ModuleType:
    found: ModuleType | None = getattr(kernels, request.param)
    return found or pytest.skip(NO_NATIVE)


@pytest.fixture
def native() -> ModuleType:
    return kernels.native or pytest.skip(NO_NATIVE)


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest, native: ModuleType) -> Iterator[str]:
    best = native.level()
    if native.use_level(request.param) != request.param:
        pytest.skip(f"this processor has no {request.param}")
    yield request.param
    native.use_level(best)


def array(values: Any, dtype: Any = U64) -> NDArray[Any]:
    return np.array(values, dtype)


def rows(answer: tuple[NDArray[Any], ...]) -> list[list[Any]]:
    """The answer to each query: positions, or (position, score) pairs."""
    starts, *columns = (column.tolist() for column in answer)
    flat = list(zip(*columns, strict=True)) if len(columns) > 1 else columns[0]
    assert starts[0] == 0
    assert starts[-1] == len(flat)
    return [flat[a:b] for a, b in pairwise(starts)]


def same_answers(one: tuple[NDArray[Any], ...], other: tuple[NDArray[Any], ...]) -> None:
    for a, b in zip(one, other, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


# --- Fingerprints by Hamming distance -------------------------------------------------------


def clustered(n: int, seed: int, centres: int = 40, flips: int = 20) -> NDArray[np.uint64]:
    """Fingerprints around a few centres, many near one another."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2**64, centres, dtype=U64)[rng.integers(0, centres, n)]
    for step in range(flips):
        flip = rng.random(n) < 1 / (1 + step)
        values[flip] ^= U64(1) << rng.integers(0, 64, flip.sum(), dtype=U64)
    return values


def brute_force(stored: list[int], query: int, distance: int) -> list[tuple[int, int]]:
    found = [(position, (value ^ query).bit_count()) for position, value in enumerate(stored)]
    return sorted((pair for pair in found if pair[1] <= distance), key=lambda pair: pair[::-1])


@settings(deadline=None)
@given(
    stored=st.lists(WORDS, max_size=30),
    flips=st.lists(st.lists(st.integers(0, 63), max_size=18), min_size=1, max_size=10),
    distance=st.integers(0, 15),
)
@pytest.mark.parametrize("name", ["reference", "native"])
def test_all_within_the_distance_are_found_nearest_first(
    name: str, stored: list[int], flips: list[list[int]], distance: int
) -> None:
    kernel = getattr(kernels, name) or pytest.skip(NO_NATIVE)
    queries = [0, *stored]
    flipped = [sum({1 << bit for bit in bits}) for bits in flips]
    queries += [bits ^ queries[place % len(queries)] for place, bits in enumerate(flipped)]
    index = kernel.HammingIndex(distance)
    index.insert(array(stored))
    expected = [brute_force(stored, query, distance) for query in queries]
    assert rows(index.find(array(queries))) == expected


@pytest.mark.parametrize("distance", range(16))
def test_runs_of_every_distance_answer_as_the_reference(native: ModuleType, distance: int) -> None:
    stored, queries = clustered(9000, seed=distance), clustered(60, seed=distance)
    index, twin = native.HammingIndex(distance), kernels.reference.HammingIndex(distance)
    for part in np.split(stored, [1, 511, 512, 5000, 5300, 8999]):
        index.insert(part)
        twin.insert(part)
        same_answers(index.find(queries), twin.find(queries))


@pytest.mark.usefixtures("level")
def test_every_level_of_the_processor_finds_the_same(native: ModuleType) -> None:
    stored, queries = clustered(3000, seed=1), clustered(50, seed=1)
    for distance in (0, 3, 7, 13):
        index, twin = native.HammingIndex(distance), kernels.reference.HammingIndex(distance)
        index.insert(stored)
        twin.insert(stored)
        same_answers(index.find(queries), twin.find(queries))


def test_one_by_one_and_all_at_once_are_the_same(native: ModuleType) -> None:
    stored = clustered(6000, seed=2)
    one_by_one, at_once = native.HammingIndex(3), native.HammingIndex(3)
    for value in stored:
        one_by_one.insert(array([value]))
    at_once.insert(stored)
    assert len(one_by_one) == len(at_once) == len(stored)
    same_answers(one_by_one.find(stored[:500]), at_once.find(stored[:500]))


def test_threads_change_nothing(native: ModuleType) -> None:
    stored = clustered(4000, seed=3)
    index = native.HammingIndex(3)
    index.insert(stored)
    for threads in (0, 2, 3, 1000):
        same_answers(index.find(stored[:101], threads=threads), index.find(stored[:101]))


def test_many_copies_of_one_fingerprint_are_all_found(native: ModuleType) -> None:
    index = native.HammingIndex(3)
    index.insert(np.zeros(20_000, U64))
    starts, positions, distances = index.find(array([0b111, 0b1111]))
    assert starts.tolist() == [0, 20_000, 20_000]
    np.testing.assert_array_equal(positions, np.arange(20_000))
    assert set(distances.tolist()) == {3}


def test_a_fingerprint_costs_at_most_60_bytes(native: ModuleType) -> None:
    index = native.HammingIndex(3)
    index.insert(np.random.default_rng(0).integers(0, 2**64, 200_000, dtype=U64))
    assert index.nbytes <= 60 * len(index)


def test_an_empty_index_finds_nothing(kernel: ModuleType) -> None:
    assert rows(kernel.HammingIndex(3).find(array([1, 2]))) == [[], []]
    assert rows(kernel.HammingIndex(3).find(array([]))) == []
    assert rows(kernel.KeyIndex().find(array([[1, 2]]))) == [[]]
    assert rows(kernel.SignatureIndex(2, 2).find(np.zeros((1, 128), np.uint32), 0.5)) == [[]]


# --- Articles by key ------------------------------------------------------------------------


def times(*seconds: int) -> NDArray[np.int64]:
    return array(seconds, np.int64)


def filed(kernel: ModuleType, *articles: list[int]) -> Any:
    """An index of articles, article i at the time i."""
    index = kernel.KeyIndex()
    starts = np.cumsum([0, *map(len, articles)]).astype(U64)
    index.insert_ragged(array(list(chain(*articles))), starts, times(*range(len(articles))))
    return index


def test_articles_are_found_by_any_shared_key_once_and_ascending(kernel: ModuleType) -> None:
    index = filed(kernel, [7, 8], [], [8, 9, 7], [10])
    assert rows(index.find(array([[9, 10], [7, 8], [11, 12], [8, 8]]))) == [
        [2, 3],
        [0, 2],
        [],
        [0, 2],
    ]


def test_positions_go_on_and_are_never_reused(kernel: ModuleType) -> None:
    index = kernel.KeyIndex()
    assert index.insert(array([[1], [2]]), times(0, 0)) == 0
    index.remove(array([1], np.uint32))
    assert index.insert(array([[2], [2]]), times(0, 0)) == 2
    assert index.insert(np.empty((0, 5), U64), times()) == 4
    assert rows(index.find(array([[2]]))) == [[2, 3]]


def test_removed_articles_are_found_no_more(kernel: ModuleType) -> None:
    index = filed(kernel, *([1, 2 + article] for article in range(10)))
    index.remove(array([3, 5, 3], np.uint32))
    index.remove(array([5], np.uint32))
    assert len(index) == 8
    assert rows(index.find(array([[1], [5]]))) == [[0, 1, 2, 4, 6, 7, 8, 9], []]


def test_expiry_drops_what_is_older_and_says_how_many(kernel: ModuleType) -> None:
    index = filed(kernel, *([1] for _ in range(10)))
    assert [index.expire(before) for before in (-5, 0, 4, 4, 100)] == [0, 0, 4, 0, 6]
    assert len(index) == 0
    assert rows(index.find(array([[1]]))) == [[]]


def test_counts_are_of_live_articles(kernel: ModuleType) -> None:
    index = filed(kernel, [1, 1, 2], [1, 3], [1])
    index.remove(array([2], np.uint32))
    assert index.counts(array([1, 2, 3, 4])).tolist() == [2, 1, 1, 0]
    assert index.counts(array([1, 2, 3, 4]), most=1).tolist() == [1, 1, 1, 0]


def test_keys_of_all_sizes_are_kept_apart(kernel: ModuleType) -> None:
    keys = [0, 1, 2**64 - 1, 2**63, 2**32, 2**20]
    index = filed(kernel, *([key] for key in keys))
    assert rows(index.find(array(keys)[:, None])) == [[i] for i in range(len(keys))]


def test_a_ragged_query_is_answered_as_a_square_one(kernel: ModuleType) -> None:
    index = filed(kernel, [1, 2], [2, 3], [4])
    keys, starts = array([1, 2, 4]), array([0, 2, 2, 3])
    assert rows(index.find_ragged(keys, starts)) == [[0, 1], [], [2]]


def test_articles_are_weighed_by_all_keys_they_share(kernel: ModuleType) -> None:
    index = filed(kernel, [1, 2, 3], [2, 3], [3], [3, 4])
    index.remove(array([3], np.uint32))
    keys, starts = array([1, 2, 3, 9, 3]), array([0, 4, 4, 5])
    worth, most = array([100, 10, 1, 7, 1]), array([5, 5, 5, 5, 2], np.uint32)

    def weighed(least: int) -> list[Any]:
        return [each.tolist() for each in index.weigh(keys, starts, worth, most, least)]

    assert weighed(1) == [[0, 3, 3, 3], [0, 1, 2], [111, 11, 1]]  # of the last key there are three
    assert weighed(11) == [[0, 2, 2, 2], [0, 1], [111, 11]]
    assert weighed(112) == [[0, 0, 0, 0], [], []]


class KeyIndexTwins(RuleBasedStateMachine):
    """Whatever is done to both, the compiled index and the reference agree.

    The compiled one keeps 44 bits of a key; with these few keys the two cannot be told apart.
    """

    def __init__(self) -> None:
        super().__init__()
        assert kernels.native is not None
        self.twins = (kernels.native.KeyIndex(), kernels.reference.KeyIndex())
        self.filed = 0

    def both(self, method: str, *args: Any) -> Any:
        one, other = (getattr(twin, method)(*args) for twin in self.twins)
        if isinstance(one, tuple):
            same_answers(one, other)
        else:
            np.testing.assert_array_equal(one, other)
        return one

    @rule(seed=st.integers(0, 999), n=st.integers(0, 300), m=st.integers(0, 40))
    def insert(self, seed: int, n: int, m: int) -> None:
        rng = np.random.default_rng(seed)
        keys = rng.zipf(1.3, (n, m)).astype(U64) % U64(5000)
        assert self.both("insert", keys, rng.integers(-50, 50, n)) == self.filed
        self.filed += n

    @rule(lengths=st.lists(st.integers(0, 60), max_size=30), seed=st.integers(0, 999))
    def insert_ragged(self, lengths: list[int], seed: int) -> None:
        rng = np.random.default_rng(seed)
        keys = rng.integers(0, 300, sum(lengths), dtype=U64)
        starts = np.cumsum([0, *lengths]).astype(U64)
        self.both("insert_ragged", keys, starts, rng.integers(-50, 50, len(lengths)))
        self.filed += len(lengths)

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        if self.filed:
            some = st.lists(st.integers(0, self.filed - 1), max_size=200)
            self.both("remove", array(data.draw(some), np.uint32))

    @rule(before=st.integers(-60, 60))
    def expire(self, before: int) -> None:
        self.both("expire", before)

    @invariant()
    def agree(self) -> None:
        keys = np.arange(60, dtype=U64)
        self.both("__len__")
        self.both("counts", keys)
        self.both("find", keys.reshape(20, 3))
        starts, worth = np.arange(0, 61, 3, dtype=U64), keys % U64(4)
        self.both("weigh", keys, starts, worth, (keys * U64(3)).astype(np.uint32), 2)


KeyIndexTwins.TestCase.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)
TestKeyIndexTwins = pytest.mark.skipif(kernels.native is None, reason=NO_NATIVE)(
    KeyIndexTwins.TestCase
)


def test_a_large_insert_answers_as_the_reference(native: ModuleType) -> None:
    rng = np.random.default_rng(4)
    keys = rng.integers(0, 2**64, (30_000, 8), dtype=U64)
    keys[:, 0] = rng.integers(0, 1000, 30_000)  # a shared key, for a long list now and then
    keys[:, 1] = keys[:, 0]
    keys[:, 2] = 5
    index, twin = native.KeyIndex(), kernels.reference.KeyIndex()
    for part in (keys[:10], keys[10:20_000], keys[20_000:]):
        when = np.arange(len(part))
        assert index.insert(part, when) == twin.insert(part, when)
    assert index.expire(1000) == twin.expire(1000)
    queries = np.delete(keys[::100], 2, axis=1)
    same_answers(index.find(queries), twin.find(queries))
    same_answers(index.find(queries, threads=3), twin.find(queries))
    same_answers(index.find(array([[5]])), twin.find(array([[5]])))


@pytest.mark.parametrize("batch", [1_000_000, 1_000])
def test_a_million_articles_under_one_key_take_seconds_not_hours(
    native: ModuleType, batch: int
) -> None:
    index = native.KeyIndex()
    keys, when = np.full((batch, 1), 7, U64), np.zeros(batch, np.int64)
    began = perf_counter()
    for _ in range(1_000_000 // batch):
        index.insert(keys, when)
    assert perf_counter() - began < 10  # 0.02 s here
    assert index.counts(array([7, 8])).tolist() == [1_000_000, 0]
    assert index.counts(array([7, 8]), 100).tolist() == [100, 0]
    assert index.nbytes < 20e6


def unmixed(mixed: int) -> int:
    """The key that the compiled table mixes into this: MurmurHash3's finaliser, undone."""
    for factor in (0xC4CEB9FE1A85EC53, 0xFF51AFD7ED558CCD):
        mixed ^= mixed >> 33
        mixed = mixed * pow(factor, -1, 2**64) % 2**64
    return mixed ^ mixed >> 33


@pytest.mark.parametrize("first", [1, 2**36 - 6000, 2**35])
@pytest.mark.parametrize("batch", [6000, 7])
def test_keys_crowded_into_one_place_are_all_found(
    native: ModuleType, first: int, batch: int
) -> None:
    order = np.random.default_rng(9).permutation(6000)
    crowded = [255 << 56 | tag << 20 for tag in range(first, first + 6000)]
    keys = array([unmixed(mixed) for mixed in crowded])[order]
    index = native.KeyIndex()
    padding = np.arange(40_000, dtype=U64)[:, None]
    index.insert(padding, np.zeros(len(padding), np.int64))
    for start in range(0, 6000, batch):
        part = keys[start : start + batch, None]
        index.insert(part, np.zeros(len(part), np.int64))
    assert rows(index.find(keys[:, None])) == [[40_000 + place] for place in range(6000)]
    np.testing.assert_array_equal(index.find(padding)[1], np.arange(40_000))


def test_keys_that_agree_in_44_mixed_bits_are_taken_for_one(native: ModuleType) -> None:
    alike = [unmixed(0x123456789AB00000), unmixed(0x123456789ABFFFFF)]
    index = filed(native, alike[:1])
    assert rows(index.find(array([alike[1:], [unmixed(0x123456789AC00000)]]))) == [[0], []]
    assert rows(filed(kernels.reference, alike[:1]).find(array([alike[1:]]))) == [[]]


def test_the_window_may_move_on_past_2_28_positions(native: ModuleType) -> None:
    index = native.KeyIndex()
    index.insert(array([[1]]), times(2**40))
    step = 2**22
    nothing = np.empty((step, 0), U64)
    for day in range(63):
        index.insert(nothing, np.full(step, day))
        assert index.expire(day + 1) == step
    index.insert(nothing[: step - 9], np.zeros(step - 9, np.int64))
    index.insert(array([[2]] * 5), times(2, 2, 2, 2, 2))
    with pytest.raises(OverflowError, match="oldest live article is 2\\^28 positions back"):
        index.insert(array([[2]] * 5), times(2, 2, 2, 2, 2))
    index.remove(array([0], np.uint32))
    assert index.insert(array([[2]] * 40), times(*[3] * 40)) == 2**28 - 3
    assert rows(index.find(array([[2], [1]]))) == [list(range(2**28 - 8, 2**28 + 37)), []]
    index.expire(3)
    assert rows(index.find(array([[2]]))) == [list(range(2**28 - 3, 2**28 + 37))]


def test_a_rolling_window_keeps_its_size(native: ModuleType) -> None:
    index = native.KeyIndex()
    rng = np.random.default_rng(5)
    sizes = []
    for day in range(30):
        keys = rng.integers(0, 2**64, (2000, 20), dtype=U64)
        index.insert(keys, np.full(2000, day))
        index.expire(day - 5)
        sizes.append(index.nbytes)
    assert len(index) == 6 * 2000
    assert max(sizes[10:]) < 1.5 * sizes[5]
    assert rows(index.find(keys[:3])) == [[58_000], [58_001], [58_002]]


def test_memory_comes_back_when_articles_go(native: ModuleType) -> None:
    index = native.KeyIndex()
    empty = index.nbytes
    index.insert(np.arange(1_000_000, dtype=U64).reshape(-1, 10), np.zeros(100_000, np.int64))
    full = index.nbytes
    assert full - empty < 100_000 * (10 * 8 / 0.88 + 8)
    index.remove(np.arange(50_000, dtype=np.uint32))
    assert index.nbytes < 0.6 * full
    index.expire(1)
    assert index.nbytes < empty + 100_000


# --- Signatures by overlap ------------------------------------------------------------------


def relatives(n: int, seed: int) -> NDArray[np.uint32]:
    """Signatures in families of about ten, alike in some share of their lanes."""
    rng = np.random.default_rng(seed)
    family = rng.integers(0, 2**32, (max(1, n // 10), 128), dtype=np.uint32)
    family = family[rng.integers(0, len(family), n)]
    noise = rng.integers(0, 2**32, (n, 128), dtype=np.uint32)
    return np.where(rng.random((n, 128)) < rng.random((n, 1)), family, noise)


@pytest.mark.parametrize(("bands", "band_rows"), [(32, 4), (16, 8), (1, 128), (128, 1), (25, 5)])
def test_a_band_key_is_a_fold_over_its_rows(kernel: ModuleType, bands: int, band_rows: int) -> None:
    signatures = relatives(3, seed=1)
    fmix64, golden, mask = kernels.reference.fmix64, 0x9E3779B97F4A7C15, 2**64 - 1
    for signature, keys in zip(
        signatures.tolist(), kernel.band_keys(signatures, bands, band_rows).tolist(), strict=True
    ):
        for band in range(bands):
            expected = fmix64(band + golden)
            for value in signature[band * band_rows : (band + 1) * band_rows]:
                expected = fmix64(expected ^ value) * golden & mask
            assert keys[band] == expected


def test_equal_values_in_other_bands_have_other_keys(kernel: ModuleType) -> None:
    keys = kernel.band_keys(np.zeros((1, 128), np.uint32), 32, 4)
    assert len(set(keys[0].tolist())) == 32


@pytest.mark.parametrize("threshold", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_those_found_share_enough_lanes_and_come_best_first(
    kernel: ModuleType, threshold: float
) -> None:
    signatures = relatives(300, seed=2)
    index = kernel.SignatureIndex(32, 4)
    assert index.insert(signatures[:100]) == 0
    assert index.insert(signatures[100:]) == 100
    for query, found in zip(signatures, rows(index.find(signatures, threshold)), strict=True):
        assert all(share == (query == signatures[at]).mean() >= threshold for at, share in found)
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
        assert found[0][1] == 1.0


def test_the_threshold_itself_is_enough(kernel: ModuleType) -> None:
    stored = np.zeros((1, 128), np.uint32)
    query = stored.copy()
    query[0, 90:] = 1
    index = kernel.SignatureIndex(32, 4)
    index.insert(stored)
    assert rows(index.find(query, 90 / 128)) == [[(0, 90 / 128)]]
    assert rows(index.find(query, 90.01 / 128)) == [[]]


@pytest.mark.parametrize(("bands", "band_rows"), [(32, 4), (16, 8), (20, 5)])
def test_signatures_are_found_as_by_the_reference(
    native: ModuleType, bands: int, band_rows: int
) -> None:
    signatures = relatives(2500, seed=3)
    signatures[::50] = signatures[0]  # more copies than fit in a few lines of the table
    index = native.SignatureIndex(bands, band_rows)
    twin = kernels.reference.SignatureIndex(bands, band_rows)
    for part in np.split(signatures, [1, 2, 900]):
        assert index.insert(part) == twin.insert(part)
    queries = relatives(2500, seed=3)[:300]
    same_answers(index.find(queries, 0.4), twin.find(queries, 0.4))
    same_answers(index.find(queries, 0.4, threads=2), twin.find(queries, 0.4))


@pytest.mark.usefixtures("level")
def test_every_level_of_the_processor_counts_the_same_lanes(native: ModuleType) -> None:
    signatures = relatives(300, seed=6)
    index, twin = native.SignatureIndex(32, 4), kernels.reference.SignatureIndex(32, 4)
    index.insert(signatures)
    twin.insert(signatures)
    same_answers(index.find(signatures, 0.3), twin.find(signatures, 0.3))


@pytest.mark.parametrize("batch", [20_000, 50])
def test_a_signature_and_its_bands_cost_at_most_800_bytes(native: ModuleType, batch: int) -> None:
    index = native.SignatureIndex(32, 4)
    rng = np.random.default_rng(7)
    for _ in range(20_000 // batch):
        index.insert(rng.integers(0, 2**32, (batch, 128), dtype=np.uint32))
    assert index.nbytes <= 820 * len(index)  # 800 at 100,000: the last chunk weighs more here


# --- What is refused, and from how many threads ----------------------------------------------

SIGNATURES = np.zeros((2, 128), np.uint32)


def weigh(kernel: ModuleType, worth: NDArray[Any], most: NDArray[Any]) -> Any:
    return filed(kernel, [1]).weigh(array([1]), array([0, 1]), worth, most, 1)


REFUSALS = [
    (lambda k: k.HammingIndex(16), ValueError, "0 to 15 bits, found 16"),
    (lambda k: k.HammingIndex(-1), ValueError, "0 to 15 bits, found -1"),
    (lambda k: k.HammingIndex(3).insert([1]), TypeError, "found list: pass np.ascontiguous"),
    (lambda k: k.HammingIndex(3).insert(np.zeros(2)), TypeError, r"found float64 of shape \(2,\)"),
    (lambda k: k.HammingIndex(3).find(array([[1]])), ValueError, "1 axis, found uint64 of shape"),
    (lambda k: k.HammingIndex(3).find(array([1, 2, 3])[::2]), ValueError, "found strides"),
    (lambda k: k.HammingIndex(3).find(array([1]), threads=-1), ValueError, "threads"),
    (lambda k: k.KeyIndex().insert(array([1]), times(1)), ValueError, "2 axes"),
    (lambda k: k.KeyIndex().insert(array([[1]]), times(1, 2)), ValueError, "each of 1 articles"),
    (lambda k: k.KeyIndex().insert(array([[1]]), array([1])), TypeError, "int64 array"),
    (lambda k: k.KeyIndex().insert(array([[1]]), times(-(2**63))), ValueError, "NaT"),
    (lambda k: k.KeyIndex().remove(array([0], np.uint32)), IndexError, "found 0: nothing was"),
    (lambda k: filed(k, [1]).find_ragged(array([1]), array([0])), ValueError, "starts"),
    (lambda k: filed(k, [1]).find_ragged(array([1]), array([1, 1])), ValueError, "starts"),
    (lambda k: filed(k, [1]).find_ragged(array([1]), array([0, 2, 1])), ValueError, "starts"),
    (lambda k: filed(k, [1]).find_ragged(array([]), array([])), ValueError, "starts"),
    (lambda k: weigh(k, array([]), array([1], np.uint32)), ValueError, "worth: .* each of 1 keys"),
    (lambda k: weigh(k, array([1]), array([], np.uint32)), ValueError, "most: .* each of 1 keys"),
    (lambda k: weigh(k, array([1]), array([1])), TypeError, "most: .* uint32 array"),
    (lambda k: k.SignatureIndex(33, 4), ValueError, "33 bands of 4 rows"),
    (lambda k: k.SignatureIndex(0, 4), ValueError, "0 bands"),
    (lambda k: k.SignatureIndex(32, 4).insert(SIGNATURES[:, :64].copy()), ValueError, "found 64"),
    (lambda k: k.SignatureIndex(32, 4).find(SIGNATURES, 1.5), ValueError, "a share 0..1"),
    (lambda k: k.SignatureIndex(32, 4).find(SIGNATURES, float("nan")), ValueError, "a share"),
    (lambda k: k.band_keys(SIGNATURES, 32, 5), ValueError, "lower one of them"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSALS)
def test_a_wrong_argument_is_refused_with_what_to_do(
    kernel: ModuleType, call: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call(kernel)


def test_a_refused_removal_removes_nothing(kernel: ModuleType) -> None:
    index = filed(kernel, [1], [1])
    with pytest.raises(IndexError):
        index.remove(array([0, 2], np.uint32))
    assert len(index) == 2


def test_readers_and_a_writer_may_share_an_index(native: ModuleType) -> None:
    index = native.HammingIndex(3)
    stored = clustered(20_000, seed=8)

    def write() -> None:
        for part in np.split(stored, 200):
            index.insert(part)

    def read() -> None:
        for _ in range(50):
            starts, positions, _ = index.find(stored[:20])
            assert len(positions) == starts[-1]

    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(write), *(pool.submit(read) for _ in range(3))]
        for job in jobs:
            job.result()
    at_once = native.HammingIndex(3)
    at_once.insert(stored)
    same_answers(index.find(stored[:100]), at_once.find(stored[:100]))


def test_a_writer_is_not_starved_by_readers() -> None:
    if kernels.native is None:
        pytest.skip("the compiled kernels are not built here")
    index = kernels.native.HammingIndex(3)
    values = np.arange(200_000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    index.insert(values)
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            index.find(values)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    try:
        begun = time.monotonic()
        index.insert(values[:10])
        assert time.monotonic() - begun < 10
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    assert len(index) == 200_010


@pytest.mark.parametrize("copies", [10, 2_000, 50_000])
def test_many_equal_signatures_are_all_found(kernel: ModuleType, copies: int) -> None:
    if kernel is kernels.reference:
        copies //= 10
    index = kernel.SignatureIndex(32, 4)
    one = np.arange(128, dtype=np.uint32).reshape(1, 128)
    index.insert(np.repeat(one, copies, axis=0))
    _, positions, shares = index.find(one, 0.5)
    assert positions.tolist() == list(range(copies))
    assert (shares == 1).all()
