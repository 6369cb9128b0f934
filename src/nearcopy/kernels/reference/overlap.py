"""Overlap of two texts: shared features, passages and numerals, and distances of sketches."""

import struct
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nearcopy.config import Features, Recipe
from nearcopy.kernels.reference.sketches import features
from nearcopy.kernels.reference.words import word_spans
from nearcopy.kernels.result_types import FeatureSets, Passage, SimilarPairs

ALL = (1 << 63) - 1


class SetJoin:
    """All pairs of sets with a Jaccard overlap of at least `min_overlap`.

    The overlap is the quotient as a float, rounded once: 4 of 5 features reach 0.8. Prefix filter:
    two similar sets share a feature among the rarest of each, or too few features remain to reach
    the threshold. Length filter: the smaller set is not much smaller.

    Empty sets are like nothing. Sets that are all alike make as many pairs as there can be, which
    is quadratic: `find` returns a part at a time.
    """

    def __init__(self, sets: FeatureSets, min_overlap: float) -> None:
        if not 0 < min_overlap <= 1:
            raise ValueError(
                f"min_overlap: expected a share above 0, at most 1, found {min_overlap}"
            )
        self._least = min_overlap
        self._sets = [frozenset(row) for row in _rows(sets)]
        self._holders: dict[int, list[int]] = defaultdict(list)
        held = Counter(feature for row in self._sets for feature in row)
        self._prefixes = [self._prefix(row, held) for row in self._sets]
        for place, prefix in enumerate(self._prefixes):
            for feature in prefix:
                self._holders[feature].append(place)

    def __len__(self) -> int:
        return len(self._sets)

    def find(
        self, first: int = 0, most: int = ALL, *, threads: int = 1
    ) -> tuple[int, SimilarPairs]:
        """The pairs of each set from `first` on with later ones, ascending.

        It stops after `most` pairs or a few more; the first result is the position to resume at.
        """
        del threads
        pairs: list[tuple[int, int]] = []
        shared: list[int] = []
        place = min(first, len(self))
        while place < len(self) and len(pairs) < most:
            for other, count in self._alike(place):
                pairs.append((place, other))
                shared.append(count)
            place += 1
        return place, SimilarPairs(
            np.array(pairs, np.uint32).reshape(-1, 2), np.array(shared, np.uint32)
        )

    def _alike(self, place: int) -> Iterator[tuple[int, int]]:
        """The later places with enough in common, and how many features that is."""
        left = self._sets[place]
        for other in sorted({o for f in self._prefixes[place] for o in self._holders[f]}):
            right = self._sets[other]
            if other > place and self._holds(*sorted((len(left), len(right)))):
                shared = len(left & right)
                if self._holds(shared, len(left) + len(right) - shared):
                    yield other, shared

    def _prefix(self, row: frozenset[int], held: Counter[int]) -> list[int]:
        """The rarest features, one of which a set like this has too."""
        enough = next((n for n in self._around(len(row)) if self._holds(n, len(row))), 1)
        rare_first = sorted(row, key=lambda feature: (held[feature], feature))
        return rare_first[: len(row) - enough + 1] if row else []

    def _around(self, size: int) -> range:
        """Where the fewest shared features that are enough for a set of this size lie."""
        return range(max(0, int(self._least * size) - 1), size + 1)

    def _holds(self, shared: int, together: int) -> bool:
        return together > 0 and shared / together >= self._least


def _rows(sets: FeatureSets) -> list[list[int]]:
    """The features of each set, checked."""
    starts: NDArray[np.uint64] = sets.starts
    if (np.diff(starts.astype(np.int64)) < 0).any() or (
        len(starts) and starts[-1] > len(sets.values)
    ):
        raise ValueError("starts must ascend and end within values")
    edges = starts.tolist()
    rows = [sets.values[a:b].tolist() for a, b in pairwise(edges)]
    for number, row in enumerate(rows):
        if any(a >= b for a, b in pairwise(row)):
            raise ValueError(f"set {number} must be ascending, without repeats")
    return rows


