"""Substitutions: the words that two otherwise equal titles swap, and whether they are names.

Capitals do not mark names in Han characters: a name is a known place, a surname with one or two
characters, or an uncommon word at the beginning of a title.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise, takewhile
from typing import NamedTuple

from nearcopy.extract.text import normalised
from nearcopy.kernels.reference.term_profiles import ENTRY as PROFILE_ENTRY
from nearcopy.kernels.reference.term_profiles import profile_terms, term_hash
from nearcopy.kernels.reference.titles import stem, weight
from nearcopy.models import Fingerprint

MAX_SWAPS = 4
MIN_SHARED_WORDS = 2
LEAST_LETTERS = 3
HAN, KANA = re.compile("[\u3400-\u9fff]"), re.compile("[\u3041-\u30fe]")
RARE = 600  # of 760 hundredths: names, and words that few titles have


def find_swaps(a: str, b: str) -> tuple[tuple[str, str], ...]:
    """The pairs of words in which two normalised titles differ; none if too many do.

    Titles have equal lengths, but adjacent Han characters are one word of any length.

    >>> find_swaps("nordell raises dividend again", "tarvane raises dividend again")
    (('nordell', 'tarvane'),)
    """
    unspaced = not a.isascii() and bool(HAN.search(a) and HAN.search(b))
    if a == b or (a.count(" ") != b.count(" ") and not unspaced):
        return ()
    left, right = a.split(" "), b.split(" ")
    if unspaced:
        pairs = find_differences(left, right)
    else:
        pairs = [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    swapped = sum(len(x) if is_han(x) else 1 for x, _ in pairs)  # each Han character is a word
    if len(pairs) > MAX_SWAPS or len(left) - swapped < MIN_SHARED_WORDS:
        return ()
    return tuple(pairs)


def format_swap(swap: Iterable[tuple[str, str]]) -> str:
    """The swapped words for display: those of one title, then those of the other."""
    return " / ".join(map(" ".join, zip(*swap, strict=True)))


def are_name_swaps(swap: Iterable[tuple[str, str]], a: Fingerprint, b: Fingerprint) -> bool:
    """Whether all swapped words look like names that the other article does not contain."""
    names_a, names_b = " ".join(a.names).split(), " ".join(b.names).split()
    return all(
        (_are_han_names(x, y, a, b) or _are_different_words(x, y, x in names_a and y in names_b))
        and (
            _term(x) == _term(y)
            or not (_profile_contains(b.profile, x) or _profile_contains(a.profile, y))
        )
        for x, y in swap
    )


def _are_different_words(x: str, y: str, named: bool) -> bool:
    """Whether two words look like different names."""
    if x in NAMES and y in NAMES:
        return NAMES[x] != NAMES[y]
    return (named or (_is_rare(x) and _is_rare(y))) and _differ_in_stem(x, y)


def _are_han_names(x: str, y: str, a: Fingerprint, b: Fingerprint) -> bool:
    """Whether two words in Han characters are names; only Chinese titles begin with theirs."""
    if not is_han(x + y):
        return False
    titles = a.gist.replace(" ", ""), b.gist.replace(" ", "")
    leads = titles[0].startswith(x) and titles[1].startswith(y)
    return are_different_names(x, y, leads=leads and not any(map(KANA.search, titles)))


def _is_rare(word: str) -> bool:
    """Whether a word is as rare in titles as names are; Han characters are not counted."""
    return not is_han(word) and len(word) >= LEAST_LETTERS and _weight(word) >= RARE


def _differ_in_stem(a: str, b: str) -> bool:
    """Whether two words are more than inflections or misspellings of one."""
    if a.startswith(b[:LEAST_LETTERS]) or b.startswith(a[:LEAST_LETTERS]):
        return False
    return not (len(a) == len(b) and a[-LEAST_LETTERS:] == b[-LEAST_LETTERS:])


@lru_cache(maxsize=65536)
def _weight(word: str) -> int:
    return weight(stem(word))


def _profile_contains(profile: bytes, word: str) -> bool:
    """Whether a profile contains the term of a word; of Han characters, all bigrams."""
    if is_han(word) and len(word) > 2:
        return all(_profile_contains(profile, first + second) for first, second in pairwise(word))
    hashed = _term(word)
    at = profile.find(hashed)
    while at % PROFILE_ENTRY and at >= 0:
        at = profile.find(hashed, at + 1)
    return at >= 0


@lru_cache(maxsize=65536)
def _term(word: str) -> bytes:
    """The hash of a word's term, as in profiles."""
    return term_hash(next(profile_terms([word]), ("", False))[0]).to_bytes(4, "little")


MAX_RUNS = 2
REACH = 2  # characters on either side that a name may share with the other: 河南, 河北
FIRST, LAST = "\u3400", "\u9fff"
Words = list[str]


class Run(NamedTuple):
    """The spans in which two titles differ."""

    start: int
    end: int
    other_start: int
    other_end: int


