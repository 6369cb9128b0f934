"""Fingerprints: all that is remembered of an article to compare it by."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from nearcopy import kernels
from nearcopy.config import Features, FrequencyTable, Recipe
from nearcopy.errors import BadRecipe
from nearcopy.kernels.results import Sketches
from nearcopy.model import Article, Fingerprint

BATCH = 1024


def fingerprints(
    articles: Iterable[Article], recipe: Recipe | None = None, *, threads: int = 1
) -> Iterator[Fingerprint]:
    """A fingerprint for every article, in order; `threads` 0 means all cores."""
    recipe = recipe or Recipe()
    remaining = iter(articles)
    while batch := list(islice(remaining, BATCH)):
        sketches = kernels.sketch(
            [article.text for article in batch],
            recipe,
            html=[article.html for article in batch],
            threads=threads,
        )
        yield from _rows(batch, sketches, recipe)


def _rows(batch: Sequence[Article], made: Sketches, recipe: Recipe) -> Iterator[Fingerprint]:
    """The rows of the sketches as fingerprints; nothing where there is no text to compare."""
    simhash, digest = made.simhash.tolist(), made.digest.tobytes()
    minhash = made.minhash.astype("<u4", copy=False).tobytes()
    size = 4 * made.minhash.shape[1]
    for row, (article, words) in enumerate(zip(batch, made.words.tolist(), strict=True)):
        if words == 0:
            yield Fingerprint(article.id, 0)
            continue
        yield Fingerprint(
            article.id,
            words,
            digest[16 * row : 16 * row + 16],
            simhash[row] if recipe.simhash else None,
            minhash[size * row : size * row + size] if recipe.minhash else None,
        )


def frequency_table(
    texts: Iterable[str], features: Features | None = None, *, recipe: Recipe | None = None
) -> FrequencyTable:
    """The frozen table of how many texts hold each feature, for weights="tfidf"."""
    recipe = recipe or Recipe()
    wanted = features or recipe.simhash
    if wanted is None:
        raise BadRecipe("a recipe without simhash weighs nothing: name the features to count")
    counts: Counter[int] = Counter()
    documents = 0
    remaining = iter(texts)
    while batch := list(islice(remaining, BATCH)):
        documents += len(batch)
        found, times = np.unique(
            kernels.feature_sets(batch, recipe, wanted).values, return_counts=True
        )
        counts.update(dict(zip(found.tolist(), times.tolist(), strict=True)))
    if documents == 0:
        raise BadRecipe("no texts to count: a frequency table needs at least one")
    return FrequencyTable.from_counts(documents, counts)
