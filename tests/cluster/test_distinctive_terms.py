"""Distinctive terms: names and figures that the reports of one event have, and no others."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Article, Fingerprint, fingerprints
from nearcopy.cluster.event_groups import TermFrequencies, are_distinguishable, rare_terms


def reports(*texts: str) -> list[Fingerprint]:
    return list(fingerprints(Article(id=str(place), text=text) for place, text in enumerate(texts)))


def group(texts: Iterable[str]) -> TermFrequencies:
    return TermFrequencies(reports(*texts))


def test_rare_terms_and_figures_count_and_common_words_do_not():
    (plain, named, counted) = (
        set(rare_terms(article)) for article in reports("the of and", "Qarzvin", "41")
    )
    assert (len(plain), len(named), len(counted)) == (0, 1, 1)


def test_an_article_without_words_has_no_rare_terms():
    assert list(rare_terms(Fingerprint(id="a"))) == []


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (["Vattenholm Norrbacken"] * 4, ["Qarzvin Ulmedra"] * 4, True),
        (["Vattenholm 41"] * 4, ["Qarzvin 87"] * 4, True),
        (["Vattenholm Norrbacken"] * 4, ["Qarzvin"] * 4, False),
        (["Vattenholm Norrbacken"] * 4, [""] * 4, False),
        (["Vattenholm Norrbacken"] * 3, ["Qarzvin Ulmedra"] * 4, False),
        (["Vattenholm Norrbacken"] * 4, ["Qarzvin Ulmedra"] * 2 + ["town"] * 4, True),
        (["Vattenholm Norrbacken"] * 4, ["Qarzvin Ulmedra"] + ["town"] * 3, False),
        (["Vattenholm Norrbacken"] * 4, ["Qarzvin Ulmedra"] * 3 + ["Norrbacken"], False),
        (["Vattenholm Norrbacken"] * 4, ["Qarzvin Ulmedra"] * 9 + ["Norrbacken"], True),
    ],
)
def test_each_group_must_have_distinctive_terms(one, other, expected):
    assert are_distinguishable(group(one), group(other)) is expected
    assert are_distinguishable(group(other), group(one)) is expected


words = st.lists(st.sampled_from(["Vattenholm", "Qarzvin", "Ulmedra", "41", "87"]), max_size=4)
some_texts = st.lists(words.map(" ".join), max_size=7)


@given(some_texts, some_texts)
def test_a_merged_group_has_the_terms_of_both(one, other):
    merged = group(one)
    merged.add(group(other))
    whole = group(one + other)
    assert (merged.size, merged.counts, merged.common) == (whole.size, whole.counts, whole.common)
