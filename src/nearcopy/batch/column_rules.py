"""Rules in columns, many rows or pairs at once: ranks by the keep rules, eligibility, measures.

Ranks are the vectorised twin of `nearcopy.cluster.kept_copy`; a property test holds them equal.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.batch.corpus_settings import Settings
from nearcopy.config import Keep, Policy
from nearcopy.config.units import NO_TIME
from nearcopy.match.eligibility import sources_differ, within_window
from nearcopy.match.evidence_table import EvidenceTable
from nearcopy.match.judgement import JudgementTable
from nearcopy.models import Relation

Numbers = NDArray[np.int64]
Ids = Callable[[Sequence[int]], Mapping[int, str]]
LAST = 1 << 61  # later than any date


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
        keys = [rows >= self.references, *rank(*columns, keep)]
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
    published: Numbers, seen: Numbers, words: NDArray[Any], keep: Sequence[Keep]
) -> list[Numbers]:
    """The sort keys of rows, best first: a column per rule, then their age; undated ones last."""
    return [*(_key(rule, published, words) for rule in keep), _age(published, seen)]


def _key(rule: Keep, published: Numbers, words: NDArray[Any]) -> Numbers:
    match rule:
        case "earliest":
            return np.where(published == NO_TIME, LAST, published)
        case "latest":
            return np.where(published == NO_TIME, LAST, -published)
        case "longest":
            return -words.astype(np.int64)
        case _:
            raise ValueError(f"{rule} cannot be ranked by columns alone")


def _age(published: Numbers, seen: Numbers) -> Numbers:
    """The time of publication, else the time seen."""
    time = np.where(published == NO_TIME, seen, published)
    age: Numbers = np.where(time == NO_TIME, LAST, time)
    return age


# Pairs of texts.


def are_eligible(
    count: int, read: Callable[[str], tuple[NDArray[Any], NDArray[Any]]], policy: Policy
) -> NDArray[np.bool_]:
    """Whether the policy compares each pair, by source and time.

    `read` returns a column of the later rows and of the earlier ones.
    """
    eligible = np.ones(count, np.bool_)
    if policy.sources == "across":
        eligible &= sources_differ(*read("source"))
    if policy.window is not None:
        published, seen = read("published"), read("seen")
        later, earlier = zip(published, seen, strict=True)
        eligible &= within_window(later, earlier, policy.window)
    return eligible


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


def judge_texts(measures: TextMeasures, settings: Settings) -> JudgementTable:
    """The judgement of each pair by its texts alone."""
    columns: dict[str, NDArray[Any]] = {
        "same_text": measures.same.astype(np.float64),
        "overlap": measures.overlap,
        "containment": measures.containment,
        "exact": np.ones(len(measures.same), np.bool_),
        "words": measures.words,
    }
    if settings.recipe.simhash:
        columns["distance"] = measures.hamming.astype(np.float64)
    return JudgementTable(EvidenceTable(len(measures.same), columns, {}), settings.policy)


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
