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
        made = kernels.sketch(texts, recipe)
        recipes[name] = {
            "id": recipe.id,
            "simhash": [f"{value:016x}" for value in made.simhash.tolist()],
            "minhash": [sha256(row.astype("<u4").tobytes()).hexdigest() for row in made.minhash],
            "digest": [row.tobytes().hex() for row in made.digest],
            "words": made.words.tolist(),
        }
    fold = (Path(kernels.__file__).parent / "fold.npz").read_bytes()
    return {"texts": texts, "fold": sha256(fold).hexdigest(), "recipes": recipes}


def test_golden_fingerprints_hold():
    """A difference here voids every store: it needs a new TEXT_VERSION, and so new recipe ids."""
    assert current() == json.loads(GOLDEN.read_text(encoding="utf-8"))


def articles(count: int) -> list[Article]:
    return [Article(id=str(i), text=f"story number {i} of many stories") for i in range(count)]


def test_every_article_comes_back_in_order():
    given = articles(2 * BATCH + 3)
    assert [f.id for f in fingerprints(given)] == [a.id for a in given]


def test_fingerprints_are_made_as_they_are_asked_for():
    taken = []

    def endless():
        for i in range(10**9):
            taken.append(i)
            yield Article(id=str(i), text="words")

    made = fingerprints(endless())
    assert next(made).id == "0"
    assert len(taken) == BATCH


def test_a_fingerprint_holds_bytes_and_numbers():
    (made,) = fingerprints(
        [Article(id="a", text="Ten words make a fine text to measure with, surely")]
    )
    assert made.words == 10
    assert made.digest is not None
    assert len(made.digest) == 16
    assert made.minhash is not None
    assert len(made.minhash) == 512
    assert made.simhash is not None
    assert 0 <= made.simhash < 1 << 64


@pytest.mark.parametrize("text", ["", " \n", "…!?", "\u200b\u00ad", "<p></p>"])
def test_no_words_no_fingerprint(text):
    (made,) = fingerprints([Article(id="a", text=text, html=text.startswith("<"))])
    assert made.words == 0
    assert (made.digest, made.simhash, made.minhash) == (None, None, None)


def test_what_the_recipe_leaves_out_is_none():
    (made,) = fingerprints([Article(id="a", text="some words")], Recipe(minhash=None))
    assert made.minhash is None
    assert made.simhash is not None


def test_one_or_many_threads_or_batches_are_the_same():
    given = articles(100)
    one_by_one = [next(fingerprints([article])) for article in given]
    assert one_by_one == list(fingerprints(given)) == list(fingerprints(given, threads=3))


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

    taken = map(attrgetter("id"), fingerprints(failing()))
    assert list(islice(taken, 5)) == ["0", "1", "2", "3", "4"]
    with pytest.raises(OSError, match="went dead"):
        next(taken)


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(current(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
