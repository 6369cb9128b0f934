"""Term weights: inverse document frequencies, of the articles of a store and of news in general.

Which terms are common differs between stores, so a store may count its own (`Deduper.learn`). At
least half of the frequency of a term is that of the general table, more where the store has few
articles.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.kernels.data_tables import term_weights
from nearcopy.kernels.reference.term_profiles import ENTRY, rarity, term_hash

SATURATION = 200  # as in tools/make_term_weights.py: rarer terms weigh as unknown ones
PRIOR_ARTICLES = 500  # with this many articles their counts weigh a quarter, with very many a half
MIN_SHARE = 0.001  # of the articles; rarer terms weigh as unknown ones
HASH = np.dtype({"names": ["hash"], "formats": ["<u4"], "offsets": [0], "itemsize": ENTRY})


class TermCounts(NamedTuple):
    """The document counts of the commoner terms, by hash."""

    articles: int
    hashes: NDArray[np.uint32]
    counts: NDArray[np.uint32]

    def to_bytes(self) -> bytes:
        """The counts as bytes, for a store."""
        head = np.array([self.articles], "<u8").tobytes()
        return head + self.hashes.astype("<u4").tobytes() + self.counts.astype("<u4").tobytes()

    @classmethod
    def from_bytes(cls, stored: bytes) -> "TermCounts":
        """The counts from such bytes; empty from none."""
        if not stored:
            return cls(0, np.zeros(0, np.uint32), np.zeros(0, np.uint32))
        hashes, counts = np.frombuffer(stored, "<u4", offset=8).reshape(2, -1)
        return cls(int(np.frombuffer(stored, "<u8", 1)[0]), hashes, counts)


def count_terms(profiles: Iterable[bytes]) -> TermCounts:
    """The counts over the profiles of articles; empty profiles are ignored."""
    present = [profile for profile in profiles if profile]
    held = np.frombuffer(b"".join(present), HASH)["hash"]
    hashes, counts = np.unique(held, return_counts=True)
    common = counts >= max(2.0, MIN_SHARE * len(present))
    return TermCounts(len(present), hashes[common], counts[common].astype(np.uint32))


def weights_from_counts(term_counts: TermCounts) -> kernels.TermWeights | None:
    """The term weights from these counts and the general table; None without counts."""
    if term_counts.articles == 0:
        return None
    general = _general_shares()
    own = dict(
        zip(
            term_counts.hashes.tolist(),
            (term_counts.counts / term_counts.articles).tolist(),
            strict=True,
        )
    )
    terms = sorted({*general, *own})
    own_weight = term_counts.articles / (term_counts.articles + PRIOR_ARTICLES) / 2
    shares = [
        (1 - own_weight) * general.get(term, 0.0) + own_weight * own.get(term, 0.0)
        for term in terms
    ]
    weights = np.log((SATURATION + 1) / (SATURATION * np.array(shares) + 1))
    return kernels.TermWeights(terms, np.maximum(1, np.rint(100 * weights)).astype(int).tolist())


@lru_cache(maxsize=8)
def stored_weights(stored: bytes) -> kernels.TermWeights | None:
    """The term weights from the counts of a store; None without counts."""
    return weights_from_counts(TermCounts.from_bytes(stored))


@cache
def _general_shares() -> dict[int, float]:
    """The share of news articles with each of the common terms, by hash."""
    return {
        term: ((SATURATION + 1) * float(np.exp(-rarity(term) / 100)) - 1) / SATURATION
        for term in map(term_hash, term_weights()[0])
    }
