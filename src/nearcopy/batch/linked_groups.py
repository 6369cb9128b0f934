"""Clusters within one group of linked rows, for the local and the Spark pipeline.

A group is small enough for objects: `nearcopy.cluster` decides which rows are duplicates of which.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import nearcopy.kernels as kernels
from nearcopy.batch.column_rules import NO_SIMHASH, overlap_shares
from nearcopy.batch.corpus_settings import Settings
from nearcopy.cluster.kept_copy import by_age
from nearcopy.cluster.stories import assign_story_ids, group_articles
from nearcopy.config import Policy
from nearcopy.config.units import NO_TIME, from_micros
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.compare import Pair
from nearcopy.match.decide import decide
from nearcopy.match.eligibility import NOT_COMPARED, sources_comparable
from nearcopy.match.judgement import Articles, Judgement, are_promising, judge_pairs
from nearcopy.models import Decision, Edge, Evidence, Fingerprint, Relation

UNDATED_TIME = datetime(9000, 1, 1, tzinfo=UTC)  # undated rows follow in input order
RowPair = tuple[int, int]  # the larger row number first
Edges = dict[RowPair, Edge]
Fingerprints = Mapping[int, Fingerprint]  # by row
JudgePair = Callable[[int, int], Judgement]


class ClusteredRow(NamedTuple):
    """A row of a story."""

    row: int
    founder: int  # the row that the story is named after
    relation: Relation | None
    of: int | None  # the kept copy; None for the kept copy itself
    overlap: float | None  # with the kept copy, where it was measured


def cluster_linked(
    fingerprints: Fingerprints,
    edges: Edges,
    policy: Policy,
    judge_pair: JudgePair,
    references: int = 0,
) -> Iterator[ClusteredRow]:
    """The rows of the stories of a group; `judge_pair` judges rows that share no key.

    Rows below `references` are references, which are kept before all others.
    """
    rows = {fingerprint.id: row for row, fingerprint in fingerprints.items()}
    judgements: dict[RowPair, Edge | Judgement] = {**edges}

    def judge(a: str, b: str) -> Decision:
        pair = row_pair(rows[a], rows[b])
        if pair not in judgements:
            judgements[pair] = judge_pair(*pair)
        return judgements[pair].decision

    preferred = {fingerprint.id: 1 for row, fingerprint in fingerprints.items() if row < references}
    groups = group_articles(
        fingerprints.values(), edges.values(), policy, judge=judge, preferred=preferred
    )
    for story in assign_story_ids(groups).stories:
        members = [rows[member.id] for member in story.members]
        founder = min(members, key=lambda row: by_age(fingerprints[row]))
        for row, member in zip(members, story.members, strict=True):
            of = None if member.duplicate_of is None else rows[member.duplicate_of]
            judgement = None if of is None else judgements.get(row_pair(row, of))
            overlap = None if judgement is None else judgement.overlap
            yield ClusteredRow(row, founder, member.relation, of, overlap)


def row_pair(a: int, b: int) -> RowPair:
    """The two rows, the larger number first."""
    return max(a, b), min(a, b)


def place_undated(fingerprint: Fingerprint, row: int = 0) -> Fingerprint:
    """The fingerprint; an undated one is seen after all dated ones, in the order of the rows."""
    if fingerprint.published is not None or fingerprint.seen is not None:
        return fingerprint
    return replace(fingerprint, seen=UNDATED_TIME + timedelta(microseconds=row))


def optional_time(micros: int) -> int | None:
    """The time in a column, None for NO_TIME."""
    return None if micros == NO_TIME else micros


# Texts alone.


class TextPair(NamedTuple):
    """The measures of the texts of two rows."""

    a: int
    b: int
    relation: Relation
    overlap: float
    containment: float
    hamming: int


def text_fingerprint(
    row: int, article_id: str, words: int, published: int, seen: int, source: int = 0
) -> Fingerprint:
    """What is needed of a row to cluster texts; a source of 0 is unknown."""
    fingerprint = Fingerprint(
        id=article_id,
        words=words,
        published=from_micros(optional_time(published)),
        seen=from_micros(optional_time(seen)),
        source=str(source) if source else None,
    )
    return place_undated(fingerprint, row)


def cluster_linked_texts(
    fingerprints: Fingerprints,
    links: Iterable[TextPair],
    settings: Settings,
    read_text: Callable[[int], tuple[str, bool]],
    references: int = 0,
) -> Iterator[ClusteredRow]:
    """The rows of the stories of a group; `read_text` returns a text and whether it is HTML."""
    read_once = cache(read_text)

    def judge_link(link: TextPair) -> Judgement:
        evidence = Evidence(
            same_text=link.relation is Relation.SAME_TEXT,
            distance=link.hamming if settings.recipe.simhash else None,
            overlap=link.overlap,
            containment=link.containment,
            exact=True,
            words=min(fingerprints[link.a].words, fingerprints[link.b].words),
        )
        return Judgement(evidence, decide(evidence, settings.policy), 0.0, link.overlap)

    def judge_texts(a: int, b: int) -> Judgement:
        if not sources_comparable(fingerprints[a], fingerprints[b], settings.policy):
            return Judgement(Evidence(), NOT_COMPARED, 0.0, None)
        return judge_link(_measure_texts(a, b, settings, read_once))

    edges = {
        row_pair(link.a, link.b): Edge(
            fingerprints[link.a].id, fingerprints[link.b].id, *judge_link(link)[1:]
        )
        for link in links
    }
    return cluster_linked(fingerprints, edges, settings.policy, judge_texts, references)


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


def judge_candidates(
    pairs: Sequence[Pair], settings: Settings, articles: Articles
) -> list[tuple[int, Judgement]]:
    """The judgements of pairs that have something in common, with their positions."""
    policy = settings.policy
    both = RowPairs.of(pairs)
    (places,) = np.nonzero(are_promising(both, policy))
    older_first = both.take(places).older_first()
    judgements = judge_pairs(older_first, settings.recipe, policy, articles)
    (related,) = np.nonzero(~judgements.decisions.nothing_in_common)
    return list(zip(places[related].tolist(), judgements.rows(related.tolist()), strict=True))


def judge_pair(a: Fingerprint, b: Fingerprint, settings: Settings, articles: Articles) -> Judgement:
    """The judgement of two articles that need not share a key."""
    if not sources_comparable(a, b, settings.policy):
        return Judgement(Evidence(), NOT_COMPARED, 0.0, None)
    pair = RowPairs.of([(a, b)]).older_first()
    return judge_pairs(pair, settings.recipe, settings.policy, articles)[0]
