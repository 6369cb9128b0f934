"""Numerals: the numbers, spelled numbers, ordinals, months and weekdays of a text, in order.

A run of digits is a number; letters that touch it are separate words ("10m" is 10 and m, "12th" is
12 and th), as publishers differ in spacing. Numbers joined by one mark are one: "5,000", "1.5",
"10-1/2", "24 / 7 / 2015". Words of kernels/numbers.txt are numerals too; "twenty-five" is one.
Spellings of one number have the same value: 12, twelve, 12th; 1,000 and 1000; 24/7/2015 and
24-7-2015. The context of a numeral is the word before and the word after; `#` for a numeral.
"""

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from nearcopy.kernels.data_tables import number_lines
from nearcopy.kernels.reference.hashes import MASK, fmix64, murmur3_64
from nearcopy.kernels.reference.html import strip_html
from nearcopy.kernels.reference.words import Spans, word_spans, words

MOST: Final = 32  # numerals of a profile
NUMERAL: Final = "#"
GOLDEN: Final = 0x9E3779B97F4A7C15

POINTS: Final = frozenset(".,،٫，．")
GROUPS: Final = frozenset(".,'’،٬，\u00a0\u2009\u202f")
SIGNS: Final = frozenset("-‐‑–/⁄:")
DIGITS: Final = frozenset("0123456789")
_PIECE: Final = re.compile("[0-9]+|[^0-9]+")


class Piece(NamedTuple):
    """A word or a part of one, the value it has as a numeral, and its place."""

    word: str
    value: str | None
    spelled: bool
    start: int
    end: int


class NumberWord(NamedTuple):
    """The value of a number word, and whether it needs a capital."""

    value: str
    capital: bool


class FoundNumeral(NamedTuple):
    """A numeral: its value, the words around it, its place in the text without markup."""

    value: str
    before: str
    after: str
    start: int
    end: int


@dataclass
class _Numeral:
    """A numeral that may yet grow: by thousands if `group`, by units if `tens` (twenty-, 十)."""

    value: str
    spelled: bool
    group: bool
    tens: bool
    before: str
    start: int
    end: int

    def grow(self, gap: str, piece: Piece) -> bool:
        """Whether the numeral that follows after this gap is part of this one."""
        if piece.value is None or self.spelled != piece.spelled:
            return False
        grown = self._spell if self.spelled else self._figure
        if not grown(gap, piece.value):
            return False
        self.end = piece.end
        return True

    def _figure(self, gap: str, digits: str) -> bool:
        if self.group and gap in GROUPS and len(digits) == 3:
            self.value += digits
        elif not gap or gap in POINTS or _sign(gap):  # no gap: the two parts of ½
            self.value += "." + digits
            self.group = False
        else:
            return False
        return True

    def _spell(self, gap: str, value: str) -> bool:
        unit = len(value) == 1
        if self.tens and unit and value != "0" and gap in ("", "-"):
            self.value = self.value[:-1] + value
        elif not gap and value == "10" and len(self.value) == 1:
            self.value += "0"
        elif not gap and unit and self.value.isdecimal():
            self.value += value
        else:
            return False
        self.tens = value == "10"
        return True


@cache
def number_words() -> dict[str, NumberWord]:
    """The words of kernels/numbers.txt, folded."""
    table: dict[str, NumberWord] = {}
    for value, spelling in number_lines():
        (word,) = words(spelling)
        table.setdefault(word, NumberWord(value, spelling[0].isupper()))
    return table


def find_numerals(plain: str, most: int = MOST, spans: Spans | None = None) -> list[FoundNumeral]:
    """The first numerals of a text without markup, from its word spans if these are at hand.

    >>> [numeral.value for numeral in find_numerals("The 12th of May: 1,000 at 1,5 or 10-1/2 pct")]
    ['12', 'm5', '1000', '1.5', '10.1.2']
    """
    matches: list[FoundNumeral] = []
    for numeral in _numerals(plain, spans or word_spans(plain)):
        matches.append(numeral)
        if len(matches) == most:
            break
    return matches


def _numerals(plain: str, spans: Spans) -> Iterator[FoundNumeral]:
    before, end = "", 0
    numeral: _Numeral | None = None
    for piece in _pieces(plain, spans):
        if numeral and numeral.grow(plain[end : piece.start], piece):
            end = piece.end
            continue
        word = piece.word if piece.value is None else NUMERAL
        if numeral:
            yield _finish_numeral(numeral, word)
        numeral = _start_numeral(piece, before)
        before, end = word, piece.end
    if numeral:
        yield _finish_numeral(numeral, "")


def _pieces(plain: str, spans: Spans) -> Iterator[Piece]:
    """The words, those with digits cut where digits meet letters."""
    folded, starts, ends = spans
    for word, start, end in zip(folded, starts.tolist(), ends.tolist(), strict=True):
        value = _value_of_word(word, plain[start])
        parts = [match.span() for match in _PIECE.finditer(word)]
        if len(parts) == 1:
            spelled = value is not None
            yield Piece(word, word if word[0] in DIGITS else value, spelled, start, end)
            continue
        for first, last in parts:
            part = word[first:last]
            exact = len(word) == end - start
            place = (start + first, start + last) if exact else (start, end)
            yield Piece(part, part if part[0] in DIGITS else None, False, *place)


def _sign(gap: str) -> bool:
    """A sign that joins, with or without a space on either side."""
    return len(gap) <= 3 and gap.removeprefix(" ").removesuffix(" ") in SIGNS


def _start_numeral(piece: Piece, before: str) -> _Numeral | None:
    value = piece.value
    if value is None:
        return None
    group = not piece.spelled and len(value) <= 3 and value[0] != "0"
    tens = piece.spelled and len(value) == 2 and value[0] in DIGITS and value[1] == "0"
    return _Numeral(value, piece.spelled, group, tens, before, piece.start, piece.end)


def _finish_numeral(numeral: _Numeral, after: str) -> FoundNumeral:
    return FoundNumeral(numeral.value, numeral.before, after, numeral.start, numeral.end)


def _value_of_word(word: str, first: str) -> str | None:
    """The value of a number word; None without the capital that some need."""
    entry = number_words().get(word)
    if entry is None or (entry.capital and not "A" <= first <= "Z"):
        return None
    return entry.value


def numerals(texts: Sequence[str], *, html: Sequence[bool] = (), threads: int = 1) -> list[bytes]:
    """The numeral profile of each text: the hashed context and value of the first 32."""
    del threads
    marks = html or [False] * len(texts)
    return [
        b"".join(map(pack, find_numerals(strip_html(text) if mark else text)))
        for text, mark in zip(texts, marks, strict=True)
    ]


def pack(numeral: FoundNumeral) -> bytes:
    """Two little-endian 16-bit hashes: of the context, of the value."""
    before, after = (murmur3_64(word.encode()) if word else 0 for word in numeral[1:3])
    context = fmix64(before + after * GOLDEN & MASK)
    return struct.pack("<HH", context & 0xFFFF, murmur3_64(numeral.value.encode()) & 0xFFFF)
