"""Judging: overlaps are counted where texts are at hand, and time has its window."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, compress

import pytest
from tests.support import synthetic_news as made_news

from nearcopy import (
    POLICIES,
    RECIPES,
    Article,
    Fingerprint,
    Policy,
    Recipe,
    Relation,
    fingerprints,
    overlap,
)
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.eligibility import are_comparable
from nearcopy.match.judgement import are_promising, judge_pairs

TEXT = (
    "harbour council voted on tuesday to close the old ferry terminal for winter while repair "
    "crews replace planks along the eastern pier and test every lamp between the two lighthouses "
    "before storms arrive next month said the mayor who promised that all boats would be moved "
    "inland without charge to their owners and returned in spring when work is finished"
)
WORDS = TEXT.split()
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def pair(shared: int) -> tuple[Article, Article]:
    other = [f"word{n}" for n in range(len(WORDS) - shared)]
    return (
        Article(id="a", text=" ".join(WORDS)),
        Article(id="b", text=" ".join(WORDS[:shared] + other)),
    )


def judgement(a: Article, b: Article, at_hand: dict[str, Article]):
    left, right = fingerprints([a, b])
    return judge_pairs(RowPairs.of([(left, right)]), Recipe(), Policy(), lambda _: at_hand)[0]


def test_the_overlap_is_counted_where_both_texts_are_at_hand():
    a, b = pair(40)
    result = judgement(a, b, {"a": a, "b": b})
    assert result.evidence.exact
    assert result.evidence.overlap == overlap(a, b).jaccard
    assert result.overlap == round(overlap(a, b).jaccard, 4)


def test_the_overlap_is_estimated_where_a_text_is_not():
    a, b = pair(40)
    assert not judgement(a, b, {"a": a}).evidence.exact


def test_no_texts_are_asked_for_where_nothing_is_shared():
    def refuse(_):
        raise AssertionError

    a, b = pair(0)
    left, right = fingerprints([a, b])
    (found,) = judge_pairs(RowPairs.of([(left, right)]), Recipe(), Policy(), refuse)
    assert found.evidence.overlap == 0


def test_each_pair_has_its_own_judgement_in_order():
    texts = [*pair(52), replace(pair(0)[1], id="c")]
    prints = list(fingerprints(texts))
    pairs = [(prints[0], prints[1]), (prints[0], prints[2]), (prints[1], prints[0])]
    articles = {article.id: article for article in texts}
    judgements = judge_pairs(RowPairs.of(pairs), Recipe(), Policy(), lambda _: articles)
    assert [judgement.decision.relation for judgement in judgements] == [
        Relation.NEAR_TEXT,
        Relation.DISTINCT,
        Relation.NEAR_TEXT,
    ]
    assert judgements[0].event_score > 0.8 > 0.2 > judgements[1].event_score


def test_without_a_minhash_likeness_is_told_by_the_simhash():
    a, b = Fingerprint(id="a", simhash=0, words=60), Fingerprint(id="b", simhash=0xFF, words=60)
    pair = RowPairs.of([(a, b)])
    judgements = judge_pairs(pair, Recipe(minhash=None), Policy(), lambda _: {})
    assert judgements[0].overlap == 1 - 8 / 64


@pytest.mark.parametrize(
    ("a", "b", "near"),
    [
        ({"published": NOON}, {"published": NOON + timedelta(days=14)}, True),
        ({"published": NOON}, {"published": NOON + timedelta(days=14, seconds=1)}, False),
        ({"published": NOON + timedelta(days=15)}, {"published": NOON}, False),
        ({"seen": NOON}, {"published": NOON, "seen": NOON - timedelta(days=20)}, False),
        ({"seen": NOON}, {"published": NOON - timedelta(days=900), "seen": NOON}, True),
        ({"seen": NOON}, {"seen": NOON - timedelta(days=20)}, False),
        ({}, {"published": NOON}, True),
    ],
)
def test_the_window_goes_by_publication_else_by_arrival(a, b, near):
    first, second = Fingerprint(id="a", **a), Fingerprint(id="b", **b)
    assert are_comparable(first, second, Policy()) is near
    assert are_comparable(second, first, Policy()) is near


@pytest.mark.parametrize("preset", ["crawler", "similarity", "copies", "feed", "tracker", "digest"])
def test_nothing_that_counts_to_a_preset_is_unpromising(preset):
    policy, articles = POLICIES[preset], {article.id: article for article in made_news.news(60)}
    pairs = RowPairs.of(combinations(fingerprints(articles.values(), RECIPES[preset]), 2))
    rules = [
        judgement.decision.rule
        for judgement in judge_pairs(
            pairs, RECIPES[preset], policy, lambda ids: {i: articles[i] for i in ids}
        )
    ]
    unpromising = (~are_promising(pairs, policy)).tolist()
    assert {*compress(rules, unpromising)} <= {"nothing-in-common"}
    assert {*rules} > {"nothing-in-common"}
    if not policy.reads_titles:  # then a glance leaves out nearly all strangers
        assert sum(unpromising) > 0.8 * len(pairs)
