"""Titles: their terms, the similarity of two, and their blocking keys.

The terms of a title are the stems of its words; in scripts without spaces, pairs of adjacent
characters. A term is weighted by its rarity in titles, in hundredths: sums of integers are exact in
any order, so both kernels agree to the last bit.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, groupby, islice, pairwise
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray

from nearcopy.kernels.data_tables import title_weights
from nearcopy.kernels.lazy_pattern import lazy_pattern
from nearcopy.kernels.reference.hashes import murmur3_64
from nearcopy.kernels.reference.words import ARTICLE, DIGITS, is_unspaced

# Shapes of numbers, as words.
JOINED, GLUED, CENTURY, POINTED, CLOCK, AGE, ANY = "0-0", "a0", "20", "0.0", "0:0", ", 0", "0"
SHAPES = (
    (JOINED, lazy_pattern(r"\d ?[-/.] ?\d")),
    (POINTED, lazy_pattern(r"\d\.\d")),
    (CENTURY, lazy_pattern(r"(?:19|20)\d\d")),
    (GLUED, lazy_pattern(r"[a-z]-?\d|\d[a-z]")),
    (CLOCK, lazy_pattern(r"\d(?: ?[ap]\.?m\b|[:h][0-5]\d)| \d\d?\.[0-5]\d")),
    (AGE, lazy_pattern(r", \d\d(?:,|\Z)| \(\d\d\)")),
)
NOT_ASCII = -1  # in place of a bit mask, for titles with letters beyond ASCII
_WORDS = lazy_pattern(r"[a-z]+")
_DIGIT = lazy_pattern(r"[0-9]")

UPPER = "A-ZÀ-ÖØ-ÞĀČĆĎĐĒĘĚĞĪİĶĻŁŃŇŌŘŚŞŠŢŤŪŮŹŻŽΑ-ΩА-ЯЁІЇЄ"
# Both begin with a capital, so that the regex engine can skip ahead, and look back from there.
TAIL = rf"(?:\.(?:[{UPPER}]\.){{1,5}}|[^\W\d_]*(?:['-][{UPPER}][^\W\d_]*)*)"
RUN = lazy_pattern(
    rf"[{UPPER}](?<![\w'][{UPPER}]){TAIL}(?:(?: | al-| bin | de | van | von )[{UPPER}]{TAIL})*"
)
ACRONYM = lazy_pattern(r"[A-Z](?<![\w'-][A-Z])(?:[A-Z]{1,5}|\.(?:[A-Z]\.){1,5})(?![\w-])")
LATIN = lazy_pattern(r"[A-Za-z][A-Za-z]+")
HAN = lazy_pattern(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


class TitleScanner:
    """The rules that the words, signs and shapes of titles trigger, as bit masks, and the names.

    `ascii_forms` maps other characters to ASCII, one to one. `longest` characters of a title are
    read, and at most `most` names returned.
    """

    def __init__(
        self,
        triggers: Mapping[str, int],
        common: Collection[str],
        ascii_forms: Mapping[int, str],
        *,
        longest: int,
        most: int,
    ) -> None:
        self._triggers, self._common = triggers, frozenset(common)
        self._ascii_forms, self._longest, self._most = dict(ascii_forms), longest, most

    def scan(self, titles: Sequence[str]) -> tuple[list[int], list[tuple[str, ...]]]:
        """The bit mask of each title, or `NOT_ASCII`, and the names in it."""
        rows = [self._scan(title[: self._longest].translate(self._ascii_forms)) for title in titles]
        return [mask for mask, _ in rows], [names for _, names in rows]

    def find_names(self, text: str) -> list[tuple[str, int, int]]:
        """The names in a text, with their spans."""
        return list(find_names(text, self._common))

    def _scan(self, text: str) -> tuple[int, tuple[str, ...]]:
        if not text.isascii():
            return NOT_ASCII, ()
        names = [name for name, _, _ in self.find_names(text)]
        return self._mask(text.lower()), tuple(names[: self._most])

    def _mask(self, lower: str) -> int:
        words = set(_WORDS.findall(lower))
        if _DIGIT.search(lower):
            words.update(c for c in lower if not c.isalpha())
            words.update(shape for shape, pattern in SHAPES if pattern.search(lower))
            words.add(ANY)
        mask = 0
        for word in words:
            mask |= self._triggers.get(word, 0)
        return mask


def find_names(title: str, common: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """The names in a title in lower case, with their spans: capitalised runs, or only acronyms.

    >>> list(find_names("Mayor of Springfield meets Jane Doe after storm", {"mayor"}))
    [('springfield', 9, 20), ('jane doe', 27, 35)]
    """
    pattern = _pattern(title)
    if pattern is None:
        return
    for match in pattern.finditer(title):
        name = match[0].lower() if pattern is LATIN else _fold_name(match, common)
        if name:
            yield name, *match.span()


def _pattern(title: str) -> re.Pattern[str] | None:
    """The pattern of names, by how the title uses capitals."""
    if not title.isascii() and HAN.search(title):
        return LATIN
    words = title.split()
    capitals = len([word for word in words[1:] if word[0].isupper()])
    small = len([word for word in words if len(word) > 3 and word.islower()])
    if capitals <= 1.5 * small:
        return RUN if words else None
    return None if title.isupper() else ACRONYM


def _fold_name(match: re.Match[str], common: Collection[str]) -> str:
    """The name in lower case; empty if the capital only begins the sentence."""
    value = match[0].lower().replace(".", "").removesuffix("'s").removesuffix("’s")
    if " " not in value:
        alone = match.start() == 0 and not match[0].isupper()
        return "" if alone or value in common or len(value) < 2 else value
    first, _, remainder = value.partition(" ")
    return remainder if first in common else value


class WordFinder:
    """Finds the words of a table in texts."""

    def __init__(self, table: Iterable[str]) -> None:
        self._words = frozenset(table)

    def find(self, texts: Sequence[str], *, most: int) -> list[tuple[str, ...]]:
        """The words of each text that are in the table, in order; words are separated by one space.

        Only the first `most` words are read.

        >>> WordFinder(["ferry", "port"]).find(["port of the ferry"], most=3)
        [('port',)]
        """
        return [
            tuple([word for word in text.split(" ", most)[:most] if word in self._words])
            for text in texts
        ]


Floats = NDArray[np.float64]
Ragged = tuple[NDArray[np.uint64], NDArray[np.uint64]]

MAX_WORDS = 64  # of a title that are looked at, and
MAX_LETTERS = 48  # of a word: a whole page given for a title costs no more than a long title
LEAST_ALIKE = 5  # letters of two words that are alike and not the same
SAME, BEGINS_ALIKE, SPELT_ALIKE = 100, 80, 80  # hundredths of an equal term
UNSPACED_SHARE = 70  # two characters are less than a word, in hundredths
KEY_TERMS = 5
FRONT = 3  # terms that say who or what a title is about
KEY_SEED = 0x717E

UNDOUBLED = frozenset("bdfgmnprt")
WORD, LETTER, UNSPACED = range(3)


def title_cosines(a: Sequence[str], b: Sequence[str]) -> Floats:
    """The soft cosine of the terms of two normalised titles, 0..1; nan if one has none.

    >>> title_cosines(["storm hits coast"], ["coasts hit by storms"]).round(2).tolist()
    [0.93]
    """
    return np.array([_soft_cosine(*pair) for pair in zip(a, b, strict=True)], np.float64)


def title_fronts(a: Sequence[str], b: Sequence[str]) -> Floats:
    """The weight of the first terms that the other normalised title lacks, the smaller of both.

    >>> title_fronts(["storm hits coast", "storm"], ["coasts hit by storms", "coast"]).tolist()
    [0.0, 500.0]
    """
    return np.array([_front(*pair) for pair in zip(a, b, strict=True)], np.float64)


def word_cosines(a: Sequence[str], b: Sequence[str]) -> Floats:
    """The cosine of the word counts of two normalised titles, 0..1; nan if one has none.

    >>> word_cosines(["storm hits coast"], ["coast hits storm"]).tolist()
    [1.0]
    """
    return np.array([_word_cosine(*pair) for pair in zip(a, b, strict=True)], np.float64)


def title_keys(normals: Sequence[str]) -> Ragged:
    """(starts, keys): the keys of title i are `keys[starts[i]:starts[i + 1]]`.

    One key per pair of the five heaviest terms; with one or two terms, also one per term.
    """
    rows = [_keys(normal) for normal in normals]
    starts = np.cumsum([0, *map(len, rows)]).astype(np.uint64)
    return starts, np.array(list(chain.from_iterable(rows)), np.uint64)


def title_terms(normal: str) -> list[str]:
    """The terms of a normalised title.

    >>> title_terms("u s senator s plans stopped")
    ['us', 'senator', 'plan', 'stop']
    """
    words = islice((word for word in normal.split(" ") if word), MAX_WORDS)
    terms: list[str] = []
    before = LETTER
    for kind, group in groupby(words, _kind):
        run = list(group)
        if kind == LETTER and before == WORD and run[0] == "s":
            del run[0]  # what punctuation left of 's
        terms += _run_terms(kind, run)
        before = kind
    return terms


def stem(word: str) -> str:
    """The word without an English ending, or without the Arabic article.

    >>> [stem(word) for word in ("parties", "hits", "stopped", "rising", "rise", "glass")]
    ['party', 'hit', 'stop', 'ris', 'ris', 'glass']
    """
    if word.startswith(ARTICLE) and len(word) > 4:
        return word[2:]
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return _without_e(word[:-1])
    if word.endswith("ed") and not word.endswith("eed") and len(word) > 4:
        return _undouble(word[:-2])
    if word.endswith("ing") and len(word) > 5:
        return _undouble(word[:-3])
    return _without_e(word)


def weight(term: str) -> int:
    """The weight of a term by its rarity in titles, in hundredths."""
    weights, unknown = title_weights()
    value = weights.get(term, unknown)
    return value * UNSPACED_SHARE // 100 if is_unspaced(term[0]) else value


def _kind(word: str) -> int:
    if len(word) > 1 or word in DIGITS:
        return WORD
    return UNSPACED if is_unspaced(word) else LETTER


def _run_terms(kind: int, run: list[str]) -> list[str]:
    """The terms of words of one kind: stems, initials as one, characters two by two."""
    if kind == WORD:
        return [stem(word[:MAX_LETTERS]) for word in run]
    if kind == LETTER or len(run) == 1:
        return ["".join(run)] if run else []
    return [first + second for first, second in pairwise(run)]


def _without_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _undouble(word: str) -> str:
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in UNDOUBLED:
        return word[:-1]
    return _without_e(word)


def _soft_cosine(a: str, b: str) -> float:
    left, right = Counter(title_terms(a)), Counter(title_terms(b))
    if not left or not right:
        return nan
    shared = left & right
    matched = SAME * _square(shared) + _alike_products(left - shared, right - shared)
    return min(1.0, matched / (SAME * sqrt(float(_square(left)) * float(_square(right)))))


def _front(a: str, b: str) -> int:
    left, right = title_terms(a), title_terms(b)
    sides = (left[:FRONT], right), (right[:FRONT], left)
    return min(sum(map(weight, set(front).difference(other))) for front, other in sides)


def _square(terms: Counter[str]) -> int:
    return sum(count * weight(term) ** 2 for term, count in terms.items())


def _alike_products(left: Counter[str], right: Counter[str]) -> int:
    """The products of the terms that are alike, heaviest first, each term once."""
    pairs = [
        (-share * weight(x) * weight(y), min(x, y), max(x, y), x, y)
        for x in left
        for y in right
        if (share := _alike(x, y))
    ]
    total = 0
    for product, _, _, x, y in sorted(pairs):
        times = min(left[x], right[y])
        left[x] -= times
        right[y] -= times
        total -= times * product
    return total


def _alike(x: str, y: str) -> int:
    """The similarity of two different terms, in hundredths of an equal term."""
    if min(len(x), len(y)) < LEAST_ALIKE or not DIGITS.isdisjoint(x + y):
        return 0
    if x[:LEAST_ALIKE] == y[:LEAST_ALIKE]:
        return BEGINS_ALIKE
    return SPELT_ALIKE if _one_edit(x, y) else 0


def _one_edit(x: str, y: str) -> bool:
    """Whether two different words are one edit apart: a substitution, insertion or deletion."""
    short, long = sorted((x, y), key=len)
    if len(long) - len(short) > 1:
        return False
    at = next((i for i, char in enumerate(short) if char != long[i]), len(short))
    return short[at + (len(short) == len(long)) :] == long[at + 1 :]


def _word_cosine(a: str, b: str) -> float:
    left, right = (Counter(word for word in title.split(" ") if word) for title in (a, b))
    if not left or not right:
        return nan
    product = sum(count * right[word] for word, count in left.items())
    squares = [float(sum(count * count for count in side.values())) for side in (left, right)]
    return min(1.0, product / sqrt(squares[0] * squares[1]))


def _keys(normal: str) -> list[int]:
    hashed = {_hash(term): weight(term) for term in title_terms(normal)}
    heaviest = sorted(hashed, key=lambda term: (-hashed[term], term))[:KEY_TERMS]
    pairs = [sorted(pair) for pair in combinations(heaviest, 2)]
    singles = [[term] for term in heaviest] if len(heaviest) <= 2 else []
    return [_key(terms) for terms in (*pairs, *singles)]


def _hash(term: str) -> int:
    return murmur3_64(term.encode("utf-32-le", "surrogatepass"), KEY_SEED)


def _key(terms: list[int]) -> int:
    return murmur3_64(b"".join(term.to_bytes(8, "little") for term in terms), KEY_SEED)
