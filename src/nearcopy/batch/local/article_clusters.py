"""Clusters of whole articles: linked group by linked group, then every kept copy by its edges."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.batch.column_rules import Numbers
from nearcopy.batch.linked_groups import Edges, cluster_linked, decode_decision
from nearcopy.batch.local.candidate_pairs import count_reference_rows, ids_of, row_blocks
from nearcopy.batch.local.column_files import Pack
from nearcopy.batch.local.compare import ArticleReader, edges_path
from nearcopy.batch.local.corpus_job import CorpusJob
from nearcopy.batch.local.row_table import table_of
from nearcopy.batch.local.verdict_table import NONE, VerdictTable
from nearcopy.batch.shared_keys import sorted_distinct
from nearcopy.cluster.link_graph import is_link
from nearcopy.cluster.stories import own_story_id
from nearcopy.deduper.verdicts import kept_verdict
from nearcopy.models import Decision, Edge
from nearcopy.models.batches import batches

ROWS_PER_BATCH = 1024  # kept copies whose ids are read together


class ArticleEdges(NamedTuple):
    """Edges between articles: a column each, and the distinct decisions that one refers to."""

    later: Numbers
    earlier: Numbers
    decision: Numbers
    event_score: NDArray[np.float64]
    overlap: NDArray[np.float64]
    decisions: list[Decision]

    def decode(self, job: CorpusJob, places: Numbers) -> Edges:
        """The edges at some places."""
        later, earlier = self.later[places], self.earlier[places]
        ids = ids_of(job, np.concatenate([later, earlier]))
        columns = later, earlier, *(column[places] for column in self[2:5])
        return {
            (a, b): Edge(ids[a], ids[b], self.decisions[code], score, _known(overlap))
            for a, b, code, score, overlap in zip(*(c.tolist() for c in columns), strict=True)
        }


def _known(value: float) -> float | None:
    return value if value == value else None


def read_article_edges(job: CorpusJob) -> ArticleEdges:
    """All edges between articles."""
    packs = [Pack(edges_path(job, block)) for block in row_blocks(job)]
    decisions: dict[Decision, int] = {}
    codes = [np.zeros(0, np.int64)]
    for pack in packs:
        listed = map(decode_decision, pack.notes["decisions"])
        numbers = [decisions.setdefault(decision, len(decisions)) for decision in listed]
        codes.append(np.array(numbers, np.int64)[pack.read("decision")])
    later, earlier, scores, overlaps = (
        np.concatenate([np.zeros(0), *(pack.read(name) for pack in packs)])
        for name in ("later", "earlier", "event_score", "overlap")
    )
    ends = later.astype(np.int64), earlier.astype(np.int64)
    return ArticleEdges(*ends, np.concatenate(codes), scores, overlaps, list(decisions))


def cluster_articles(job: CorpusJob, _: int = 0) -> None:
    """Write the clusters of a corpus of whole articles."""
    count = len(table_of(job))
    edges, verdicts = read_article_edges(job), VerdictTable()
    of = np.full(count, NONE, np.uint32)
    story_rows = np.arange(count)
    stories: dict[int, str] = {}
    for places in _linked_groups(job, count, edges):
        group = edges.decode(job, places)
        articles = ArticleReader(job)
        rows = sorted({row for pair in group for row in pair})
        articles.load(rows)
        fingerprints = {row: articles.fingerprint(row) for row in rows}
        references = count_reference_rows(job)
        clusters = cluster_linked(fingerprints, group, job.policy, articles.judge_pair, references)
        verdicts.add(clusters)
        for story, members in groupby(clusters.rows, attrgetter("story")):
            rows = [member.row for member in members]
            story_rows[rows] = rows[0]
            stories |= dict.fromkeys(rows, story)
        for member in clusters.rows:
            of[member.row] = NONE if member.of is None else member.of
    _decide_kept(job, edges, of, stories, verdicts)

    def story_id(row: int) -> str:
        return stories.get(row) or own_story_id(ids_of(job, [row])[row])

    verdicts.write(job, story_rows, story_id, {})


def _linked_groups(job: CorpusJob, count: int, edges: ArticleEdges) -> Iterator[Numbers]:
    """The places of the edges of each linked group."""
    links = np.array([is_link(decision, job.policy) for decision in edges.decisions], np.bool_)
    is_linked = links[edges.decision] if len(links) else np.zeros(0, np.bool_)
    ends = np.stack([edges.later, edges.earlier], axis=1).astype(np.uint32)
    labels = kernels.components(count, ends[is_linked]).astype(np.int64)
    later, earlier = labels[edges.later], labels[edges.earlier]
    (within,) = np.nonzero((later == earlier) & np.isin(later, later[is_linked]))
    yield from split_at_changes(within[np.argsort(later[within], kind="stable")], later)


def split_at_changes(places: Numbers, values: Numbers) -> Iterator[Numbers]:
    """The places, which are ordered by these values, in one part for each value."""
    (starts,) = np.nonzero(np.diff(values[places])) if len(places) else (np.zeros(0, np.int64),)
    yield from (part for part in np.split(places, starts + 1) if len(part))


def kept_ends(
    of: NDArray[np.uint32], later: Numbers, earlier: Numbers, first: int
) -> Iterator[tuple[int, Numbers, Numbers]]:
    """For each kept copy from row `first` on, its edges to rows that are no copies of it.

    They are given by place and other row.
    """
    rows, others = np.concatenate([later, earlier]), np.concatenate([earlier, later])
    edge = np.tile(np.arange(len(later)), 2)
    (ends,) = np.nonzero((of[rows] == NONE) & (of[others] != rows) & (rows >= first))
    for part in split_at_changes(ends[np.argsort(rows[ends], kind="stable")], rows):
        yield int(rows[part[0]]), edge[part], others[part]


def _decide_kept(
    job: CorpusJob,
    edges: ArticleEdges,
    of: NDArray[np.uint32],
    stories: dict[int, str],
    verdicts: VerdictTable,
) -> None:
    """Decide all rows that are kept and have edges, or a story with others."""
    first = count_reference_rows(job)
    alone = sorted(row for row in stories if row not in verdicts.verdicts and row >= first)
    ends = kept_ends(of, edges.later, edges.earlier, first)
    for batch in batches(ends, ROWS_PER_BATCH):
        decoded = edges.decode(job, sorted_distinct(np.concatenate([part for _, part, _ in batch])))
        ids = ids_of(job, [row for row, _, _ in batch])
        for row, _, others in batch:
            near = (decoded[max(row, other), min(row, other)] for other in others.tolist())
            by_id = {edge.b if edge.a == ids[row] else edge.a: edge for edge in near}
            story = stories.get(row) or own_story_id(ids[row])
            because = verdicts.kept_because.get(row)
            verdicts.verdicts[row] = kept_verdict(ids[row], story, by_id, because)
    ids = ids_of(job, alone)
    for row in alone:
        if row not in verdicts.verdicts:
            because = verdicts.kept_because.get(row)
            verdicts.verdicts[row] = kept_verdict(ids[row], stories[row], {}, because)
