"""Readings: sketch, numerals, profile and technical details of articles, side by side."""

from collections.abc import Sequence
from typing import TypeVar

from nearcopy.config import Recipe
from nearcopy.kernels.reference.numerals import numerals
from nearcopy.kernels.reference.sketches import sketch
from nearcopy.kernels.reference.technical_terms import technical_details
from nearcopy.kernels.reference.term_profiles import profiles
from nearcopy.kernels.result_types import Readings

T = TypeVar("T")


def readings(
    titles: Sequence[str],
    texts: Sequence[str],
    recipe: Recipe,
    *,
    html: Sequence[bool] = (),
    threads: int = 1,
) -> Readings:
    """All that is read from texts and titles: what the single kernels give, where there are words.

    >>> readings(["Storm"], ["Two ships sank at 5 am"], Recipe()).words
    [6]
    """
    del threads
    made = sketch(texts, recipe, html=html)
    words = made.words.tolist()
    simhash = made.simhash.tolist() or [None] * len(words)
    minhash = [row.astype("<u4").tobytes() for row in made.minhash] or [None] * len(words)
    return Readings(
        words,
        _where(words, [row.tobytes() for row in made.digest], None),
        _where(words, simhash, None),
        _where(words, minhash, None),
        _where(words, numerals(texts, html=html), b""),
        profiles(titles, texts, html=html),
        _where(words, technical_details(texts, html=html).tolist(), 0),
    )


def _where(words: list[int], column: list[T], absent: T) -> list[T]:
    """The column, with what stands for nothing where a text has no words."""
    return [value if count else absent for count, value in zip(words, column, strict=True)]
