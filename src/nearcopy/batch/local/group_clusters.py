"""Settled: groups of like texts in which not all are like the best, told by `cluster`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np

from nearcopy import kernels
from nearcopy.batch.local.column_files import Array
from nearcopy.batch.local.exact_duplicates import count_reference_rows, ids_of
from nearcopy.batch.local.job import Job, Settings
from nearcopy.batch.local.rank import Numbers
from nearcopy.batch.local.row_reader import NEVER
from nearcopy.batch.local.row_table import table_of
from nearcopy.batch.local.text_reader import Texts
from nearcopy.cluster.stories import grouped
from nearcopy.match.decide import decide
from nearcopy.match.judge_pairs import NOT_COMPARED
from nearcopy.models.model import Decision, Edge, Evidence, Fingerprint, Relation
from nearcopy.models.timestamps import moment

UNDATED_TIME = datetime(9000, 1, 1, tzinfo=UTC)  # rows without a date follow in their order


class TextPair(NamedTuple):
    """What was measured between the texts of two rows."""

    a: int
    b: int
    relation: Relation
    overlap: float
    containment: float
    equal_bits: int


class DuplicateRow(NamedTuple):
    """A copy, what it is a copy of, and how much they share where that is known."""

    row: int
    of: int
    relation: Relation
    overlap: float | None


def undated_time(row: int) -> datetime:
    """When a row was seen that bears no date: in its order, after all that do."""
    return UNDATED_TIME + timedelta(microseconds=row)


def cluster_linked_rows(
    job: Job, rows: Numbers, links: Sequence[TextPair]
) -> Iterator[DuplicateRow]:
    """The copies among rows that are linked."""
    table = table_of(job)
    sourced = job.policy.sources != "any"
    group = LinkedRows(
        rows=rows.tolist(),
        names=ids_of(job, rows),
        words=_by_row(rows, table.take("words", rows)),
        published=table.take("published", rows).tolist(),
        seen=table.take("seen", rows).tolist(),
        sources=_by_row(rows, table.take("source", rows)) if sourced else {},
        texts=lambda members: Texts(job).of(np.array(members, np.int64)),
        references=count_reference_rows(table, job),
    )
    return cluster_linked_texts(group, links, job)


def _by_row(rows: Numbers, values: Array) -> dict[int, int]:
    return dict(zip(rows.tolist(), values.tolist(), strict=True))


class LinkedRows(NamedTuple):
    """Rows that are linked, and what is known of them."""

    rows: list[int]
    names: Mapping[int, str]
    words: Mapping[int, int]
    published: list[int]
    seen: list[int]
    sources: Mapping[int, int]  # nothing where the policy does not ask
    texts: Callable[[list[int]], tuple[list[str], list[bool]]]  # of rows in ascending order
    references: int = 0  # rows up to this one come before all others


def cluster_linked_texts(
    group: LinkedRows, links: Sequence[TextPair], settings: Settings
) -> Iterator[DuplicateRow]:
    """The copies among the rows of a group, by what was measured and what is asked."""
    judge = _TextJudge(settings, group)
    for link in links:
        judge.add(link)
    preferred = {group.names[row]: 1 for row in group.rows if row < group.references}
    edges = (judge.edge(link) for link in links)
    fingerprints = _fingerprints(group)
    clusters = grouped(fingerprints, edges, settings.policy, judge=judge, preferred=preferred)
    for star in clusters.stars:
        kept = judge.rows[star.kept.copy.id]
        for member, decision in star.others:
            row = judge.rows[member.copy.id]
            yield DuplicateRow(row, kept, decision.relation, judge.overlap(kept, row))


def _fingerprints(group: LinkedRows) -> list[Fingerprint]:
    times = zip(group.rows, group.published, group.seen, strict=True)
    return [
        Fingerprint(
            id=group.names[row],
            words=group.words[row],
            published=None if out == NEVER else moment(out),
            seen=undated_time(row)
            if at == NEVER and out == NEVER
            else moment(at)
            if at != NEVER
            else None,
        )
        for row, out, at in times
    ]


class _TextJudge:
    """What two rows are to each other; of those that share no key, by their texts."""

    def __init__(self, settings: Settings, group: LinkedRows) -> None:
        self.rows = {name: row for row, name in group.names.items()}
        self._settings, self._group = settings, group
        self._names, self._words, self._sources = group.names, group.words, group.sources
        self._known: dict[tuple[int, int], TextPair] = {}
        self._texts: dict[int, tuple[str, bool]] = {}

    def add(self, link: TextPair) -> None:
        """Takes note of what was measured."""
        self._known[min(link.a, link.b), max(link.a, link.b)] = link

    def edge(self, link: TextPair) -> Edge:
        """What two rows are to each other, by what was measured."""
        return Edge(
            self._names[link.a], self._names[link.b], self._decision(link), 0.0, link.overlap
        )

    def overlap(self, a: int, b: int) -> float | None:
        """How much two rows share, where that was measured."""
        link = self._known.get((min(a, b), max(a, b)))
        return link.overlap if link else None

    def __call__(self, a: str, b: str) -> Decision:
        one, other = sorted((self.rows[a], self.rows[b]))
        if not self._fit(one, other):
            return NOT_COMPARED
        if (one, other) not in self._known:
            self.add(self._measure(one, other))
        return self._decision(self._known[one, other])

    def _fit(self, a: int, b: int) -> bool:
        """Whether the policy compares rows of such sources."""
        sources = self._settings.policy.sources
        if sources == "any":
            return True
        return (self._sources[a] == self._sources[b] != 0) == (sources == "within")

    def _decision(self, link: TextPair) -> Decision:
        measured = Evidence(
            same_text=link.relation is Relation.SAME_TEXT,
            distance=64 - link.equal_bits if self._settings.recipe.simhash else None,
            overlap=link.overlap,
            containment=link.containment,
            exact=True,
            words=min(self._words[link.a], self._words[link.b]),
        )
        return decide(measured, self._settings.policy)

    def _measure(self, a: int, b: int) -> TextPair:
        self._read({a, b} - self._texts.keys())
        recipe = self._settings.recipe
        features = self._settings.features
        texts = [self._texts[a][0], self._texts[b][0]]
        html = [self._texts[a][1], self._texts[b][1]]
        sketches = kernels.sketch(texts, recipe, html=html)
        bits = (
            64 - int(sketches.simhash[0] ^ sketches.simhash[1]).bit_count() if recipe.simhash else 0
        )
        same = (sketches.digest[0] == sketches.digest[1]).all()
        pair = np.array([[0, 1]], np.uint64)
        sizes, (shared,) = kernels.pair_overlaps(texts, recipe, features, pair, html=html)
        shared, small, union = int(shared), int(sizes.min()), int(sizes.sum()) - int(shared)
        relation = Relation.SAME_TEXT if same else Relation.DISTINCT
        return TextPair(a, b, relation, shared / max(1, union), shared / max(1, small), bits)

    def _read(self, rows: set[int]) -> None:
        if rows:
            missing = sorted(rows)
            texts, html = self._group.texts(missing)
            pairs = zip(texts, html, strict=True)
            self._texts |= dict(zip(missing, pairs, strict=True))
