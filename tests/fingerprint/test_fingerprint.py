"""Fingerprints: one for every article, the same for ever under one recipe."""

import json
from hashlib import sha256
from itertools import islice
from operator import attrgetter
from pathlib import Path

import pytest

from nearcopy import (
    RECIPES,
    Article,
    BadArticle,
    BadRecipe,
    Recipe,
    fingerprints,
    frequency_table,
    kernels,
)
from nearcopy.fingerprint.fingerprint import BATCH

GOLDEN = Path(__file__).parent / "golden" / "fingerprints.json"


def current() -> dict[str, object]:
    """What the golden file must hold; run this file to write it."""
    texts = json.loads(GOLDEN.read_text(encoding="utf-8"))["texts"]
    recipes = {}
    for name, recipe in RECIPES.items():
        sketches = kernels.sketch(texts, recipe)
        recipes[name] = {
            "id": recipe.id,
            "simhash": [f"{value:016x}" for value in sketches.simhash.tolist()],
            "minhash": [
                sha256(row.astype("<u4").tobytes()).hexdigest() for row in sketches.minhash
            ],
            "digest": [row.tobytes().hex() for row in sketches.digest],
            "words": sketches.words.tolist(),
        }
    fold = (Path(kernels.__file__).parent / "fold.npz").read_bytes()
    return {"texts": texts, "fold": sha256(fold).hexdigest(), "recipes": recipes}


def test_golden_fingerprints_hold():
    """A difference here voids every store: it needs a new TEXT_VERSION, and so new recipe ids."""
    assert current() == json.loads(GOLDEN.read_text(encoding="utf-8"))


def articles(count: int) -> list[Article]:
    return [Article(id=str(i), text=f"story number {i} of many stories") for i in range(count)]


def test_every_article_comes_back_in_order():
    corpus = articles(2 * BATCH + 3)
    assert [f.id for f in fingerprints(corpus)] == [a.id for a in corpus]


def test_fingerprints_are_made_as_they_are_asked_for():
    numbers = []

    def endless():
        for i in range(10**9):
            numbers.append(i)
            yield Article(id=str(i), text="words")

    prints = fingerprints(endless())
    assert next(prints).id == "0"
    assert len(numbers) == BATCH


def test_a_fingerprint_holds_bytes_and_numbers():
    (fingerprint,) = fingerprints(
        [Article(id="a", text="Ten words make a fine text to measure with, surely")]
    )
    assert fingerprint.words == 10
    assert fingerprint.digest is not None
    assert len(fingerprint.digest) == 16
    assert fingerprint.minhash is not None
    assert len(fingerprint.minhash) == 512
    assert fingerprint.simhash is not None
    assert 0 <= fingerprint.simhash < 1 << 64


@pytest.mark.parametrize("text", ["", " \n", "…!?", "\u200b\u00ad", "<p></p>"])
def test_no_words_no_fingerprint(text):
    (fingerprint,) = fingerprints([Article(id="a", text=text, html=text.startswith("<"))])
    assert fingerprint.words == 0
    assert (fingerprint.digest, fingerprint.simhash, fingerprint.minhash) == (None, None, None)


def test_what_the_recipe_leaves_out_is_none():
    (fingerprint,) = fingerprints([Article(id="a", text="some words")], Recipe(minhash=None))
    assert fingerprint.minhash is None
    assert fingerprint.simhash is not None


def test_one_or_many_threads_or_batches_are_the_same():
    corpus = articles(100)
    one_by_one = [next(fingerprints([article])) for article in corpus]
    assert one_by_one == list(fingerprints(corpus)) == list(fingerprints(corpus, threads=3))


def test_traditional_and_simplified_are_one():
    one, two = fingerprints(
        [Article(id="a", text="總統府發佈新聞稿"), Article(id="b", text="总统府发布新闻稿")]
    )
    assert (one.digest, one.simhash, one.minhash) == (two.digest, two.simhash, two.minhash)


def test_a_figure_changed_is_another_text():
    one, two = fingerprints(
        [Article(id="a", text="raises $10M today"), Article(id="b", text="raises $50M today")]
    )
    assert one.digest != two.digest


def test_a_frequency_table_needs_articles_and_features():
    with pytest.raises(BadRecipe, match="there are no articles"):
        frequency_table([])
    with pytest.raises(BadRecipe, match="no simhash"):
        frequency_table(articles(1), Recipe(simhash=None))
    table = frequency_table(articles(3))
    assert table.documents == 3
    recipe = Recipe(weights="tfidf", frequencies=table)
    assert len(list(fingerprints(articles(3), recipe))) == 3


def test_wrong_arguments_say_so_at_once():
    with pytest.raises(BadRecipe, match="must be a Recipe, got str: take one of"):
        fingerprints(articles(1), "default")  # type: ignore[arg-type]
    with pytest.raises(BadArticle, match="expected an Article, got str"):
        list(fingerprints(["text"]))  # type: ignore[list-item]


def test_articles_before_a_failing_one_are_not_lost():
    def failing():
        yield from articles(5)
        raise OSError("the wire went dead")

    ids = map(attrgetter("id"), fingerprints(failing()))
    assert list(islice(ids, 5)) == ["0", "1", "2", "3", "4"]
    with pytest.raises(OSError, match="went dead"):
        next(ids)


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(current(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
