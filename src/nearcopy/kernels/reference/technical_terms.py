"""Technical details: version numbers, names as programs have them, code.

A name is a run of ASCII letters, digits, `_` and `.`, without dots at its ends; one right after any
of `@#/=&?%` is part of an address or a handle and does not count. A detail is

- a version: v2, v1.2, V1.2, "version 3.5"; or three or four numbers with dots, 3.5.1, that are no
  price ($1.2.3), percentage, date (12.05.2024, 2024.05.12, 12.05.24) or thousands (1.000.000);
- a call: `name()`, `dotted.name(`;
- a name, or a dotted name with a part, in snake_case or camelCase (three small letters first, or
  is, on, to; so that iPhone and macOS are none);
- code: between single backticks, on a line, up to 100 characters; or between fences of three or
  more. Two backticks are a wire's quotation mark.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nearcopy.kernels.reference.html import strip_html

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
    marks = html or [False] * len(texts)
    plain = (strip_html(text) if mark else text for text, mark in zip(texts, marks, strict=True))
    return np.array([_count(text) for text in plain], np.uint8)


def _count(plain: str) -> int:
    details: set[str] = set()
    for detail in _details(plain):
        details.add(detail)
        if len(details) == MOST_DETAILS:
            break
    return len(details)


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
