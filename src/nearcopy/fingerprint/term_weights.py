"""Rarity: how much each term counts, by the articles at hand and by news in general.

A term that half of all articles hold tells nothing; one that a handful hold tells much. Which terms
those are differs from place to place, so a store may count its own (`Deduper.learn`). At least half
of a term's share is that of the general table, and more where few articles were counted.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.kernels.data_tables import term_weights
from nearcopy.kernels.reference.term_profiles import ENTRY, term_hash

SATURATION = 200  # as in tools/make_term_weights.py: rarer than one in so many counts as unknown
FEW = 500  # articles: of so many, what they hold counts a quarter, of very many a half
LEAST_SHARE = 0.001  # of the articles; rarer terms weigh as unknown ones do
HASH = np.dtype({"names": ["hash"], "formats": ["<u4"], "offsets": [0], "itemsize": ENTRY})


class TermCounts(NamedTuple):
    """In how many articles of so many each of the commoner terms stands, by its hash."""

    articles: int
    hashes: NDArray[np.uint32]
    counts: NDArray[np.uint32]

    def packed(self) -> bytes:
        """The counts as a store keeps them."""
        head = np.array([self.articles], "<u8").tobytes()
        return head + self.hashes.astype("<u4").tobytes() + self.counts.astype("<u4").tobytes()

    @classmethod
    def unpacked(cls, kept: bytes) -> "TermCounts":
        """The counts from what a store has kept; none from nothing."""
        if not kept:
            return cls(0, np.zeros(0, np.uint32), np.zeros(0, np.uint32))
        hashes, counts = np.frombuffer(kept, "<u4", offset=8).reshape(2, -1)
        return cls(int(np.frombuffer(kept, "<u8", 1)[0]), hashes, counts)


def count_terms(profiles: Iterable[bytes]) -> TermCounts:
    """The counts over the profiles of articles; those without one say nothing."""
    nonempty = [profile for profile in profiles if profile]
    held = np.frombuffer(b"".join(nonempty), HASH)["hash"]
    hashes, counts = np.unique(held, return_counts=True)
    common = counts >= max(2.0, LEAST_SHARE * len(nonempty))
    return TermCounts(len(nonempty), hashes[common], counts[common].astype(np.uint32))


def counted_weights(term_counts: TermCounts) -> kernels.TermWeights | None:
    """How much terms count by these counts and in general; None where nothing was counted."""
    if term_counts.articles == 0:
        return None
    general = _general_shares()
    here = dict(
        zip(
            term_counts.hashes.tolist(),
            (term_counts.counts / term_counts.articles).tolist(),
            strict=True,
        )
    )
    terms = sorted({*general, *here})
    part = term_counts.articles / (term_counts.articles + FEW) / 2
    shares = [(1 - part) * general.get(term, 0.0) + part * here.get(term, 0.0) for term in terms]
    weights = np.log((SATURATION + 1) / (SATURATION * np.array(shares) + 1))
    return kernels.TermWeights(terms, np.maximum(1, np.rint(100 * weights)).astype(int).tolist())


@lru_cache(maxsize=8)
def kept_weights(kept: bytes) -> kernels.TermWeights | None:
    """How much terms count by the counts that a store has kept, if any."""
    return counted_weights(TermCounts.unpacked(kept))


@cache
def _general_shares() -> dict[int, float]:
    """The share of articles that hold each of the common terms."""
    shares: dict[int, float] = {}
    for term, weight in term_weights()[0].items():
        share = ((SATURATION + 1) * float(np.exp(-weight / 100)) - 1) / SATURATION
        key = term_hash(term)
        shares[key] = max(share, shares.get(key, 0.0))
    return shares
