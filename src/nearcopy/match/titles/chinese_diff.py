"""Runs: where two titles in characters differ, which may be in names of different lengths."""

from itertools import takewhile
from typing import NamedTuple

from nearcopy.match.titles.chinese_names import LONGEST, is_place

MOST_RUNS = 2
REACH = 2  # characters on either side that a name may share with the other: 河南, 河北
FIRST, LAST = "\u3400", "\u9fff"
Words = list[str]


class Run(NamedTuple):
    """Where two titles differ: from where to where in the one and in the other."""

    start: int
    end: int
    other_start: int
    other_end: int


def is_han(word: str) -> bool:
    """Whether a word is of Han characters alone.

    >>> is_han("北京"), is_han("トヨタ"), is_han("v2")
    (True, False, False)
    """
    return bool(word) and min(word) >= FIRST and max(word) <= LAST


def apart(left: Words, right: Words) -> list[tuple[str, str]]:
    """The pairs in which two titles differ: words, or runs of characters; none if too many do.

    >>> apart(list("湖南暴雨停课"), list("黑龙江暴雨停课"))
    [('湖南', '黑龙江')]
    """
    one_length = len(left) == len(right)
    runs = _by_place(left, right) if one_length else _between(left, right)
    pairs = [_widened(left, right, run) for run in runs]
    written = [pair for pair in pairs if is_han(pair[0] + pair[1])]
    if len(written) > MOST_RUNS or not all(_is_short(word) for pair in written for word in pair):
        return []
    return pairs


def _is_short(word: str) -> bool:
    """Whether a run may be a name by its length."""
    return len(word) <= LONGEST or is_place(word)


def _by_place(left: Words, right: Words) -> list[Run]:
    """Where titles of one length differ; characters that stand together are one run."""
    runs: list[Run] = []
    for place, (x, y) in enumerate(zip(left, right, strict=True)):
        if x != y:
            last = runs[-1] if runs else None
            joins = last is not None and last.end == place and is_han(x + y + left[place - 1])
            start = runs.pop().start if joins else place
            runs.append(Run(start, place + 1, start, place + 1))
    return runs


def _between(left: Words, right: Words) -> list[Run]:
    """What differs between the same beginning and the same end, if that is characters alone."""
    start = _alike(left, right)
    end = _alike(left[start:][::-1], right[start:][::-1])
    run = Run(start, len(left) - end, start, len(right) - end)
    x, y = left[run.start : run.end], right[run.other_start : run.other_end]
    return [run] if x and y and is_han("".join(x + y)) else []


def _alike(left: Words, right: Words) -> int:
    """How many words are the same from the beginning on."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _widened(first: Words, second: Words, run: Run) -> tuple[str, str]:
    """What stands there in both titles, with what is shared of the names of two places."""
    for left in range(min(REACH, run.start, run.other_start) + 1):
        for right in range(REACH + 1):
            x = "".join(first[run.start - left : run.end + right])
            y = "".join(second[run.other_start - left : run.other_end + right])
            if x != y and is_place(x) and is_place(y):
                return x, y
    return "".join(first[run.start : run.end]), "".join(second[run.other_start : run.other_end])
