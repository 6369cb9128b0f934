"""Decisions and clusters within one group of linked rows, for the local and the Spark pipeline.

A group is small enough for objects: `nearcopy.cluster` decides which rows are duplicates of which.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

import nearcopy.kernels as kernels
from nearcopy.batch.output_columns import Settings
from nearcopy.batch.text_relations import NO_SIMHASH
from nearcopy.cluster.kept_copy import by_age
from nearcopy.cluster.stories import assign_story_ids, group_articles
from nearcopy.config import Policy
from nearcopy.config.units import from_micros
from nearcopy.match.compare import Pair
from nearcopy.match.decide import decide
from nearcopy.match.eligibility import NO_TIME, NOT_COMPARED, sources_comparable
from nearcopy.match.judgement import Articles, Judgement, are_promising, judge_pairs
from nearcopy.models import Decision, Edge, Evidence, Fingerprint, Relation

UNDATED_TIME = datetime(9000, 1, 1, tzinfo=UTC)  # undated rows follow in input order


class TextPair(NamedTuple):
    """The measures of the texts of two rows."""

    a: int
    b: int
    relation: Relation
    overlap: float
    containment: float
    hamming: int


class DuplicateRow(NamedTuple):
    """A duplicate, its kept copy, and their overlap where it was measured."""

    row: int
    of: int
    relation: Relation
    overlap: float | None


def undated_time(row: int) -> datetime:
    """The time seen of an undated row: in input order, after all dated rows."""
    return UNDATED_TIME + timedelta(microseconds=row)


class LinkedRows(NamedTuple):
    """The rows of a linked group, with what is needed to compare their texts."""

    rows: list[int]
    ids: Mapping[int, str]
    words: Mapping[int, int]
    published: list[int]
    seen: list[int]
    sources: Mapping[int, int]  # empty where the policy does not compare them
    texts: Callable[[list[int]], tuple[list[str], list[bool]]]  # of rows in ascending order
    references: int = 0  # rows below this one are references


def cluster_linked_texts(
    group: LinkedRows, links: Sequence[TextPair], settings: Settings
) -> Iterator[DuplicateRow]:
    """The duplicates among the rows of a group; pairs that share no key are measured on demand."""
    judge = _TextJudge(settings, group)
    for link in links:
        judge.add(link)
    preferred = {group.ids[row]: 1 for row in group.rows if row < group.references}
    edges = (judge.edge(link) for link in links)
    fingerprints = _fingerprints(group)
    clusters = group_articles(
        fingerprints, edges, settings.policy, judge=judge, preferred=preferred
    )
    for duplicates in clusters.groups:
        kept = judge.rows[duplicates.kept.copy.id]
        for ranked, decision in duplicates.others:
            row = judge.rows[ranked.copy.id]
            yield DuplicateRow(row, kept, decision.relation, judge.overlap(kept, row))


def _fingerprints(group: LinkedRows) -> list[Fingerprint]:
    times = zip(group.rows, group.published, group.seen, strict=True)
    return [
        Fingerprint(
            id=group.ids[row],
            words=group.words[row],
            published=None if out == NO_TIME else from_micros(out),
            seen=undated_time(row)
            if at == NO_TIME and out == NO_TIME
            else from_micros(at)
            if at != NO_TIME
            else None,
        )
        for row, out, at in times
    ]


class _TextJudge:
    """Decides pairs of rows by their texts."""

    def __init__(self, settings: Settings, group: LinkedRows) -> None:
        self.rows = {article_id: row for row, article_id in group.ids.items()}
        self._settings, self._group = settings, group
        self._ids, self._words, self._sources = group.ids, group.words, group.sources
        self._measured: dict[tuple[int, int], TextPair] = {}
        self._texts: dict[int, tuple[str, bool]] = {}

    def add(self, link: TextPair) -> None:
        """Add a measured pair."""
        self._measured[min(link.a, link.b), max(link.a, link.b)] = link

    def edge(self, link: TextPair) -> Edge:
        """The edge of a measured pair."""
        return Edge(self._ids[link.a], self._ids[link.b], self._decision(link), 0.0, link.overlap)

    def overlap(self, a: int, b: int) -> float | None:
        """The overlap of two rows, where it was measured."""
        link = self._measured.get((min(a, b), max(a, b)))
        return link.overlap if link else None

    def __call__(self, a: str, b: str) -> Decision:
        one, other = sorted((self.rows[a], self.rows[b]))
        if not self._fit(one, other):
            return NOT_COMPARED
        if (one, other) not in self._measured:
            self.add(self._measure(one, other))
        return self._decision(self._measured[one, other])

    def _fit(self, a: int, b: int) -> bool:
        """Whether the policy compares rows of these sources."""
        sources = self._settings.policy.sources
        if sources == "any":
            return True
        return (self._sources[a] == self._sources[b] != 0) == (sources == "within")

    def _decision(self, link: TextPair) -> Decision:
        evidence = Evidence(
            same_text=link.relation is Relation.SAME_TEXT,
            distance=link.hamming if self._settings.recipe.simhash else None,
            overlap=link.overlap,
            containment=link.containment,
            exact=True,
            words=min(self._words[link.a], self._words[link.b]),
        )
        return decide(evidence, self._settings.policy)

    def _measure(self, a: int, b: int) -> TextPair:
        self._read({a, b} - self._texts.keys())
        recipe = self._settings.recipe
        features = self._settings.features
        texts = [self._texts[a][0], self._texts[b][0]]
        html = [self._texts[a][1], self._texts[b][1]]
        sketches = kernels.sketch(texts, recipe, html=html)
        hamming = NO_SIMHASH
        if recipe.simhash:
            hamming = int(sketches.simhash[0] ^ sketches.simhash[1]).bit_count()
        same = (sketches.digest[0] == sketches.digest[1]).all()
        pair = np.array([[0, 1]], np.uint64)
        sizes, (shared,) = kernels.pair_overlaps(texts, recipe, features, pair, html=html)
        shared, small, union = int(shared), int(sizes.min()), int(sizes.sum()) - int(shared)
        relation = Relation.SAME_TEXT if same else Relation.DISTINCT
        return TextPair(a, b, relation, shared / max(1, union), shared / max(1, small), hamming)

    def _read(self, rows: set[int]) -> None:
        if rows:
            missing = sorted(rows)
            texts, html = self._group.texts(missing)
            pairs = zip(texts, html, strict=True)
            self._texts |= dict(zip(missing, pairs, strict=True))


class StoryRow(NamedTuple):
    """A row of a story."""

    row: int
    founder: int  # the row that the story is named after
    relation: Relation | None
    of: int | None  # the kept copy; None for the kept copy itself
    overlap: float | None


ArticleEdges = dict[tuple[int, int], Edge]  # by row numbers, the later row first
JudgePair = Callable[[int, int], Judgement]


def cluster_linked_articles(
    fingerprints: Mapping[int, Fingerprint],
    edges: ArticleEdges,
    policy: Policy,
    judge_pair: JudgePair,
    preferred: Mapping[str, int],
) -> Iterator[StoryRow]:
    """The rows of the stories of a group; `judge_pair` judges rows that share no key."""
    judge = _ArticleJudge(
        judge_pair, {fingerprint.id: row for row, fingerprint in fingerprints.items()}
    )
    clusters = assign_story_ids(
        group_articles(
            fingerprints.values(), edges.values(), policy, judge=judge, preferred=preferred
        )
    )
    for story in clusters.stories:
        rows = [judge.rows[member.id] for member in story.members]
        founder = min(rows, key=lambda row: by_age(fingerprints[row]))
        for row, member in zip(rows, story.members, strict=True):
            of = None if member.duplicate_of is None else judge.rows[member.duplicate_of]
            overlap = None if of is None else _overlap_of(max(row, of), min(row, of), edges, judge)
            yield StoryRow(row, founder, member.relation, of, overlap)


class _ArticleJudge:
    """Decides pairs of rows that share no key."""

    def __init__(self, judge_pair: JudgePair, rows: Mapping[str, int]) -> None:
        self.rows = rows
        self.overlaps: dict[tuple[int, int], float | None] = {}
        self._judge_pair = judge_pair

    def __call__(self, a: str, b: str) -> Decision:
        later, earlier = sorted((self.rows[a], self.rows[b]), reverse=True)
        judgement = self._judge_pair(later, earlier)
        self.overlaps[later, earlier] = judgement.overlap
        return judgement.decision


def _overlap_of(
    later: int, earlier: int, edges: ArticleEdges, judge: _ArticleJudge
) -> float | None:
    """The overlap of two rows, where it is known."""
    pair = later, earlier
    return edges[pair].overlap if pair in edges else judge.overlaps.get(pair)


def decode_decision(values: Sequence[Any]) -> Decision:
    """A decision from its JSON array."""
    relation, rule, confidence, duplicate, reason, flags = values
    return Decision(Relation(relation), rule, confidence, duplicate, reason, tuple(flags))


def judge_candidates(
    pairs: Sequence[Pair], settings: Settings, articles: Articles
) -> list[tuple[int, Judgement]]:
    """The judgements of pairs that have something in common, with their positions."""
    policy = settings.policy
    is_promising = are_promising(pairs, policy)
    places = list(compress(range(len(pairs)), is_promising))
    by_time = [
        (a, b) if by_age(a) <= by_age(b) else (b, a) for a, b in compress(pairs, is_promising)
    ]
    judgements = zip(places, judge_pairs(by_time, settings.recipe, policy, articles), strict=True)
    return [
        judgement for judgement in judgements if judgement[1].decision.rule != "nothing-in-common"
    ]


def judge_pair(a: Fingerprint, b: Fingerprint, settings: Settings, articles: Articles) -> Judgement:
    """The judgement of two articles that need not share a key."""
    one, other = sorted((a, b), key=by_age)
    if not sources_comparable(one, other, settings.policy):
        return Judgement(Evidence(), NOT_COMPARED, 0.0, None)
    return judge_pairs([(one, other)], settings.recipe, settings.policy, articles)[0]
