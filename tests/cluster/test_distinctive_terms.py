"""Contrast: names and figures that one group of reports has, and the other next to never has."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Article, Fingerprint, fingerprints
from nearcopy.cluster.distinctive_terms import Marks, in_contrast, marks


def reports(*texts: str) -> list[Fingerprint]:
    return list(fingerprints(Article(id=str(place), text=text) for place, text in enumerate(texts)))


def group(texts: Iterable[str]) -> Marks:
    return Marks(reports(*texts))


def test_rare_terms_and_figures_are_marks_and_common_words_are_not():
    (plain, named, counted) = (set(marks(each)) for each in reports("the of and", "Qarzvin", "41"))
    assert (len(plain), len(named), len(counted)) == (0, 1, 1)


def test_an_article_without_words_has_no_marks():
    assert list(marks(Fingerprint(id="a"))) == []


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
def test_each_group_must_have_marks_of_its_own(one, other, expected):
    assert in_contrast(group(one), group(other)) is expected
    assert in_contrast(group(other), group(one)) is expected


words = st.lists(st.sampled_from(["Vattenholm", "Qarzvin", "Ulmedra", "41", "87"]), max_size=4)
some_texts = st.lists(words.map(" ".join), max_size=7)


@given(some_texts, some_texts)
def test_groups_put_together_have_the_marks_of_all(one, other):
    made = group(one)
    made.add(group(other))
    whole = group(one + other)
    assert (made.size, made.counts, made.common) == (whole.size, whole.counts, whole.common)
