"""Telling: from what rows are to each other to the copies that are kept, for texts alone.

Most groups are stars at once: the best of them is found to be like all others. The rest is told
by `cluster`, which asks where it has to.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.batch.local.candidate_pairs import text_blocks
from nearcopy.batch.local.cluster_columns import FILE, NONE, ClusterColumns
from nearcopy.batch.local.column_files import Pack
from nearcopy.batch.local.exact_duplicates import FILE as EXACT_DUPLICATES
from nearcopy.batch.local.exact_duplicates import ranking_of
from nearcopy.batch.local.group_clusters import DuplicateRow, TextPair, cluster_linked_rows
from nearcopy.batch.local.job import Job
from nearcopy.batch.local.rank import Ranking
from nearcopy.batch.local.row_table import table_of
from nearcopy.batch.local.shared_keys import ascending
from nearcopy.batch.local.text_relations import CODE, EDGES_FOLDER, RELATIONS
from nearcopy.models.model import Relation

Numbers = NDArray[np.int64]
NOTHING: NDArray[Any] = np.zeros(0)


class Edges(NamedTuple):
    """What pairs of rows are to each other, a column each."""

    later: Numbers
    earlier: Numbers
    relation: NDArray[np.uint8]
    overlap: NDArray[np.float64]
    containment: NDArray[np.float64]
    equal_bits: NDArray[np.uint8]

    def only(self, selection: NDArray[np.bool_] | Numbers) -> "Edges":
        """Some of them."""
        columns: list[Any] = [column[selection] for column in self]
        return Edges(*columns)


def cluster_by_text(job: Job, _: int = 0) -> None:
    """Writes what each row is."""
    table = table_of(job)
    representatives = Pack(job.work / EXACT_DUPLICATES).read("like").astype(np.int64)
    clusters, ranking = ClusterColumns.singletons(len(table)), ranking_of(table, job)
    edges = read_edges(job)
    copies = [CODE[relation] for relation in job.policy.duplicates]
    joining = edges.only(np.isin(edges.relation, copies))
    if len(joining.later):
        ends = np.stack([joining.later, joining.earlier], axis=1).astype(np.uint32)
        labels = kernels.components(len(table), ends)
        unresolved = _resolve_simple_groups(
            job, clusters, ranking, joining, labels, representatives
        )
        for group, among in _remaining_groups(edges, labels, unresolved):
            _resolve_group(job, clusters, representatives, group, among)
    _extend_to_duplicates(clusters, representatives)
    _set_founders(clusters, ranking)
    clusters.write(job.work / FILE)


def read_edges(job: Job) -> Edges:
    """All that was found between rows."""
    packs = [Pack(job.folder(EDGES_FOLDER) / f"{block:06d}.pack") for block in text_blocks(job)]
    columns = (np.concatenate([p.read(name) for p in packs] or [NOTHING]) for name in Edges._fields)
    later, earlier, *measures = columns
    return Edges(later.astype(np.int64), earlier.astype(np.int64), *measures)


def _resolve_simple_groups(
    job: Job,
    clusters: ClusterColumns,
    ranking: Ranking,
    joining: Edges,
    labels: NDArray[np.uint32],
    representatives: Numbers,
) -> Numbers:
    """Tells the groups whose best row is found to be like all others; the labels of the rest."""
    rows = ascending(np.concatenate([joining.later, joining.earlier]))
    names, groups, sizes = np.unique(labels[rows], return_inverse=True, return_counts=True)
    kept = ranking.best(groups, rows, job.policy.keep)
    place = np.searchsorted(names, labels[joining.later])
    best = kept[place]
    touching = (joining.later == best) | (joining.earlier == best)
    linked = np.bincount(place[touching], minlength=len(names))
    copied = np.bincount(representatives, minlength=len(representatives))[
        rows
    ]  # how many rows each stands for
    members = np.bincount(groups, copied)
    simple = (linked == sizes - 1) & (members <= job.policy.largest_story)
    clear = touching & simple[place]
    copies = np.where(joining.later == best, joining.earlier, joining.later)[clear]
    clusters.of[copies] = best[clear]
    clusters.relation[copies] = joining.relation[clear]
    clusters.overlap[copies] = joining.overlap[clear]
    unresolved: Numbers = names[~simple].astype(np.int64)
    return unresolved


def _remaining_groups(
    edges: Edges, labels: NDArray[np.uint32], labels_left: Numbers
) -> list[tuple[Numbers, Edges]]:
    """The rows of each group that is left, and all that is between them."""
    if not len(labels_left):
        return []
    among = np.isin(labels[edges.later], labels_left) & (
        labels[edges.later] == labels[edges.earlier]
    )
    within = edges.only(among)
    within = within.only(np.argsort(labels[within.later], kind="stable"))
    starts = np.flatnonzero(np.diff(labels[within.later].astype(np.int64), prepend=-1))
    parts = [
        within.only(np.arange(a, b))
        for a, b in zip(starts, [*starts[1:], len(within.later)], strict=True)
    ]
    return [(ascending(np.concatenate([part.later, part.earlier])), part) for part in parts]


def _resolve_group(
    job: Job, clusters: ClusterColumns, representatives: Numbers, group: Numbers, among: Edges
) -> None:
    """Tells one group as `cluster` does."""
    links = [
        TextPair(int(a), int(b), RELATIONS[code], float(overlap), float(held), int(bits))
        for a, b, code, overlap, held, bits in zip(
            *(column.tolist() for column in among), strict=True
        )
    ]
    rows = group
    if (
        len(group) > job.policy.largest_story
        or _count_represented(representatives, group) > job.policy.largest_story
    ):
        duplicates = np.flatnonzero(
            np.isin(representatives, group) & (representatives != np.arange(len(representatives)))
        )
        links += [
            TextPair(int(row), int(representatives[row]), Relation.SAME_TEXT, 1.0, 1.0, 64)
            for row in duplicates
        ]
        rows = ascending(np.concatenate([group, duplicates]))
    for copy in cluster_linked_rows(job, rows, links):
        _set_copy(clusters, copy)


def _count_represented(representatives: Numbers, group: Numbers) -> int:
    return int(np.isin(representatives, group).sum())


def _set_copy(clusters: ClusterColumns, copy: DuplicateRow) -> None:
    clusters.of[copy.row] = copy.of
    clusters.relation[copy.row] = CODE[copy.relation]
    clusters.overlap[copy.row] = np.nan if copy.overlap is None else copy.overlap


def _extend_to_duplicates(clusters: ClusterColumns, representatives: Numbers) -> None:
    """What says the same as another is to the kept copy what that one is."""
    rows = np.flatnonzero(representatives != np.arange(len(representatives)))
    rows = rows[clusters.of[rows] == NONE]
    originals = representatives[rows]
    kept = clusters.of[originals] == NONE
    clusters.of[rows] = np.where(kept, originals, clusters.of[originals])
    clusters.relation[rows] = np.where(kept, CODE[Relation.SAME_TEXT], clusters.relation[originals])
    clusters.overlap[rows] = np.where(kept, 1.0, clusters.overlap[originals])


def _set_founders(clusters: ClusterColumns, ranking: Ranking) -> None:
    """Names every story after the earliest of its rows."""
    copies = np.flatnonzero(clusters.of != NONE)
    kept, groups = np.unique(clusters.of[copies].astype(np.int64), return_inverse=True)
    rows = np.concatenate([copies, kept])
    groups = np.concatenate([groups, np.arange(len(kept))])
    if len(rows):
        founders = ranking._replace(references=0).best(groups, rows, ())
        clusters.founder[rows] = founders[groups]
