"""What the kernels give back."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy.config import Recipe


class Sketches(NamedTuple):
    """A row a text; what the recipe leaves out is empty.

    Where `words` is 0 there was nothing to compare: that row would match every other such row,
    so leave it out of indexes (`made.minhash[made.words > 0]`).
    """

    simhash: NDArray[np.uint64]
    minhash: NDArray[np.uint32]
    digest: NDArray[np.uint8]
    words: NDArray[np.uint32]

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        simhash: NDArray[np.uint64],
        minhash: NDArray[np.uint32],
        digest: NDArray[np.uint8],
        words: NDArray[np.uint32],
    ) -> "Sketches":
        """Without what the recipe leaves out: zeros would match all other zeros."""
        return cls(
            simhash if recipe.simhash else simhash[:0],
            minhash if recipe.minhash else minhash[:0],
            digest,
            words,
        )


class Readings(NamedTuple):
    """All that is read from texts and titles, a list a column, with a row a text.

    A text without words has nothing to compare: its digest and hashes are None, the rest is empty
    but for the profile, which is of the title too.
    """

    words: list[int]
    digest: list[bytes | None]
    simhash: list[int | None]  # None also where the recipe leaves it out
    minhash: list[bytes | None]
    numerals: list[bytes]
    profile: list[bytes]
    details: list[int]


class FeatureSets(NamedTuple):
    """The distinct features of many texts, ascending: text i has values[starts[i]:starts[i+1]]."""

    starts: NDArray[np.uint64]
    values: NDArray[np.uint64]


class SimilarPairs(NamedTuple):
    """Pairs of places, the earlier first, ascending; and how many features each pair shares."""

    pairs: NDArray[np.uint32]  # a row of two places each
    shared: NDArray[np.uint32]


class Passage(NamedTuple):
    """A run of words that stands in both texts: where, in characters of the two sources."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    words: int
