"""Ranking: which of many rows to keep, by the rules of `keeper`, a column a rule."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy.batch.local.row_reader import NEVER
from nearcopy.config import Keep

Numbers = NDArray[np.int64]
Names = Callable[[Sequence[int]], Mapping[int, str]]
UNDATED = 1 << 61  # later than any date: rows without one follow in their order


class Ranking(NamedTuple):
    """What rows are ranked by; those that were given to compare with come before all others."""

    published: Numbers
    seen: Numbers
    words: NDArray[Any]
    names: Names
    references: int = 0  # so many rows, the first ones

    def best(self, groups: Numbers, rows: Numbers, keep: Sequence[Keep]) -> Numbers:
        """The row to keep of each group, in the order of the groups' numbers.

        Where rules and age tell no difference, it is the first by id.
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
        """Of the rows from one on that are alike, the first by id."""
        apart = np.flatnonzero(~tied[start + 1 : end])
        alike = rows[start : start + 1 + int(apart[0])] if len(apart) else rows[start:end]
        names = self.names(alike.tolist())
        return int(min(alike.tolist(), key=lambda row: names[row]))


def rank(
    published: Numbers, seen: Numbers, words: NDArray[Any], keep: Sequence[Keep], *, after: Numbers
) -> list[Numbers]:
    """What rows are sorted by, the best first: a column a rule, and their age at last.

    What is undated comes last, in the order that `after` gives.
    """
    return [*(_key(rule, published, words) for rule in keep), _age(published, seen, after)]


def _key(rule: Keep, published: Numbers, words: NDArray[Any]) -> Numbers:
    match rule:
        case "earliest":
            return np.where(published == NEVER, UNDATED, published)
        case "latest":
            return np.where(published == NEVER, UNDATED, -published)
        case "longest":
            return -words.astype(np.int64)
        case _:
            raise ValueError(f"{rule} takes more than columns to tell")


def _age(published: Numbers, seen: Numbers, after: Numbers) -> Numbers:
    """By when they were published, else seen."""
    time = np.where(published == NEVER, seen, published)
    age: Numbers = np.where(time == NEVER, UNDATED + after, time)
    return age
