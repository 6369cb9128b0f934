"""Words: what a text becomes before anything is hashed.

Each code point is looked up in the folding table (tools/make_fold.py states its rules) and is a
separator, part of a word, a word by itself (scripts written without spaces), removed, or a sequence
of these. A mark that joins (a Korean vowel or final, a kana voicing mark) is put together with the
character it touches. The normalised text is the words with one space between, as UTF-8.
"""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from nearcopy.kernels.data_tables import (
    JOIN,
    KIND_SHIFT,
    POINT_MASK,
    REMOVED,
    SEPARATOR,
    SEQUENCE,
    SINGLE,
    WORD,
    fold_table,
)
from nearcopy.kernels.reference.html import strip_html_positions, strip_marked

Spans = tuple[list[str], NDArray[np.uint32], NDArray[np.uint32]]

DIGITS = frozenset("0123456789")
UNSPACED_FROM = 0x0E00  # Thai, and all behind it that is written one character a word
HANGUL = range(0xAC00, 0xD7A4)
ARTICLE = "\u0627\u0644"  # the Arabic one is written as part of the word


class _Folding:
    """The words so far, the place of each in the source, and whether the last is still open."""

    def __init__(self) -> None:
        self.words: list[list[str]] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.open = False
        self.touching = False  # no separator since the last character

    def fold(self, char: str, start: int, end: int) -> None:
        for kind, folded in _fold_char(char):
            if kind == SEPARATOR:
                self.open = self.touching = False
            elif kind == REMOVED or (kind == JOIN and self._join(folded)):
                self._extend(end)
            else:
                self._write(kind, folded, start, end)

    def _write(self, kind: int, folded: str, start: int, end: int) -> None:
        if not self.open or kind == SINGLE:
            self.words.append([])
            self.starts.append(start)
            self.ends.append(end)
        self.words[-1].append(folded)
        self.ends[-1] = end
        self.open, self.touching = kind != SINGLE, True

    def _extend(self, end: int) -> None:
        if self.touching:
            self.ends[-1] = end

    def _join(self, mark: str) -> bool:
        """Whether the mark needs no writing: it joined, or voices nothing."""
        joined = _join_pair(self.words[-1][-1], mark) if self.touching else None
        if joined is not None:
            self.words[-1][-1] = joined
        return joined is not None or mark in "\u3099\u309a"


@cache
def _fold_char(char: str) -> list[tuple[int, str]]:
    table = fold_table()
    point = ord(char)
    entry = int(table.pages[table.index[point >> 8], point & 255])
    kind, value = entry >> KIND_SHIFT, entry & POINT_MASK
    if kind == SEQUENCE:
        length = int(table.sequences[value])
        parts = [int(part) for part in table.sequences[value + 1 : value + 1 + length]]
        return [(part >> KIND_SHIFT, chr(part & POINT_MASK)) for part in parts]
    return [(kind, chr(value ^ point) if kind in (WORD, SINGLE, JOIN) else "")]


@cache
def _join_pair(base: str, mark: str) -> str | None:
    first, second = ord(base), ord(mark)
    if 0x1100 <= first <= 0x1112 and 0x1161 <= second <= 0x1175:
        return chr(0xAC00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28)
    if 0xAC00 <= first <= 0xD7A3 and (first - 0xAC00) % 28 == 0 and 0x11A8 <= second <= 0x11C2:
        return chr(first + second - 0x11A7)
    for base_point, mark_point, joined in fold_table().joins.tolist():
        if (base_point, mark_point) == (first, second):
            return chr(joined)
    return None


def is_unspaced(char: str) -> bool:
    """Whether a character is of a script written without spaces."""
    return ord(char) >= UNSPACED_FROM and ord(char) not in HANGUL


def word_spans(text: str, html: bool = False) -> Spans:
    """The words, and where in the source each begins and ends."""
    folding = _Folding()
    if html:
        for char, start, end in zip(*strip_html_positions(text), strict=True):
            folding.fold(char, start, end)
    else:
        for start, char in enumerate(text):
            folding.fold(char, start, start + 1)
    words = ["".join(chars) for chars in folding.words]
    return words, np.array(folding.starts, np.uint32), np.array(folding.ends, np.uint32)


def words(text: str, html: bool = False) -> list[str]:
    """The words of a text.

    >>> words("Café-Preis: $10M, 發佈 v0.40")
    ['cafe', 'preis', '10m', '发', '布', 'v0', '40']
    """
    return word_spans(text, html)[0]


def normalised(text: str, html: bool = False) -> bytes:
    """The words with one space between, as UTF-8."""
    return " ".join(words(text, html)).encode()


def normalised_texts(texts: Sequence[str]) -> list[str]:
    """The normalised form of each text."""
    return [normalised(text).decode() for text in texts]


class PhraseFinder:
    """Finds which texts have one of the phrases, which are normalised."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._phrases = [f" {phrase} " for phrase in phrases if phrase]

    def match(self, texts: Sequence[str], *, html: Sequence[bool] = ()) -> list[bool]:
        """Whether each text has one of the phrases, word by word.

        >>> PhraseFinder(["cookie wall"]).match(["A cookie-wall!", "Cookies, walls"])
        [True, False]
        """
        folded = [f" {text} " for text in normalised_texts(list(strip_marked(texts, html)))]
        return [any(phrase in text for phrase in self._phrases) for text in folded]
