"""Relations of texts in columns, many pairs at once.

`relations` is the vectorised twin of `nearcopy.match.decide.decide` for texts alone; a property
test holds them equal.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.batch.output_columns import Settings
from nearcopy.config import Policy
from nearcopy.models import Relation

RELATIONS = tuple(Relation)
CODE = {relation: code for code, relation in enumerate(RELATIONS)}
Shares = NDArray[np.float64]
NO_SIMHASH = 64  # the distance where there is no SimHash, or a text has no words


class TextMeasures(NamedTuple):
    """The measures of pairs of texts, a column each."""

    same: NDArray[np.bool_]
    words: NDArray[np.int64]  # of the shorter text
    overlap: Shares
    containment: Shares
    hamming: NDArray[np.int64]  # distance of the SimHashes; NO_SIMHASH where there are none


def relations(measures: TextMeasures, policy: Policy) -> NDArray[np.uint8]:
    """The relation of each pair, as `decide` has it for evidence of texts alone."""
    long = (measures.words > 0) & (measures.words >= policy.min_words)

    def at_least(values: NDArray[Any], least: float | None) -> NDArray[np.bool_]:
        return np.zeros(len(values), np.bool_) if least is None else values >= least

    def at_most(values: NDArray[Any], most: int | None) -> NDArray[np.bool_]:
        return np.zeros(len(values), np.bool_) if most is None else values <= most

    near = at_least(measures.overlap, policy.near_overlap)
    near |= at_most(measures.hamming, policy.max_hamming)
    related = at_least(measures.overlap, policy.related_overlap)
    related |= at_most(measures.hamming, policy.related_max_hamming)
    contained = at_least(measures.containment, policy.containment)
    rules = (
        (measures.same, Relation.SAME_TEXT),
        (long & near, Relation.NEAR_TEXT),
        (long & contained, Relation.CONTAINED),
        (related, Relation.RELATED),
    )
    codes = np.select(
        [holds for holds, _ in rules],
        [CODE[relation] for _, relation in rules],
        CODE[Relation.DISTINCT],
    )
    return codes.astype(np.uint8)


def measure_pairs(
    same: NDArray[np.bool_],
    words: tuple[NDArray[np.int64], NDArray[np.int64]],
    shares: tuple[Shares, Shares],
    simhashes: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None,
) -> TextMeasures:
    """The measures of pairs; texts without words are never the same."""
    have_words = (words[0] > 0) & (words[1] > 0)
    hamming = np.full(len(same), NO_SIMHASH, np.int64)
    if simhashes is not None:
        hamming = np.where(have_words, _count_ones(simhashes[0] ^ simhashes[1]), NO_SIMHASH)
    return TextMeasures(same & have_words, np.minimum(*words), *shares, hamming)


def _count_ones(values: NDArray[Any]) -> NDArray[np.int64]:
    """The number of bits set in each value."""
    counts: NDArray[np.int64] = np.unpackbits(values[:, None].view(np.uint8), axis=1).sum(
        1, np.int64
    )
    return counts


def overlap_shares(
    settings: Settings, texts: list[str], html: list[bool], places: NDArray[np.int64]
) -> tuple[Shares, Shares]:
    """The exact overlap and containment of the two texts at each pair of places."""
    sizes, shared = kernels.pair_overlaps(
        texts, settings.recipe, settings.features, places.astype(np.uint64), html=html
    )
    left, right = sizes[places[:, 0]].astype(np.int64), sizes[places[:, 1]].astype(np.int64)
    union, smaller = left + right - shared, np.minimum(left, right)
    return shared / np.maximum(1, union), shared / np.maximum(1, smaller)
