"""Sketches: the compiled kernels equal the reference, and both mean what they say."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import RECIPES, Article, Features, Recipe, frequency_table, kernels
from nearcopy.config import SLOTS
from nearcopy.kernels import reference

WORDS_ALONE = Recipe(simhash=Features("words", 1))


def counted(texts, recipe=WORDS_ALONE):
    return frequency_table((Article(id=text, text=text) for text in texts), recipe)


COUNTED = counted(["one two three four", "two three four five", "six"])
VARIED = {
    **RECIPES,
    "xxh3": Recipe(hash="xxh3"),
    "fnv1a": Recipe(hash="fnv1a"),
    "characters": Recipe(simhash=Features("characters", 4), minhash=Features("characters", 5)),
    "words and shingles": Recipe(simhash=Features("words", 1), minhash=Features("words", 2)),
    "long shingles": Recipe(minhash=Features("words", 9)),
    "once": Recipe(weights="once"),
    "tfidf": Recipe(simhash=Features("words", 1), weights="tfidf", frequencies=COUNTED),
    "classic": Recipe(scheme="classic"),
    "cut short": Recipe(max_chars=17),
}
WORDS = ["one", "two", "three", "four", "five", "six", "internationalisation", "é", "字", "مرحبا"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=400).map(" ".join) | st.text(max_size=200)


@pytest.mark.parametrize("name", VARIED)
@given(texts=st.lists(TEXTS, max_size=3))
def test_native_sketches_equal_the_reference(native, name, texts):
    sketches, expected = (k.sketch(texts, VARIED[name]) for k in (native, reference))
    for column, expected_column in zip(sketches, expected, strict=True):
        assert column.dtype == expected_column.dtype
        assert np.array_equal(column, expected_column)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 63, 64, 65, 66, 130, 255, 256, 700, 3000])
def test_native_sketches_equal_at_every_size(native, size):
    rng = random.Random(size)
    text = " ".join(str(rng.randrange(10**6)) for _ in range(size))
    for recipe in (Recipe(), Recipe(scheme="classic")):
        sketches, expected = (k.sketch([text], recipe) for k in (native, reference))
        assert all(np.array_equal(a, b) for a, b in zip(sketches, expected, strict=True))


@given(text=TEXTS, size=st.integers(1, 12), unit=st.sampled_from(["words", "characters"]))
def test_native_features_equal_the_reference(native, text, size, unit):
    features, expected = (
        k.features(text, Recipe(), Features(unit, size)) for k in (native, reference)
    )
    assert features.tolist() == expected.tolist()


def test_html_is_stripped_before_sketching(kernel):
    plain = "Oil & gas prices fell on Monday"
    page = "<p>Oil &amp; gas <b>pri</b>ces<!-- x --> fell<script>no()</script> on<br>Monday</p>"
    sketches = kernel.sketch([plain, page], Recipe(), html=[False, True])
    assert sketches.words.tolist() == [6, 6]
    assert np.array_equal(sketches.minhash[0], sketches.minhash[1])
    assert np.array_equal(sketches.digest[0], sketches.digest[1])


def test_threads_change_nothing():
    texts = [f"story {i} about {i * i} things that happened" * (i % 7) for i in range(500)]
    one, four = (kernels.sketch(texts, Recipe(), threads=n) for n in (1, 4))
    assert all(np.array_equal(a, b) for a, b in zip(one, four, strict=True))


def test_a_text_without_words_has_none(kernel):
    sketches = kernel.sketch(["", "?!", "word"], Recipe())
    assert sketches.words.tolist() == [0, 0, 1]


def test_what_the_recipe_leaves_out_is_empty(kernel):
    sketches = kernel.sketch(["some words", "others"], Recipe(minhash=None))
    assert (len(sketches.simhash), len(sketches.minhash)) == (2, 0)
    assert len(kernel.sketch(["words"], Recipe(simhash=None)).simhash) == 0


def test_frequency_counts_once_not_squared(kernel):
    """A word three times votes three times: it outvotes two others, not eight."""
    recipe = Recipe(simhash=Features("words", 1))
    alpha = int(kernel.features("alpha", recipe, Features("words", 1))[0])
    simhash = int(kernel.sketch(["alpha " * 3 + "beta gamma"], recipe).simhash[0])
    assert simhash == alpha
    eight = [f"w{i}" for i in range(8)]
    hashes = [int(kernel.features(w, recipe, Features("words", 1))[0]) for w in eight]
    votes = [3 * (1 if alpha >> b & 1 else -1) for b in range(64)]
    for value in hashes:
        votes = [v + (1 if value >> b & 1 else -1) for b, v in enumerate(votes)]
    expected = sum(1 << b for b in range(64) if votes[b] > 0)
    assert int(kernel.sketch(["alpha " * 3 + " ".join(eight)], recipe).simhash[0]) == expected


def test_once_ignores_repeats(kernel):
    recipe = Recipe(simhash=Features("words", 1), weights="once")
    sketches = kernel.sketch(["alpha beta gamma", "alpha alpha alpha beta gamma gamma"], recipe)
    assert sketches.simhash[0] == sketches.simhash[1]


def test_rare_words_weigh_more(kernel):
    texts = [f"common filler words everywhere story{i}" for i in range(50)]
    table = counted(texts)
    recipe = Recipe(simhash=Features("words", 1), weights="tfidf", frequencies=table)
    simhash = kernel.sketch(["common filler words everywhere zebra"], recipe).simhash[0]
    assert simhash == kernel.features("zebra", recipe, Features("words", 1))[0]


def test_max_chars_limits_the_sketch_not_the_digest(kernel):
    recipe = Recipe(max_chars=9)
    sketches = kernel.sketch(["alpha beta gamma delta", "alpha beta", "alpha beta zeta"], recipe)
    assert np.array_equal(sketches.minhash[0], sketches.minhash[1])
    assert np.array_equal(sketches.minhash[0], sketches.minhash[2])
    assert len({row.tobytes() for row in sketches.digest}) == 3
    assert sketches.words.tolist() == [4, 2, 3]


def _pair(rng: np.random.Generator, size: int, jaccard: float) -> tuple[str, str, float]:
    shared = round(2 * size * jaccard / (1 + jaccard))
    words = rng.choice(10**9, 2 * size - shared, replace=False)
    a, b = (rng.permutation(side).tolist() for side in (words[:size], words[size - shared :]))
    return " ".join(map(str, a)), " ".join(map(str, b)), shared / (2 * size - shared)


@pytest.fixture(scope="module", params=[60, 130, 400])
def pairs_by_jaccard(request):
    """Pairs of texts of this many words, a thousand for each of three similarities."""
    if kernels.native is None:
        pytest.skip("the reference is too slow for this many texts")
    rng = np.random.default_rng(request.param)
    return [
        [_pair(rng, request.param, jaccard) for _ in range(1000)] for jaccard in (0.2, 0.5, 0.8)
    ]


@pytest.mark.parametrize("scheme", ["one-permutation", "classic"])
def test_signature_error_is_that_of_theory(pairs_by_jaccard, scheme):
    recipe = Recipe(minhash=Features("words", 1), scheme=scheme)
    squares, expected = 0.0, 0.0
    for pairs in pairs_by_jaccard:
        left, right = (kernels.sketch([p[i] for p in pairs], recipe).minhash for i in (0, 1))
        estimate = (left == right).mean(axis=1)
        true = np.array([p[2] for p in pairs])
        squares += float(((estimate - true) ** 2).sum())
        expected += float((true * (1 - true) / SLOTS).sum())
    assert math.sqrt(squares / expected) <= 1.05


def test_wrong_types_say_what_to_do(native):
    with pytest.raises(TypeError, match=r"texts\[1\] must be str, got NoneType"):
        native.sketch(["fine", None], Recipe())
    with pytest.raises(TypeError, match=r"got bytes: decode it first"):
        native.sketch([b"bytes"], Recipe())
    with pytest.raises(TypeError, match="got one text: put it in a list"):
        native.sketch("one text", Recipe())
    with pytest.raises(ValueError, match="html has 1 marks for 2 texts"):
        native.sketch(["a", "b"], Recipe(), html=[True])


def test_a_feature_of_no_characters_is_refused(native):
    with pytest.raises(ValueError, match="at least one"):
        native._native.Features(True, 0)
