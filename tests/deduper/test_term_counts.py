"""Learning how common terms are in a store, and telling all stories anew."""

import random

import numpy as np
import pytest

from nearcopy import Article, Deduper, fingerprints
from nearcopy.fingerprint.term_weights import TermCounts, count_terms, counted_weights, kept_weights
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


def told(deduper: Deduper) -> set[frozenset[str]]:
    stories = [[member.id for member in story.members] for story in deduper.stories()]
    names = [name for story in stories for name in story]
    assert len(names) == len(set(names))
    return {frozenset(story) for story in stories}


def test_terms_are_counted_once_an_article_and_the_rare_are_left_out():
    made = fingerprints(articles("herring herring", "herring trawler", "herring", ""))
    found = count_terms(each.profile for each in made)
    assert found.articles == 3
    assert found.counts.tolist() == [3]


def test_counts_are_kept_as_they_are():
    counts = TermCounts(7, np.array([3, 9], np.uint32), np.array([2, 7], np.uint32))
    again = TermCounts.unpacked(counts.packed())
    assert again.articles == 7
    assert [each.tolist() for each in again[1:]] == [[3, 9], [2, 7]]
    assert TermCounts.unpacked(b"").articles == 0
    assert kept_weights(b"") is None


def test_what_is_common_here_counts_less():
    made = list(fingerprints(articles(*REPORTS, *OTHER)))
    pairs = [(made[0], made[1])]
    (before,) = compare_pairs(pairs)
    common = count_terms([made[0].profile] * 50)
    (after,) = compare_pairs(pairs, weights=counted_weights(common))
    assert after.profile < before.profile
    assert after.news < before.news


def test_a_store_that_has_learned_judges_by_it_and_remembers(address):
    given = articles(*REPORTS, *OTHER)
    with Deduper(address) as deduper:
        list(deduper.run(given))
        before = deduper.explain("n0", "n1").evidence.profile
        found = deduper.learn()
        assert found.articles == len(given)
        assert deduper.explain("n0", "n1").evidence.profile < before
        edges = deduper._store.edges_among(["n0", "n1"])
        assert [edge.event_score for edge in edges] == [deduper.explain("n0", "n1").judgement.news]
        stories = told(deduper)
    if address.startswith("sqlite"):
        with Deduper(address) as again:
            assert again.explain("n0", "n1").evidence.profile < before
            assert told(again) == stories


def test_few_articles_say_little():
    made = list(fingerprints(articles(*REPORTS)))
    pairs = [(made[0], made[1])]
    few = counted_weights(count_terms(each.profile for each in made))
    many = counted_weights(count_terms([each.profile for each in made] * 500))
    usual, after_few, after_many = (
        compare_pairs(pairs, weights=weights)[0].news for weights in (None, few, many)
    )
    assert usual - after_few < 0.05 < usual - after_many


def test_no_article_is_lost_where_learning_stops_half_way(address, monkeypatch):
    given = articles(*REPORTS, *OTHER)
    with Deduper(address) as deduper:
        list(deduper.run(given))
        monkeypatch.setattr(deduper, "retell", lambda: None)
        deduper.learn()
        deduper.forget(["n0", "n4"])
        deduper.add(given[0])
        assert {name for story in told(deduper) for name in story} == {
            each.id for each in given if each.id != "n4"
        }


def test_reports_in_other_words_are_one_story_and_other_news_is_not(address):
    with Deduper(address) as deduper:
        list(deduper.run(articles(*REPORTS, *OTHER)))
        assert told(deduper) == {
            frozenset({"n0", "n1", "n2", "n3"}),
            *map(frozenset, [["n4"], ["n5"]]),
        }
        assert not deduper.provisional


@pytest.mark.parametrize("seed", range(4))
def test_where_too_many_are_linked_all_are_told_and_telling_anew_knows_no_order(
    address, monkeypatch, seed
):
    given = articles(*REPORTS, *OTHER)
    with Deduper() as whole:
        list(whole.run(given))
        expected = told(whole)
    monkeypatch.setattr("nearcopy.deduper.incremental_clustering.NEAR", 1)
    random.Random(seed).shuffle(given)
    with Deduper(address) as deduper:
        for article in given:
            deduper.add(article)
            told(deduper)
        assert {name for story in told(deduper) for name in story} == {a.id for a in given}
        assert deduper.provisional
        deduper.recluster()
        assert not deduper.provisional
        assert told(deduper) == expected
