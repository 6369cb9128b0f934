"""How far many pairs are apart, by what is stored of them: sketches and numeral profiles."""

import struct
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Entries = list[tuple[int, ...]]


def numeral_shares(
    a: Sequence[bytes], b: Sequence[bytes]
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """For each pair of profiles the share of numerals in common, and the contexts that changed.

    The share is of the smaller profile, by value and with repeats; nan where that has fewer than
    two numerals, for the share of one is no measurement. A context has changed if it stands in both
    and no value stands in it in both.
    """
    made = [_compared(_entries(one), _entries(two)) for one, two in zip(a, b, strict=True)]
    shares, changed = zip(*made, strict=True) if made else ((), ())
    return np.array(shares, np.float64), np.array(changed, np.uint8)


def _compared(a: Entries, b: Entries) -> tuple[float, int]:
    smaller = min(len(a), len(b))
    shared = Counter(value for _, value in a) & Counter(value for _, value in b)
    agree = {context for context, _ in set(a) & set(b)}
    both = {context for context, _ in a} & {context for context, _ in b}
    return shared.total() / smaller if smaller > 1 else np.nan, len(both - agree)


def _entries(profile: bytes) -> Entries:
    if len(profile) % 4 or len(profile) > 128:
        raise ValueError(
            f"a numeral profile of {len(profile)} bytes: expected four a numeral, at most 128"
        )
    return list(struct.iter_unpack("<HH", profile))


def sketch_distances(
    simhash_a: NDArray[np.uint64],
    simhash_b: NDArray[np.uint64],
    minhash_a: Sequence[bytes],
    minhash_b: Sequence[bytes],
) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """For each pair the number of SimHash bits that differ and of MinHash slots that are equal."""
    left, right = np.asarray(simhash_a, np.uint64), np.asarray(simhash_b, np.uint64)
    if not len(left) == len(right) == len(minhash_a) == len(minhash_b):
        raise ValueError(
            f"{len(left)} and {len(right)} SimHashes, {len(minhash_a)} and {len(minhash_b)} "
            "MinHashes: expected the same number of each"
        )
    bits = [(one ^ two).bit_count() for one, two in zip(left.tolist(), right.tolist(), strict=True)]
    equal = [_equal_slots(*pair) for pair in zip(minhash_a, minhash_b, strict=True)]
    return np.array(bits, np.uint8), np.array(equal, np.uint16)


def _equal_slots(a: bytes, b: bytes) -> int:
    if len(a) != len(b) or len(a) % 4 or len(a) > 4096:
        raise ValueError(
            f"MinHashes of {len(a)} and {len(b)} bytes: expected as many, four a slot, at most 4096"
        )
    return int((np.frombuffer(a, "<u4") == np.frombuffer(b, "<u4")).sum())
