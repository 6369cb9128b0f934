"""All pairs of sets that are alike: exact, in order, whatever the bound and the sets."""

import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nearcopy import Article, BadArticle, BadPolicy, BadRecipe, Features, Recipe, overlap
from nearcopy.kernels import reference
from nearcopy.kernels.result_types import FeatureSets
from nearcopy.match import exact_join as joins

SPREAD = 0x9E3779B97F4A7C15  # makes small numbers look like hashes
ROW = st.frozensets(st.integers(0, 24), max_size=20)
BOUNDS = st.one_of(
    st.sampled_from([5e-324, 0.1, 1 / 3, 0.5, 2 / 3, 0.8, 0.9, 1.0]),
    st.floats(0, 1, exclude_min=True),
)
GREEK = st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"])
TEXTS = st.lists(st.lists(GREEK, max_size=12).map(" ".join), max_size=12)


@st.composite
def collections(draw) -> list[frozenset[int]]:
    """Sets, many of them equal or nearly equal to another."""
    rows = draw(st.lists(ROW, min_size=1, max_size=8))
    changes = st.tuples(st.sampled_from(rows), st.frozensets(st.integers(0, 24), max_size=3))
    return draw(st.permutations(rows + [a ^ b for a, b in draw(st.lists(changes, max_size=12))]))


def packed(rows, spread: int = SPREAD) -> FeatureSets:
    sets = [sorted(feature * spread % 2**64 for feature in row) for row in rows]
    starts = np.cumsum([0] + [len(features) for features in sets]).astype(np.uint64)
    return FeatureSets(starts, np.array([f for features in sets for f in features], np.uint64))


def similar_pairs(kernel, sets: FeatureSets, bound: float, *, threads: int = 1):
    return kernel.SetJoin(sets, bound).find(threads=threads)[1]


def listed(found) -> list[tuple[int, int, int]]:
    return [
        (a, b, n) for (a, b), n in zip(found.pairs.tolist(), found.shared.tolist(), strict=True)
    ]


def by_looking_at_all(rows, bound) -> list[tuple[int, int, int]]:
    return [
        (a, b, len(rows[a] & rows[b]))
        for a, b in combinations(range(len(rows)), 2)
        if rows[a] | rows[b] and len(rows[a] & rows[b]) / len(rows[a] | rows[b]) >= bound
    ]


@given(rows=collections(), bound=BOUNDS, spread=st.sampled_from([1, SPREAD]))
def test_the_pairs_are_those_of_looking_at_all(kernel, rows, bound, spread):
    similar = similar_pairs(kernel, packed(rows, spread), bound)
    assert listed(similar) == by_looking_at_all(rows, bound)


@given(rows=collections(), bound=BOUNDS, threads=st.integers(0, 3))
def test_native_pairs_equal_the_reference(native, rows, bound, threads):
    similar = similar_pairs(native, packed(rows), bound, threads=threads)
    expected = similar_pairs(reference, packed(rows), bound)
    assert (similar.pairs.dtype, similar.shared.dtype) == (np.uint32, np.uint32)
    assert similar.pairs.shape == expected.pairs.shape
    assert listed(similar) == listed(expected)


@given(
    shared=st.integers(0, 30), a=st.integers(0, 30), b=st.integers(0, 30), cents=st.integers(1, 100)
)
@example(shared=4, a=1, b=0, cents=80)  # the double 0.8 is a hair above 4/5
@example(shared=1, a=1, b=0, cents=50)
def test_a_pair_at_the_bound_is_in(kernel, shared, a, b, cents):
    rows = [range(shared + a), [*range(shared), *range(100, 100 + b)]]
    together = shared + a + b
    alike = together > 0 and Fraction(shared, together) >= Fraction(cents, 100)
    assert len(similar_pairs(kernel, packed(rows), cents / 100).shared) == alike


@given(rows=collections(), bound=BOUNDS, most=st.integers(1, 5))
def test_parts_make_the_whole(kernel, rows, bound, most):
    join = kernel.SetJoin(packed(rows), bound)
    place, parts = 0, []
    while place < len(join):
        later, similar = join.find(place, most)
        assert later > place
        assert all(place <= a < later for a in similar.pairs[:, 0].tolist())
        place = later
        parts += listed(similar)
    assert parts == listed(join.find()[1])


