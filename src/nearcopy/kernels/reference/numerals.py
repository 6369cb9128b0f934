"""Numerals: the numbers, spelled numbers, ordinals, months and weekdays of a text, in order.

A run of digits is a number; letters that touch it are separate words ("10m" is 10 and m, "12th" is
12 and th), as publishers differ in spacing. Numbers joined by one mark are one: "5,000", "1.5",
"10-1/2", "24 / 7 / 2015". Words of kernels/number_words.txt are numerals too; "twenty-five" is one.
Spellings of one number have the same value: 12, twelve, 12th; 1,000 and 1000; 24/7/2015 and
24-7-2015. The context of a numeral is the word before and the word after; `#` for a numeral.
"""

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy.kernels.data_tables import number_lines
from nearcopy.kernels.reference.hashes import GOLDEN, MASK, fmix64, murmur3_64
from nearcopy.kernels.reference.html import strip_marked
from nearcopy.kernels.reference.words import DIGITS, Spans, word_spans, words
from nearcopy.kernels.result_types import Numeral

MOST_DETAILS: Final = 5
LONGEST_CODE: Final = 100

_TOKEN = re.compile(r"`+|[A-Za-z0-9_.]+")
_ADDRESS = frozenset("@#/=&?%")
_CURRENCIES = frozenset("$€£¥₹")
_SPACES = " \t\n\r"
_VERSION = re.compile(r"v[0-9]+(?:\.[0-9]+)*|V[0-9]+(?:\.[0-9]+)+")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SNAKE = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+")
_CAMEL = re.compile(r"(?:[a-z]{3,}|is|on|to)[A-Z][a-z][A-Za-z0-9]*")


def technical_details(
    texts: Sequence[str], *, html: Sequence[bool] = (), threads: int = 1
) -> NDArray[np.uint8]:
    """How many different technical details each text holds, at most five.

    >>> technical_details(["Upgrade to v1.2, then call `client.read()` as max_size is gone", "$5"])
    array([3, 0], dtype=uint8)
    """
    del threads
    details = [set(_details(text)) for text in strip_marked(texts, html)]
    return np.array([min(MOST_DETAILS, len(row)) for row in details], np.uint8)


def _details(plain: str) -> Iterator[str]:
    position, after_version = 0, -1
    while token := _TOKEN.search(plain, position):
        start, position = token.span()
        if plain[start] == "`":
            code, position = _code(plain, start, position)
            if code:
                yield code
            continue
        name = token[0].strip(".")
        before, after = plain[max(start - 1, 0) : start], plain[position : position + 2]
        versioned = start == after_version
        after_version = position + 1 if token[0].lower() == "version" and after[:1] == " " else -1
        if (
            name
            and before not in _ADDRESS
            and _is_detail(name, token[0], (before, after, versioned))
        ):
            yield name


def _is_detail(name: str, token: str, around: tuple[str, str, bool]) -> bool:
    before, after, versioned = around
    if _VERSION.fullmatch(name) or (versioned and _NUMBERS.fullmatch(name)):
        return True
    if _NUMBERS.fullmatch(name):
        amount = before in _CURRENCIES or after[:1] == "%"
        return not amount and _is_release(name.split("."))
    parts = name.split(".")
    if not all(map(_IDENTIFIER.fullmatch, parts)):
        return False
    touching = after if token[-1] != "." else ""
    if touching == "()" or (len(parts) > 1 and touching[:1] == "("):
        return True
    return any(_SNAKE.fullmatch(part.strip("_")) or _CAMEL.fullmatch(part) for part in parts)


def _is_release(parts: list[str]) -> bool:
    """Three or four numbers that are neither a date nor thousands."""
    sizes = [len(part) for part in parts]
    if not 3 <= len(sizes) <= 4 or all(size == 3 for size in sizes[1:]):
        return False
    return len(sizes) == 4 or not (4 in (sizes[0], sizes[2]) or sizes == [2, 2, 2])


def _code(plain: str, start: int, inside: int) -> tuple[str, int]:
    """The code that backticks open, empty if they open none, and where to read on."""
    if inside - start == 2:
        return "", inside
    if inside - start == 1:
        end = plain.find("`", inside, inside + LONGEST_CODE + 1)
        code = plain[inside:end] if end >= 0 else ""
        whole = code and "\n" not in code and code[0] not in _SPACES and code[-1] not in _SPACES
        return (code, end + 1) if whole else ("", inside)
    end = plain.find("```", inside)
    if end < 0:
        return plain[inside:].strip(_SPACES), len(plain)
    code = plain[inside:end].strip(_SPACES)
    while end < len(plain) and plain[end] == "`":
        end += 1
    return code, end


MOST: Final = 32  # numerals of a profile
NUMERAL: Final = "#"

POINTS: Final = frozenset(".,،٫，．")
GROUPS: Final = frozenset(".,'’،٬，\u00a0\u2009\u202f")
SIGNS: Final = frozenset("-‐‑–/⁄:")
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
    """The words of kernels/number_words.txt, folded."""
    table: dict[str, NumberWord] = {}
    for value, spelling in number_lines():
        (word,) = words(spelling)
        table.setdefault(word, NumberWord(value, spelling[0].isupper()))
    return table


def find_numerals(plain: str, most: int = MOST, spans: Spans | None = None) -> list[Numeral]:
    """The first numerals of a text without markup, from its word spans if these are at hand.

    >>> [numeral.value for numeral in find_numerals("The 12th of May: 1,000 at 1,5 or 10-1/2 pct")]
    ['12', 'm5', '1000', '1.5', '10.1.2']
    """
    return list(islice(_numerals(plain, spans or word_spans(plain)), most))


def _numerals(plain: str, spans: Spans) -> Iterator[Numeral]:
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


def _finish_numeral(numeral: _Numeral, after: str) -> Numeral:
    return Numeral(numeral.value, (numeral.before, after), numeral.start, numeral.end)


def _value_of_word(word: str, first: str) -> str | None:
    """The value of a number word; None without the capital that some need."""
    entry = number_words().get(word)
    if entry is None or (entry.capital and not "A" <= first <= "Z"):
        return None
    return entry.value


def numerals(texts: Sequence[str], *, html: Sequence[bool] = (), threads: int = 1) -> list[bytes]:
    """The numeral profile of each text: the hashed context and value of the first 32."""
    del threads
    return [b"".join(map(pack, find_numerals(text))) for text in strip_marked(texts, html)]


def pack(numeral: Numeral) -> bytes:
    """Two little-endian 16-bit hashes: of the context, of the value."""
    before, after = (murmur3_64(word.encode()) if word else 0 for word in numeral.context)
    context = fmix64(before + after * GOLDEN & MASK)
    return struct.pack("<HH", context & 0xFFFF, murmur3_64(numeral.value.encode()) & 0xFFFF)
