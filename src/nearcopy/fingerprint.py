"""Fingerprints: all that is remembered of an article to compare it by."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from nearcopy import kernels
from nearcopy.config import SLOTS, FrequencyTable, Recipe
from nearcopy.errors import BadArticle, BadRecipe
from nearcopy.model import Article, Fingerprint

BATCH = 1024


def fingerprints(
    articles: Iterable[Article], recipe: Recipe | None = None, *, threads: int = 1
) -> Iterator[Fingerprint]:
    """A fingerprint for every article, in order; `threads` 0 means all cores."""
    recipe = _checked(recipe)
    return chain.from_iterable(_fingerprints(b, recipe, threads) for b in _batches(articles))


def _checked(recipe: Recipe | None) -> Recipe:
    if recipe is not None and not isinstance(recipe, Recipe):
        raise BadRecipe(
            f"recipe must be a Recipe, got {type(recipe).__name__}: "
            "take one of nearcopy.RECIPES, or make one"
        )
    return recipe or Recipe()


def _batches(articles: Iterable[Article]) -> Iterator[list[Article]]:
    """The articles in batches; those before a failing one are not lost."""
    batch: list[Article] = []
    try:
        for article in articles:
            if not isinstance(article, Article):
                raise BadArticle(f"expected an Article, got {type(article).__name__}")
            batch.append(article)
            if len(batch) == BATCH:
                yield batch
                batch = []
    except Exception:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _fingerprints(batch: list[Article], recipe: Recipe, threads: int) -> Iterator[Fingerprint]:
    """The rows of the batch's sketches; nothing where there is no text to compare."""
    texts, html = [article.text for article in batch], [article.html for article in batch]
    made = kernels.sketch(texts, recipe, html=html, threads=threads)
    simhash, digest = made.simhash.tolist(), made.digest.tobytes()
    minhash, size = made.minhash.astype("<u4", copy=False).tobytes(), 4 * SLOTS
    for row, (article, words) in enumerate(zip(batch, made.words.tolist(), strict=True)):
        if words == 0:
            yield Fingerprint(id=article.id)
            continue
        yield Fingerprint(
            id=article.id,
            words=words,
            digest=digest[16 * row : 16 * row + 16],
            simhash=simhash[row] if recipe.simhash else None,
            minhash=minhash[size * row : size * row + size] if recipe.minhash else None,
        )


def frequency_table(articles: Iterable[Article], recipe: Recipe | None = None) -> FrequencyTable:
    """How many articles hold each feature of the recipe's SimHash, for weights="tfidf"."""
    recipe = _checked(recipe)
    wanted = recipe.simhash
    if wanted is None:
        raise BadRecipe("a recipe without simhash weighs nothing: give it features to count")
    counts: Counter[int] = Counter()
    documents = 0
    for batch in _batches(articles):
        documents += len(batch)
        sets = kernels.feature_sets(
            [a.text for a in batch], recipe, wanted, html=[a.html for a in batch]
        )
        found, times = np.unique(sets.values, return_counts=True)
        counts.update(dict(zip(found.tolist(), times.tolist(), strict=True)))
    if documents == 0:
        raise BadRecipe("no articles to count: a frequency table needs at least one")
    return FrequencyTable.from_counts(recipe.hash, wanted, documents, counts)
