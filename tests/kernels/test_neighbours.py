"""The words beside spans of a title: compiled and readable."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.kernels import reference

PIECES = st.sampled_from(
    [*" ',;:.!?|()-_\ue000\x00", "don't", "a'b'c", "ferry", "sank", "5", "40", "2024", "é", "，",
     "字", "हाँ", "\ue000\ue000", "x" * 40]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=16).map(" ".join) | st.lists(PIECES, max_size=12).map("".join)
PLACES = st.integers(0, 60)
SPANS = st.tuples(PLACES, PLACES).map(sorted).map(tuple)


@given(TEXTS | st.text(max_size=40), st.lists(SPANS, max_size=4), st.integers(0, 4))
def test_native_neighbours_equal_the_reference(native, text, spans, most):
    assert native.neighbours(text, spans, most) == reference.neighbours(text, spans, most)


@given(TEXTS | st.text(max_size=40), SPANS, st.integers(0, 50), st.integers(1, 6))
def test_native_words_of_a_clause_equal_the_reference(native, text, span, reach, most):
    options = {"reach": reach, "before": most, "after": most + 1}
    expected = reference.clause_words(text, *span, **options)
    assert native.clause_words(text, *span, **options) == expected


def test_words_that_overlap_a_span_are_no_neighbours(kernel):
    text = "the mayor's 42-year-old ferry sank"
    assert kernel.neighbours(text, [(12, 14), (6, 8)], 2) == [
        ("the mayor's", "year old"),
        ("the", "42 year"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("storm kills 9 sailors, sinks ferry", (["storm", "kills"], ["sailors"])),
        ("on monday: 9 \ue000\ue000 ferries", ([], [])),
        ("a b c d e f g 9", (["e", "f", "g"], [])),
    ],
)
def test_a_clause_ends_at_a_sign_a_digit_or_a_gap(kernel, text, words):
    at = text.index("9")
    assert kernel.clause_words(text, at, at + 1, reach=40, before=3, after=3) == words


def test_a_title_of_a_megabyte_is_no_burden(kernel):
    text = "ferry's " * 125_000
    start = time.thread_time()
    kernel.neighbours(text, [(500_000, 500_001)], 3)
    kernel.clause_words(text, 500_000, 500_001, reach=40, before=6, after=5)
    assert time.thread_time() - start < 1


def test_the_native_kernels_say_what_is_wrong(native):
    with pytest.raises(TypeError, match="text must be str, got int"):
        native.neighbours(1, [(0, 1)], 3)
