"""Writes the tables of the kernels to one file that the fuzz targets read.

    .venv/bin/python fuzz/dump_tables.py fuzz/build/tables.bin

Everything is little-endian 32-bit numbers, lists preceded by their length: the folding table
(pages, index, sequences, joins); HTML entities (name, characters); number words (word, value,
whether capitalised); term weights of titles (unknown weight, then term and weight) and of articles.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from nearcopy.kernels.data_tables import entities, fold_table, term_weights, title_weights
from nearcopy.kernels.reference.numerals import number_words


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
    return np.array(numbers + numerals() + weights() + terms(), "<u4").tobytes()


def numerals() -> list[int]:
    """The words that are numerals."""
    numbers = [len(number_words())]
    for word, numeral in number_words().items():
        numbers += [*counted(word.encode()), *counted(numeral.value.encode()), numeral.capital]
    return numbers


def weights() -> list[int]:
    """What the terms of titles weigh."""
    by_term, unknown = title_weights()
    numbers = [unknown, len(by_term)]
    for term, weight in by_term.items():
        numbers += [*counted(map(ord, term)), weight]
    return numbers


def terms() -> list[int]:
    """What the terms of articles weigh."""
    by_term, unknown = term_weights()
    numbers = [unknown, len(by_term)]
    for term, weight in by_term.items():
        numbers += [*counted(term.encode()), weight]
    return numbers


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(tables())
