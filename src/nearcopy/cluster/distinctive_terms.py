"""Contrast: what one group of reports has in common and the other next to never has.

Two quakes, two verdicts, two launches are told in the same words. What parts them are names and
figures that about everybody reporting the one has, and nobody reporting the other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from nearcopy import kernels
from nearcopy.models.model import Fingerprint

# Measured on the events of two labelled sets of news, see docs/decisions/0014-stories.md.
RARE = 300  # hundredths: terms that fewer than about one article in twenty has
SHARED = 3  # a mark is held by at least one in this many of the one group,
STRAY = 10  # and by at most one in this many of the other
TELLING = 2  # marks that each of two groups must have to be told apart
LEAST = 4  # smaller groups have too little in common to tell

TERM = np.dtype([("hash", "<u4"), ("weight", "u1")])
FIGURE = np.dtype([("context", "<u2"), ("value", "<u2")])
FIGURES = 1 << 32  # figures stand behind all hashes of terms


class Marks:
    """The rare terms and the figures of a group of articles, and how many hold each."""

    def __init__(self, articles: Iterable[Fingerprint]) -> None:
        given = list(articles)
        self.size = len(given)
        self.counts = Counter(mark for article in given for mark in marks(article))
        self.common = {mark for mark in self.counts if self._is_common(mark)}

    def _is_common(self, mark: int) -> bool:
        return SHARED * self.counts[mark] >= self.size

    def add(self, other: "Marks") -> None:
        """Take in another group: what is common to both together is so in one of them."""
        self.size += other.size
        self.counts.update(other.counts)
        self.common = {mark for mark in self.common | other.common if self._is_common(mark)}

    def own(self, other: "Marks") -> int:
        """How many marks are common here and stray in the other group."""
        return sum(STRAY * other.counts[mark] <= other.size for mark in self.common)


def in_contrast(one: Marks, other: Marks) -> bool:
    """Whether each of two groups has marks of its own, as reports of two events have."""
    if min(one.size, other.size) < LEAST:
        return False
    return one.own(other) >= TELLING and other.own(one) >= TELLING


def marks(article: Fingerprint) -> Iterator[int]:
    """The rare terms of an article and the values of its figures, each once."""
    hashes = np.ascontiguousarray(np.frombuffer(article.profile, TERM)["hash"])
    yield from hashes[kernels.term_rarities(hashes) >= RARE].tolist()
    values = np.unique(np.frombuffer(article.numerals, FIGURE)["value"])
    yield from (FIGURES + value for value in values.tolist())
