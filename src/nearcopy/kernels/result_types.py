"""The result types of the kernels."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy.config import Recipe


class Sketches(NamedTuple):
    """One row per text; columns that the recipe omits are empty.

    Rows with `words` 0 have nothing to compare and would match each other: keep them out of
    indexes (`sketches.minhash[sketches.words > 0]`).
    """

    simhash: NDArray[np.uint64]
    minhash: NDArray[np.uint32]
    digest: NDArray[np.uint8]
    words: NDArray[np.uint32]

    def of(self, recipe: Recipe) -> "Sketches":
        """The sketches without the columns that the recipe omits."""
        return self._replace(
            simhash=self.simhash if recipe.simhash else self.simhash[:0],
            minhash=self.minhash if recipe.minhash else self.minhash[:0],
        )


class Readings(NamedTuple):
    """Everything that is read from texts and titles, in columns with one row per text.

    For a text without words the digest and hashes are None and the other columns empty, but for
    the profile, which includes the title.
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
    """Pairs of positions, the lower first, ascending, and the number of features they share."""

    pairs: NDArray[np.uint32]  # two positions per row
    shared: NDArray[np.uint32]


class Passage(NamedTuple):
    """A run of words in both texts: its spans in characters of the two sources."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    words: int


class Numeral(NamedTuple):
    """A numeral: its value, the words before and after it, its span in the source."""

    value: str  # "12", "1000", "m5" for May, "d1" for Monday
    context: tuple[str, str]  # folded; "#" for another numeral, "" where the text ends
    start: int
    end: int
