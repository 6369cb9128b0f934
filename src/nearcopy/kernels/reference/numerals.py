"""Numerals: the figures, spelled numbers, ordinals, months and weekdays of a text, in order.

A word with a digit is a figure, and neighbours that touch by one mark are one figure ("5,000",
"1.5", "10-1/2"). Words of kernels/numbers.txt are numerals too; "twenty-five" is one. What stands
for the same number has the same value where that is plain: 12, twelve, 12th; 1,000 and 1000; 1,5
and 1.5. A numeral's context is the word before and the word after, another numeral being `#`.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from nearcopy.kernels.reference.hashes import MASK, fmix64, murmur3_64
from nearcopy.kernels.reference.markup import strip_html
from nearcopy.kernels.reference.words import word_spans, words
from nearcopy.kernels.tables import number_lines

MOST: Final = 32  # numerals of a profile
NUMERAL: Final = "#"
GOLDEN: Final = 0x9E3779B97F4A7C15

DIGITS: Final = frozenset("0123456789")
ORDINALS: Final = ("st", "nd", "rd", "th", "er", "re", "e", "o", "a")
POINTS: Final = frozenset(".,٫，．")
GROUPS: Final = frozenset(".,'’٬，\u00a0\u2009\u202f")
SIGNS: Final = {"-": "-", "‐": "-", "‑": "-", "–": "-", "/": "/", "⁄": "/", "": "/", ":": ":"}


class NumberWord(NamedTuple):
    """What a word of the table stands for, and whether it must have a capital."""

    value: str
    capital: bool


class Found(NamedTuple):
    """A numeral: its value, the words around it, its place in the text without markup."""

    value: str
    before: str
    after: str
    start: int
    end: int


@dataclass
class _Numeral:
    """A numeral that may yet grow: `last` is its last part, `group` whether thousands may follow,
    `round` whether units may (twenty-, 十)."""

    value: str
    spelled: bool
    last: str
    group: bool
    round: bool
    before: str
    start: int
    end: int

    def grow(self, gap: str | None, word: str, spelled: str | None) -> bool:
        """Whether the next word was taken in."""
        if gap is None or self.spelled != (spelled is not None):
            return False
        return self._spell(gap, spelled) if spelled else self._figure(gap, word)

    def _figure(self, gap: str, word: str) -> bool:
        if self.last[-1] not in DIGITS or word[0] not in DIGITS:
            return False
        part = _plain(word)
        if self.group and gap in GROUPS and len(part) == 3 and part.isdecimal():
            self.value += part
        elif gap in POINTS:
            self.value += "." + part
            self.group = False
        elif gap in SIGNS:
            self.value += SIGNS[gap] + part
            self.group = False
        else:
            return False
        self.last = word
        return True

    def _spell(self, gap: str, value: str) -> bool:
        unit = len(value) == 1
        if gap not in ("", "-") or not self.value.isdecimal() or not value.isdecimal():
            return False
        if self.round and unit and value != "0":
            self.value = self.value[:-1] + value
        elif not gap and value == "10" and len(self.value) == 1:
            self.value += "0"
        elif not gap and unit and len(self.value) < MOST:
            self.value += value
        else:
            return False
        self.round = value == "10"
        return True


@cache
def number_words() -> dict[str, NumberWord]:
    """The words of kernels/numbers.txt, folded."""
    table: dict[str, NumberWord] = {}
    for value, spelling in number_lines():
        (word,) = words(spelling)
        table.setdefault(word, NumberWord(value, spelling[0].isupper()))
    return table


def numerals_found(plain: str, most: int = MOST) -> list[Found]:
    """The first numerals of a text without markup.

    >>> [each.value for each in numerals_found("The 12th of May: 1,000 at 1,5 or 10-1/2 pct")]
    ['12', 'm5', '1000', '1.5', '10-1/2']
    """
    found: list[Found] = []
    for numeral in _numerals(plain):
        found.append(numeral)
        if len(found) == most:
            break
    return found


def _numerals(plain: str) -> Iterator[Found]:
    before, end = "", 0
    numeral: _Numeral | None = None
    found, starts, ends = word_spans(plain)
    for word, start, stop in zip(found, starts.tolist(), ends.tolist(), strict=True):
        spelled = _spelled(word, plain[start])
        counts = spelled is not None or not DIGITS.isdisjoint(word)
        gap = plain[end:start] if start <= end + 1 else None
        if numeral and counts and numeral.grow(gap, word, spelled):
            numeral.end = end = stop
            continue
        if numeral:
            yield _closed(numeral, NUMERAL if counts else word)
        numeral = _opened(word, spelled, before, start, stop) if counts else None
        before, end = NUMERAL if counts else word, stop
    if numeral:
        yield _closed(numeral, "")


def _opened(word: str, spelled: str | None, before: str, start: int, end: int) -> _Numeral:
    value = spelled or _plain(word)
    group = value.isdecimal() and len(value) <= 3 and value[0] != "0"
    tens = spelled is not None and len(spelled) == 2 and spelled.isdecimal() and spelled[1] == "0"
    return _Numeral(value, spelled is not None, word, group, tens, before, start, end)


def _closed(numeral: _Numeral, after: str) -> Found:
    return Found(numeral.value, numeral.before, after, numeral.start, numeral.end)


def _spelled(word: str, first: str) -> str | None:
    """The value of a word of the table, where it begins as the table wants it."""
    known = number_words().get(word)
    if known is None or (known.capital and not "A" <= first <= "Z"):
        return None
    return known.value


def _plain(word: str) -> str:
    """A figure without the ending of an ordinal: 12th, 1er."""
    for ending in ORDINALS:
        number = word.removesuffix(ending)
        if number != word and number.isdecimal():
            return number
    return word


def numerals(
    texts: Sequence[str], *, html: Sequence[bool] = (), threads: int = 1
) -> list[bytes]:
    """The numeral profile of each text: for each of the first 32 its context and value, hashed."""
    del threads
    marks = html or [False] * len(texts)
    return [
        b"".join(map(packed, numerals_found(strip_html(text) if mark else text)))
        for text, mark in zip(texts, marks, strict=True)
    ]


def packed(numeral: Found) -> bytes:
    """Two little-endian 16-bit hashes: of the context, of the value."""
    before, after = (murmur3_64(word.encode()) if word else 0 for word in numeral[1:3])
    context = fmix64(before + after * GOLDEN & MASK)
    return struct.pack("<HH", context & 0xFFFF, murmur3_64(numeral.value.encode()) & 0xFFFF)
