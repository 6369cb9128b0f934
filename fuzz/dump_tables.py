"""Writes the folding table and HTML's names of characters to one file that the fuzz target reads.

    .venv/bin/python fuzz/dump_tables.py fuzz/build/tables.bin

All of it is little-endian 32-bit numbers: pages, index, sequences, joins, each after its length;
then the number of names, and for each its characters and what it stands for, after their lengths.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from nearcopy.kernels.tables import entities, fold_table


def counted(values: Iterable[int]) -> list[int]:
    """The values after their number."""
    listed = list(values)
    return [len(listed), *listed]


def tables() -> bytes:
    """Everything in the order in which fuzz/tables.hpp reads it."""
    fold = fold_table()
    numbers: list[int] = []
    for part in (fold.pages, fold.index, fold.sequences, fold.joins):
        numbers += counted(part.ravel().tolist())
    names = entities()
    numbers.append(len(names))
    for name, points in names:
        numbers += counted(name.encode()) + counted(points)
    return np.array(numbers, "<u4").tobytes()


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(tables())
