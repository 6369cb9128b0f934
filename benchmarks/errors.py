"""How far estimated overlaps are from the truth, over how far theory says they must be."""

from collections.abc import Iterator, Sequence
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from context import Context
from nearcopy import Recipe, kernels
from nearcopy.config import SLOTS, Scheme
from results import Bar, Measurement

LENGTHS = (60, 130, 400)
OVERLAPS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SHINGLE = 3
WORDS = 1 << 20

Words = NDArray[np.int64]


def errors(context: Context) -> Iterator[Measurement]:
    """The root mean square error of each scheme at each length, as a multiple of theory's."""
    dice = np.random.default_rng(7)
    for length in LENGTHS:
        pairs = [pair(length, j, dice) for j in OVERLAPS for _ in range(context.sizes.pairs)]
        exact = np.array([jaccard(*words) for words in pairs])
        texts = [_text(words) for both in pairs for words in both]
        for scheme in get_args(Scheme):
            estimated = estimates(texts, Recipe(simhash=None, scheme=scheme))
            yield Measurement(
                f"errors/{scheme}/{length}",
                f"MinHash error over sqrt(J (1 - J) / 128), {length} words, {scheme}",
                "of theory",
                over_theory(estimated, exact),
                bar=Bar("<=", 1.05),
                note=f"{len(pairs):,} pairs, J 0.2 to 0.9",
                details={"bias": float(np.mean(estimated - exact))},
            )


def pair(length: int, overlap: float, dice: np.random.Generator) -> tuple[Words, Words]:
    """Two texts of random words, the second beginning as the first does, with this overlap."""
    shingles = length - SHINGLE + 1
    shared = round(2 * shingles * overlap / (1 + overlap))
    a = dice.integers(WORDS, size=length)
    b = dice.integers(WORDS, size=length)
    b[: shared + SHINGLE - 1] = a[: shared + SHINGLE - 1]
    return a, b


def jaccard(a: Words, b: Words) -> float:
    """The exact overlap of the shingles of two texts, by Python's own sets."""
    left, right = _shingles(a), _shingles(b)
    return len(left & right) / len(left | right)


def estimates(texts: list[str], recipe: Recipe) -> NDArray[np.float64]:
    """The estimated overlap of each text with its neighbour, as `compare` has it."""
    signatures = kernels.sketch(texts, recipe, threads=0).minhash
    return np.count_nonzero(signatures[0::2] == signatures[1::2], axis=1) / SLOTS


def over_theory(found: NDArray[np.float64], exact: NDArray[np.float64]) -> float:
    """The root mean square of errors, each in units of its standard error.

    >>> round(over_theory(np.array([0.5 + 0.5 / 128**0.5]), np.array([0.5])), 6)
    1.0
    """
    theory = np.sqrt(exact * (1 - exact) / SLOTS)
    return float(np.sqrt(np.mean(((found - exact) / theory) ** 2)))


def _shingles(words: Words) -> set[tuple[int, ...]]:
    listed: Sequence[int] = words.tolist()
    return set(zip(*(listed[start:] for start in range(SHINGLE)), strict=False))


def _text(words: Words) -> str:
    return " ".join(map("w{:x}".format, words.tolist()))
