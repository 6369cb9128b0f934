"""Sketches: features, SimHash, MinHash and digest of a text."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nearcopy.config import SLOTS, Features, FrequencyTable, Recipe
from nearcopy.kernels.reference import hashes
from nearcopy.kernels.reference.hashes import GOLDEN, MASK
from nearcopy.kernels.reference.numerals import numerals, technical_details
from nearcopy.kernels.reference.term_profiles import profiles
from nearcopy.kernels.reference.words import words
from nearcopy.kernels.result_types import Readings, Sketches

Hashes = NDArray[np.uint64]

EMPTY = 0xFFFFFFFF
ROUNDS = 4

HASH = {"fnv1a": hashes.fnv1a64, "murmur3": hashes.murmur3_64, "xxh3": hashes.xxh3_64}
DIGEST = {"xxh3-128": hashes.xxh3_128, "md5": hashes.md5}


def mix(values: Hashes) -> Hashes:
    """MurmurHash3's finaliser of each value."""
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return values ^ (values >> np.uint64(33))


def permutations() -> tuple[Hashes, Hashes]:
    """The multipliers (odd) and addends of the 128 classic functions."""
    steps = np.arange(1, 2 * SLOTS + 1, dtype=np.uint64) * np.uint64(GOLDEN)
    mixed = mix(steps)
    return mixed[0::2] | np.uint64(1), mixed[1::2]


def shingles(word_hashes: Hashes, size: int) -> Hashes:
    """The hash of each run of `size` words, or of all words where there are fewer."""
    size = min(size, len(word_hashes))
    if size < 2:
        return word_hashes
    count = len(word_hashes) - size + 1
    total = word_hashes[:count]
    for place in range(1, size):
        total = total * np.uint64(GOLDEN) + word_hashes[place : place + count]
    return mix(total)


def _truncate(tokens: list[str], max_chars: int | None) -> list[str]:
    """The words that begin in the first `max_chars` characters of the normalised text."""
    if max_chars is None:
        return tokens
    begins = 0
    for number, word in enumerate(tokens):
        if begins >= max_chars:
            return tokens[:number]
        begins += len(word) + 1
    return tokens


def _features(tokens: list[str], recipe: Recipe, wanted: Features) -> Hashes:
    hash_bytes = HASH[recipe.hash]
    if wanted.unit == "words":
        word_hashes = [hash_bytes(word.encode()) for word in tokens]
        return shingles(np.array(word_hashes, np.uint64), wanted.size)
    text = " ".join(tokens)
    places = range(max(1, len(text) - wanted.size + 1)) if text else ()
    grams = [hash_bytes(text[at : at + wanted.size].encode()) for at in places]
    return np.array(grams, np.uint64)


def features(text: str, recipe: Recipe, wanted: Features, *, html: bool = False) -> Hashes:
    """The hashes of all features of a text, in order, with repeats."""
    return _features(_truncate(words(text, html), recipe.max_chars), recipe, wanted)


def _weights(feature_hashes: Hashes, table: FrequencyTable) -> NDArray[np.int64]:
    table_hashes = np.frombuffer(table.known, "<u8")
    weights = np.frombuffer(table.weights, "<u4").astype(np.int64)
    place = np.searchsorted(table_hashes, feature_hashes)
    hit = np.append(table_hashes, np.uint64(0))[place] == feature_hashes
    hit &= place < len(table_hashes)
    return np.where(hit, np.append(weights, 0)[place], table.unknown_weight)