def test_empty_sets_are_like_nothing(kernel):
    assert listed(similar_pairs(kernel, packed([(), (1,), (), (1,)]), 0.1)) == [(1, 3, 1)]


@pytest.mark.parametrize("rows", [[], [()], [(), ()], [(1, 2, 3)]])
def test_there_may_be_nothing_to_find(kernel, rows):
    similar = similar_pairs(kernel, packed(rows), 0.5)
    assert (similar.pairs.shape, similar.shared.shape) == ((0, 2), (0,))


def test_looking_on_from_the_end_finds_nothing(kernel):
    place, similar = kernel.SetJoin(packed([(1,), (1,)]), 0.5).find(7)
    assert (place, len(similar.shared)) == (2, 0)


@pytest.mark.parametrize("bound", [0.0, -0.5, 1.01, float("nan"), float("inf")])
def test_a_bound_is_above_nothing_and_at_most_one(kernel, bound):
    with pytest.raises(ValueError, match="min_overlap"):
        kernel.SetJoin(packed([(1,)]), bound)


@pytest.mark.parametrize(
    ("starts", "values"),
    [([0, 2], [5, 5]), ([0, 2], [5, 4]), ([0, 3], [1, 2]), ([0, 2, 1], [1, 2])],
)
def test_sets_that_are_none_are_refused(kernel, starts, values):
    sets = FeatureSets(np.array(starts, np.uint64), np.array(values, np.uint64))
    with pytest.raises(ValueError, match="ascend"):
        kernel.SetJoin(sets, 0.5)


def test_copies_of_a_page_cost_no_more_than_their_pairs(native):
    similar = similar_pairs(native, packed([range(200)] * 2000), 0.5)
    assert len(similar.shared) == 2000 * 1999 // 2
    assert (similar.shared == 200).all()


def test_boilerplate_short_of_the_bound_proposes_no_pair(native):
    """Six tenths of each page are the same: their overlap is 3/7."""
    rows = [[*range(60), *range(1000 + 40 * i, 1040 + 40 * i)] for i in range(3000)]
    assert len(similar_pairs(native, packed(rows), 0.5).shared) == 0


# --- Articles -------------------------------------------------------------------------------------

HARBOUR = "the council voted on tuesday to close the harbour for the winter season"
NEWS = [
    Article(id="first", text=HARBOUR),
    Article(id="other", text="a bakery in the old town has sold its last loaf of rye bread today"),
    Article(id="longer", text=HARBOUR + " and to reopen it in spring"),
    Article(id="blank", text=""),
    Article(id="page", text=f"<p>{HARBOUR.upper()}.</p>", html=True),
]


def test_pairs_come_with_their_exact_overlap():
    pairs = list(joins.find_similar_pairs(NEWS, 0.5))
    assert [(a, b) for a, b, _ in pairs] == [
        ("first", "longer"), ("first", "page"), ("longer", "page"),
    ]  # fmt: skip
    by_id = {article.id: article for article in NEWS}
    assert all(measured == overlap(by_id[a], by_id[b]) for a, b, measured in pairs)


@given(texts=TEXTS, bound=BOUNDS, size=st.integers(1, 5))
def test_pairs_are_those_whose_overlap_is_high_enough(texts, bound, size):
    articles = [Article(id=str(number), text=text) for number, text in enumerate(texts)]
    features = Features("words", size)
    overlaps = ((a, b, overlap(a, b, features=features)) for a, b in combinations(articles, 2))
    expected = [
        (a.id, b.id, measured) for a, b, measured in overlaps if (measured.jaccard or 0) >= bound
    ]
    assert list(joins.find_similar_pairs(articles, bound, features=features)) == expected


