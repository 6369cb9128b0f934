"""Clusters: from edges between rows to kept copies, duplicates and stories.

Most groups of similar texts are simple: the best row is a duplicate of all others. The rest is left
to `nearcopy.cluster`, group by group.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.batch.column_rules import CODE, RELATIONS, Numbers, Ranking
from nearcopy.batch.linked_groups import (
    ClusteredRow,
    Edges,
    TextPair,
    cluster_linked,
    cluster_linked_texts,
    text_fingerprint,
)
from nearcopy.batch.local.candidate_pairs import (
    EXACT_DUPLICATES_FILE,
    count_reference_rows,
    ids_of,
    ranking_of,
    row_blocks,
)
from nearcopy.batch.local.column_files import Pack, write_pack
from nearcopy.batch.local.compare import ArticleReader, decode_edges, edges_path
from nearcopy.batch.local.corpus_job import CorpusJob
from nearcopy.batch.local.row_table import read_texts, table_of
from nearcopy.batch.shared_keys import sorted_distinct
from nearcopy.cluster.link_graph import is_link
from nearcopy.models import Fingerprint, Relation

NONE = 0xFFFFFFFF  # no row
CLUSTERS_FILE = "clusters.pack"


class ClusterColumns(NamedTuple):
    """The place of each row in its cluster, a column each."""

    of: NDArray[np.uint32]  # the kept copy, NONE for kept copies
    relation: NDArray[np.uint8]  # to the kept copy, or to the head of the story
    overlap: NDArray[np.float32]  # with the kept copy; NaN where it was not measured
    founder: NDArray[np.uint32]  # the row that the story is named after

    @classmethod
    def singletons(cls, count: int) -> "ClusterColumns":
        """Rows that have nothing in common."""
        return cls(
            np.full(count, NONE, np.uint32),
            np.full(count, CODE[Relation.DISTINCT], np.uint8),
            np.full(count, np.nan, np.float32),
            np.arange(count, dtype=np.uint32),
        )

    def write(self, path: Path) -> None:
        """Write all columns to a pack."""
        write_pack(path, self._asdict())

    @classmethod
    def read(cls, path: Path, start: int = 0, stop: int | None = None) -> "ClusterColumns":
        """Rows `start` to `stop` from a pack."""
        pack = Pack(path)
        return cls(*(pack.read(name, start, stop) for name in cls._fields))


# Texts alone.


class TextEdges(NamedTuple):
    """Edges between rows, a column each."""

    later: Numbers
    earlier: Numbers
    relation: NDArray[np.uint8]
    overlap: NDArray[np.float64]
    containment: NDArray[np.float64]
    hamming: NDArray[np.uint8]

    def select(self, selection: NDArray[np.bool_] | Numbers) -> "TextEdges":
        """The selected edges."""
        columns: list[Any] = [column[selection] for column in self]
        return TextEdges(*columns)


def cluster_texts(job: CorpusJob, _: int = 0) -> None:
    """Write the clusters of a corpus whose texts alone are compared."""
    table = table_of(job)
    exact_duplicates = Pack(job.paths.work / EXACT_DUPLICATES_FILE)
    representatives = exact_duplicates.read("representative").astype(np.int64)
    clusters, ranking = ClusterColumns.singletons(len(table)), ranking_of(job)
    edges = read_text_edges(job)
    codes = [CODE[relation] for relation in job.policy.duplicates]
    duplicates = edges.select(np.isin(edges.relation, codes))
    if len(duplicates.later):
        ends = np.stack([duplicates.later, duplicates.earlier], axis=1).astype(np.uint32)
        labels = kernels.components(len(table), ends)
        unresolved = _resolve_simple_groups(
            job, clusters, ranking, duplicates, labels, representatives
        )
        for group, group_edges in _edges_of_groups(edges, labels, unresolved):
            _resolve_group(job, clusters, representatives, group, group_edges)
    _extend_to_duplicates(clusters, representatives)
    _set_founders(clusters, ranking)
    clusters.write(job.paths.work / CLUSTERS_FILE)


def read_text_edges(job: CorpusJob) -> TextEdges:
    """All edges between texts."""
    packs = [Pack(edges_path(job, block)) for block in row_blocks(job)]
    later, earlier, *measures = (
        np.concatenate([pack.read(name) for pack in packs] or [np.zeros(0)])
        for name in TextEdges._fields
    )
    return TextEdges(later.astype(np.int64), earlier.astype(np.int64), *measures)


def _resolve_simple_groups(
    job: CorpusJob,
    clusters: ClusterColumns,
    ranking: Ranking,
    duplicates: TextEdges,
    labels: NDArray[np.uint32],
    representatives: Numbers,
) -> Numbers:
    """Resolve the groups whose best row is linked with all others; the other labels."""
    rows = sorted_distinct(np.concatenate([duplicates.later, duplicates.earlier]))
    group_labels, groups, sizes = np.unique(labels[rows], return_inverse=True, return_counts=True)
    kept = ranking.best(groups, rows, job.policy.keep)
    place = np.searchsorted(group_labels, labels[duplicates.later])
    best = kept[place]
    with_best = (duplicates.later == best) | (duplicates.earlier == best)
    linked = np.bincount(place[with_best], minlength=len(group_labels))
    represented = np.bincount(representatives, minlength=len(representatives))[rows]
    members = np.bincount(groups, represented)
    simple = (linked == sizes - 1) & (members <= job.policy.max_story_size)
    clear = with_best & simple[place]
    copies = np.where(duplicates.later == best, duplicates.earlier, duplicates.later)[clear]
    clusters.of[copies] = best[clear]
    clusters.relation[copies] = duplicates.relation[clear]
    clusters.overlap[copies] = duplicates.overlap[clear]
    unresolved: Numbers = group_labels[~simple].astype(np.int64)
    return unresolved


def _edges_of_groups(
    edges: TextEdges, labels: NDArray[np.uint32], group_labels: Numbers
) -> list[tuple[Numbers, TextEdges]]:
    """The rows and the edges of each of these groups."""
    if not len(group_labels):
        return []
    is_within = labels[edges.later] == labels[edges.earlier]
    within = edges.select(is_within & np.isin(labels[edges.later], group_labels))
    within = within.select(np.argsort(labels[within.later], kind="stable"))
    starts = np.flatnonzero(np.diff(labels[within.later].astype(np.int64), prepend=-1))
    parts = [
        within.select(np.arange(a, b))
        for a, b in zip(starts, [*starts[1:], len(within.later)], strict=True)
    ]
    return [(sorted_distinct(np.concatenate([part.later, part.earlier])), part) for part in parts]


def _resolve_group(
    job: CorpusJob,
    clusters: ClusterColumns,
    representatives: Numbers,
    group: Numbers,
    edges: TextEdges,
) -> None:
    """Resolve one group with `nearcopy.cluster`."""
    links = [
        TextPair(int(a), int(b), RELATIONS[code], float(overlap), float(containment), int(hamming))
        for a, b, code, overlap, containment, hamming in zip(
            *(column.tolist() for column in edges), strict=True
        )
    ]
    rows = group
    is_represented = np.isin(representatives, group)
    if max(len(group), int(is_represented.sum())) > job.policy.max_story_size:
        duplicates = np.flatnonzero(
            is_represented & (representatives != np.arange(len(representatives)))
        )
        links += [
            TextPair(int(row), int(representatives[row]), Relation.SAME_TEXT, 1.0, 1.0, 0)
            for row in duplicates
        ]
        rows = sorted_distinct(np.concatenate([group, duplicates]))

    def read_text(row: int) -> tuple[str, bool]:
        (text,), (html,) = read_texts(job, np.array([row]))
        return text, html

    fingerprints = _text_fingerprints(job, rows)
    references = count_reference_rows(job)
    for member in cluster_linked_texts(fingerprints, links, job, read_text, references):
        _set_cluster(clusters, member)


def _text_fingerprints(job: CorpusJob, rows: Numbers) -> dict[int, Fingerprint]:
    table, ids = table_of(job), ids_of(job, rows)
    names = ("words", "published", "seen", *(["source"] if job.policy.sources != "any" else []))
    columns = (table.take(name, rows).tolist() for name in names)
    return {
        row: text_fingerprint(row, ids[row], *values)
        for row, *values in zip(rows.tolist(), *columns, strict=True)
    }


def _set_cluster(clusters: ClusterColumns, member: ClusteredRow) -> None:
    clusters.founder[member.row] = member.founder
    if member.relation is not None:
        clusters.relation[member.row] = CODE[member.relation]
    if member.of is not None:
        clusters.of[member.row] = member.of
        clusters.overlap[member.row] = np.nan if member.overlap is None else member.overlap


def _extend_to_duplicates(clusters: ClusterColumns, representatives: Numbers) -> None:
    """Give exact duplicates of a row the cluster of that row."""
    rows = np.flatnonzero(representatives != np.arange(len(representatives)))
    rows = rows[clusters.of[rows] == NONE]
    originals = representatives[rows]
    kept = clusters.of[originals] == NONE
    clusters.of[rows] = np.where(kept, originals, clusters.of[originals])
    clusters.relation[rows] = np.where(kept, CODE[Relation.SAME_TEXT], clusters.relation[originals])
    clusters.overlap[rows] = np.where(kept, 1.0, clusters.overlap[originals])


def _set_founders(clusters: ClusterColumns, ranking: Ranking) -> None:
    """Name every story after its earliest row."""
    copies = np.flatnonzero(clusters.of != NONE)
    kept, groups = np.unique(clusters.of[copies].astype(np.int64), return_inverse=True)
    rows = np.concatenate([copies, kept])
    groups = np.concatenate([groups, np.arange(len(kept))])
    if len(rows):
        founders = ranking._replace(references=0).best(groups, rows, ())
        clusters.founder[rows] = founders[groups]


# Whole articles.


def cluster_articles(job: CorpusJob, _: int = 0) -> None:
    """Write the clusters of a corpus of whole articles."""
    count = len(table_of(job))
    clusters = ClusterColumns.singletons(count)
    for edges in _linked_groups(job, count):
        _cluster_group(job, clusters, edges)
    clusters.write(job.paths.work / CLUSTERS_FILE)


def _linked_groups(job: CorpusJob, count: int) -> Iterator[Edges]:
    """The edges of each linked group."""
    edges = read_article_edges(job)
    links = [pair for pair, edge in edges.items() if is_link(edge.decision, job.policy)]
    labels = kernels.components(count, np.array(links, np.uint32).reshape(-1, 2)).tolist()
    linked = {labels[row] for pair in links for row in pair}
    groups: dict[int, Edges] = defaultdict(dict)
    for pair, edge in edges.items():
        if labels[pair[0]] == labels[pair[1]] in linked:
            groups[labels[pair[0]]][pair] = edge
    return iter(groups.values())


def read_article_edges(job: CorpusJob) -> Edges:
    """All edges between articles."""
    packs = [Pack(edges_path(job, block)) for block in row_blocks(job)]
    ends = [pack.read(name) for pack in packs for name in ("later", "earlier")]
    ids = ids_of(job, np.unique(np.concatenate([np.zeros(0, np.uint32), *ends])))
    return {(a, b): edge for pack in packs for a, b, edge in decode_edges(pack, ids)}


def _cluster_group(job: CorpusJob, clusters: ClusterColumns, edges: Edges) -> None:
    articles = ArticleReader(job)
    rows = sorted({row for pair in edges for row in pair})
    articles.load(rows)
    fingerprints = {row: articles.fingerprint(row) for row in rows}
    references = count_reference_rows(job)
    for member in cluster_linked(fingerprints, edges, job.policy, articles.judge_pair, references):
        _set_cluster(clusters, member)
