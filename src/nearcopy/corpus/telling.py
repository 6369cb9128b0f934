"""Telling: from what rows are to each other to the copies that are kept, for texts alone.

Most groups are stars at once: the best of them is found to be like all others. The rest is told
by `cluster`, which asks where it has to.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.corpus.counting import CODE, FOLDER, RELATIONS
from nearcopy.corpus.job import Job
from nearcopy.corpus.likes import FILE as LIKES
from nearcopy.corpus.likes import ranking_of
from nearcopy.corpus.packs import Pack
from nearcopy.corpus.pairing import blocks
from nearcopy.corpus.ranking import Ranking
from nearcopy.corpus.settled import Between, Settled, settled
from nearcopy.corpus.sharing import ascending
from nearcopy.corpus.table import table_of
from nearcopy.corpus.told import FILE, NONE, Told
from nearcopy.model import Relation

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

    def only(self, some: NDArray[np.bool_] | Numbers) -> "Edges":
        """Some of them."""
        columns: list[Any] = [each[some] for each in self]
        return Edges(*columns)


def tell(job: Job, _: int = 0) -> None:
    """Writes what each row is."""
    table = table_of(job)
    like = Pack(job.work / LIKES).read("like").astype(np.int64)
    told, ranking = Told.alone(len(table)), ranking_of(table, job)
    edges = read_edges(job)
    copies = [CODE[relation] for relation in job.policy.duplicates]
    joining = edges.only(np.isin(edges.relation, copies))
    if len(joining.later):
        ends = np.stack([joining.later, joining.earlier], axis=1).astype(np.uint32)
        labels = kernels.components(len(table), ends)
        left = _stars(job, told, ranking, joining, labels, like)
        for group, among in _groups(edges, labels, left):
            _settle(job, told, like, group, among)
    _echo(told, like)
    _found(told, ranking)
    told.write(job.work / FILE)


def read_edges(job: Job) -> Edges:
    """All that was found between rows."""
    packs = [Pack(job.folder(FOLDER) / f"{block:06d}.pack") for block in blocks(job)]
    columns = (np.concatenate([p.read(name) for p in packs] or [NOTHING]) for name in Edges._fields)
    later, earlier, *rest = columns
    return Edges(later.astype(np.int64), earlier.astype(np.int64), *rest)


def _stars(
    job: Job,
    told: Told,
    ranking: Ranking,
    joining: Edges,
    labels: NDArray[np.uint32],
    like: Numbers,
) -> Numbers:
    """Tells the groups whose best row is found to be like all others; the labels of the rest."""
    rows = ascending(np.concatenate([joining.later, joining.earlier]))
    names, groups, sizes = np.unique(labels[rows], return_inverse=True, return_counts=True)
    kept = ranking.best(groups, rows, job.policy.keep)
    place = np.searchsorted(names, labels[joining.later])
    best = kept[place]
    ours = (joining.later == best) | (joining.earlier == best)
    linked = np.bincount(place[ours], minlength=len(names))
    copied = np.bincount(like, minlength=len(like))[rows]  # how many rows each stands for
    members = np.bincount(groups, copied)
    simple = (linked == sizes - 1) & (members <= job.policy.largest_story)
    clear = ours & simple[place]
    others = np.where(joining.later == best, joining.earlier, joining.later)[clear]
    told.of[others] = best[clear]
    told.relation[others] = joining.relation[clear]
    told.overlap[others] = joining.overlap[clear]
    left: Numbers = names[~simple].astype(np.int64)
    return left


def _groups(edges: Edges, labels: NDArray[np.uint32], left: Numbers) -> list[tuple[Numbers, Edges]]:
    """The rows of each group that is left, and all that is between them."""
    if not len(left):
        return []
    among = np.isin(labels[edges.later], left) & (labels[edges.later] == labels[edges.earlier])
    rest = edges.only(among)
    rest = rest.only(np.argsort(labels[rest.later], kind="stable"))
    starts = np.flatnonzero(np.diff(labels[rest.later].astype(np.int64), prepend=-1))
    parts = [
        rest.only(np.arange(a, b))
        for a, b in zip(starts, [*starts[1:], len(rest.later)], strict=True)
    ]
    return [(ascending(np.concatenate([each.later, each.earlier])), each) for each in parts]


def _settle(job: Job, told: Told, like: Numbers, group: Numbers, among: Edges) -> None:
    """Tells one group as `cluster` does."""
    links = [
        Between(int(a), int(b), RELATIONS[how], float(overlap), float(held), int(bits))
        for a, b, how, overlap, held, bits in zip(*(each.tolist() for each in among), strict=True)
    ]
    rows = group
    if len(group) > job.policy.largest_story or _standing(like, group) > job.policy.largest_story:
        echoes = np.flatnonzero(np.isin(like, group) & (like != np.arange(len(like))))
        links += [
            Between(int(row), int(like[row]), Relation.SAME_TEXT, 1.0, 1.0, 64) for row in echoes
        ]
        rows = ascending(np.concatenate([group, echoes]))
    for found in settled(job, rows, links):
        _put(told, found)


def _standing(like: Numbers, group: Numbers) -> int:
    return int(np.isin(like, group).sum())


def _put(told: Told, found: Settled) -> None:
    told.of[found.row] = found.of
    told.relation[found.row] = CODE[found.relation]
    told.overlap[found.row] = np.nan if found.overlap is None else found.overlap


def _echo(told: Told, like: Numbers) -> None:
    """What says the same as another is to the kept copy what that one is."""
    rows = np.flatnonzero(like != np.arange(len(like)))
    rows = rows[told.of[rows] == NONE]
    stands = like[rows]
    kept = told.of[stands] == NONE
    told.of[rows] = np.where(kept, stands, told.of[stands])
    told.relation[rows] = np.where(kept, CODE[Relation.SAME_TEXT], told.relation[stands])
    told.overlap[rows] = np.where(kept, 1.0, told.overlap[stands])


def _found(told: Told, ranking: Ranking) -> None:
    """Names every story after the earliest of its rows."""
    copies = np.flatnonzero(told.of != NONE)
    kept, groups = np.unique(told.of[copies].astype(np.int64), return_inverse=True)
    rows = np.concatenate([copies, kept])
    groups = np.concatenate([groups, np.arange(len(kept))])
    if len(rows):
        founders = ranking._replace(given=0).best(groups, rows, ())
        told.founder[rows] = founders[groups]
