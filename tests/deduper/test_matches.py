"""Matches: measured once, in columns, sorted as their objects would be."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support import synthetic_news

from nearcopy import Article, Policy, Recipe, fingerprints
from nearcopy.deduper.matches import MeasuredPairs, find_matches
from nearcopy.fingerprint.blocking_keys import VERSION, blocking_keys
from nearcopy.stores import StoredArticle, open_store

NEWS = synthetic_news.news(60)


def filled(articles: list[Article]):
    store = open_store("memory://")
    store.bind(Recipe(), VERSION)
    prints = list(fingerprints(articles))
    entries = list(map(StoredArticle, articles, prints, blocking_keys(prints, Recipe())))
    with store.transaction():
        store.save_articles(entries)
    return store, entries


@given(st.lists(st.sampled_from(NEWS), unique_by=lambda article: article.id, min_size=2))
def test_matches_are_sorted_and_each_has_its_edge(articles):
    store, entries = filled(articles)
    found = find_matches(store, entries, Recipe(), Policy())
    lists = [list(listed.matches) for listed in found]
    for matches in lists:
        assert matches == sorted(matches, key=lambda match: match.sort_key)
    by_object = [
        match.edge(entry.article.id)
        for entry, matches in zip(entries, lists, strict=True)
        for match in matches
    ]
    assert found.edges() == by_object


@given(st.permutations(NEWS[:24]), st.integers(0, 24))
def test_what_was_measured_before_is_the_same_again(articles, known):
    store, entries = filled(articles)
    measured = MeasuredPairs()
    find_matches(store, entries[:known], Recipe(), Policy(), independent=True, measured=measured)
    again = find_matches(store, entries, Recipe(), Policy(), measured=measured)
    afresh = find_matches(store, entries, Recipe(), Policy())
    assert [list(listed.matches) for listed in again] == [list(m.matches) for m in afresh]
    assert again.edges() == afresh.edges()
