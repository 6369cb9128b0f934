"""The key index keeps its contract, and the compiled one answers as the reference does."""

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, pairwise
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from numpy.typing import NDArray
from tests.support.examples import examples

from nearcopy import kernels

NO_NATIVE = "the native kernel is not built here"
LEVELS = ["baseline", "avx2", "avx512"]
U64 = np.uint64


@pytest.fixture(params=["reference", "native"])
def kernel(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType | None = getattr(kernels, request.param)
    return module or pytest.skip(NO_NATIVE)


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


def same_answers(one: tuple[NDArray[Any], ...], other: tuple[NDArray[Any], ...]) -> None:
    for a, b in zip(one, other, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def ragged(articles: Sequence[Sequence[int]] | NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows of keys end to end, and where each starts."""
    keys = np.array(list(chain.from_iterable(articles)), U64)
    return keys, np.cumsum([0, *map(len, articles)]).astype(U64)


def insert(index: Any, articles: Sequence[Sequence[int]] | NDArray[Any]) -> int:
    first: int = index.insert(*ragged(articles))
    return first


def find(index: Any, queries: Sequence[Sequence[int]] | NDArray[Any]) -> list[list[int]]:
    """The positions that share any key with each query."""
    keys, starts = ragged(queries)
    unlimited = np.full(len(keys), 2**32 - 1, np.uint32)
    ends, positions, _ = index.find(keys, starts, np.ones(len(keys), U64), unlimited, 1)
    assert ends[0] == 0
    assert ends[-1] == len(positions)
    return [positions[a:b].tolist() for a, b in pairwise(ends.tolist())]


def index_of(kernel: ModuleType, *articles: list[int]) -> Any:
    index = kernel.KeyIndex()
    insert(index, articles)
    return index


def test_an_empty_index_finds_nothing(kernel: ModuleType) -> None:
    assert find(kernel.KeyIndex(), [[1, 2]]) == [[]]
    assert find(kernel.KeyIndex(), []) == []


def test_articles_are_found_by_any_shared_key_once_and_ascending(kernel: ModuleType) -> None:
    index = index_of(kernel, [7, 8], [], [8, 9, 7], [10])
    assert find(index, [[9, 10], [7, 8], [11, 12], [8, 8], []]) == [[2, 3], [0, 2], [], [0, 2], []]


def test_positions_ascend_and_are_never_reused(kernel: ModuleType) -> None:
    index = kernel.KeyIndex()
    assert insert(index, [[1], [2]]) == 0
    index.remove(array([1], np.uint32))
    assert insert(index, [[2], [2]]) == 2
    assert insert(index, []) == 4
    assert find(index, [[2]]) == [[2, 3]]


def test_removed_articles_are_found_no_more(kernel: ModuleType) -> None:
    index = index_of(kernel, *([1, 2 + article] for article in range(10)))
    index.remove(array([3, 5, 3], np.uint32))
    index.remove(array([5], np.uint32))
    assert len(index) == 8
    assert find(index, [[1], [5]]) == [[0, 1, 2, 4, 6, 7, 8, 9], []]


def test_keys_of_all_sizes_are_kept_apart(kernel: ModuleType) -> None:
    keys = [0, 1, 2**64 - 1, 2**63, 2**32, 2**20]
    index = index_of(kernel, *([key] for key in keys))
    assert find(index, [[key] for key in keys]) == [[i] for i in range(len(keys))]


def test_the_weights_of_all_shared_keys_are_added(kernel: ModuleType) -> None:
    index = index_of(kernel, [1, 2, 3], [2, 3], [3], [3, 4])
    index.remove(array([3], np.uint32))
    keys, starts = array([1, 2, 3, 9, 3]), array([0, 4, 4, 5])
    weights, max_articles = array([100, 10, 1, 7, 1]), array([5, 5, 5, 5, 2], np.uint32)

    def matches(min_weight: int) -> list[Any]:
        answer = index.find(keys, starts, weights, max_articles, min_weight)
        return [column.tolist() for column in answer]

    assert matches(1) == [[0, 3, 3, 3], [0, 1, 2], [111, 11, 1]]  # the last key has three articles
    assert matches(11) == [[0, 2, 2, 2], [0, 1], [111, 11]]
    assert matches(112) == [[0, 0, 0, 0], [], []]


class KeyIndexTwins(RuleBasedStateMachine):
    """Whatever is done to both, the compiled index and the reference agree.

    The compiled one keeps 44 bits of a key; with these few keys the two cannot be told apart.
    """

    def __init__(self) -> None:
        super().__init__()
        assert kernels.native is not None
        self.twins = (kernels.native.KeyIndex(), kernels.reference.KeyIndex())
        self.inserted = 0

    def both(self, method: str, *args: Any) -> Any:
        one, other = (getattr(twin, method)(*args) for twin in self.twins)
        assert type(one) is type(other)
        if isinstance(one, tuple):
            same_answers(one, other)
        else:
            np.testing.assert_array_equal(one, other)
        return one

    @rule(seed=st.integers(0, 999), n=st.integers(0, 200), m=st.integers(0, 20))
    def insert_long_lists(self, seed: int, n: int, m: int) -> None:
        keys = np.random.default_rng(seed).zipf(1.3, (n, m)).astype(U64) % U64(5000)
        assert self.both("insert", *ragged(keys)) == self.inserted
        self.inserted += n

    @rule(lengths=st.lists(st.integers(0, 60), max_size=30), seed=st.integers(0, 999))
    def insert(self, lengths: list[int], seed: int) -> None:
        keys = np.random.default_rng(seed).integers(0, 300, sum(lengths), dtype=U64)
        self.both("insert", keys, np.cumsum([0, *lengths]).astype(U64))
        self.inserted += len(lengths)

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        if self.inserted:
            positions = st.lists(st.integers(0, self.inserted - 1), max_size=200)
            self.both("remove", array(data.draw(positions), np.uint32))

    @rule(share=st.integers(1, 4))
    def remove_the_first(self, share: int) -> None:
        self.both("remove", np.arange(self.inserted // share, dtype=np.uint32))

    @rule(seed=st.integers(0, 999), share=st.sampled_from([0.0, 0.02, 0.3]), sums=st.booleans())
    def attach_what_was_exported(self, seed: int, share: float, sums: bool) -> None:
        keep = (np.random.default_rng(seed).random(self.inserted) < share).astype(np.uint8)
        starts, entries = self.both("export", keep)
        checksums = kernels.reference.block_checksums(entries if sums else entries[:0])
        articles = int(keep.sum())
        assert self.both("attach", starts, entries, checksums, articles) == self.inserted
        self.inserted += articles

    @invariant()
    def agree(self) -> None:
        keys = np.arange(60, dtype=U64)
        self.both("__len__")
        starts, unlimited = np.arange(0, 61, 3, dtype=U64), np.full(60, 2**32 - 1, np.uint32)
        self.both("find", keys, starts, np.ones(60, U64), unlimited, 1)
        self.both("find", keys, starts, keys % U64(4), (keys * U64(3)).astype(np.uint32), 2)


KeyIndexTwins.TestCase.settings = examples(20, stateful_step_count=30)
TestKeyIndexTwins = pytest.mark.skipif(kernels.native is None, reason=NO_NATIVE)(
    KeyIndexTwins.TestCase
)


def large_insert(index: Any) -> list[Any]:
    """What an index answers while 30,000 articles are inserted and after some were removed."""
    rng = np.random.default_rng(4)
    keys = rng.integers(0, 2**64, (30_000, 8), dtype=U64)
    keys[:, 0] = rng.integers(0, 1000, 30_000)  # shared keys, some of many articles
    keys[:, 1] = keys[:, 0]
    keys[:, 2] = 5
    starts = np.arange(0, keys.size + 1, 8, dtype=U64)
    firsts = [
        index.insert(keys[a:b].ravel(), starts[: b - a + 1])
        for a, b in pairwise((0, 10, 20_000, 30_000))
    ]
    index.remove(np.arange(9_000, dtype=np.uint32))
    queries = np.delete(keys[::100], 2, axis=1)
    return [firsts, find(index, queries), find(index, [[5]])]


@pytest.fixture(scope="module")
def expected_of_large_insert() -> list[Any]:
    return large_insert(kernels.reference.KeyIndex())


@pytest.mark.usefixtures("level")
def test_a_large_insert_answers_as_the_reference(
    native: ModuleType, expected_of_large_insert: list[Any]
) -> None:
    assert large_insert(native.KeyIndex()) == expected_of_large_insert


@pytest.mark.parametrize("batch", [1_000_000, 1_000])
def test_a_million_articles_under_one_key_take_seconds_not_hours(
    native: ModuleType, batch: int
) -> None:
    index = native.KeyIndex()
    keys, starts = np.full(batch, 7, U64), np.arange(batch + 1, dtype=U64)
    began = perf_counter()
    for _ in range(1_000_000 // batch):
        index.insert(keys, starts)
    assert perf_counter() - began < 10  # 0.02 s here
    assert [len(row) for row in find(index, [[7], [8]])] == [1_000_000, 0]
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
    insert(index, padding)
    starts = np.arange(batch + 1, dtype=U64)
    for part in np.split(keys, range(batch, 6000, batch)):
        index.insert(part, starts[: len(part) + 1])
    assert find(index, keys[:, None]) == [[40_000 + place] for place in range(6000)]
    assert find(index, padding) == [[place] for place in range(40_000)]


def test_keys_that_agree_in_44_mixed_bits_are_confused(native: ModuleType) -> None:
    alike = [unmixed(0x123456789AB00000), unmixed(0x123456789ABFFFFF)]
    index = index_of(native, alike[:1])
    assert find(index, [alike[1:], [unmixed(0x123456789AC00000)]]) == [[0], []]
    assert find(index_of(kernels.reference, alike[:1]), [alike[1:]]) == [[]]


def test_the_window_may_move_on_past_2_28_positions(native: ModuleType) -> None:
    index = native.KeyIndex()
    insert(index, [[1]])
    step, no_keys = 2**18, array([])  # small enough for the processor's cache
    starts, positions = np.zeros(step + 1, U64), np.arange(1, 1 + step, dtype=np.uint32)
    for _ in range(2**10 - 1):
        index.insert(no_keys, starts)
        index.remove(positions)
        positions += step
    assert len(index) == 1
    index.insert(no_keys, np.zeros(step - 8, U64))
    insert(index, [[2]] * 5)
    with pytest.raises(OverflowError, match="oldest live article is 2\\^28 positions back"):
        insert(index, [[2]] * 5)
    index.remove(array([0], np.uint32))
    assert insert(index, [[2]] * 40) == 2**28 - 3
    assert find(index, [[2], [1]]) == [list(range(2**28 - 8, 2**28 + 37)), []]
    index.remove(np.arange(2**28 - 8, 2**28 - 3, dtype=np.uint32))
    assert find(index, [[2]]) == [list(range(2**28 - 3, 2**28 + 37))]


def test_a_rolling_window_keeps_its_size(native: ModuleType) -> None:
    index = native.KeyIndex()
    rng = np.random.default_rng(5)
    sizes = []
    for day in range(30):
        keys = rng.integers(0, 2**64, (2000, 20), dtype=U64)
        insert(index, keys)
        index.remove(np.arange(max(0, day - 5) * 2000, dtype=np.uint32))
        sizes.append(index.nbytes)
    assert len(index) == 6 * 2000
    assert max(sizes[10:]) < 1.5 * sizes[5]
    assert find(index, keys[:3]) == [[58_000], [58_001], [58_002]]


def test_memory_comes_back_when_articles_are_removed(native: ModuleType) -> None:
    index = native.KeyIndex()
    empty = index.nbytes
    insert(index, np.arange(1_000_000, dtype=U64).reshape(-1, 10))
    full = index.nbytes
    assert full - empty < 100_000 * (10 * 8 / 0.88 + 1)
    index.remove(np.arange(50_000, dtype=np.uint32))
    assert index.nbytes < 0.6 * full
    index.remove(np.arange(100_000, dtype=np.uint32))
    assert index.nbytes < empty + 100_000


# --- Runs --------------------------------------------------------------------------------------


def whole_run(index: Any, articles: int) -> tuple[Any, ...]:
    """The arrays of all its articles, with checksums."""
    starts, entries = index.export(np.ones(articles, np.uint8))
    return starts, entries, kernels.block_checksums(entries), articles


def test_an_exported_run_answers_as_the_index(kernel: ModuleType) -> None:
    articles = [[7, 8], [], [8, 9, 7], [10]]
    index = kernel.KeyIndex()
    insert(index, [[9]])
    assert index.attach(*whole_run(index_of(kernel, *articles), 4)) == 1
    assert insert(index, [[8, 10]]) == 5
    assert len(index) == 6
    assert find(index, [[7], [9], [10], [8]]) == [[1, 3], [0, 3], [4, 5], [1, 3, 5]]
    index.remove(array([3, 0], np.uint32))
    assert find(index, [[7], [9], [8]]) == [[1], [], [1, 5]]


def test_a_key_of_too_many_articles_is_counted_over_all_runs(kernel: ModuleType) -> None:
    index = kernel.KeyIndex()
    for _ in range(3):
        index.attach(*whole_run(index_of(kernel, [5], [5]), 2))
    insert(index, [[5]])

    def count(most: int) -> int:
        limit = array([most], np.uint32)
        return len(index.find(array([5]), STARTS, array([1]), limit, 1)[1])

    assert [count(most) for most in (1, 2, 6, 7, 8)] == [0, 0, 0, 7, 7]


def test_a_hot_key_and_all_others_are_found_in_a_run(native: ModuleType) -> None:
    index = native.KeyIndex()
    keys = np.arange(40_000, dtype=U64)[:, None] * array([1, 0]) + array([1, 0])
    insert(index, keys)
    index.remove(np.arange(10, dtype=np.uint32))
    run = native.KeyIndex()
    run.attach(*whole_run(index, 40_000))
    assert find(run, [[0]]) == [list(range(10, 40_000))]
    assert find(run, keys[20:25, :1]) == [[20], [21], [22], [23], [24]]


@pytest.mark.parametrize("place", [0, 3, 4096, -1])
def test_a_damaged_run_is_noticed_before_it_answers(kernel: ModuleType, place: int) -> None:
    keys = np.arange(9000, dtype=U64)[:, None]
    starts, entries, checksums, articles = whole_run(index_of(kernel, *keys.tolist()), 9000)
    damaged = entries.copy()
    damaged[place] ^= U64(1)

    def ask() -> None:
        index = kernel.KeyIndex()
        index.attach(starts, damaged, checksums, articles)
        find(index, keys)

    with pytest.raises(BufferError, match="checksum"):
        ask()


def test_a_run_of_nonsense_is_noticed(kernel: ModuleType) -> None:
    starts, entries, _, articles = whole_run(index_of(kernel, [1], [2]), 2)
    beyond, none = np.minimum(starts, 1) * np.uint32(9), array([])

    def ask(*run: Any) -> None:
        index = kernel.KeyIndex()
        index.attach(*run)
        find(index, [[1, 2]])

    with pytest.raises(BufferError, match="beyond its entries"):
        ask(beyond, entries, none, articles)
    with pytest.raises(BufferError, match="of no article"):
        ask(starts, entries, none, 1)


@pytest.mark.parametrize("words", [0, 1, 4096, 4097, 10_000])
def test_checksums_are_those_of_the_reference(native: ModuleType, words: int) -> None:
    values = np.random.default_rng(words).integers(0, 2**64, words, dtype=U64)
    sums = kernels.reference.block_checksums(values)
    same_answers((native.block_checksums(values),), (sums,))
    assert len(sums) == -(-words // 4096)


# --- Band keys --------------------------------------------------------------------------------


@pytest.mark.parametrize(("bands", "band_rows"), [(32, 4), (16, 8), (1, 128), (128, 1), (25, 5)])
def test_a_band_key_is_a_fold_over_its_rows(kernel: ModuleType, bands: int, band_rows: int) -> None:
    signatures = np.random.default_rng(1).integers(0, 2**32, (3, 128), dtype=np.uint32)
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


# --- What is refused, and from how many threads ----------------------------------------------

SIGNATURES = np.zeros((2, 128), np.uint32)


STARTS = array([0, 1])
BUCKETS, TWO_BUCKETS = np.zeros(257, np.uint32), np.zeros(3, np.uint32)


def weigh(kernel: ModuleType, weights: NDArray[Any], max_articles: NDArray[Any]) -> Any:
    return index_of(kernel, [1]).find(array([1]), STARTS, weights, max_articles, 1)


REFUSALS = [
    (lambda k: k.KeyIndex().insert([1], STARTS), TypeError, "found list: pass np.ascontiguous"),
    (lambda k: k.KeyIndex().insert(np.zeros(1), STARTS), TypeError, r"float64 of shape \(1,\)"),
    (lambda k: k.KeyIndex().insert(array([[1]]), STARTS), ValueError, "1 axis, found uint64 of"),
    (lambda k: k.KeyIndex().insert(array([1, 2, 3])[::2], STARTS), ValueError, "found strides"),
    (lambda k: k.KeyIndex().insert(array([1]), array([0])), ValueError, "starts"),
    (lambda k: k.KeyIndex().insert(array([1]), array([1, 1])), ValueError, "starts"),
    (lambda k: k.KeyIndex().insert(array([1]), array([0, 2, 1])), ValueError, "starts"),
    (lambda k: k.KeyIndex().insert(array([]), array([])), ValueError, "starts"),
    (
        lambda k: k.KeyIndex().export(array([1], np.uint8)),
        ValueError,
        "each of 0 articles, found 1",
    ),
    (lambda k: k.KeyIndex().export(array([1])), TypeError, "keep: .* uint8 array"),
    (lambda k: k.KeyIndex().attach(STARTS, STARTS, STARTS, 1), TypeError, "starts: .* uint32"),
    (
        lambda k: k.KeyIndex().attach(TWO_BUCKETS, array([]), array([]), 1),
        ValueError,
        "of `export`",
    ),
    (lambda k: k.KeyIndex().attach(BUCKETS, array([]), array([1]), 1), ValueError, "of `export`"),
    (
        lambda k: k.KeyIndex().attach(BUCKETS, array([]), array([]), 2**28),
        ValueError,
        "of `export`",
    ),
    (lambda k: k.KeyIndex().remove(array([0], np.uint32)), IndexError, "found 0: nothing was"),
    (lambda k: weigh(k, array([]), array([1], np.uint32)), ValueError, "weights: .* each of 1 key"),
    (lambda k: weigh(k, array([1]), array([], np.uint32)), ValueError, "max_articles: .* 1 keys"),
    (lambda k: weigh(k, array([1]), array([1])), TypeError, "max_articles: .* uint32 array"),
    (lambda k: k.band_keys(SIGNATURES, 33, 4), ValueError, "33 bands of 4 rows"),
    (lambda k: k.band_keys(SIGNATURES, 0, 4), ValueError, "0 bands"),
    (lambda k: k.band_keys(SIGNATURES[:, :64].copy(), 32, 4), ValueError, "found 64"),
    (lambda k: k.band_keys(SIGNATURES, 32, 5), ValueError, "lower one of them"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSALS)
def test_a_wrong_argument_is_refused_with_what_to_do(
    kernel: ModuleType, call: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call(kernel)


def test_a_refused_removal_removes_nothing(kernel: ModuleType) -> None:
    index = index_of(kernel, [1], [1])
    with pytest.raises(IndexError):
        index.remove(array([0, 2], np.uint32))
    assert len(index) == 2


def test_readers_and_a_writer_may_share_an_index(native: ModuleType) -> None:
    index = native.KeyIndex()
    keys = np.random.default_rng(8).integers(0, 2000, (20_000, 3), dtype=U64)

    def write() -> None:
        for part in np.split(keys, 200):
            insert(index, part)

    def read() -> None:
        for _ in range(50):
            find(index, keys[:20])

    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(write), *(pool.submit(read) for _ in range(3))]
        for job in jobs:
            job.result()
    at_once = native.KeyIndex()
    insert(at_once, keys)
    assert find(index, keys[:100]) == find(at_once, keys[:100])


def test_a_writer_is_not_starved_by_readers(native: ModuleType) -> None:
    index = native.KeyIndex()
    keys = np.arange(200_000, dtype=U64) * U64(0x9E3779B97F4A7C15)
    starts = np.arange(200_001, dtype=U64)
    index.insert(keys, starts)
    ones, unlimited = np.ones(len(keys), U64), np.full(len(keys), 2**32 - 1, np.uint32)
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            index.find(keys, starts, ones, unlimited, 1)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    try:
        begun = time.monotonic()
        index.insert(keys[:10], starts[:11])
        assert time.monotonic() - begun < 10
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    assert len(index) == 200_010