def simhash(feature_hashes: Hashes, recipe: Recipe) -> int:
    """Bit i is set where the features with bit i outweigh those without."""
    if recipe.weights == "once":
        feature_hashes = np.unique(feature_hashes)
    weights = np.ones(len(feature_hashes), np.int64)
    if recipe.frequencies is not None:
        weights = _weights(feature_hashes, recipe.frequencies)
    bits = (feature_hashes[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    sums = (np.where(bits == 1, 1, -1) * weights[:, None]).sum(axis=0)
    return sum(1 << bit for bit in range(64) if sums[bit] > 0)


def classic_minhash(feature_hashes: Hashes) -> NDArray[np.uint32]:
    """The least value of each of the 128 classic functions."""
    multipliers, addends = permutations()
    values = ((feature_hashes[:, None] * multipliers + addends) >> np.uint64(32)).astype(np.uint32)
    least: NDArray[np.uint32] = values.min(axis=0)
    return least


def one_permutation_minhash(feature_hashes: Hashes) -> NDArray[np.uint32]:
    """Each feature falls into one slot a round, and the least value of a slot stays.

    A slot that four rounds leave empty takes the least value of its classic function.
    A slot filled in an earlier round is not touched by a later one, so texts that share their
    features share their slots, whichever round filled them.
    """
    signature = np.full(SLOTS, EMPTY, np.uint32)
    for number in range(ROUNDS):
        if not (signature == EMPTY).any():
            return signature
        mixed = (
            mix(feature_hashes ^ np.uint64(number * GOLDEN & MASK)) if number else feature_hashes
        )
        slots = np.full(SLOTS, EMPTY, np.uint32)
        np.minimum.at(
            slots, (mixed & np.uint64(SLOTS - 1)).astype(int), (mixed >> np.uint64(32)).astype("u4")
        )
        signature = np.where(signature == EMPTY, slots, signature)
    return np.where(signature == EMPTY, classic_minhash(feature_hashes), signature)


def _sketch(text: str, html: bool, recipe: Recipe) -> tuple[int, NDArray[np.uint32], bytes, int]:
    tokens = words(text, html)
    bits, signature = 0, np.zeros(SLOTS, np.uint32)
    if not tokens:
        return bits, signature, bytes(16), 0
    digest = DIGEST[recipe.digest](" ".join(tokens).encode())
    cut = _truncate(tokens, recipe.max_chars)
    if recipe.simhash is not None:
        bits = simhash(_features(cut, recipe, recipe.simhash), recipe)
    if recipe.minhash is not None:
        minhash = classic_minhash if recipe.scheme == "classic" else one_permutation_minhash
        signature = minhash(_features(cut, recipe, recipe.minhash))
    return bits, signature, digest, len(tokens)


def sketch(
    texts: Sequence[str], recipe: Recipe, *, html: Sequence[bool] = (), threads: int = 1
) -> Sketches:
    """The sketches of many texts, a row each; `threads` is ignored."""
    del threads
    marks = html or [False] * len(texts)
    rows = [_sketch(text, mark, recipe) for text, mark in zip(texts, marks, strict=True)]
    return Sketches(
        np.array([row[0] for row in rows], np.uint64),
        np.array([row[1] for row in rows], np.uint32).reshape(-1, SLOTS),
        np.frombuffer(b"".join(row[2] for row in rows), np.uint8).reshape(-1, 16),
        np.array([row[3] for row in rows], np.uint32),
    ).of(recipe)


T = TypeVar("T")


def readings(
    titles: Sequence[str],
    texts: Sequence[str],
    recipe: Recipe,
    *,
    html: Sequence[bool] = (),
    threads: int = 1,
    short_titles: Sequence[str] | None = None,
    short_words: int = 0,
) -> Readings:
    """Everything that is read from texts and titles: the results of the single kernels.

    Texts of fewer than `short_words` words have their short titles instead.

    >>> readings(["Storm"], ["Two ships sank at 5 am"], Recipe()).words
    [6]
    """
    del threads
    sketches = sketch(texts, recipe, html=html)
    words = sketches.words.tolist()
    simhash = sketches.simhash.tolist() or [None] * len(words)
    minhash = [row.astype("<u4").tobytes() for row in sketches.minhash] or [None] * len(words)
    return Readings(
        words,
        _where(words, [row.tobytes() for row in sketches.digest], None),
        _where(words, simhash, None),
        _where(words, minhash, None),
        _where(words, numerals(texts, html=html), b""),
        profiles(_titles_by_length(words, titles, short_titles, short_words), texts, html=html),
        _where(words, technical_details(texts, html=html).tolist(), 0),
    )


def _titles_by_length(
    words: list[int], titles: Sequence[str], short_titles: Sequence[str] | None, short_words: int
) -> list[str]:
    rows = zip(words, titles, titles if short_titles is None else short_titles, strict=True)
    return [short_title if count < short_words else title for count, title, short_title in rows]


def _where(words: list[int], column: list[T], absent: T) -> list[T]:
    """The column, with the absent value for texts without words."""
    return [value if count else absent for count, value in zip(words, column, strict=True)]