def test_the_features_are_those_of_the_recipe_unless_given():
    recipe, shingles = Recipe(minhash=Features("words", 1)), Features("words", 5)
    two = [NEWS[0], NEWS[2]]
    assert [measured for _, _, measured in joins.find_similar_pairs(two, recipe=recipe)] == [
        overlap(*two, recipe)
    ]
    pairs = joins.find_similar_pairs(two, recipe=recipe, features=shingles)
    assert [measured for _, _, measured in pairs] == [overlap(*two, features=shingles)]


def test_articles_are_read_once_and_pairs_come_a_part_at_a_time(monkeypatch):
    monkeypatch.setattr(joins, "ARTICLES_PER_BATCH", 2)
    monkeypatch.setattr(joins, "PAIRS_PER_BLOCK", 1)
    articles = [Article(id=str(number), text=HARBOUR) for number in range(200)]
    pairs = joins.find_similar_pairs(iter(articles), threads=2)
    assert next(pairs)[:2] == ("0", "1")
    assert len(list(pairs)) == 200 * 199 // 2 - 1


def test_no_articles_make_no_pairs():
    assert list(joins.find_similar_pairs([])) == []


@pytest.mark.parametrize("text", ["\ud800 \udfff", "\0", "a" * 100_000, "é" * 10])
def test_any_text_can_be_joined(text):
    twins = [Article(id=name, text=text) for name in "ab"]
    assert all(measured.jaccard == 1 for _, _, measured in joins.find_similar_pairs(twins, 1))


@pytest.mark.parametrize("bound", [0, -1, 1.5, float("nan"), True, "0.5", None])
def test_a_bound_that_is_none_is_refused_at_once(bound):
    with pytest.raises(BadPolicy, match="min_overlap"):
        joins.find_similar_pairs(NEWS, bound)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"articles": NEWS[0]}, BadArticle),
        ({"features": 5}, BadRecipe),
        ({"recipe": "default"}, BadRecipe),
    ],
)
def test_what_cannot_be_meant_is_refused_at_once(given, error):
    with pytest.raises(error):
        joins.find_similar_pairs(**{"articles": NEWS} | given)


def test_what_is_no_article_is_refused_when_it_comes():
    with pytest.raises(BadArticle, match="got str"):
        list(joins.find_similar_pairs([NEWS[0], "text"]))


def test_words_are_taken_as_they_are_written():
    marked = [
        Article(id="a", text="قَالَ الوزير إن الميناء مغلق اليوم"),
        Article(id="b", text="قال الوزير ان الميناء مغلق اليوم"),
    ]
    ((_, _, folded),) = joins.find_similar_pairs(
        marked, 0.1, features=Features("words", 1), words="folded"
    )
    ((_, _, written),) = joins.find_similar_pairs(marked, 0.1, features=Features("words", 1))
    assert folded.jaccard == 1
    assert written.jaccard < 1


@pytest.mark.parametrize("size", [1, 2, 5])
def test_written_words_can_be_counted_by_anyone(size):
    plain = [article for article in NEWS if not article.html]
    texts = {article.id: article.text for article in plain}
    for a, b, measured in joins.find_similar_pairs(plain, 0.01, features=Features("words", size)):
        sets = [_runs(texts[name], size) for name in (a, b)]
        assert (measured.a, measured.b) == tuple(map(len, sets))
        assert measured.shared == len(sets[0] & sets[1])


def _runs(text: str, size: int) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def test_characters_that_are_words_are_counted_one_by_one():
    articles = [Article(id="a", text="港口今天關閉"), Article(id="b", text="港口今天開放")]
    ((_, _, measured),) = joins.find_similar_pairs(articles, 0.1, features=Features("words", 1))
    assert (measured.a, measured.b, measured.shared) == (6, 6, 4)


def test_markup_is_no_word():
    articles = [Article(id="a", text="<p>one two</p>", html=True), Article(id="b", text="One, two")]
    ((_, _, measured),) = joins.find_similar_pairs(articles, 0.1, features=Features("words", 1))
    assert measured.jaccard == 1


def test_unknown_words_are_refused():
    with pytest.raises(BadPolicy, match="written, folded"):
        joins.find_similar_pairs(NEWS, words="spoken")