def is_han(word: str) -> bool:
    """Whether a word has only Han characters.

    >>> is_han("北京"), is_han("トヨタ"), is_han("v2")
    (True, False, False)
    """
    return bool(word) and min(word) >= FIRST and max(word) <= LAST


def find_differences(left: Words, right: Words) -> list[tuple[str, str]]:
    """The words or runs of characters in which two titles differ; none if too many do.

    >>> find_differences(list("湖南暴雨停课"), list("黑龙江暴雨停课"))
    [('湖南', '黑龙江')]
    """
    one_length = len(left) == len(right)
    runs = _differing_runs(left, right) if one_length else _differing_middle(left, right)
    pairs = [_widen_to_places(left, right, run) for run in runs]
    written = [pair for pair in pairs if is_han(pair[0] + pair[1])]
    words = (word for pair in written for word in pair)
    as_short_as_names = all(len(word) <= MAX_NAME_CHARS or word in PLACES for word in words)
    return pairs if len(written) <= MAX_RUNS and as_short_as_names else []


def _differing_runs(left: Words, right: Words) -> list[Run]:
    """The runs in which titles of equal length differ."""
    runs: list[Run] = []
    for place, (x, y) in enumerate(zip(left, right, strict=True)):
        if x != y:
            last = runs[-1] if runs else None
            joins = last is not None and last.end == place and is_han(x + y + left[place - 1])
            start = runs.pop().start if joins else place
            runs.append(Run(start, place + 1, start, place + 1))
    return runs


def _differing_middle(left: Words, right: Words) -> list[Run]:
    """The run between the common beginning and end, if it has only Han characters."""
    start = _common_prefix(left, right)
    end = _common_prefix(left[start:][::-1], right[start:][::-1])
    run = Run(start, len(left) - end, start, len(right) - end)
    x, y = left[run.start : run.end], right[run.other_start : run.other_end]
    return [run] if x and y and is_han("".join(x + y)) else []


def _common_prefix(left: Words, right: Words) -> int:
    """The length of the common prefix."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _widen_to_places(first: Words, second: Words, run: Run) -> tuple[str, str]:
    """The run in both titles, widened to the names of places that share characters."""
    for left in range(min(REACH, run.start, run.other_start) + 1):
        for right in range(REACH + 1):
            x = "".join(first[run.start - left : run.end + right])
            y = "".join(second[run.other_start - left : run.other_end + right])
            if x != y and x in PLACES and y in PLACES:
                return x, y
    return "".join(first[run.start : run.end]), "".join(second[run.other_start : run.other_end])


MIN_NAME_CHARS, MAX_NAME_CHARS = 2, 4  # characters of a name


def _read_words(name: str) -> frozenset[str]:
    """The folded words of a file."""
    lines = files(__package__).joinpath(name).read_text("utf-8").splitlines()
    words = (word for line in lines if not line.startswith("#") for word in line.split())
    return frozenset(normalised(word).replace(" ", "") for word in words)


PLACES = _read_words("han_places.txt")
# Surnames that begin few other words.
SURNAMES = frozenset(
    "王李张刘陈杨赵吴徐孙朱郭罗郑梁宋韩冯邓曹彭萧董袁潘蔡蒋杜魏苏吕沈姚卢姜崔谭陆汪廖贾邱孟秦薛侯雷"
    "龚邵戴"
)


@cache
def common_words() -> frozenset[str]:
    """Words that are no names: those of tools/make_han_words.py, and those of news."""
    return (_read_words("han_words.txt") | _read_words("han_news_words.txt")) - PLACES


def are_different_names(x: str, y: str, *, leads: bool) -> bool:
    """Whether two aligned runs of Han characters are different names; `leads` if they come first.

    >>> are_different_names("北京", "上海", leads=False)
    True
    >>> are_different_names("发布", "推出", leads=True)
    False
    """
    if len(x) == len(y) == 1:
        return x in SURNAMES and y in SURNAMES
    if not all(MIN_NAME_CHARS <= len(name) <= MAX_NAME_CHARS or name in PLACES for name in (x, y)):
        return False
    if x in PLACES or y in PLACES or leads:
        return not _is_common(x) and not _is_common(y)
    return _is_person(x) and _is_person(y)


def _is_person(name: str) -> bool:
    return name[0] in SURNAMES and len(name) < MAX_NAME_CHARS and not _is_common(name)


def _is_common(name: str) -> bool:
    """Whether a name contains a common word; known places do not."""
    words = common_words()
    return name not in PLACES and any(a + b in words for a, b in pairwise(name))


def _read_names() -> dict[str, int]:
    """The line number of each form of a name."""
    lines = files(__package__).joinpath("known_names.txt").read_text("utf-8").splitlines()
    named = (line.split() for line in lines if not line.startswith("#"))
    return {form: number for number, forms in enumerate(named) for form in forms}


NAMES = _read_names()
