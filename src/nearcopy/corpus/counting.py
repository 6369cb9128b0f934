"""Counting: what is between texts that share a key, by their exact overlap."""

from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.config import Policy
from nearcopy.corpus.job import Job, Settings
from nearcopy.corpus.likes import given_rows
from nearcopy.corpus.packs import Array, write_pack
from nearcopy.corpus.pairing import pairs_of
from nearcopy.corpus.sharing import Pairs, ascending
from nearcopy.corpus.table import table_of
from nearcopy.corpus.taking import NEVER
from nearcopy.corpus.texts import Texts
from nearcopy.model import Relation
from nearcopy.stores.rows import MICROSECOND

FOLDER = "edges"
RELATIONS = tuple(Relation)
CODE = {relation: code for code, relation in enumerate(RELATIONS)}
TEXTS_AT_ONCE = 2048
HIGH, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
Shares = NDArray[np.float64]


class Measured(NamedTuple):
    """What was measured between the texts of pairs, a column each."""

    same: NDArray[np.bool_]
    words: NDArray[np.int64]  # of the shorter text
    overlap: Shares
    containment: Shares
    equal_bits: NDArray[np.int64]  # of the SimHashes; 0 where there are none


def relations(found: Measured, policy: Policy) -> NDArray[np.uint8]:
    """What the texts of each pair are to each other, as `decide` would say of texts alone."""
    long = (found.words > 0) & (found.words >= policy.min_words)

    def at_least(values: NDArray[Any], least: float | None) -> NDArray[np.bool_]:
        return np.zeros(len(values), np.bool_) if least is None else values >= least

    near = at_least(found.overlap, policy.near_overlap) | at_least(
        found.equal_bits, policy.near_bits
    )
    related = at_least(found.overlap, policy.related_overlap) | at_least(
        found.equal_bits, policy.related_bits
    )
    held = at_least(found.containment, policy.contained)
    surest_first = (
        (found.same, Relation.SAME_TEXT),
        (long & near, Relation.NEAR_TEXT),
        (long & held, Relation.CONTAINED),
        (related, Relation.RELATED),
    )
    told = np.select(
        [holds for holds, _ in surest_first],
        [CODE[relation] for _, relation in surest_first],
        CODE[Relation.DISTINCT],
    )
    return told.astype(np.uint8)


def count_block(job: Job, block: int) -> None:
    """Writes what the rows of a block are to earlier ones."""
    pairs = _comparable(job, pairs_of(job, block))
    later, earlier = (pairs >> HIGH).astype(np.int64), (pairs & LOW).astype(np.int64)
    measured = measure(job, later, earlier)
    columns: dict[str, Array] = {
        "later": later.astype(np.uint32),
        "earlier": earlier.astype(np.uint32),
        "relation": relations(measured, job.policy),
        "overlap": measured.overlap,
        "containment": measured.containment,
        "equal_bits": measured.equal_bits.astype(np.uint8),
    }
    write_pack(job.folder(FOLDER) / f"{block:06d}.pack", columns)


def _comparable(job: Job, pairs: Pairs) -> Pairs:
    """Those that the policy has compared: near enough in time, of fitting sources, not given."""
    table, policy = table_of(job), job.policy
    later, earlier = (pairs >> HIGH).astype(np.int64), (pairs & LOW).astype(np.int64)
    fits = later >= given_rows(table, job)
    if policy.sources == "across":
        source = table.column("source")
        fits &= apart(source[later], source[earlier])
    if policy.window is not None:
        published, seen = table.column("published"), table.column("seen")
        ours, theirs = ((published[rows], seen[rows]) for rows in (later, earlier))
        fits &= near_in_time(ours, theirs, policy.window)
    return pairs[fits]


def apart(ours: NDArray[Any], theirs: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether two rows are not known to be of one source."""
    found: NDArray[np.bool_] = (ours != theirs) | (ours == 0)
    return found


Times = tuple[NDArray[np.int64], NDArray[np.int64]]  # when rows were published, and seen


def near_in_time(ours: Times, theirs: Times, window: timedelta) -> NDArray[np.bool_]:
    """By when both were published, where both say so; else by when they were seen."""
    undated = (ours[0] == NEVER) | (theirs[0] == NEVER)
    one, other = (np.where(undated, seen, published) for published, seen in (ours, theirs))
    unknown = (one == NEVER) | (other == NEVER)
    near: NDArray[np.bool_] = unknown | (abs(one - other) <= window // MICROSECOND)
    return near


def measure(job: Job, a: NDArray[np.int64], b: NDArray[np.int64]) -> Measured:
    """What can be measured between the texts of pairs of rows, some of them at a time."""
    overlap, containment = np.zeros(len(a)), np.zeros(len(a))
    texts = Texts(job)
    start = 0
    while start < len(a):
        stop = _stop(a, b, start)
        part = slice(start, stop)
        overlap[part], containment[part] = _shares(job, texts, a[part], b[part])
        start = stop
    rows = ascending(np.concatenate([a, b]))
    of_a, of_b = np.searchsorted(rows, a), np.searchsorted(rows, b)
    table = table_of(job)
    digest, words = table.some("digest", rows), table.some("words", rows).astype(np.int64)
    same = (digest[of_a] == digest[of_b]).all(1)
    simhashes = None
    if job.recipe.simhash and len(rows):
        simhash = table.some("simhash", rows)
        simhashes = simhash[of_a], simhash[of_b]
    return measured(same, (words[of_a], words[of_b]), (overlap, containment), simhashes)


def measured(
    same: NDArray[np.bool_],
    words: tuple[NDArray[np.int64], NDArray[np.int64]],
    shares: tuple[Shares, Shares],
    simhashes: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None,
) -> Measured:
    """What was measured; of texts without words nothing is the same."""
    known = (words[0] > 0) & (words[1] > 0)
    bits = np.zeros(len(same), np.int64)
    if simhashes is not None:
        bits = np.where(known, 64 - _ones(simhashes[0] ^ simhashes[1]), 0).astype(np.int64)
    return Measured(same & known, np.minimum(*words), *shares, bits)


def _ones(values: NDArray[Any]) -> NDArray[np.int64]:
    """How many bits are set in each."""
    found: NDArray[np.int64] = np.unpackbits(values[:, None].view(np.uint8), axis=1).sum(
        1, np.int64
    )
    return found


def _stop(a: NDArray[np.int64], b: NDArray[np.int64], start: int) -> int:
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
    return shares_of(job, held, html, places)


def shares_of(
    settings: Settings, texts: list[str], html: list[bool], places: NDArray[np.int64]
) -> tuple[Shares, Shares]:
    """The exact overlap and containment of the two texts at each pair of places."""
    sizes, shared = kernels.pair_overlaps(
        texts, settings.recipe, settings.features, places.astype(np.uint64), html=html
    )
    ours, theirs = sizes[places[:, 0]].astype(np.int64), sizes[places[:, 1]].astype(np.int64)
    union, smaller = ours + theirs - shared, np.minimum(ours, theirs)
    return shared / np.maximum(1, union), shared / np.maximum(1, smaller)
