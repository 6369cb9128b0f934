"""The tables that both kernels read: case folding, HTML entities, number words, term weights."""

from dataclasses import dataclass, fields
from functools import cache
from html.entities import html5
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEPARATOR, WORD, SINGLE, REMOVED, SEQUENCE, JOIN = range(6)
KIND_SHIFT = 29
POINT_MASK = 0x1FFFFF


@dataclass(frozen=True)
class FoldTable:
    """The folded form of every code point; tools/make_fold.py makes it."""

    pages: NDArray[np.uint32]
    index: NDArray[np.uint16]
    sequences: NDArray[np.uint32]
    joins: NDArray[np.uint32]


@cache
def fold_table() -> FoldTable:
    """The folding table of this version."""
    with files(__package__).joinpath("fold.npz").open("rb") as file:
        stored: Any = np.load(file, allow_pickle=False)
        return FoldTable(*(stored[field.name] for field in fields(FoldTable)))


def entities() -> list[tuple[str, list[int]]]:
    """The HTML entities, with and without semicolon, and their characters."""
    return [(name, [ord(char) for char in chars]) for name, chars in html5.items()]


def number_lines() -> list[tuple[str, str]]:
    """The number words of kernels/number_words.txt, with their values."""
    text = files(__package__).joinpath("number_words.txt").read_text(encoding="utf-8")
    lines = [line.split(": ") for line in text.splitlines() if line and line[0] != "#"]
    return [(value, word) for value, spellings in lines for word in spellings.split()]


@cache
def title_weights() -> tuple[dict[str, int], int]:
    """The weight of each common term of titles, and that of all others, in hundredths."""
    return _weights("title_weights.txt")


@cache
def term_weights() -> tuple[dict[str, int], int]:
    """The weight of each common term of articles, and that of all others, in hundredths."""
    return _weights("term_weights.txt")


def _weights(name: str) -> tuple[dict[str, int], int]:
    text = files(__package__).joinpath(name).read_text("utf-8")
    cells = text[text.rindex("#") :].partition("\n")[2].split()  # behind the comments
    weights = dict(zip(cells[1::2], map(int, cells[::2]), strict=True))
    return weights, weights.pop("*")
