"""Stories of a corpus where more than texts counts: one linked group after another."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from nearcopy import kernels
from nearcopy.cluster import grouped, named
from nearcopy.config import Policy
from nearcopy.corpus.counting import CODE
from nearcopy.corpus.job import Job
from nearcopy.corpus.judging import FOLDER, People, blocks, edges_in
from nearcopy.corpus.likes import given_rows, names_of
from nearcopy.corpus.packs import Pack
from nearcopy.corpus.table import table_of
from nearcopy.corpus.told import FILE, Told
from nearcopy.judge import Judgement
from nearcopy.keeper import by_age
from nearcopy.links import is_link
from nearcopy.model import Decision, Edge, Fingerprint, Relation

Edges = dict[tuple[int, int], Edge]


def tell_stories(job: Job, _: int = 0) -> None:
    """Writes what each row is."""
    count = len(table_of(job))
    told = Told.alone(count)
    for edges in _groups(job, count):
        _tell(job, told, edges)
    told.write(job.work / FILE)


def _groups(job: Job, count: int) -> Iterator[Edges]:
    """What is between the rows of each linked group."""
    edges = all_edges(job)
    links = [pair for pair, edge in edges.items() if is_link(edge.decision, job.policy)]
    labels = kernels.components(count, np.array(links, np.uint32).reshape(-1, 2)).tolist()
    linked = {labels[row] for pair in links for row in pair}
    found: dict[int, Edges] = defaultdict(dict)
    for pair, edge in edges.items():
        if labels[pair[0]] == labels[pair[1]] in linked:
            found[labels[pair[0]]][pair] = edge
    return iter(found.values())


def all_edges(job: Job) -> Edges:
    """All that was found between rows, the later one first."""
    packs = [Pack(job.folder(FOLDER) / f"{block:06d}.pack") for block in blocks(job)]
    ends = [pack.read(name) for pack in packs for name in ("later", "earlier")]
    names = names_of(job, np.unique(np.concatenate([np.zeros(0, np.uint32), *ends])))
    return {(a, b): edge for pack in packs for a, b, edge in edges_in(pack, names)}


def _tell(job: Job, told: Told, edges: Edges) -> None:
    people = People(job)
    rows = sorted({row for pair in edges for row in pair})
    people.know(rows)
    made = {row: people.one(row) for row in rows}
    given = given_rows(table_of(job), job)
    preferred = {each.id: 1 for row, each in made.items() if row < given}
    for each in told_among(made, edges, job.policy, people.between, preferred):
        told.founder[each.row] = each.founder
        if each.relation is not None:
            told.relation[each.row] = CODE[each.relation]
        if each.of is not None:
            told.of[each.row] = each.of
            told.overlap[each.row] = np.nan if each.overlap is None else each.overlap


class Telling(NamedTuple):
    """What a row of a story is."""

    row: int
    founder: int  # the row that the story is named after
    relation: Relation | None
    of: int | None  # the kept copy; None for what is kept
    overlap: float | None


Between = Callable[[int, int], Judgement]


def told_among(
    made: Mapping[int, Fingerprint],
    edges: Edges,
    policy: Policy,
    between: Between,
    preferred: Mapping[str, int],
) -> Iterator[Telling]:
    """What each row of a linked group is; `between` judges rows that were not found together."""
    ask = _Judge(between, {each.id: row for row, each in made.items()})
    found = named(grouped(made.values(), edges.values(), policy, judge=ask, preferred=preferred))
    for story in found.stories:
        rows = [ask.rows[member.id] for member in story.members]
        founder = min(rows, key=lambda row: by_age(made[row]))
        for row, member in zip(rows, story.members, strict=True):
            of = None if member.duplicate_of is None else ask.rows[member.duplicate_of]
            copy = None if of is None else _copy(max(row, of), min(row, of), edges, ask)
            yield Telling(row, founder, member.relation, of, copy)


class _Judge:
    """What two rows are to each other that were not found together."""

    def __init__(self, between: Between, rows: Mapping[str, int]) -> None:
        self.rows = rows
        self.copies: dict[tuple[int, int], float | None] = {}
        self._between = between

    def __call__(self, a: str, b: str) -> Decision:
        later, earlier = sorted((self.rows[a], self.rows[b]), reverse=True)
        judgement = self._between(later, earlier)
        self.copies[later, earlier] = judgement.copy
        return judgement.decision


def _copy(later: int, earlier: int, edges: Edges, ask: _Judge) -> float | None:
    """How much text two rows share, where that is known."""
    pair = later, earlier
    return edges[pair].copy if pair in edges else ask.copies.get(pair)
