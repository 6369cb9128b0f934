"""Recipes: wrong ones are refused, equal ones have one id, and any change gives another."""

import subprocess
import sys
from dataclasses import replace

import pytest

from nearcopy import RECIPES, BadRecipe, Features, Recipe
from nearcopy.config import FrequencyTable, lsh_probability

TABLE = FrequencyTable.from_counts("murmur3", Features(), 10, {5: 1, 3: 10})

BAD = [
    ({"hash": "sha1"}, "hash is 'sha1': choose one of 'murmur3', 'xxh3', 'fnv1a'"),
    ({"weights": "squared"}, "weights is 'squared'"),
    ({"scheme": "magic"}, "scheme is 'magic'"),
    ({"digest": "crc"}, "digest is 'crc'"),
    ({"simhash": "words"}, "give Features"),
    ({"minhash": 3}, "give Features"),
    ({"bands": 0}, "bands is 0: give an integer from 1 to 128"),
    ({"bands": 64, "rows": 4}, "64 bands of 4 rows need 256 values"),
    ({"rows": 2.5}, "rows is 2.5"),
    ({"max_chars": -1}, "max_chars is -1"),
    ({"weights": "tfidf"}, "needs a frequency table"),
    ({"frequencies": TABLE}, "needs a frequency table"),
    ({"weights": "tfidf", "frequencies": {"a": 1}}, "needs a frequency table"),
    ({"weights": "tfidf", "frequencies": TABLE, "hash": "xxh3"}, "count again with this recipe"),
    ({"weights": "tfidf", "frequencies": TABLE, "simhash": None}, "count again"),
]

CHANGES = [
    {"hash": "xxh3"},
    {"simhash": None},
    {"simhash": Features("words", 2)},
    {"simhash": Features("characters", 3)},
    {"weights": "once"},
    {"weights": "tfidf", "frequencies": TABLE},
    {"minhash": Features("words", 5)},
    {"scheme": "classic"},
    {"bands": 16},
    {"rows": 3},
    {"digest": "md5"},
    {"max_chars": 5000},
]


@pytest.mark.parametrize(("fields", "message"), BAD)
def test_a_bad_recipe_says_what_to_do(fields, message):
    with pytest.raises(BadRecipe, match=message):
        Recipe(**fields)


@pytest.mark.parametrize(
    ("unit", "size"), [("lines", 1), ("words", 0), ("words", 65), ("words", "3")]
)
def test_bad_features_are_refused(unit, size):
    with pytest.raises(BadRecipe):
        Features(unit, size)


def test_every_change_gives_another_id():
    ids = [Recipe().id, *(replace(Recipe(), **change).id for change in CHANGES)]
    assert len(set(ids)) == len(ids)


def test_the_id_is_the_same_in_another_process():
    code = "from nearcopy import Recipe; print(Recipe().id)"
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == Recipe().id


def test_presets_have_the_recipes_of_their_designs():
    feed, crawler, similarity = (RECIPES[name] for name in ("feed", "crawler", "similarity"))
    assert (feed.simhash, feed.weights, feed.max_chars) == (Features("words", 1), "once", 5000)
    assert (crawler.simhash, crawler.hash) == (Features("words", 5), "murmur3")
    assert RECIPES["digest"].digest == "md5"
    assert (similarity.hash, similarity.bands, similarity.rows) == ("fnv1a", 16, 8)
    assert (similarity.minhash, similarity.scheme) == (Features("words", 3), "classic")


def test_the_rarer_weighs_more():
    table = FrequencyTable.from_counts("murmur3", Features(), 1000, {1: 1, 2: 10, 3: 1000})
    weights = memoryview(table.weights).cast("I").tolist()
    assert table.unknown_weight > weights[0] > weights[1] > weights[2] == 1


@pytest.mark.parametrize(("documents", "counts"), [(0, {}), (3, {1: 4}), (3, {1: 0})])
def test_impossible_counts_are_refused(documents, counts):
    with pytest.raises(BadRecipe, match="between 1 and the number of documents"):
        FrequencyTable.from_counts("murmur3", Features(), documents, counts)


@pytest.mark.parametrize(
    ("bands", "rows", "overlap", "expected"),
    [(16, 8, 0.5, 0.06), (16, 8, 0.67, 0.49), (32, 4, 0.5, 0.87), (32, 4, 0.8, 1.0)],
)
def test_the_lsh_curve(bands, rows, overlap, expected):
    assert lsh_probability(overlap, bands, rows) == pytest.approx(expected, abs=0.01)
