"""Settled: groups of like texts in which not all are like the best, told by `cluster`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np

from nearcopy import kernels
from nearcopy.cluster import grouped
from nearcopy.corpus.job import Job, Settings
from nearcopy.corpus.likes import given_rows, names_of
from nearcopy.corpus.packs import Array
from nearcopy.corpus.ranking import Numbers
from nearcopy.corpus.table import table_of
from nearcopy.corpus.taking import NEVER
from nearcopy.corpus.texts import Texts
from nearcopy.decide import decide
from nearcopy.judge import NOT_COMPARED
from nearcopy.model import Decision, Edge, Evidence, Fingerprint, Relation
from nearcopy.stores.rows import moment

AFTER_ALL = datetime(9000, 1, 1, tzinfo=UTC)  # rows without a date follow in their order


class Between(NamedTuple):
    """What was measured between the texts of two rows."""

    a: int
    b: int
    relation: Relation
    overlap: float
    containment: float
    equal_bits: int


class Settled(NamedTuple):
    """A copy, what it is a copy of, and how much they share where that is known."""

    row: int
    of: int
    relation: Relation
    overlap: float | None


def after_all(row: int) -> datetime:
    """When a row was seen that bears no date: in its order, after all that do."""
    return AFTER_ALL + timedelta(microseconds=row)


def settled(job: Job, rows: Numbers, links: Sequence[Between]) -> Iterator[Settled]:
    """The copies among rows that are linked."""
    table = table_of(job)
    sourced = job.policy.sources != "any"
    group = Group(
        rows=rows.tolist(),
        names=names_of(job, rows),
        words=_by_row(rows, table.some("words", rows)),
        published=table.some("published", rows).tolist(),
        seen=table.some("seen", rows).tolist(),
        sources=_by_row(rows, table.some("source", rows)) if sourced else {},
        texts=lambda some: Texts(job).of(np.array(some, np.int64)),
        given=given_rows(table, job),
    )
    return settled_among(group, links, job)


def _by_row(rows: Numbers, values: Array) -> dict[int, int]:
    return dict(zip(rows.tolist(), values.tolist(), strict=True))


class Group(NamedTuple):
    """Rows that are linked, and what is known of them."""

    rows: list[int]
    names: Mapping[int, str]
    words: Mapping[int, int]
    published: list[int]
    seen: list[int]
    sources: Mapping[int, int]  # nothing where the policy does not ask
    texts: Callable[[list[int]], tuple[list[str], list[bool]]]  # of rows in ascending order
    given: int = 0  # rows up to this one come before all others


def settled_among(group: Group, links: Sequence[Between], settings: Settings) -> Iterator[Settled]:
    """The copies among the rows of a group, by what was measured and what is asked."""
    judge = _Judge(settings, group)
    for link in links:
        judge.know(link)
    preferred = {group.names[row]: 1 for row in group.rows if row < group.given}
    edges = (judge.edge(link) for link in links)
    made = _fingerprints(group)
    found = grouped(made, edges, settings.policy, judge=judge, preferred=preferred)
    for star in found.stars:
        kept = judge.rows[star.kept.copy.id]
        for standing, how in star.others:
            row = judge.rows[standing.copy.id]
            yield Settled(row, kept, how.relation, judge.overlap(kept, row))


def _fingerprints(group: Group) -> list[Fingerprint]:
    times = zip(group.rows, group.published, group.seen, strict=True)
    return [
        Fingerprint(
            id=group.names[row],
            words=group.words[row],
            published=None if out == NEVER else moment(out),
            seen=after_all(row)
            if at == NEVER and out == NEVER
            else moment(at)
            if at != NEVER
            else None,
        )
        for row, out, at in times
    ]


class _Judge:
    """What two rows are to each other; of those that share no key, by their texts."""

    def __init__(self, settings: Settings, group: Group) -> None:
        self.rows = {name: row for row, name in group.names.items()}
        self._settings, self._group = settings, group
        self._names, self._words, self._sources = group.names, group.words, group.sources
        self._known: dict[tuple[int, int], Between] = {}
        self._texts: dict[int, tuple[str, bool]] = {}

    def know(self, link: Between) -> None:
        """Takes note of what was measured."""
        self._known[min(link.a, link.b), max(link.a, link.b)] = link

    def edge(self, link: Between) -> Edge:
        """What two rows are to each other, by what was measured."""
        return Edge(
            self._names[link.a], self._names[link.b], self._decision(link), 0.0, link.overlap
        )

    def overlap(self, a: int, b: int) -> float | None:
        """How much two rows share, where that was measured."""
        found = self._known.get((min(a, b), max(a, b)))
        return found.overlap if found else None

    def __call__(self, a: str, b: str) -> Decision:
        one, other = sorted((self.rows[a], self.rows[b]))
        if not self._fit(one, other):
            return NOT_COMPARED
        if (one, other) not in self._known:
            self.know(self._measured(one, other))
        return self._decision(self._known[one, other])

    def _fit(self, a: int, b: int) -> bool:
        """Whether the policy compares rows of such sources."""
        wanted = self._settings.policy.sources
        if wanted == "any":
            return True
        return (self._sources[a] == self._sources[b] != 0) == (wanted == "within")

    def _decision(self, link: Between) -> Decision:
        measured = Evidence(
            same_text=link.relation is Relation.SAME_TEXT,
            distance=64 - link.equal_bits if self._settings.recipe.simhash else None,
            overlap=link.overlap,
            containment=link.containment,
            exact=True,
            words=min(self._words[link.a], self._words[link.b]),
        )
        return decide(measured, self._settings.policy)

    def _measured(self, a: int, b: int) -> Between:
        self._read({a, b} - self._texts.keys())
        recipe = self._settings.recipe
        wanted = self._settings.features
        texts = [self._texts[a][0], self._texts[b][0]]
        html = [self._texts[a][1], self._texts[b][1]]
        made = kernels.sketch(texts, recipe, html=html)
        bits = 64 - int(made.simhash[0] ^ made.simhash[1]).bit_count() if recipe.simhash else 0
        same = (made.digest[0] == made.digest[1]).all()
        pair = np.array([[0, 1]], np.uint64)
        sizes, (shared,) = kernels.pair_overlaps(texts, recipe, wanted, pair, html=html)
        shared, small, union = int(shared), int(sizes.min()), int(sizes.sum()) - int(shared)
        relation = Relation.SAME_TEXT if same else Relation.DISTINCT
        return Between(a, b, relation, shared / max(1, union), shared / max(1, small), bits)

    def _read(self, rows: set[int]) -> None:
        if rows:
            wanted = sorted(rows)
            texts, html = self._group.texts(wanted)
            pairs = zip(texts, html, strict=True)
            self._texts |= dict(zip(wanted, pairs, strict=True))
