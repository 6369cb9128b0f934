"""The similarity join: all pairs of similar sets, exactly, by prefix filtering (PPJoin)."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nearcopy.kernels.result_types import FeatureSets, SimilarPairs

ALL = (1 << 63) - 1


class SetJoin:
    """All pairs of sets with a Jaccard overlap of at least `min_overlap`.

    The overlap is the quotient as a float, rounded once: 4 of 5 features reach 0.8. Prefix filter:
    two similar sets share a feature among the rarest of each, or too few features remain to reach
    the threshold. Length filter: the smaller set is not much smaller.
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


def similar_pairs(sets: FeatureSets, min_overlap: float, *, threads: int = 1) -> SimilarPairs:
    """Every pair of places whose sets have at least this Jaccard overlap, and no other.

    Empty sets are like nothing. Sets that are all alike make as many pairs as there can be, which
    is quadratic: `SetJoin` gives them a part at a time.
    """
    return SetJoin(sets, min_overlap).find(threads=threads)[1]


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
