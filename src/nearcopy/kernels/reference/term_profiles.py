"""Term profiles: the heaviest terms of an article, and the similarity of two profiles.

A term is the first five letters of a word, a stemmer for most languages; in scripts without spaces
it is a character or a pair of adjacent characters. Words with digits are no terms. A profile holds
for each term its hash, its weight in the article, and whether it is in the title. The rarity of
terms is applied when profiles are compared, so that new weights keep stored profiles valid. Only
lines that are sentences are read, without menus, captions and site boilerplate. All sums are of
integers: exact in any order, so both kernels agree to the last bit.
"""

import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, groupby, pairwise
from math import nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy.kernels.data_tables import term_weights
from nearcopy.kernels.reference.hashes import murmur3_64
from nearcopy.kernels.reference.html import strip_marked
from nearcopy.kernels.reference.words import ARTICLE, DIGITS, is_unspaced, words

MOST_TERMS = 128
PREFIX = 5
ENTRY = 5  # bytes: the hash of the term and its weight in the article
MOST_COUNT = 16  # higher counts of a term weigh the same
COUNT_WEIGHTS = (0, 10, 17, 24, 30, 36, 42, 47, 53, 58, 63, 68, 73, 78, 83, 87, 92)
TITLE_WEIGHT = 30  # the weights above are 10 * count**0.8, and this is 10 * 3
OF_TITLE = 128  # in the last byte, beside the weight

WIDE_FROM = 0x2E80  # from here on a character says as much as three letters
SENTENCE, PARAGRAPH = 60, 150  # letters
SENTENCE_ENDS = frozenset(
    ".!?:\"')\xbb\u061f\u06d4\u0964\u2019\u201d\u2026\u3002\u300d\u300f\uff01\uff1f"
)
MIN_SENTENCE_SHARE = 3, 10  # of the letters; where the sentences have less, all lines are read
BLANK = "".join(map(chr, range(33))) + "\xa0"

Ragged = tuple[NDArray[np.uint64], NDArray[np.uint64]]


class Term(NamedTuple):
    """A term, whether it is of the title, and whether it weighs half."""

    hash: int
    title: bool
    half: bool


def profiles(
    titles: Sequence[str], texts: Sequence[str], *, html: Sequence[bool] = (), threads: int = 1
) -> list[bytes]:
    """The profile of each article: its 128 heaviest terms by hash, or empty."""
    del threads
    return [
        _profile(chain(_hash_terms(words(title), True), _hash_terms(words(sentences(text)), False)))
        for title, text in zip(titles, strip_marked(texts, html), strict=True)
    ]


class TermWeights:
    """How much terms count by their hash, for those who have counted their own articles."""

    def __init__(self, hashes: Sequence[int], weights: Sequence[int]) -> None:
        if len(hashes) != len(weights):
            raise ValueError("expected as many weights as hashes of terms")
        if not all(1 <= weight <= 0xFFFF for weight in weights):
            raise ValueError("the weight of a term must lie between 1 and 65535")
        self._known: dict[int, int] = {}
        for term, weight in zip(hashes, weights, strict=True):
            self._known[term] = min(weight, self._known.get(term, weight))

    def of(self, term: int) -> int:
        """How much a term counts."""
        return self._known.get(term, term_weights()[1])


def profile_measures(
    a: Sequence[bytes], b: Sequence[bytes], weights: TermWeights | None = None
) -> NDArray[np.float64]:
    """The similarities of pairs of profiles, one row per pair, weighted by rarity; nan if empty.

    The cosine, and the containment: the larger share of the title, and the larger and the smaller
    share of all terms, found in the other profile. All are 0..1.
    """
    weigh = weights.of if weights else rarity
    rows = [_measures(*pair, weigh) for pair in zip(a, b, strict=True)]
    return np.array(rows, np.float64).reshape(-1, 4)


def term_keys(profiles: Sequence[bytes], most: int, rare: int, least: int) -> Ragged:
    """(starts, hashes): the heaviest terms of profile i are `hashes[starts[i]:starts[i + 1]]`.

    At most `most` each, ascending: rare terms first, then those with a weight of `least`.
    """
    rows = [_heaviest(_check(profile), most, rare, least) for profile in profiles]
    starts = np.cumsum([0, *map(len, rows)]).astype(np.uint64)
    return starts, np.array(list(chain.from_iterable(rows)), np.uint64)


def sentences(text: str) -> str:
    """The lines that are sentences; the whole text if no line, or nearly every line, would go.

    >>> rain = "The river rose overnight and flooded the lower town, the mayor said on Monday."
    >>> sentences("Share\\nRead more\\n" + rain) == rain
    True
    """
    lines = text.split("\n")
    lengths = [len(line) + 2 * sum(ord(c) >= WIDE_FROM for c in line) for line in lines]
    kept = [pair for pair in zip(lines, lengths, strict=True) if _is_sentence(*pair)]
    size = sum(length for _, length in kept)
    share, of = MIN_SENTENCE_SHARE
    few = size * of < sum(lengths) * share
    return text if few or size == sum(lengths) else "\n".join(line for line, _ in kept)


