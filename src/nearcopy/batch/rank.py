"""Rank rows by the keep rules of a policy, a column per rule.

The vectorised twin of `nearcopy.cluster.kept_copy`; a property test holds them equal.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy.config import Keep
from nearcopy.match.eligibility import NO_TIME

Numbers = NDArray[np.int64]
Ids = Callable[[Sequence[int]], Mapping[int, str]]
UNDATED = 1 << 61  # later than any date: undated rows follow in input order


class Ranking(NamedTuple):
    """The columns by which rows are ranked; reference rows come before all others."""

    published: Numbers
    seen: Numbers
    words: NDArray[Any]
    ids: Ids
    references: int = 0  # the number of reference rows, which come first

    def best(self, groups: Numbers, rows: Numbers, keep: Sequence[Keep]) -> Numbers:
        """The row to keep of each group, ordered by group number.

        Ties of rules and age are broken by id.
        """
        columns = self.published[rows], self.seen[rows], self.words[rows]
        keys = [rows >= self.references, *rank(*columns, keep, after=rows)]
        order = np.lexsort((*reversed(keys), groups))
        groups, rows = groups[order], rows[order]
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        tied = np.zeros(len(rows), np.bool_)  # with the one before
        tied[1:] = groups[1:] == groups[:-1]
        for key in keys:
            tied[1:] &= key[order][1:] == key[order][:-1]
        kept = rows[starts]
        ends = np.append(starts[1:], len(rows))
        for place in np.flatnonzero(
            tied[np.minimum(starts + 1, len(rows) - 1)] & (ends > starts + 1)
        ):
            kept[place] = self._first(rows, tied, int(starts[place]), int(ends[place]))
        return kept

    def _first(self, rows: Numbers, tied: NDArray[np.bool_], start: int, end: int) -> int:
        """Of the rows tied with the one at `start`, the first by id."""
        apart = np.flatnonzero(~tied[start + 1 : end])
        alike = rows[start : start + 1 + int(apart[0])] if len(apart) else rows[start:end]
        ids = self.ids(alike.tolist())
        return int(min(alike.tolist(), key=lambda row: ids[row]))


def rank(
    published: Numbers, seen: Numbers, words: NDArray[Any], keep: Sequence[Keep], *, after: Numbers
) -> list[Numbers]:
    """The sort keys of rows, best first: a column per rule, then their age.

    Undated rows come last, in the order of `after`.
    """
    return [*(_key(rule, published, words) for rule in keep), _age(published, seen, after)]


def _key(rule: Keep, published: Numbers, words: NDArray[Any]) -> Numbers:
    match rule:
        case "earliest":
            return np.where(published == NO_TIME, UNDATED, published)
        case "latest":
            return np.where(published == NO_TIME, UNDATED, -published)
        case "longest":
            return -words.astype(np.int64)
        case _:
            raise ValueError(f"{rule} cannot be ranked by columns alone")


def _age(published: Numbers, seen: Numbers, after: Numbers) -> Numbers:
    """The time of publication, else the time seen."""
    time = np.where(published == NO_TIME, seen, published)
    age: Numbers = np.where(time == NO_TIME, UNDATED + after, time)
    return age
