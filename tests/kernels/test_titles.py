"""Terms, weights and keys of titles: compiled and reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.extract.text import normalised
from nearcopy.kernels import reference, title_keys
from nearcopy.kernels.data_tables import title_weights
from nearcopy.kernels.reference.titles import stem, title_terms

VOCABULARY = """
storm storms stormed harbour harbor bridge ferry u s port 2024 10m x 新 闻 港 口 ال المدينة مدينة
straße killing killed kill aaaaa aaaab ด จ 한국 e
"""
WORDS = st.sampled_from(VOCABULARY.split())
TITLES = st.lists(WORDS, max_size=14).map(" ".join)
ANY = st.text(max_size=80)


@given(pairs=st.lists(st.tuples(TITLES, TITLES), max_size=6))
def test_native_scores_equal_the_reference(native, pairs):
    a, b = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    for name in ("title_cosines", "title_fronts", "word_cosines"):
        values, expected = (getattr(kernel, name)(a, b) for kernel in (native, reference))
        assert values.tobytes() == expected.tobytes() or np.array_equal(values, expected, True)
    for values, expected in zip(native.title_keys(a), reference.title_keys(a), strict=True):
        assert values.tolist() == expected.tolist()


@given(a=ANY, b=ANY)
def test_native_scores_equal_the_reference_on_any_text(native, a, b):
    for name in ("title_cosines", "title_fronts", "word_cosines"):
        values, expected = (getattr(kernel, name)([a], [b]) for kernel in (native, reference))
        assert np.array_equal(values, expected, equal_nan=True)
    values, expected = (kernel.title_keys([a])[1] for kernel in (native, reference))
    assert values.tolist() == expected.tolist()


def test_a_lone_surrogate_is_a_letter_like_others(kernel):
    assert kernel.title_cosines(["\ud800 a"], ["\ud800 a"]).tolist() == [1]
    assert len(kernel.title_keys(["\ud800 a"])[1]) == 3


def test_the_native_kernel_says_what_is_wrong(native):
    with pytest.raises(TypeError, match=r"a\[0\] must be str, got int"):
        native.title_cosines([1], ["a"])
    with pytest.raises(TypeError, match="put it in a list"):
        native.title_keys("a title")
    with pytest.raises(ValueError, match="a has 1 titles, b 2"):
        native.word_cosines(["a"], ["a", "b"])


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("suspend suspends suspended suspending", "suspend"),
        ("stop stops stopped stopping", "stop"),
        ("party parties", "party"),
        ("rise rises rising", "ris"),
        ("kill kills killed killing", "kill"),
        ("المدينة مدينة", "مدينة"),
    ],
)
def test_inflections_have_one_stem(words, same):
    assert {stem(word) for word in words.split()} == {same}


@pytest.mark.parametrize("word", ["bus", "glass", "crisis", "red", "king", "need", "ios", "us"])
def test_short_words_are_left_whole(word):
    assert stem(word) == word


@pytest.mark.parametrize(
    ("title", "terms"),
    [
        ("u s port s plan", ["us", "port", "plan"]),
        ("plan b", ["plan", "b"]),
        ("新 闻 联 播 ai 港", ["新闻", "闻联", "联播", "ai", "港"]),
        ("gpt 4 5", ["gpt", "4", "5"]),
        ("", []),
    ],
)
def test_terms_of_a_title(title, terms):
    assert title_terms(title) == terms


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("harbour", "harbor", True),
        ("norwegian", "norway", False),
        ("investigators", "investigation", True),
        ("10000", "20000", False),
        ("ferry", "fairy", False),
        ("ferry", "ferri", True),
    ],
)
def test_words_alike_count_for_something(kernel, a, b, alike):
    assert (kernel.title_cosines([a], [b])[0] > 0) == alike


def test_rare_words_weigh_more_than_common_ones(kernel):
    common, rare = kernel.title_cosines(
        ["the zeppelin is on the river", "the zeppelin is on the river"],
        ["the gardener is on the lawn", "a zeppelin over some river"],
    )
    assert common < rare


def test_the_table_is_small_common_vocabulary():
    table, unknown = title_weights()
    assert 2000 <= len(table) <= 6000
    assert all(0 < weight <= unknown for weight in table.values())
    for word in ("the", "och", "der", "في", "de"):
        assert table[stem(word)] < unknown / 2
    assert all(" " not in term for term in table)


def test_keys_are_few_and_shared_by_titles_alike():
    starts, keys = title_keys(
        [
            normalised("Ferry runs aground off the Norwegian coast"),
            normalised("Off the Norwegian coast, a ferry has run aground"),
            normalised("Council approves second bridge"),
        ]
    )
    a, b, c = np.split(keys, starts[1:-1].astype(int))
    assert len(a) == len(b) == 10
    assert a.dtype == np.uint64
    assert set(a.tolist()) & set(b.tolist())
    assert not set(a.tolist()) & set(c.tolist())
