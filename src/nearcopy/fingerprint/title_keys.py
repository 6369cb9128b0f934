"""Blocking keys of titles."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels

Keys = NDArray[np.uint64]


def title_keys(normals: Sequence[str]) -> list[Keys]:
    """The keys of each normal title, ten at most: titles with a key in common may be alike.

    >>> [a, b] = title_keys(["ferry runs aground off norway", "norway ferry aground again"])
    >>> len(a), len(set(a.tolist()) & set(b.tolist()))
    (10, 3)
    """
    starts, keys = kernels.title_keys(normals)
    return [keys[start:end] for start, end in pairwise(starts.tolist())]
