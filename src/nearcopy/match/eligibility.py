"""Eligibility: whether a policy has two articles compared, by their sources and times.

Each rule exists twice: for two fingerprints, and for columns of many pairs.
"""

from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearcopy.config import Policy
from nearcopy.config.units import MICROSECOND, NO_TIME
from nearcopy.fingerprint.fingerprint_table import RowPairs, Rows
from nearcopy.models import Decision, Fingerprint, Relation

NOT_COMPARED = Decision(
    Relation.DISTINCT, "not-compared", 1.0, False, "too far apart in time, or not by such sources"
)
MAX_EXACT_DUPLICATES = 32  # of an article that are compared
Times = tuple[NDArray[np.int64], NDArray[np.int64]]  # publication times, and times of arrival


def are_comparable(one: Fingerprint, other: Fingerprint, policy: Policy) -> bool:
    """Whether the policy compares the two: sources that it allows, times within its window.

    The window is between publication times where both are known, else between arrival times.
    """
    if not sources_comparable(one, other, policy):
        return False
    if policy.window is None:
        return True
    one_time, other_time = one.published, other.published
    if one_time is None or other_time is None:
        one_time, other_time = one.seen, other.seen
    return one_time is None or other_time is None or abs(one_time - other_time) <= policy.window


def sources_comparable(one: Fingerprint, other: Fingerprint, policy: Policy) -> bool:
    """Whether the policy compares articles of these sources; an unknown source equals no other."""
    if policy.sources == "any":
        return True
    same_source = one.source is not None and one.source == other.source
    return same_source == (policy.sources == "within")


def comparable_pairs(
    pairs: RowPairs, articles: Rows, policy: Policy, mask: NDArray[np.bool_] | None = None
) -> Rows:
    """The places of the pairs to compare: as in `are_comparable`, and with little in vain.

    Of the exact duplicates of an article only the first few are compared: each is a copy of the
    first anyway. `articles` numbers the article of each pair, ascending; `mask` excludes pairs.
    """
    comparable = np.ones(len(pairs), np.bool_) if mask is None else mask
    if policy.sources != "any":
        differ = sources_differ(*pairs.numbers("source"))
        comparable = comparable & (differ if policy.sources == "across" else ~differ)
    if policy.window is not None:
        left, right = zip(pairs.numbers("published"), pairs.numbers("seen"), strict=True)
        comparable = comparable & within_window(left, right, policy.window)
    places = np.flatnonzero(comparable)
    digests, other_digests = pairs.take(places).numbers("digest")
    exact = (digests != 0) & (digests == other_digests)
    compared: Rows = places[
        ~exact | (_count_so_far(exact, articles[places]) <= MAX_EXACT_DUPLICATES)
    ]
    return compared


def _count_so_far(marked: NDArray[np.bool_], groups: Rows) -> Rows:
    """The number of marked ones up to each, in its group; groups ascend."""
    counts: Rows = np.cumsum(marked)
    firsts = np.searchsorted(groups, groups)
    return counts - counts[firsts] + marked[firsts]


def sources_differ(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each two sources differ; 0 is an unknown source."""
    differ: NDArray[np.bool_] = (left != right) | (left == 0)
    return differ


def within_window(left: Times, right: Times, window: timedelta) -> NDArray[np.bool_]:
    """Whether each two articles are within the window, as in `are_comparable`."""
    undated = (left[0] == NO_TIME) | (right[0] == NO_TIME)
    one, other = (np.where(undated, seen, published) for published, seen in (left, right))
    unknown = (one == NO_TIME) | (other == NO_TIME)
    within: NDArray[np.bool_] = unknown | (abs(one - other) <= window // MICROSECOND)
    return within
