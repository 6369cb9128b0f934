"""Learning term weights from a store, and clustering all its articles again."""

import random

import numpy as np
import pytest

from nearcopy import Article, Deduper, fingerprints
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.fingerprint.term_weights import (
    TermCounts,
    count_terms,
    stored_weights,
    weights_from_counts,
)
from nearcopy.match.compare import compare_pairs

REPORTS = [
    "The trawler Vattenholm sank off Skagerrund on Monday with a load of herring, the coast guard "
    "said. All six of the crew were saved by a helicopter, and the harbour was closed for hours.",
    "Six fishermen were lifted from the sea by helicopter after their trawler, Vattenholm, went "
    "down off Skagerrund. The coast guard closed the harbour; herring washed up on the beaches.",
    "Herring lay on the beaches of Skagerrund on Tuesday, a day after the trawler Vattenholm sank. "
    "Her crew of six is well, said the coast guard, which lifted them out with a helicopter.",
    "Skagerrund opened its harbour again after the loss of the trawler Vattenholm, whose six men a "
    "helicopter of the coast guard saved. Divers will look at the wreck and its herring next week.",
]
OTHER = [
    "The council of Norrbacken wants to rebuild its library for four million crowns, mayor Ulmedra "
    "said. Readers will find the books in the town hall until the work is done in two years.",
    "A glass bridge over the Qarzvin valley drew thousands of visitors on its first day. Tickets "
    "are sold out for weeks, and the village below has run short of bread and beds.",
]


def articles(*texts: str) -> list[Article]:
    return [Article(id=f"n{n}", text=text) for n, text in enumerate(texts)]


@pytest.fixture(params=["memory://", "sqlite:///{}/seen.db"])
def address(request, tmp_path):
    return request.param.format(tmp_path)


def story_sets(deduper: Deduper) -> set[frozenset[str]]:
    stories = [[member.id for member in story.members] for story in deduper.stories()]
    ids = [id_ for story in stories for id_ in story]
    assert len(ids) == len(set(ids))
    return {frozenset(story) for story in stories}


def test_terms_are_counted_once_per_article_without_rare_ones():
    prints = fingerprints(articles("herring herring", "herring trawler", "herring", ""))
    counts = count_terms(fingerprint.profile for fingerprint in prints)
    assert counts.articles == 3
    assert counts.counts.tolist() == [3]


def test_term_counts_survive_packing():
    counts = TermCounts(7, np.array([3, 9], np.uint32), np.array([2, 7], np.uint32))
    unpacked = TermCounts.from_bytes(counts.to_bytes())
    assert unpacked.articles == 7
    assert [column.tolist() for column in unpacked[1:]] == [[3, 9], [2, 7]]
    assert TermCounts.from_bytes(b"").articles == 0
    assert stored_weights(b"") is None


def test_terms_common_in_the_store_weigh_less():
    prints = list(fingerprints(articles(*REPORTS, *OTHER)))
    pairs = RowPairs.of([(prints[0], prints[1])])
    (before,) = compare_pairs(pairs)
    common = count_terms([prints[0].profile] * 50)
    (after,) = compare_pairs(pairs, weights=weights_from_counts(common))
    assert after.profile < before.profile
    assert after.event_score < before.event_score


def test_learned_term_weights_are_applied_and_durable(address):
    added = articles(*REPORTS, *OTHER)
    with Deduper(address) as deduper:
        list(deduper.run(added))
        before = deduper.explain("n0", "n1").evidence.profile
        counts = deduper.learn()
        assert counts.articles == len(added)
        assert deduper.explain("n0", "n1").evidence.profile < before
        edges = deduper._store.edges_among(["n0", "n1"])
        assert [edge.event_score for edge in edges] == [
            deduper.explain("n0", "n1").judgement.event_score
        ]
        stories = story_sets(deduper)
    if address.startswith("sqlite"):
        with Deduper(address) as reopened:
            assert reopened.explain("n0", "n1").evidence.profile < before
            assert story_sets(reopened) == stories


def test_few_articles_change_weights_little():
    prints = list(fingerprints(articles(*REPORTS)))
    pairs = RowPairs.of([(prints[0], prints[1])])
    few = weights_from_counts(count_terms(fingerprint.profile for fingerprint in prints))
    many = weights_from_counts(count_terms([fingerprint.profile for fingerprint in prints] * 500))
    usual, after_few, after_many = (
        compare_pairs(pairs, weights=weights)[0].event_score for weights in (None, few, many)
    )
    assert usual - after_few < 0.05 < usual - after_many


def test_no_article_is_lost_where_learning_is_interrupted(address, monkeypatch):
    added = articles(*REPORTS, *OTHER)
    with Deduper(address) as deduper:
        list(deduper.run(added))
        monkeypatch.setattr(deduper, "recluster", lambda: None)
        deduper.learn()
        deduper.forget(["n0", "n4"])
        deduper.add(added[0])
        assert {id_ for story in story_sets(deduper) for id_ in story} == {
            article.id for article in added if article.id != "n4"
        }


def test_reports_of_one_event_are_one_story_and_others_are_not(address):
    with Deduper(address) as deduper:
        list(deduper.run(articles(*REPORTS, *OTHER)))
        assert story_sets(deduper) == {
            frozenset({"n0", "n1", "n2", "n3"}),
            *map(frozenset, [["n4"], ["n5"]]),
        }
        assert not deduper.provisional


@pytest.mark.parametrize("seed", range(4))
def test_large_components_lose_no_article_and_reclustering_knows_no_order(
    address, monkeypatch, seed
):
    added = articles(*REPORTS, *OTHER)
    with Deduper() as whole:
        list(whole.run(added))
        expected = story_sets(whole)
    monkeypatch.setattr("nearcopy.deduper.recluster.MAX_COMPONENT", 1)
    random.Random(seed).shuffle(added)
    with Deduper(address) as deduper:
        for article in added:
            deduper.add(article)
            story_sets(deduper)
        assert {id_ for story in story_sets(deduper) for id_ in story} == {a.id for a in added}
        assert deduper.provisional
        deduper.recluster()
        assert not deduper.provisional
        assert story_sets(deduper) == expected