def profile_terms(tokens: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """The terms of words, in order, and whether each weighs half.

    >>> [term for term, _ in profile_terms(["storms", "hit", "2", "coasts", "字", "体"])]
    ['storm', 'hit', 'coast', '字', '体', '字体']
    """
    for unspaced, group in groupby(tokens, _is_unspaced):
        run = list(group)
        if unspaced:
            yield from ((character, True) for character in run)
            yield from ((first + second, False) for first, second in pairwise(run))
        else:
            yield from ((_prefix(word), False) for word in run if DIGITS.isdisjoint(word))


def term_hash(term: str) -> int:
    """The 32-bit hash of a term."""
    return murmur3_64(term.encode()) & 0xFFFFFFFF


@cache
def rarity(term: int) -> int:
    """How much a term counts, by its hash, in hundredths: the rarer in articles, the more."""
    return _general_weights().of(term)


def term_rarities(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """How much each term counts, by its hash, in hundredths."""
    return np.array([rarity(term) for term in hashes.tolist()], np.uint32)


@cache
def _general_weights() -> TermWeights:
    weights, _ = term_weights()
    return TermWeights([*map(term_hash, weights)], [*weights.values()])


def _is_unspaced(word: str) -> bool:
    return len(word) == 1 and is_unspaced(word)


def _prefix(word: str) -> str:
    if word.startswith(ARTICLE) and len(word) > 4:
        word = word[2:]
    return word[:PREFIX]


def _hash_terms(tokens: Iterable[str], title: bool) -> Iterator[Term]:
    return (Term(term_hash(term), title, half) for term, half in profile_terms(tokens))


def _is_sentence(line: str, length: int) -> bool:
    """Whether a line is a sentence or more."""
    if length < SENTENCE:
        return False
    return length >= PARAGRAPH or line.rstrip(BLANK)[-1:] in SENTENCE_ENDS


def _profile(terms: Iterable[Term]) -> bytes:
    by_hash = groupby(sorted(terms), lambda term: term.hash)
    same = {term: list(group) for term, group in by_hash}
    weights = {term: _weight(group) for term, group in same.items()}
    heaviest = sorted(weights, key=lambda term: (-weights[term] * rarity(term), term))
    kept = sorted(heaviest[:MOST_TERMS])
    title_flags = {
        term: OF_TITLE * any(occurrence.title for occurrence in same[term]) for term in kept
    }
    return b"".join(struct.pack("<IB", term, weights[term] | title_flags[term]) for term in kept)


def _weight(same: list[Term]) -> int:
    weight = COUNT_WEIGHTS[min(len(same), MOST_COUNT)]
    weight += TITLE_WEIGHT * any(term.title for term in same)
    return weight // 2 if any(term.half for term in same) else weight


def _measures(a: bytes, b: bytes, weigh: Callable[[int], int]) -> tuple[float, ...]:
    (left, left_title), (right, right_title) = _weigh(a, weigh), _weigh(b, weigh)
    norms = [float(sum(value**2 for value in side.values())) for side in (left, right)]
    if 0.0 in norms:
        return nan, nan, nan, nan
    product = sum(value * right.get(term, 0) for term, value in left.items())
    title_shares = _share(left_title, right), _share(right_title, left)
    held = _share(left, right), _share(right, left)
    title = max((share for share in title_shares if share == share), default=nan)
    return min(1.0, product / sqrt(norms[0] * norms[1])), title, max(held), min(held)


def _heaviest(entries: list[tuple[int, int]], most: int, rare: int, least: int) -> list[int]:
    weighted = ((rarity(term), much % OF_TITLE, term) for term, much in entries)
    ranked = sorted(
        (-(weight >= rare), -weight * much, term)
        for weight, much, term in weighted
        if weight >= least
    )
    return sorted(term for _, _, term in ranked[:most])


def _share(one: dict[int, int], other: Collection[int]) -> float:
    """How much of the one is found in the other."""
    whole = sum(one.values())
    return sum(value for term, value in one.items() if term in other) / whole if whole else nan


def _weigh(profile: bytes, weigh: Callable[[int], int]) -> tuple[dict[int, int], dict[int, int]]:
    """What the terms of a profile count, by how rare they are; those of the title again."""
    entries = _check(profile)
    if any(first[0] >= second[0] for first, second in pairwise(entries)):
        raise ValueError("a term profile whose hashes do not ascend")
    values = {term: count % OF_TITLE * weigh(term) for term, count in entries}
    return values, {term: values[term] for term, count in entries if count >= OF_TITLE}


def _check(profile: bytes) -> list[tuple[int, int]]:
    if len(profile) % ENTRY or len(profile) > ENTRY * MOST_TERMS:
        raise ValueError(
            f"a term profile of {len(profile)} bytes: expected five a term, at most 640"
        )
    return list(struct.iter_unpack("<IB", profile))
