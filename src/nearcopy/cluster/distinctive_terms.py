"""Distinctive terms: what the reports of one event share and those of another hardly ever have.

Reports of two earthquakes, verdicts or launches use the same words. Names and figures separate
them: nearly all reports of the one event have them, and none of the other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from nearcopy import kernels
from nearcopy.models import Fingerprint

# Measured on the events of two labelled sets of news, see docs/decisions/0014-stories.md.
MIN_RARITY = 300  # hundredths: terms that fewer than about one article in twenty has
COMMON_SHARE = 3  # a common term is in at least one of this many articles of a group,
STRAY_SHARE = 10  # a stray one in at most one of this many of the other
MIN_DISTINCTIVE = 2  # terms that each of two groups must have to be distinguishable
MIN_GROUP = 4  # smaller groups share too few terms to judge

TERM = np.dtype([("hash", "<u4"), ("weight", "u1")])
FIGURE = np.dtype([("context", "<u2"), ("value", "<u2")])
FIGURES = 1 << 32  # figures are numbered beyond all hashes of terms


class TermFrequencies:
    """The rare terms and figures of a group of articles, and how many articles have each."""

    def __init__(self, articles: Iterable[Fingerprint]) -> None:
        listed = list(articles)
        self.size = len(listed)
        self.counts = Counter(term for article in listed for term in rare_terms(article))
        self.common = {term for term in self.counts if self._is_common(term)}

    def _is_common(self, term: int) -> bool:
        return COMMON_SHARE * self.counts[term] >= self.size

    def add(self, other: "TermFrequencies") -> None:
        """Add another group: a term common in both together is common in one of them."""
        self.size += other.size
        self.counts.update(other.counts)
        self.common = {term for term in self.common | other.common if self._is_common(term)}

    def count_distinctive(self, other: "TermFrequencies") -> int:
        """The number of terms that are common here and stray in the other group."""
        return sum(STRAY_SHARE * other.counts[term] <= other.size for term in self.common)


def are_distinguishable(one: TermFrequencies, other: TermFrequencies) -> bool:
    """Whether each of two groups has distinctive terms, as reports of two events have."""
    if min(one.size, other.size) < MIN_GROUP:
        return False
    return (
        one.count_distinctive(other) >= MIN_DISTINCTIVE
        and other.count_distinctive(one) >= MIN_DISTINCTIVE
    )


def rare_terms(article: Fingerprint) -> Iterator[int]:
    """The rare terms of an article and the values of its figures, each once."""
    hashes = np.ascontiguousarray(np.frombuffer(article.profile, TERM)["hash"])
    yield from hashes[kernels.term_rarities(hashes) >= MIN_RARITY].tolist()
    values = np.unique(np.frombuffer(article.numerals, FIGURE)["value"])
    yield from (FIGURES + value for value in values.tolist())
