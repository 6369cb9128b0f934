"""Readings: all kernels of a text in one pass, equal to the single ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import examples

from nearcopy import RECIPES, Recipe, kernels
from nearcopy.kernels import reference

SNIPPETS = [
    *"0123456789.,-/: `()_vVaz%$'’\n\x00",
    *("version ", "May", "may", "twenty", "five", "½", "十", "二", "〇", "é", "ß", "ثلاثة", "٣"),
    *("か\u3099", "\u00ad", "\u0301", "5,000", "1.5", "\u1100\u1161", "\ud800", "𝟓", "①", "字"),
    *("isNull", "snake_case", "a.b(", "```", "&amp;", "<b>", "</b>", "harbour ", "ferries "),
]
TEXTS = st.lists(st.sampled_from(SNIPPETS), max_size=60).map("".join) | st.text(max_size=80)


@given(
    rows=st.lists(st.tuples(TEXTS, TEXTS, st.booleans(), TEXTS), max_size=4),
    recipe=st.sampled_from([*RECIPES.values(), Recipe(simhash=None), Recipe(hash="fnv1a")]),
    short_words=st.integers(0, 9),
)
def test_native_readings_equal_the_reference(native, rows, recipe, short_words):
    titles, texts, html, short = ([row[column] for row in rows] for column in range(4))
    for options in ({}, {"short_titles": short, "short_words": short_words}):
        readings = native.readings(titles, texts, recipe, html=html, threads=2, **options)
        assert readings == reference.readings(titles, texts, recipe, html=html, **options)


RAIN = "The river rose overnight and flooded the lower town, the mayor said on Monday."
HAN = "河水一夜之间上涨，淹没了下城区，市长周一表示救援正在进行。"
LINES = [RAIN, HAN, "Menu", "分享", "か", "\u3099", ""]


@examples(20)  # the reference is slow
@given(lines=st.lists(st.sampled_from([*LINES, " ", RAIN * 30, "分享" * 1100])), html=st.booleans())
@pytest.mark.parametrize("recipe", [Recipe(), Recipe(hash="fnv1a")])
def test_only_the_sentences_of_a_text_in_lines_are_profiled(native, lines, html, recipe):
    texts = ["\n".join(lines)]
    readings = native.readings(["分享"], texts, recipe, html=[html])
    assert readings == reference.readings(["分享"], texts, recipe, html=[html])


@pytest.mark.parametrize("lead", [0, 1, 5, 58, 59, 60, 61, 62, 63, 64, 127, 128])
@pytest.mark.parametrize("word", ["twelve", "v1.2", "May 3", "Münze", "十二", "x\u00adyz", "٣٤"])
def test_a_word_may_lie_anywhere_in_a_block(native, word, lead):
    text = f"{'a' * lead} {word} mills ran {word}{' quiet ferry' * 8}"
    readings = native.readings(["Mills"], [text], Recipe())
    assert readings == reference.readings(["Mills"], [text], Recipe())


def test_rows_equal_the_single_kernels(kernel):
    titles, texts = ["Ferry", ""], ["Two of 12 ferries sank, said v1.2 of the log", "?"]
    readings = kernel.readings(titles, texts, Recipe())
    assert readings.words == [11, 0]
    assert readings.numerals == [kernel.numerals(texts)[0], b""]
    assert readings.profile == [kernel.profiles(titles, texts)[0], b""]
    assert readings.details == kernel.technical_details(texts).tolist()
    assert readings.digest[1] is readings.simhash[1] is readings.minhash[1] is None


def test_a_short_text_has_its_short_title(kernel):
    texts = ["Two ferries sank", "Two ferries"]
    readings = kernel.readings(
        ["Ferry"] * 2, texts, Recipe(), short_titles=["Storm"] * 2, short_words=3
    )
    assert readings.profile == kernel.profiles(["Ferry", "Storm"], texts)


def test_what_a_recipe_leaves_out_is_none(kernel):
    readings = kernel.readings([""], ["a quiet ferry"], Recipe(minhash=None))
    assert readings.minhash == [None]
    assert readings.simhash != [None]


@pytest.mark.parametrize(
    ("titles", "texts", "error"), [([], ["a"], ValueError), ([None], ["a"], TypeError)]
)
def test_wrong_input_is_refused(titles, texts, error):
    if kernels.native is None:
        pytest.skip("the compiled kernels are not built here")
    with pytest.raises(error):
        kernels.native.readings(titles, texts, Recipe())
    with pytest.raises(error):
        kernels.native.readings(["a"], ["a"], Recipe(), short_titles=titles)
