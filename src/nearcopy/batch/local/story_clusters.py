"""Stories of a corpus where more than texts counts: one linked group after another."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from nearcopy import kernels
from nearcopy.batch.local.cluster_columns import FILE, ClusterColumns
from nearcopy.batch.local.column_files import Pack
from nearcopy.batch.local.compare_rows import EDGES_FOLDER, ArticleReader, article_blocks, edges_in
from nearcopy.batch.local.exact_duplicates import count_reference_rows, ids_of
from nearcopy.batch.local.job import Job
from nearcopy.batch.local.row_table import table_of
from nearcopy.batch.local.text_relations import CODE
from nearcopy.cluster.kept_copy import by_age
from nearcopy.cluster.link_graph import is_link
from nearcopy.cluster.stories import grouped, named
from nearcopy.config import Policy
from nearcopy.match.judge_pairs import Judgement
from nearcopy.models.model import Decision, Edge, Fingerprint, Relation

Edges = dict[tuple[int, int], Edge]


def cluster_by_all(job: Job, _: int = 0) -> None:
    """Writes what each row is."""
    count = len(table_of(job))
    clusters = ClusterColumns.singletons(count)
    for edges in _linked_groups(job, count):
        _cluster_group(job, clusters, edges)
    clusters.write(job.work / FILE)


def _linked_groups(job: Job, count: int) -> Iterator[Edges]:
    """What is between the rows of each linked group."""
    edges = all_edges(job)
    links = [pair for pair, edge in edges.items() if is_link(edge.decision, job.policy)]
    labels = kernels.components(count, np.array(links, np.uint32).reshape(-1, 2)).tolist()
    linked = {labels[row] for pair in links for row in pair}
    groups: dict[int, Edges] = defaultdict(dict)
    for pair, edge in edges.items():
        if labels[pair[0]] == labels[pair[1]] in linked:
            groups[labels[pair[0]]][pair] = edge
    return iter(groups.values())


def all_edges(job: Job) -> Edges:
    """All that was found between rows, the later one first."""
    packs = [Pack(job.folder(EDGES_FOLDER) / f"{block:06d}.pack") for block in article_blocks(job)]
    ends = [pack.read(name) for pack in packs for name in ("later", "earlier")]
    names = ids_of(job, np.unique(np.concatenate([np.zeros(0, np.uint32), *ends])))
    return {(a, b): edge for pack in packs for a, b, edge in edges_in(pack, names)}


def _cluster_group(job: Job, clusters: ClusterColumns, edges: Edges) -> None:
    articles = ArticleReader(job)
    rows = sorted({row for pair in edges for row in pair})
    articles.load(rows)
    fingerprints = {row: articles.fingerprint(row) for row in rows}
    references = count_reference_rows(table_of(job), job)
    preferred = {outcome.id: 1 for row, outcome in fingerprints.items() if row < references}
    for outcome in cluster_linked_articles(
        fingerprints, edges, job.policy, articles.judge_pair, preferred
    ):
        clusters.founder[outcome.row] = outcome.founder
        if outcome.relation is not None:
            clusters.relation[outcome.row] = CODE[outcome.relation]
        if outcome.of is not None:
            clusters.of[outcome.row] = outcome.of
            clusters.overlap[outcome.row] = np.nan if outcome.overlap is None else outcome.overlap


class StoryRow(NamedTuple):
    """What a row of a story is."""

    row: int
    founder: int  # the row that the story is named after
    relation: Relation | None
    of: int | None  # the kept copy; None for what is kept
    overlap: float | None


JudgePair = Callable[[int, int], Judgement]


def cluster_linked_articles(
    fingerprints: Mapping[int, Fingerprint],
    edges: Edges,
    policy: Policy,
    between: JudgePair,
    preferred: Mapping[str, int],
) -> Iterator[StoryRow]:
    """What each row of a linked group is; `judge_pair` judges rows that were not found together."""
    judge = _ArticleJudge(
        between, {fingerprint.id: row for row, fingerprint in fingerprints.items()}
    )
    clusters = named(
        grouped(fingerprints.values(), edges.values(), policy, judge=judge, preferred=preferred)
    )
    for story in clusters.stories:
        rows = [judge.rows[member.id] for member in story.members]
        founder = min(rows, key=lambda row: by_age(fingerprints[row]))
        for row, member in zip(rows, story.members, strict=True):
            of = None if member.duplicate_of is None else judge.rows[member.duplicate_of]
            copy = None if of is None else _overlap_of(max(row, of), min(row, of), edges, judge)
            yield StoryRow(row, founder, member.relation, of, copy)


class _ArticleJudge:
    """What two rows are to each other that were not found together."""

    def __init__(self, between: JudgePair, rows: Mapping[str, int]) -> None:
        self.rows = rows
        self.copies: dict[tuple[int, int], float | None] = {}
        self._between = between

    def __call__(self, a: str, b: str) -> Decision:
        later, earlier = sorted((self.rows[a], self.rows[b]), reverse=True)
        judgement = self._between(later, earlier)
        self.copies[later, earlier] = judgement.copy
        return judgement.decision


def _overlap_of(later: int, earlier: int, edges: Edges, ask: _ArticleJudge) -> float | None:
    """How much text two rows share, where that is known."""
    pair = later, earlier
    return edges[pair].copy if pair in edges else ask.copies.get(pair)
