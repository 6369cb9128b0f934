"""What the kernels give back."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Sketches(NamedTuple):
    """A row a text. Where `words` is 0 there was nothing to compare: do not use that row."""

    simhash: NDArray[np.uint64]
    minhash: NDArray[np.uint32]
    digest: NDArray[np.uint8]
    words: NDArray[np.uint32]


class FeatureSets(NamedTuple):
    """The distinct features of many texts, ascending: text i has values[starts[i]:starts[i+1]]."""

    starts: NDArray[np.uint64]
    values: NDArray[np.uint64]


class Passage(NamedTuple):
    """A run of words that stands in both texts: where, in characters of the two sources."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    words: int
