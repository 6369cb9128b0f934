"""The key index: an inverted index from 64-bit blocking keys to articles, in memory.

Articles are numbered 0, 1, 2 ... in insertion order: their positions. Rows of keys come end to end:
row i is `keys[starts[i]:starts[i + 1]]`, and so do the answers to many queries.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice, pairwise
from sys import getsizeof
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearcopy.config import SLOTS
from nearcopy.kernels.reference.hashes import GOLDEN, fmix64
from nearcopy.kernels.reference.sketches import mix

Starts = NDArray[np.uint64]
Positions = NDArray[np.uint32]
Keys = NDArray[np.uint64]
Weights = NDArray[np.uint64]
Signatures = NDArray[np.uint32]

# An entry of a run: 36 bits of the mixed key, its tag, above 28 bits of position. The 8 bits of the
# mixed key before the tag are its shard. Entries ascend by shard; a bucket is a part of a shard:
# the entries with the same leading bits of the tag.
SHARD_BITS, TAG_BITS, POSITION_BITS = 8, 36, 28
MAX_BUCKET_BITS, BUCKET_ENTRIES = 30, 8
CHECKED = 4096  # words with one checksum


class KeyIndex:
    """Articles indexed by 64-bit keys.

    The compiled index keeps 44 bits of a mixed key. It never misses an article, and it confuses two
    keys with a probability of about 2^-44, so candidates have to be verified.

    >>> index = KeyIndex()
    >>> index.insert(np.array([1, 2, 2, 3], np.uint64), starts=np.array([0, 2, 4], np.uint64))
    0
    >>> query, weights = np.array([2], np.uint64), np.array([1], np.uint64)
    >>> index.find(query, np.array([0, 1], np.uint64), weights, weights.astype(np.uint32) * 9, 1)[1]
    array([0, 1], dtype=uint32)
    """

    def __init__(self) -> None:
        self._postings: defaultdict[int, set[int]] = defaultdict(set)
        self._keys: dict[int, set[int]] = {}  # of the live articles
        self._tagged: defaultdict[tuple[int, int], set[int]] = defaultdict(set)  # of runs
        self._next = 0

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def nbytes(self) -> int:
        """All memory held, in bytes, without the integers."""
        sets = (*self._postings.values(), *self._keys.values())
        return sum(map(getsizeof, (self._postings, self._keys, *sets)))

    def insert(self, keys: Keys, starts: Starts) -> int:
        """Index article i by `keys[starts[i]:starts[i + 1]]`; return the position of the first."""
        first = self._next
        for row in list(split_rows(keys, starts)):
            for key in row:
                self._postings[key].add(self._next)
            self._keys[self._next] = set(row)
            self._next += 1
        return first

    def attach(self, starts: Positions, entries: Keys, checksums: Keys, articles: int) -> int:
        """Index the articles of an exported run; return the position of the first.

        The checksums are those of `block_checksums`, or none. A run that does not have them is
        refused with a BufferError: by the compiled index where the damage is first read.
        """
        check_run(starts, entries, checksums, articles)
        if len(checksums) and not np.array_equal(block_checksums(entries), checksums):
            raise BufferError("the entries of a run do not have their checksum")
        first = self._next
        sizes = (starts[1:] - starts[:-1]).astype(np.int64)
        shards = np.repeat(np.arange(len(sizes)) // (len(sizes) >> SHARD_BITS), sizes)
        for position in range(first, first + articles):
            self._keys[position] = set()
        for shard, entry in zip(shards.tolist(), entries.tolist(), strict=True):
            tag, place = entry >> POSITION_BITS, entry & (1 << POSITION_BITS) - 1
            if place >= articles:
                raise BufferError("a run has an entry of no article")
            self._tagged[shard, tag].add(first + place)
        self._next += articles
        return first

    def export(self, keep: NDArray[np.uint8]) -> tuple[Positions, Keys]:
        """(starts, entries): a run of the live articles with `keep`, a byte for each position.

        The articles keep their order, as if there were no others. `starts` says where each bucket
        begins among the entries.
        """
        check_array(keep, "keep", np.uint8, axes=1)
        if len(keep) != self._next:
            raise ValueError(
                f"keep: expected one for each of {self._next} articles, found {len(keep)}: "
                "pass as many as positions"
            )
        places = np.cumsum(keep != 0) - 1
        tagged = [(split_key(key), positions) for key, positions in self._postings.items()]
        rows = sorted(
            {
                (shard, tag, int(places[position]))
                for (shard, tag), positions in [*tagged, *self._tagged.items()]
                for position in positions
                if keep[position] and position in self._keys
            }
        )
        bits = SHARD_BITS
        while bits < MAX_BUCKET_BITS and BUCKET_ENTRIES << bits < len(rows):
            bits += 1
        shift = SHARD_BITS + TAG_BITS - bits
        buckets = [(shard << TAG_BITS | tag) >> shift for shard, tag, _ in rows]
        starts = np.searchsorted(np.array(buckets, np.int64), np.arange((1 << bits) + 1))
        entries = np.array([tag << POSITION_BITS | place for _, tag, place in rows], np.uint64)
        return starts.astype(np.uint32), entries

    def find(
        self,
        keys: Keys,
        starts: Starts,
        weights: Weights,
        max_articles: NDArray[np.uint32],
        min_weight: int,
    ) -> tuple[Starts, Positions, Weights]:
        """(starts, positions, weights): the live articles that share keys with row i, ascending.

        The weight of an article is the sum of the weights of the shared keys; articles below
        `min_weight` are left out. A key of more than its `max_articles` counts nothing.
        """
        rows = list(split_rows(keys, starts))
        for name, values, dtype in (
            ("weights", weights, np.uint64),
            ("max_articles", max_articles, np.uint32),
        ):
            check_array(values, name, dtype, axes=1)
            if len(values) != len(keys):
                raise ValueError(
                    f"{name}: expected one for each of {len(keys)} keys, found {len(values)}: "
                    "pass as many as keys"
                )
        limits = zip(weights.tolist(), max_articles.tolist(), strict=True)
        totals = [
            self._sum_weights(list(zip(row, islice(limits, len(row)), strict=True))) for row in rows
        ]
        matches = [
            sorted((position, weight) for position, weight in total.items() if weight >= min_weight)
            for total in totals
        ]
        columns = np.array([pair for row in matches for pair in row], np.uint64).reshape(-1, 2)
        ends = np.cumsum([0, *map(len, matches)]).astype(np.uint64)
        return ends, columns[:, 0].astype(np.uint32), columns[:, 1].copy()

    def remove(self, positions: Positions) -> None:
        """Remove articles; removing one twice is no error."""
        check_array(positions, "positions", np.uint32, axes=1)
        for position in positions.tolist():
            if position >= self._next:
                raise IndexError(
                    f"positions: expected positions returned by insert, found {position}: "
                    "nothing was removed"
                )
        for position in positions.tolist():
            for key in self._keys.pop(position, ()):
                self._postings[key].discard(position)

    def _sum_weights(self, row: list[tuple[int, tuple[int, int]]]) -> Counter[int]:
        total: Counter[int] = Counter()
        for key, (weight, max_articles) in row:
            attached = self._tagged.get(split_key(key), set()) & self._keys.keys()
            positions = self._postings.get(key, set()) | attached
            if weight and len(positions) <= max_articles:
                total.update(dict.fromkeys(positions, weight))
        return total


def band_keys(signatures: Signatures, bands: int, rows: int) -> Keys:
    """The key of each band of each signature: a fold over its rows, started from its number.

    >>> band_keys(np.arange(128, dtype=np.uint32)[None], bands=2, rows=1).tolist()
    [[17148648726716389900, 3642135671146379249]]
    """
    check_bands(bands, rows)
    check_signatures(signatures)
    keys = np.empty((len(signatures), bands), np.uint64)
    for band in range(bands):
        key = np.full(len(signatures), mix(np.array([band + GOLDEN], np.uint64))[0])
        for row in range(rows):
            key = mix(key ^ signatures[:, band * rows + row]) * np.uint64(GOLDEN)
        keys[:, band] = key
    return keys


def split_key(key: int) -> tuple[int, int]:
    """The shard and the tag of a key: 44 bits of the mixed key; no tag is 0."""
    mixed = fmix64(key)
    tag = mixed >> 64 - SHARD_BITS - TAG_BITS & (1 << TAG_BITS) - 1
    return mixed >> 64 - SHARD_BITS, tag or 1


def block_checksums(words: Keys) -> Keys:
    """The checksum of each 4096 words: a sum of the words mixed with their places."""
    check_array(words, "words", np.uint64, axes=1)
    places = np.arange(1, min(CHECKED, len(words)) + 1, dtype=np.uint64) * np.uint64(GOLDEN)
    blocks = (words[at : at + CHECKED] for at in range(0, len(words), CHECKED))
    sums = [mix(block ^ places[: len(block)]).sum() for block in blocks]
    return np.array(sums, np.uint64)


def check_run(starts: Positions, entries: Keys, checksums: Keys, articles: int) -> None:
    """Raise unless these may be the arrays of a run."""
    check_array(starts, "starts", np.uint32, axes=1)
    check_array(entries, "entries", np.uint64, axes=1)
    check_array(checksums, "checksums", np.uint64, axes=1)
    buckets, blocks = len(starts) - 1, -(-len(entries) // CHECKED)
    is_power = buckets >= 1 << SHARD_BITS and buckets & buckets - 1 == 0
    if not is_power or len(checksums) not in (0, blocks) or not 0 <= articles < 1 << POSITION_BITS:
        raise ValueError(
            "starts, entries, checksums, articles: expected those of an exported run, found "
            "others: pass the arrays of `export`"
        )
    if starts[0] != 0 or starts[-1] != len(entries) or np.any(starts[1:] < starts[:-1]):
        raise BufferError("a run has a bucket beyond its entries")


def split_rows(keys: Keys, starts: Starts) -> Iterator[list[int]]:
    """The row of keys between each start and the next."""
    check_array(keys, "keys", np.uint64, axes=1)
    check_starts(starts, len(keys))
    return (keys[a:b].tolist() for a, b in pairwise(starts.tolist()))


def check_array(array: NDArray[Any], name: str, dtype: type[np.generic], axes: int) -> None:
    """Raise unless this is a C-contiguous array of that type."""
    remedy = f"pass np.ascontiguousarray({name}, dtype=np.{dtype.__name__})"
    expected = f"{name}: expected a C-contiguous {dtype.__name__} array with {axes} "
    expected += "axis" if axes == 1 else "axes"
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{expected}, found {type(array).__name__}: {remedy}")
    actual = f"{array.dtype} of shape {array.shape}"
    if array.dtype != dtype:
        raise TypeError(f"{expected}, found {actual}: {remedy}")
    if array.ndim != axes:
        raise ValueError(f"{expected}, found {actual}: reshape it")
    if not array.flags.c_contiguous:
        raise ValueError(f"{expected}, found strides: {remedy}")


def check_bands(bands: int, rows: int) -> None:
    """Raise unless a signature has room for the bands."""
    if bands < 1 or rows < 1 or bands * rows > SLOTS:
        raise ValueError(
            "expected bands >= 1, rows >= 1 and bands * rows <= 128, found "
            f"{bands} bands of {rows} rows: lower one of them"
        )


def check_signatures(signatures: Signatures) -> None:
    """Raise unless these are signatures of 128 lanes."""
    check_array(signatures, "signatures", np.uint32, axes=2)
    if signatures.shape[1] != SLOTS:
        raise ValueError(
            f"signatures: expected 128 lanes a row, found {signatures.shape[1]}: "
            "make them with 128 slots"
        )


def check_starts(starts: Starts, keys: int) -> None:
    """Raise unless the offsets rise from 0 to the number of keys."""
    check_array(starts, "starts", np.uint64, axes=1)
    edges = starts.tolist()
    if not edges or edges[0] != 0 or edges[-1] != keys or edges != sorted(edges):
        raise ValueError(
            f"starts: expected n + 1 offsets rising from 0 to the number of keys, {keys}, found "
            "others: pass np.concatenate(([0], np.cumsum(lengths))).astype(np.uint64)"
        )
