"""Swaps: what stands in the other's place in two titles that are else the same."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from nearcopy.kernels.reference.term_profiles import ENTRY as PROFILE_ENTRY
from nearcopy.kernels.reference.term_profiles import profile_terms, term_hash
from nearcopy.kernels.reference.titles import stem, weight
from nearcopy.match.titles.chinese_diff import apart, is_han
from nearcopy.match.titles.chinese_names import are_other
from nearcopy.match.titles.known_names import are_known, is_one
from nearcopy.models.model import Fingerprint

MOST_SWAPPED = 4
LEAST_SHARED = 2
LEAST_LETTERS = 3
HAN, KANA = re.compile("[\u3400-\u9fff]"), re.compile("[\u3041-\u30fe]")
RARE = 600  # of 760 hundredths: names, and words that few titles have


def swapped(a: str, b: str) -> tuple[tuple[str, str], ...]:
    """The pairs of words in which two normal titles of one length differ; none if too many do.

    Han characters that stand together are one word, and such words may be of different lengths.

    >>> swapped("nordell raises dividend again", "tarvane raises dividend again")
    (('nordell', 'tarvane'),)
    """
    unspaced = not a.isascii() and bool(HAN.search(a) and HAN.search(b))
    if a == b or (a.count(" ") != b.count(" ") and not unspaced):
        return ()
    left, right = a.split(" "), b.split(" ")
    if unspaced:
        pairs = apart(left, right)
    else:
        pairs = [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    if len(pairs) > MOST_SWAPPED or len(left) - _words(pairs) < LEAST_SHARED:
        return ()
    return tuple(pairs)


def _words(pairs: list[tuple[str, str]]) -> int:
    """How many words of the first title stand in the pairs, each character for one."""
    return sum(len(x) if is_han(x) else 1 for x, _ in pairs)


def side_by_side(swap: Iterable[tuple[str, str]]) -> str:
    """The swapped words, for people: those of the one title, then those of the other."""
    return " / ".join(map(" ".join, zip(*swap, strict=True)))


def are_names(swap: Iterable[tuple[str, str]], a: Fingerprint, b: Fingerprint) -> bool:
    """Whether every word in the other's place looks like a name, and the other has it nowhere."""
    names_a, names_b = " ".join(a.names).split(), " ".join(b.names).split()
    return all(
        (_are_han_names(x, y, a, b) or _are_words(x, y, x in names_a and y in names_b))
        and (_term(x) == _term(y) or not (_holds(b.profile, x) or _holds(a.profile, y)))
        for x, y in swap
    )


def _are_words(x: str, y: str, named: bool) -> bool:
    """Whether two words, read as names or not, look like different ones."""
    if are_known(x, y):
        return not is_one(x, y)
    return (named or (_is_rare(x) and _is_rare(y))) and _is_other(x, y)


def _are_han_names(x: str, y: str, a: Fingerprint, b: Fingerprint) -> bool:
    """Whether two words in characters are names; who leads is told in Chinese, by its words."""
    if not is_han(x + y):
        return False
    titles = a.gist.replace(" ", ""), b.gist.replace(" ", "")
    leads = titles[0].startswith(x) and titles[1].startswith(y)
    return are_other(x, y, leads=leads and not any(map(KANA.search, titles)))


def _is_rare(word: str) -> bool:
    """Whether few titles have this word, as few have any name; of characters none are counted."""
    return not is_han(word) and len(word) >= LEAST_LETTERS and _weight(word) >= RARE


def _is_other(a: str, b: str) -> bool:
    """Whether two words are not one word inflected or misspelt."""
    if a.startswith(b[:LEAST_LETTERS]) or b.startswith(a[:LEAST_LETTERS]):
        return False
    return not (len(a) == len(b) and a[-LEAST_LETTERS:] == b[-LEAST_LETTERS:])


@lru_cache(maxsize=65536)
def _weight(word: str) -> int:
    return weight(stem(word))


def _holds(profile: bytes, word: str) -> bool:
    """Whether a word's term is among those of a profile; of characters, every two of them."""
    if is_han(word) and len(word) > 2:
        return all(_holds(profile, first + second) for first, second in pairwise(word))
    hashed = _term(word)
    at = profile.find(hashed)
    while at % PROFILE_ENTRY and at >= 0:
        at = profile.find(hashed, at + 1)
    return at >= 0


@lru_cache(maxsize=65536)
def _term(word: str) -> bytes:
    """The hash of a word's term, as profiles hold it."""
    return term_hash(next(profile_terms([word]), ("", False))[0]).to_bytes(4, "little")
