"""Comparing: what can be measured between two, without an opinion on what it means."""

from dataclasses import dataclass

import numpy as np

from nearcopy import kernels
from nearcopy.config import Features, Recipe
from nearcopy.kernels.results import Passage
from nearcopy.model import Article, Fingerprint


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many features two texts have, and share: exact, not estimated."""

    a: int
    b: int
    shared: int

    @property
    def jaccard(self) -> float | None:
        """Shared among all features of both, 0..1; None where there are none."""
        union = self.a + self.b - self.shared
        return self.shared / union if union else None

    @property
    def containment(self) -> float | None:
        """The share of the smaller text that is found in the other, 0..1."""
        smaller = min(self.a, self.b)
        return self.shared / smaller if smaller else None


def overlap(
    a: Article, b: Article, recipe: Recipe | None = None, *, features: Features | None = None
) -> Overlap:
    """The exact overlap of two texts, in the features of the recipe's MinHash."""
    recipe = recipe or Recipe()
    wanted = features or recipe.minhash or recipe.simhash or Features()
    sets = kernels.feature_sets([a.text, b.text], recipe, wanted, html=[a.html, b.html])
    shared = kernels.shared_counts(sets, np.array([[0, 1]], np.uint64))
    sizes = np.diff(sets.starts).tolist()
    return Overlap(sizes[0], sizes[1], int(shared[0]))


def passages(a: Article, b: Article, *, min_words: int = 8) -> list[Passage]:
    """The passages that stand in both, with their places in the two originals."""
    found: list[Passage] = kernels.passages(
        a.text, b.text, html_a=a.html, html_b=b.html, min_words=min_words
    )
    return found


def hamming_distance(a: Fingerprint, b: Fingerprint) -> int | None:
    """The number of bits in which the SimHashes differ; None where one has none."""
    if a.simhash is None or b.simhash is None:
        return None
    return (a.simhash ^ b.simhash).bit_count()


def estimated_overlap(a: Fingerprint, b: Fingerprint) -> float | None:
    """The estimated Jaccard overlap, 0..1: the share of equal MinHash values."""
    if a.minhash is None or b.minhash is None:
        return None
    left, right = np.frombuffer(a.minhash, "<u4"), np.frombuffer(b.minhash, "<u4")
    return float((left == right).mean())
