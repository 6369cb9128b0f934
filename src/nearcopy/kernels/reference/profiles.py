"""Term profiles: the heaviest terms of an article, and how alike those of two articles are.

A term is the first five letters of a word, which brings its forms together in most languages; of
scripts written without spaces, every two characters that stand together, and each by itself. Words
with digits are no terms: numbers never make two articles alike. A profile holds for each term its
hash and how much the article makes of it. How rare the term is counts when profiles are compared,
so a newer table of weights voids no stored profile. All sums are of whole numbers: exact in any
order, so both kernels agree to the last bit.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, groupby, pairwise
from math import nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy.kernels.reference.hashes import murmur3_64
from nearcopy.kernels.reference.words import words
from nearcopy.kernels.tables import term_weights

MOST_TERMS = 128
PREFIX = 5
ENTRY = 5  # bytes: the term's hash, how much the article makes of it
MOST_COUNT = 16  # a term that stands there more often weighs no more
COUNT_WEIGHTS = (0, 20, 35, 48, 61, 72, 84, 95, 106, 116, 126, 136, 146, 156, 165, 175, 184)
TITLE_WEIGHT = 60  # the weights above are 20 * count**0.8, and this is 20 * 3

UNSPACED_FROM = 0x0E00  # Thai, and all behind it that is written one character a word
HANGUL = range(0xAC00, 0xD7A4)
DIGITS = frozenset("0123456789")
ARTICLE = "\u0627\u0644"  # the Arabic one is written as part of the word


class Term(NamedTuple):
    """A term, whether it is of the title, and whether it weighs half."""

    hash: int
    title: bool
    half: bool


def profiles(
    titles: Sequence[str], texts: Sequence[str], *, html: Sequence[bool] = (), threads: int = 1
) -> list[bytes]:
    """The profile of each article: its 128 heaviest terms, by hash; empty where it has none."""
    del threads
    marks = html or [False] * len(texts)
    return [
        _profile(chain(_hashed(words(title), True), _hashed(words(text, mark), False)))
        for title, text, mark in zip(titles, texts, marks, strict=True)
    ]


def profile_cosines(a: Sequence[bytes], b: Sequence[bytes]) -> NDArray[np.float64]:
    """How alike two profiles are, 0..1, rare terms counting more; nan where one is empty."""
    return np.array([_cosine(*pair) for pair in zip(a, b, strict=True)], np.float64)


def profile_terms(found: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """The terms of words, in order, and whether each weighs half.

    >>> [term for term, _ in profile_terms(["storms", "hit", "2", "coasts", "字", "体"])]
    ['storm', 'hit', 'coast', '字', '体', '字体']
    """
    for unspaced, group in groupby(found, _unspaced):
        run = list(group)
        if unspaced:
            yield from ((character, True) for character in run)
            yield from ((first + second, False) for first, second in pairwise(run))
        else:
            yield from ((_prefix(word), False) for word in run if DIGITS.isdisjoint(word))


def term_hash(term: str) -> int:
    """The 32 bits that stand for a term."""
    return murmur3_64(term.encode()) & 0xFFFFFFFF


@cache
def rarity(term: int) -> int:
    """How much a term counts, by its hash, in hundredths: the rarer in articles, the more."""
    return _rarities().get(term, term_weights()[1])


@cache
def _rarities() -> dict[int, int]:
    made: dict[int, int] = {}
    for term, weight in term_weights()[0].items():
        key = term_hash(term)
        made[key] = min(weight, made.get(key, weight))
    return made


def _unspaced(word: str) -> bool:
    return len(word) == 1 and ord(word) >= UNSPACED_FROM and ord(word) not in HANGUL


def _prefix(word: str) -> str:
    if word.startswith(ARTICLE) and len(word) > 4:
        word = word[2:]
    return word[:PREFIX]


def _hashed(found: Iterable[str], title: bool) -> Iterator[Term]:
    return (Term(term_hash(term), title, half) for term, half in profile_terms(found))


def _profile(terms: Iterable[Term]) -> bytes:
    by_hash = groupby(sorted(terms), lambda term: term.hash)
    weights = {term: _weight(list(group)) for term, group in by_hash}
    heaviest = sorted(weights, key=lambda term: (-weights[term] * rarity(term), term))
    kept = sorted(heaviest[:MOST_TERMS])
    return b"".join(struct.pack("<IB", term, weights[term]) for term in kept)


def _weight(same: list[Term]) -> int:
    weight = COUNT_WEIGHTS[min(len(same), MOST_COUNT)]
    weight += TITLE_WEIGHT * any(term.title for term in same)
    return weight // 2 if any(term.half for term in same) else weight


def _cosine(a: bytes, b: bytes) -> float:
    left, right = _weighted(a), _weighted(b)
    norms = [float(sum(value * value for value in side.values())) for side in (left, right)]
    if 0.0 in norms:
        return nan
    product = sum(value * right.get(term, 0) for term, value in left.items())
    return min(1.0, product / sqrt(norms[0] * norms[1]))


def _weighted(profile: bytes) -> dict[int, int]:
    """What each term of a profile counts: its weight by how rare it is."""
    if len(profile) % ENTRY or len(profile) > ENTRY * MOST_TERMS:
        raise ValueError(
            f"a term profile of {len(profile)} bytes: expected five a term, at most 640"
        )
    entries = list(struct.iter_unpack("<IB", profile))
    if any(first[0] >= second[0] for first, second in pairwise(entries)):
        raise ValueError("a term profile whose hashes do not ascend")
    return {term: weight * rarity(term) for term, weight in entries}
