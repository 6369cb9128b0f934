"""Clusters within one group of linked rows, for the local and the Spark pipeline.

A group is small enough for objects: `nearcopy.cluster` decides which rows are duplicates of which.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.batch.column_rules import (
    CODE,
    NO_SIMHASH,
    TextMeasures,
    judge_texts,
    overlap_shares,
)
from nearcopy.batch.corpus_settings import Settings
from nearcopy.cluster.duplicate_groups import OversizedGroup
from nearcopy.cluster.stories import assign_story_ids, group_articles
from nearcopy.config import Policy
from nearcopy.config.units import NO_TIME, from_micros
from nearcopy.deduper.verdicts import duplicate_verdict
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.eligibility import NOT_COMPARED, sources_comparable
from nearcopy.match.judgement import Articles, Judgement, judge_candidates, judge_pairs
from nearcopy.models import Decision, Edge, Evidence, Fingerprint, Relation, Story, Verdict

RowPair = tuple[int, int]  # the larger row number first
Edges = dict[RowPair, Edge]
Fingerprints = Mapping[int, Fingerprint]  # by row
JudgePair = Callable[[int, int], Judgement]


class ClusteredRow(NamedTuple):
    """A row of a story."""

    row: int
    story: str
    of: int | None = None  # the kept copy; None for the kept copy itself
    verdict: Verdict | None = None  # None for kept copies, whose other edges decide it
    kept_because: str | None = None  # of a kept copy that was compared with its duplicates


class Clusters(NamedTuple):
    """The rows of the stories of a group, and the stories that became too large."""

    rows: list[ClusteredRow]
    oversized: tuple[OversizedGroup, ...]

    def without_reasons(self) -> "Clusters":
        """The clusters without why copies are kept."""
        return self._replace(rows=[row._replace(kept_because=None) for row in self.rows])


def cluster_linked(
    fingerprints: Fingerprints,
    edges: Edges,
    policy: Policy,
    judge_pair: JudgePair,
    references: int = 0,
) -> Clusters:
    """The clusters of a group; `judge_pair` judges rows that share no key.

    Rows below `references` are references, which are kept before all others.
    """
    rows = {fingerprint.id: row for row, fingerprint in fingerprints.items()}
    judged = dict(edges)

    def judge(a: str, b: str) -> Decision:
        pair = row_pair(rows[a], rows[b])
        if pair not in judged:
            judged[pair] = judge_pair(*pair).edge(a, b)._replace(on_demand=True)
        return judged[pair].decision

    preferred = {fingerprint.id: 1 for row, fingerprint in fingerprints.items() if row < references}
    groups = group_articles(
        fingerprints.values(), edges.values(), policy, judge=judge, preferred=preferred
    )
    clustering = assign_story_ids(groups)
    stories = (_story_rows(story, rows, judged) for story in clustering.stories)
    return Clusters(list(chain.from_iterable(stories)), clustering.oversized)


def _story_rows(story: Story, rows: Mapping[str, int], edges: Edges) -> Iterator[ClusteredRow]:
    compared: set[str | None] = set()  # the kept copies that have edges to their duplicates
    for member in story.members:
        if member.duplicate_of is not None:
            row, of = rows[member.id], rows[member.duplicate_of]
            edge = edges.get(row_pair(row, of))
            compared |= {member.duplicate_of} if edge else set()
            yield ClusteredRow(row, story.id, of, duplicate_verdict(story.id, member, edge))
    for member in story.members:
        if member.duplicate_of is None:
            why = story.why if member.id == story.kept else member.why
            because = why if member.id in compared else None
            yield ClusteredRow(rows[member.id], story.id, kept_because=because)


def row_pair(a: int, b: int) -> RowPair:
    """The two rows, the larger number first."""
    return max(a, b), min(a, b)


def optional_time(micros: int) -> int | None:
    """The time in a column, None for NO_TIME."""
    return None if micros == NO_TIME else micros


# Texts alone.


MEASURES = ("relation", "overlap", "containment", "hamming")  # of the texts of two rows
SAME_TEXT = (CODE[Relation.SAME_TEXT], 1.0, 1.0, 0)  # those of equal texts


class TextPair(NamedTuple):
    """The measures of the texts of two rows."""

    a: int
    b: int
    relation: Relation
    overlap: float
    containment: float
    hamming: int


def text_fingerprint(
    article_id: str, words: int, published: int, seen: int, source: int = 0
) -> Fingerprint:
    """What is needed of a row to cluster texts; a source of 0 is unknown."""
    return Fingerprint(
        id=article_id,
        words=words,
        published=from_micros(optional_time(published)),
        seen=from_micros(optional_time(seen)),
        source=str(source) if source else None,
    )


def judge_text_pairs(
    pairs: Sequence[TextPair], words: Sequence[int], settings: Settings
) -> list[Judgement]:
    """The judgements of texts, of which the shorter of each two has so many words."""
    _, _, relations, overlaps, containments, distances = (
        zip(*pairs, strict=True) if pairs else [()] * 6
    )
    measures = TextMeasures(
        np.array([relation is Relation.SAME_TEXT for relation in relations], np.bool_),
        np.array(words, np.int64),
        np.array(overlaps, np.float64),
        np.array(containments, np.float64),
        np.array(distances, np.int64),
    )
    return list(judge_texts(measures, settings))


def cluster_linked_texts(
    fingerprints: Fingerprints,
    links: Iterable[TextPair],
    settings: Settings,
    read_text: Callable[[int], tuple[str, bool]],
    references: int = 0,
) -> Clusters:
    """The clusters of a group; `read_text` returns a text and whether it is HTML."""
    read_once = cache(read_text)

    def judge_all(pairs: Sequence[TextPair]) -> list[Judgement]:
        words = [min(fingerprints[pair.a].words, fingerprints[pair.b].words) for pair in pairs]
        return judge_text_pairs(pairs, words, settings)

    def judge(a: int, b: int) -> Judgement:
        if not sources_comparable(fingerprints[a], fingerprints[b], settings.policy):
            return Judgement(Evidence(), NOT_COMPARED, 0.0, None)
        return judge_all([_measure_texts(a, b, settings, read_once)])[0]

    listed = list(links)
    edges = {
        row_pair(link.a, link.b): judgement.edge(fingerprints[link.a].id, fingerprints[link.b].id)
        for link, judgement in zip(listed, judge_all(listed), strict=True)
    }
    return cluster_linked(fingerprints, edges, settings.policy, judge, references)


def _measure_texts(
    a: int, b: int, settings: Settings, read_text: Callable[[int], tuple[str, bool]]
) -> TextPair:
    recipe = settings.recipe
    sides = read_text(a), read_text(b)
    texts, html = [text for text, _ in sides], [is_html for _, is_html in sides]
    sketches = kernels.sketch(texts, recipe, html=html)
    hamming = NO_SIMHASH
    if recipe.simhash:
        hamming = int(sketches.simhash[0] ^ sketches.simhash[1]).bit_count()
    same = (sketches.digest[0] == sketches.digest[1]).all()
    relation = Relation.SAME_TEXT if same else Relation.DISTINCT
    (overlap,), (containment,) = overlap_shares(settings, texts, html, np.array([[0, 1]]))
    return TextPair(a, b, relation, float(overlap), float(containment), hamming)


# Whole articles.


def decode_decision(values: Sequence[Any]) -> Decision:
    """A decision from its JSON array."""
    relation, rule, confidence, duplicate, reason, flags = values
    return Decision(Relation(relation), rule, confidence, duplicate, reason, tuple(flags))


class RelatedPairs(NamedTuple):
    """The pairs that have something in common, in columns: where they stand, and their edges."""

    places: NDArray[np.int64]
    decisions: list[Decision]
    event_score: NDArray[np.float64]
    overlap: NDArray[np.float64]  # NaN where it is unknown


def judge_related(pairs: RowPairs, settings: Settings, articles: Articles) -> RelatedPairs:
    """Those of the pairs that have something in common."""
    places, judgements = judge_candidates(pairs, settings.recipe, settings.policy, articles)
    (related,) = np.nonzero(~judgements.decisions.nothing_in_common)
    return RelatedPairs(
        places[related],
        judgements.decisions.rows(related.tolist()),
        judgements.event_score[related],
        judgements.overlap[related],
    )


def judge_pair(a: Fingerprint, b: Fingerprint, settings: Settings, articles: Articles) -> Judgement:
    """The judgement of two articles that need not share a key."""
    if not sources_comparable(a, b, settings.policy):
        return Judgement(Evidence(), NOT_COMPARED, 0.0, None)
    pair = RowPairs.of([(a, b)]).older_first()
    return judge_pairs(pair, settings.recipe, settings.policy, articles)[0]