def components(count: int, pairs: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Connected components by union-find: the smallest member of the component of each node."""
    parents = list(range(count))

    def find(node: int) -> int:
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    for a, b in pairs.tolist():
        if max(a, b) >= count:
            raise ValueError(f"pairs name {max(a, b)}, there are {count}")
        low, high = sorted((find(a), find(b)))
        parents[high] = low
    return np.array([find(node) for node in range(count)], np.uint32)


MAX_PLACES = 16  # tried per run, so that repetitive texts take linear time


def feature_sets(
    texts: Sequence[str],
    recipe: Recipe,
    wanted: Features,
    *,
    html: Sequence[bool] = (),
    threads: int = 1,
) -> FeatureSets:
    """The distinct features of each text, ascending."""
    del threads
    marks = html or [False] * len(texts)
    sets = [
        np.unique(features(text, recipe, wanted, html=mark))
        for text, mark in zip(texts, marks, strict=True)
    ]
    starts = np.cumsum([0] + [len(one) for one in sets], dtype=np.uint64)
    return FeatureSets(starts, np.concatenate([np.zeros(0, np.uint64), *sets]))


def shared_counts(
    sets: FeatureSets, pairs: NDArray[np.uint64], *, threads: int = 1
) -> NDArray[np.uint32]:
    """The number of features that each pair of texts shares."""
    del threads

    def one(number: int) -> NDArray[np.uint64]:
        return sets.values[int(sets.starts[number]) : int(sets.starts[number + 1])]

    counts = [len(np.intersect1d(one(int(a)), one(int(b)), assume_unique=True)) for a, b in pairs]
    return np.array(counts, np.uint32)


def pair_overlaps(
    texts: Sequence[str],
    recipe: Recipe,
    wanted: Features,
    pairs: NDArray[np.uint64],
    *,
    html: Sequence[bool] = (),
    threads: int = 1,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The number of distinct features of each text, and of those shared by each pair."""
    sets = feature_sets(texts, recipe, wanted, html=html, threads=threads)
    return np.diff(sets.starts).astype(np.uint32), shared_counts(sets, pairs)


def passages(
    a: str, b: str, *, html_a: bool = False, html_b: bool = False, min_words: int = 8
) -> list[Passage]:
    """Passages: runs of words in both texts, in the order of b, the longest at each place."""
    if min_words < 1:
        raise ValueError(f"min_words is {min_words}: a passage has at least one word")
    left, a_starts, a_ends = word_spans(a, html_a)
    right, b_starts, b_ends = word_spans(b, html_b)
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place in range(len(left) - min_words + 1):
        places[tuple(left[place : place + min_words])].append(place)

    matches = []
    at = 0
    while at + min_words <= len(right):
        tried = places.get(tuple(right[at : at + min_words]), [])[:MAX_PLACES]
        size, place = max(((_common(left, p, right, at), -p) for p in tried), default=(0, 0))
        if size:
            a_first, a_last, b_last = -place, -place + size - 1, at + size - 1
            spots = (a_starts[a_first], a_ends[a_last], b_starts[at], b_ends[b_last], size)
            matches.append(Passage(*map(int, spots)))
        at += max(size, 1)
    return matches


def _common(left: list[str], place: int, right: list[str], at: int) -> int:
    size = 0
    while (
        place + size < len(left)
        and at + size < len(right)
        and left[place + size] == right[at + size]
    ):
        size += 1
    return size


Entries = list[tuple[int, ...]]


def numeral_shares(
    a: Sequence[bytes], b: Sequence[bytes]
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """For each pair of profiles the share of numerals in common, and the contexts that changed.

    The share is of the smaller profile, by value and with repeats; nan where that has fewer than
    two numerals. A context has changed if it is in both profiles and has no value in common.
    """
    rows = [_compare(_entries(one), _entries(two)) for one, two in zip(a, b, strict=True)]
    shares, changed = zip(*rows, strict=True) if rows else ((), ())
    return np.array(shares, np.float64), np.array(changed, np.uint8)


def _compare(a: Entries, b: Entries) -> tuple[float, int]:
    smaller = min(len(a), len(b))
    shared = Counter(value for _, value in a) & Counter(value for _, value in b)
    agree = {context for context, _ in set(a) & set(b)}
    both = {context for context, _ in a} & {context for context, _ in b}
    return shared.total() / smaller if smaller > 1 else np.nan, len(both - agree)


def _entries(profile: bytes) -> Entries:
    if len(profile) % 4 or len(profile) > 128:
        raise ValueError(
            f"a numeral profile of {len(profile)} bytes: expected four a numeral, at most 128"
        )
    return list(struct.iter_unpack("<HH", profile))


def sketch_distances(
    simhash_a: NDArray[np.uint64],
    simhash_b: NDArray[np.uint64],
    minhash_a: Sequence[bytes],
    minhash_b: Sequence[bytes],
) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """The Hamming distance of the SimHashes and the number of equal MinHash slots of each pair."""
    left, right = np.asarray(simhash_a, np.uint64), np.asarray(simhash_b, np.uint64)
    if not len(left) == len(right) == len(minhash_a) == len(minhash_b):
        raise ValueError(
            f"{len(left)} and {len(right)} SimHashes, {len(minhash_a)} and {len(minhash_b)} "
            "MinHashes: expected the same number of each"
        )
    bits = [(one ^ two).bit_count() for one, two in zip(left.tolist(), right.tolist(), strict=True)]
    equal = [_equal_slots(*pair) for pair in zip(minhash_a, minhash_b, strict=True)]
    return np.array(bits, np.uint8), np.array(equal, np.uint16)


def _equal_slots(a: bytes, b: bytes) -> int:
    if len(a) != len(b) or len(a) % 4 or len(a) > 4096:
        raise ValueError(
            f"MinHashes of {len(a)} and {len(b)} bytes: expected as many, four a slot, at most 4096"
        )
    return int((np.frombuffer(a, "<u4") == np.frombuffer(b, "<u4")).sum())
