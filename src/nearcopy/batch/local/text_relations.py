"""Counting: what is between texts that share a key, by their exact overlap."""

from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.batch.local.candidate_pairs import pairs_of
from nearcopy.batch.local.column_files import Array, write_pack
from nearcopy.batch.local.exact_duplicates import count_reference_rows
from nearcopy.batch.local.job import Job, Settings
from nearcopy.batch.local.row_reader import NEVER
from nearcopy.batch.local.row_table import table_of
from nearcopy.batch.local.shared_keys import Pairs, ascending
from nearcopy.batch.local.text_reader import Texts
from nearcopy.config import Policy
from nearcopy.models.model import Relation
from nearcopy.models.timestamps import MICROSECOND

EDGES_FOLDER = "edges"
RELATIONS = tuple(Relation)
CODE = {relation: code for code, relation in enumerate(RELATIONS)}
TEXTS_AT_ONCE = 2048
HIGH, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
Shares = NDArray[np.float64]


class TextMeasures(NamedTuple):
    """What was measured between the texts of pairs, a column each."""

    same: NDArray[np.bool_]
    words: NDArray[np.int64]  # of the shorter text
    overlap: Shares
    containment: Shares
    equal_bits: NDArray[np.int64]  # of the SimHashes; 0 where there are none


def relations(measures: TextMeasures, policy: Policy) -> NDArray[np.uint8]:
    """What the texts of each pair are to each other, as `decide` would say of texts alone."""
    long = (measures.words > 0) & (measures.words >= policy.min_words)

    def at_least(values: NDArray[Any], least: float | None) -> NDArray[np.bool_]:
        return np.zeros(len(values), np.bool_) if least is None else values >= least

    near = at_least(measures.overlap, policy.near_overlap) | at_least(
        measures.equal_bits, policy.near_bits
    )
    related = at_least(measures.overlap, policy.related_overlap) | at_least(
        measures.equal_bits, policy.related_bits
    )
    contained = at_least(measures.containment, policy.contained)
    surest_first = (
        (measures.same, Relation.SAME_TEXT),
        (long & near, Relation.NEAR_TEXT),
        (long & contained, Relation.CONTAINED),
        (related, Relation.RELATED),
    )
    codes = np.select(
        [holds for holds, _ in surest_first],
        [CODE[relation] for _, relation in surest_first],
        CODE[Relation.DISTINCT],
    )
    return codes.astype(np.uint8)


def count_block(job: Job, block: int) -> None:
    """Writes what the rows of a block are to earlier ones."""
    pairs = _comparable(job, pairs_of(job, block))
    later, earlier = (pairs >> HIGH).astype(np.int64), (pairs & LOW).astype(np.int64)
    measures = measure_rows(job, later, earlier)
    columns: dict[str, Array] = {
        "later": later.astype(np.uint32),
        "earlier": earlier.astype(np.uint32),
        "relation": relations(measures, job.policy),
        "overlap": measures.overlap,
        "containment": measures.containment,
        "equal_bits": measures.equal_bits.astype(np.uint8),
    }
    write_pack(job.folder(EDGES_FOLDER) / f"{block:06d}.pack", columns)


def _comparable(job: Job, pairs: Pairs) -> Pairs:
    """Those that the policy has compared: near enough in time, of fitting sources, not given."""
    table, policy = table_of(job), job.policy
    later, earlier = (pairs >> HIGH).astype(np.int64), (pairs & LOW).astype(np.int64)
    fits = later >= count_reference_rows(table, job)
    if policy.sources == "across":
        source = table.column("source")
        fits &= sources_differ(source[later], source[earlier])
    if policy.window is not None:
        published, seen = table.column("published"), table.column("seen")
        later_times, earlier_times = ((published[rows], seen[rows]) for rows in (later, earlier))
        fits &= near_in_time(later_times, earlier_times, policy.window)
    return pairs[fits]


def sources_differ(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether two rows are not known to be of one source."""
    differ: NDArray[np.bool_] = (left != right) | (left == 0)
    return differ


Times = tuple[NDArray[np.int64], NDArray[np.int64]]  # when rows were published, and seen


def near_in_time(left: Times, right: Times, window: timedelta) -> NDArray[np.bool_]:
    """By when both were published, where both say so; else by when they were seen."""
    undated = (left[0] == NEVER) | (right[0] == NEVER)
    one, other = (np.where(undated, seen, published) for published, seen in (left, right))
    unknown = (one == NEVER) | (other == NEVER)
    near: NDArray[np.bool_] = unknown | (abs(one - other) <= window // MICROSECOND)
    return near


def measure_rows(job: Job, a: NDArray[np.int64], b: NDArray[np.int64]) -> TextMeasures:
    """What can be measured between the texts of pairs of rows, some of them at a time."""
    overlap, containment = np.zeros(len(a)), np.zeros(len(a))
    texts = Texts(job)
    start = 0
    while start < len(a):
        stop = _batch_end(a, b, start)
        part = slice(start, stop)
        overlap[part], containment[part] = _shares(job, texts, a[part], b[part])
        start = stop
    rows = ascending(np.concatenate([a, b]))
    of_a, of_b = np.searchsorted(rows, a), np.searchsorted(rows, b)
    table = table_of(job)
    digest, words = table.take("digest", rows), table.take("words", rows).astype(np.int64)
    same = (digest[of_a] == digest[of_b]).all(1)
    simhashes = None
    if job.recipe.simhash and len(rows):
        simhash = table.take("simhash", rows)
        simhashes = simhash[of_a], simhash[of_b]
    return measure_pairs(same, (words[of_a], words[of_b]), (overlap, containment), simhashes)


def measure_pairs(
    same: NDArray[np.bool_],
    words: tuple[NDArray[np.int64], NDArray[np.int64]],
    shares: tuple[Shares, Shares],
    simhashes: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None,
) -> TextMeasures:
    """What was measured; of texts without words nothing is the same."""
    worded = (words[0] > 0) & (words[1] > 0)
    bits = np.zeros(len(same), np.int64)
    if simhashes is not None:
        bits = np.where(worded, 64 - _count_ones(simhashes[0] ^ simhashes[1]), 0).astype(np.int64)
    return TextMeasures(same & worded, np.minimum(*words), *shares, bits)


def _count_ones(values: NDArray[Any]) -> NDArray[np.int64]:
    """How many bits are set in each."""
    counts: NDArray[np.int64] = np.unpackbits(values[:, None].view(np.uint8), axis=1).sum(
        1, np.int64
    )
    return counts


def _batch_end(a: NDArray[np.int64], b: NDArray[np.int64], start: int) -> int:
    """Up to where pairs from one on are of so few texts that these can be held."""
    most = start + 32 * TEXTS_AT_ONCE
    while len(ascending(np.concatenate([a[start:most], b[start:most]]))) > TEXTS_AT_ONCE:
        most = start + (min(most, len(a)) - start) // 2
        if most <= start + 1:
            return start + 1
    return min(most, len(a))


def _shares(
    job: Job, texts: Texts, a: NDArray[np.int64], b: NDArray[np.int64]
) -> tuple[Shares, Shares]:
    """The exact overlap and containment of the texts of each pair."""
    rows = ascending(np.concatenate([a, b]))
    held, html = texts.of(rows)
    places = np.stack([np.searchsorted(rows, a), np.searchsorted(rows, b)], axis=1)
    return overlap_shares(job, held, html, places)


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
