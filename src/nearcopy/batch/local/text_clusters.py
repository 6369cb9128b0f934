"""Clusters of texts alone: kept copies, duplicates and stories.

Most groups of similar texts are simple: the best row is a duplicate of all others. The rest is left
to `nearcopy.cluster`, group by group.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.batch.column_rules import CODE, NO_SIMHASH, RELATIONS, Numbers, Ranking
from nearcopy.batch.linked_groups import (
    MEASURES,
    SAME_TEXT,
    Clusters,
    TextPair,
    cluster_linked_texts,
    judge_text_pairs,
    text_fingerprint,
)
from nearcopy.batch.local.article_clusters import kept_ends, split_at_changes
from nearcopy.batch.local.candidate_pairs import (
    EXACT_DUPLICATES_FILE,
    count_reference_rows,
    ids_of,
    ranking_of,
    row_blocks,
)
from nearcopy.batch.local.column_files import Pack
from nearcopy.batch.local.compare import edges_path
from nearcopy.batch.local.corpus_job import CorpusJob
from nearcopy.batch.local.row_table import Part, read_texts, table_of
from nearcopy.batch.local.verdict_table import (
    NONE,
    VerdictTable,
    clusters_path,
)
from nearcopy.batch.shared_keys import sorted_distinct
from nearcopy.cluster.kept_copy import explain_choice, rank_copies
from nearcopy.cluster.stories import own_story_id
from nearcopy.deduper.verdicts import copy_verdict, kept_verdict
from nearcopy.models import Edge, Fingerprint, Relation, Verdict
from nearcopy.models.batches import batches

ROWS_PER_BATCH = 1024  # kept copies that are decided together


class ClusterColumns(NamedTuple):
    """The place of each row in its cluster, and its measures with the kept copy, a column each."""

    of: NDArray[np.uint32]  # the kept copy, NONE for kept copies
    founder: NDArray[np.uint32]  # the row that the story is named after
    relation: NDArray[np.uint8]
    overlap: NDArray[np.float64]
    containment: NDArray[np.float64]
    hamming: NDArray[np.uint8]

    @classmethod
    def singletons(cls, count: int) -> "ClusterColumns":
        """Rows that have nothing in common."""
        return cls(
            np.full(count, NONE, np.uint32),
            np.arange(count, dtype=np.uint32),
            np.full(count, CODE[Relation.DISTINCT], np.uint8),
            *(np.zeros(count), np.zeros(count)),
            np.full(count, NO_SIMHASH, np.uint8),
        )


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

    def pairs(self) -> list[TextPair]:
        """The edges as objects."""
        rows = zip(*(column.tolist() for column in self), strict=True)
        return [TextPair(a, b, RELATIONS[code], *measures) for a, b, code, *measures in rows]


def cluster_texts(job: CorpusJob, _: int = 0) -> None:
    """Write the clusters of a corpus whose texts alone are compared."""
    count = len(table_of(job))
    exact_duplicates = Pack(job.paths.work / EXACT_DUPLICATES_FILE)
    representatives = exact_duplicates.read("representative").astype(np.int64)
    clusters, ranking = ClusterColumns.singletons(count), ranking_of(job)
    edges, verdicts = read_text_edges(job), VerdictTable()
    codes = [CODE[relation] for relation in job.policy.duplicates]
    duplicates = edges.select(np.isin(edges.relation, codes))
    if len(duplicates.later):
        ends = np.stack([duplicates.later, duplicates.earlier], axis=1).astype(np.uint32)
        labels = kernels.components(count, ends)
        unresolved = _resolve_simple_groups(
            job, clusters, ranking, duplicates, labels, representatives
        )
        for group, group_edges in _edges_of_groups(edges, labels, unresolved):
            resolved = _resolve_group(job, representatives, group, group_edges)
            # Where nothing was too large, exact duplicates are not among the members yet.
            verdicts.add(resolved if resolved.oversized else resolved.without_reasons())
            for member in resolved.rows:
                clusters.of[member.row] = NONE if member.of is None else member.of
    _extend_to_duplicates(clusters, verdicts, representatives)
    _set_founders(clusters, ranking)
    _decide_kept(job, clusters, verdicts, representatives, edges)
    _name_stories(job, clusters, verdicts)
    founders = clusters.founder.astype(np.int64)
    verdicts.write(
        job, founders, lambda row: own_story_id(ids_of(job, [row])[row]), clusters._asdict()
    )


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
    for name in MEASURES:
        getattr(clusters, name)[copies] = getattr(duplicates, name)[clear]
    unresolved: Numbers = group_labels[~simple].astype(np.int64)
    return unresolved


def _edges_of_groups(
    edges: TextEdges, labels: NDArray[np.uint32], group_labels: Numbers
) -> Iterator[tuple[Numbers, TextEdges]]:
    """The rows and the edges of each of these groups."""
    later = labels[edges.later].astype(np.int64)
    (within,) = np.nonzero((later == labels[edges.earlier]) & np.isin(later, group_labels))
    for places in split_at_changes(within[np.argsort(later[within], kind="stable")], later):
        part = edges.select(places)
        yield sorted_distinct(np.concatenate([part.later, part.earlier])), part


def _resolve_group(
    job: CorpusJob, representatives: Numbers, group: Numbers, edges: TextEdges
) -> Clusters:
    """Resolve one group with `nearcopy.cluster`."""
    links, rows = edges.pairs(), group
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

    fingerprints = text_fingerprints(job, rows)
    return cluster_linked_texts(fingerprints, links, job, read_text, count_reference_rows(job))


def text_fingerprints(job: CorpusJob, rows: Numbers) -> dict[int, Fingerprint]:
    """What is needed of rows in ascending order to cluster texts."""
    table, ids = table_of(job), ids_of(job, rows)
    names = ("words", "published", "seen", *(["source"] if job.policy.sources != "any" else []))
    columns = (table.take(name, rows).tolist() for name in names)
    return {
        row: text_fingerprint(ids[row], *values)
        for row, *values in zip(rows.tolist(), *columns, strict=True)
    }


def _extend_to_duplicates(
    clusters: ClusterColumns, verdicts: VerdictTable, representatives: Numbers
) -> None:
    """Give exact duplicates of a row the cluster of that row."""
    rows = np.flatnonzero(representatives != np.arange(len(representatives)))
    rows = rows[clusters.of[rows] == NONE]
    originals = representatives[rows]
    kept = clusters.of[originals] == NONE
    clusters.of[rows] = np.where(kept, originals, clusters.of[originals])
    for name, same in zip(MEASURES, SAME_TEXT, strict=True):
        column = getattr(clusters, name)
        column[rows] = np.where(kept, same, column[originals])
    for row, original in zip(rows[~kept].tolist(), originals[~kept].tolist(), strict=True):
        if original in verdicts.verdicts:
            verdicts.verdicts[row] = verdicts.verdicts[original]


def _set_founders(clusters: ClusterColumns, ranking: Ranking) -> None:
    """Name every story after its earliest row."""
    copies = np.flatnonzero(clusters.of != NONE)
    kept, groups = np.unique(clusters.of[copies].astype(np.int64), return_inverse=True)
    rows = np.concatenate([copies, kept])
    groups = np.concatenate([groups, np.arange(len(kept))])
    if len(rows):
        founders = ranking._replace(references=0).best(groups, rows, ())
        clusters.founder[rows] = founders[groups]


def _decide_kept(
    job: CorpusJob,
    clusters: ClusterColumns,
    verdicts: VerdictTable,
    representatives: Numbers,
    edges: TextEdges,
) -> None:
    """Decide the kept copies that have edges to rows which are no copies of them.

    The others are left to the output, which knows the rows they are kept for by then.
    """
    related = edges.select(edges.relation != CODE[Relation.DISTINCT])
    alike, first = _Alike(representatives), count_reference_rows(job)
    ends = kept_ends(clusters.of, related.later, related.earlier, first)
    for batch in batches(ends, ROWS_PER_BATCH):
        kept = np.array([row for row, _, _ in batch])
        others = [[alike.of(other) for other in listed.tolist()] for _, _, listed in batch]
        near = [kept, *(rows for listed in others for rows in listed)]
        prints = text_fingerprints(job, sorted_distinct(np.concatenate(near)))
        because = explain_kept(job, clusters.of, kept) | verdicts.kept_because
        for (row, places, _), listed in zip(batch, others, strict=True):
            edges_by_id: dict[str, Edge] = {}
            pairs = related.select(places).pairs()
            words = [min(prints[pair.a].words, prints[pair.b].words) for pair in pairs]
            judgements = judge_text_pairs(pairs, words, job)
            for judgement, rows in zip(judgements, listed, strict=True):
                names = (prints[other].id for other in rows[clusters.of[rows] != row].tolist())
                edges_by_id |= {name: judgement.edge(prints[row].id, name) for name in names}
            verdict = kept_verdict(prints[row].id, "", edges_by_id, because.get(row))
            verdicts.verdicts[row] = verdict
    ids = ids_of(job, sorted(verdicts.kept_because))
    for row, why in verdicts.kept_because.items():
        verdicts.verdicts.setdefault(row, kept_verdict(ids[row], "", {}, why))


class _Alike:
    """The rows of the same text by their representative."""

    def __init__(self, representatives: Numbers) -> None:
        self._order = np.argsort(representatives, kind="stable")
        self._sorted = representatives[self._order]

    def of(self, representative: int) -> Numbers:
        start, end = np.searchsorted(self._sorted, [representative, representative + 1])
        rows: Numbers = self._order[start:end]
        return rows


def explain_kept(job: CorpusJob, of: NDArray[np.uint32], rows: Numbers) -> dict[int, str]:
    """Why those of these rows that have copies are kept."""
    copies = np.flatnonzero(np.isin(of, rows))
    kept = of[copies].astype(np.int64)
    prints = text_fingerprints(job, sorted_distinct(np.concatenate([copies, kept])))
    reasons = {}
    for part in split_at_changes(np.argsort(kept, kind="stable"), kept):
        row = int(kept[part[0]])
        members = [prints[row], *(prints[copy] for copy in copies[part].tolist())]
        reasons[row] = explain_choice(rank_copies(members, job.policy), job.policy)
    return reasons


def _name_stories(job: CorpusJob, clusters: ClusterColumns, verdicts: VerdictTable) -> None:
    """Set the story of each verdict: exact duplicates may have founded it."""
    rows = sorted(verdicts.verdicts)
    founders = clusters.founder[rows].tolist()
    ids = ids_of(job, founders)
    for row, founder in zip(rows, founders, strict=True):
        story = own_story_id(ids[founder])
        verdicts.verdicts[row] = replace(verdicts.verdicts[row], story_id=story)


def text_verdicts(job: CorpusJob, part: Part, ids: Mapping[int, str]) -> Iterator[Verdict | None]:
    """The verdict on each row of a part by its measures with its kept copy.

    None where it is no copy, and kept for none.
    """
    start, stop = part.first, part.first + part.size
    pack = Pack(clusters_path(job))
    of, founder, *measures = (pack.read(name, start, stop) for name in ClusterColumns._fields)
    kept, words = of[of != NONE].astype(np.int64), part.pack.read("words").tolist()
    near = sorted_distinct(np.concatenate([kept, founder.astype(np.int64)]))
    names = {**ids_of(job, near), **ids}
    kept_words = dict(zip(near.tolist(), table_of(job).take("words", near).tolist(), strict=True))
    because = explain_kept(job, pack.read("of"), np.arange(start, stop))
    rows = zip(*(column.tolist() for column in (of, *measures)), strict=True)
    pairs = [
        TextPair(row, other, RELATIONS[code], *shares)
        for row, (other, code, *shares) in enumerate(rows, start=start)
        if other != NONE
    ]
    shorter = [min(words[pair.a - start], kept_words[pair.b]) for pair in pairs]
    judgements = iter(zip(pairs, judge_text_pairs(pairs, shorter, job), strict=True))
    for row, other, first in zip(range(start, stop), of.tolist(), founder.tolist(), strict=True):
        if other != NONE:
            pair, judgement = next(judgements)
            edge = judgement.edge(names[row], names[pair.b])
            yield copy_verdict(own_story_id(names[first]), edge)
        elif row in because:
            yield kept_verdict(names[row], own_story_id(names[first]), {}, because[row])
        else:
            yield None
