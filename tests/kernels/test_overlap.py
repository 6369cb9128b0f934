"""What two texts share: exact counts, and passages shown in the originals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Article, Features, Recipe, fingerprints, overlap, passages
from nearcopy.kernels import reference
from nearcopy.match.compare import compare

WORDS = st.lists(st.sampled_from("abcdef"), max_size=60).map(" ".join)


def article(text: str, **more) -> Article:
    return Article(id="x", text=text, **more)


@given(a=WORDS, b=WORDS, size=st.integers(1, 4))
def test_overlap_is_that_of_the_sets(a, b, size):
    def grams(text):
        words = text.split()
        size_here = min(size, len(words))
        return {tuple(words[i : i + size_here]) for i in range(len(words) - size_here + 1) if words}

    left, right = grams(a), grams(b)
    measured = overlap(article(a), article(b), features=Features("words", size))
    assert (measured.a, measured.b, measured.shared) == (len(left), len(right), len(left & right))


def test_overlap_of_nothing_is_unknown():
    measured = overlap(article(""), article("words here"))
    assert measured.jaccard == 0
    assert measured.containment is None
    assert overlap(article(""), article("")).jaccard is None


def test_an_excerpt_is_contained():
    text = "the council voted on tuesday to close the harbour for the winter season"
    measured = overlap(article(text), article(text + " and to reopen it when the ice has gone"))
    assert measured.containment == 1
    assert measured.jaccard is not None
    assert measured.jaccard < 1


@given(a=WORDS, b=WORDS, least=st.integers(1, 5))
def test_native_passages_equal_the_reference(native, a, b, least):
    native_passages, expected = (k.passages(a, b, min_words=least) for k in (native, reference))
    assert native_passages == expected


@given(texts=st.lists(WORDS, min_size=2, max_size=5))
def test_native_counts_equal_the_reference(native, texts):
    pairs = np.array([[i, j] for i in range(len(texts)) for j in range(len(texts))], np.uint64)
    counts, expected = (
        k.shared_counts(k.feature_sets(texts, Recipe(), Features()), pairs)
        for k in (native, reference)
    )
    assert counts.tolist() == expected.tolist()


@given(a=WORDS, b=WORDS)
def test_passages_are_the_same_words_in_both(a, b):
    for passage in passages(article(a), article(b), min_words=2):
        left = a[passage.a_start : passage.a_end].split()
        assert left == b[passage.b_start : passage.b_end].split()
        assert len(left) == passage.words >= 2


def test_passages_show_the_original_of_html():
    shared = "The harbour will stay closed until the ice has gone"
    page = f"<p>News</p><p>{shared.replace('ice', '<i>ice</i>')}.</p>"
    (passage,) = passages(article(shared), article(page, html=True), min_words=5)
    assert page[passage.b_start : passage.b_end] == shared.replace("ice", "<i>ice</i>")


def test_passages_of_repetitive_texts_stay_linear():
    (passage,) = passages(article("na " * 50_000), article("na " * 50_000), min_words=5)
    assert passage.words == 50_000


@pytest.mark.parametrize("least", [0, -1])
def test_a_passage_has_words(kernel, least):
    with pytest.raises(ValueError, match=f"min_words is {least}: a passage has at least one"):
        kernel.passages("a b", "a b", min_words=least)


def test_a_pair_outside_the_sets_is_refused(native):
    sets = native.feature_sets(["a", "b"], Recipe(), Features())
    with pytest.raises(ValueError, match="name set 7, there are 2"):
        native.shared_counts(sets, np.array([[0, 7]], np.uint64))


def test_measures_between_fingerprints():
    text = "the council voted on tuesday to close the harbour for the winter season"
    one, two, none = fingerprints([article(text), article(text.upper()), article("")])
    assert compare(one, two).distance == 0
    assert compare(one, two).overlap == 1
    assert compare(one, none).distance is None
    assert compare(none, none).overlap is None


@given(texts=st.lists(WORDS, min_size=2, max_size=5), size=st.integers(1, 4))
def test_overlaps_of_pairs_are_those_of_sorted_sets(native, texts, size):
    pairs = np.array([[i, j] for i in range(len(texts)) for j in range(len(texts))], np.uint64)
    features = Features("words", size)
    overlaps, expected = (
        k.pair_overlaps(texts, Recipe(), features, pairs) for k in (native, reference)
    )
    assert [column.tolist() for column in overlaps] == [column.tolist() for column in expected]


def test_overlaps_of_pairs_are_of_texts_that_are_there(native):
    with pytest.raises(ValueError, match="text 7"):
        native.pair_overlaps(["a"], Recipe(), Features(), np.array([[0, 7]], np.uint64))
