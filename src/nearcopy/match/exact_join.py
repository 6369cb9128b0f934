"""The exact similarity join: all pairs of articles with at least a given overlap.

Words are taken as written, ignoring case, so that the counts are easy to verify: a word is a run of
letters and digits, or one Chinese or Japanese character. Optionally they are folded as in
fingerprints, where vowel signs and spelling variants make no difference.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, get_args

import numpy as np

import nearcopy.kernels as kernels
from nearcopy.config import Features, Recipe
from nearcopy.errors import BadArticle, BadPolicy, BadRecipe
from nearcopy.extract.text import plain_text
from nearcopy.kernels.result_types import FeatureSets, SimilarPairs
from nearcopy.match.compare import Overlap
from nearcopy.models import Article
from nearcopy.models.batches import batches

Words = Literal["written", "folded"]
CHARACTERS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
WORD = re.compile(rf"[{CHARACTERS}]|[^\W{CHARACTERS}]+")
ARTICLES_PER_BATCH = 1024  # articles at a time
PAIRS_PER_BLOCK = 1 << 16  # pairs at a time


def find_similar_pairs(
    articles: Iterable[Article],
    min_overlap: float = 0.5,
    *,
    features: Features | None = None,
    recipe: Recipe | None = None,
    words: Words = "written",
    threads: int = 1,
) -> Iterator[tuple[str, str, Overlap]]:
    """The ids and the exact overlap of every two texts with at least this Jaccard, in order.

    All articles are read before the first pair. Memory is linear in the articles, though the pairs
    may be quadratic: a thousand copies of one page are half a million.

    Args:
        articles: The articles; texts without features match nothing.
        min_overlap: The least Jaccard overlap, above 0.
        features: The features; by default those of the recipe's MinHash.
        recipe: The recipe; by default `Recipe()`.
        words: Words as "written", or "folded"; runs of characters are always folded.
        threads: The threads of the kernels; 0 for all cores.
    """
    _check(articles, min_overlap, features, recipe)
    if words not in get_args(Words):
        raise BadPolicy(f"words is {words!r}: choose one of {', '.join(get_args(Words))}")
    recipe = recipe or Recipe()
    unit = features or recipe.minhash or recipe.simhash or Features()
    if words == "written" and unit.unit == "words":
        articles = number_words(articles)
    return _pairs(articles, float(min_overlap), recipe, unit, threads)


def number_words(articles: Iterable[Article]) -> Iterator[Article]:
    """The articles with each word replaced by a number of its own."""
    numbers: dict[str, str] = {}
    for article in map(_check_article, articles):
        text = plain_text(article.text, html=article.html)
        tokens = WORD.findall(text.lower())
        spelt = " ".join([numbers.setdefault(word, str(len(numbers))) for word in tokens])
        yield Article(id=article.id, text=spelt)


def _pairs(
    articles: Iterable[Article],
    min_overlap: float,
    recipe: Recipe,
    features: Features,
    threads: int,
) -> Iterator[tuple[str, str, Overlap]]:
    ids, sizes, join = _read_features(articles, min_overlap, recipe, features, threads)
    place = 0
    while place < len(join):
        place, block = join.find(place, PAIRS_PER_BLOCK, threads=threads)
        for (a, b), shared in _rows(block):
            yield ids[a], ids[b], Overlap(sizes[a], sizes[b], shared)


def _rows(block: SimilarPairs) -> Iterator[tuple[list[int], int]]:
    """The indexes of each pair, and the number of features they share, in slices."""
    for start in range(0, len(block.shared), PAIRS_PER_BLOCK):
        rows = slice(start, start + PAIRS_PER_BLOCK)
        yield from zip(block.pairs[rows].tolist(), block.shared[rows].tolist(), strict=True)


def _read_features(
    articles: Iterable[Article],
    min_overlap: float,
    recipe: Recipe,
    features: Features,
    threads: int,
) -> tuple[list[str], list[int], kernels.SetJoin]:
    """The ids, the sizes and the join of the feature sets of the articles, without their texts."""
    ids: list[str] = []
    sizes: list[int] = []
    values = bytearray()  # grows in place; joining arrays would take twice the memory
    for batch in batches(map(_check_article, articles), ARTICLES_PER_BATCH):
        texts, html = [article.text for article in batch], [article.html for article in batch]
        sets_of_batch = kernels.feature_sets(texts, recipe, features, html=html, threads=threads)
        ids += [article.id for article in batch]
        sizes += np.diff(sets_of_batch.starts).tolist()
        values += sets_of_batch.values.data
    starts = np.cumsum([0, *sizes], dtype=np.uint64)
    sets = FeatureSets(starts, np.frombuffer(values, np.uint64))
    return ids, sizes, kernels.SetJoin(sets, min_overlap)


def _check_article(article: object) -> Article:
    if not isinstance(article, Article):
        raise BadArticle(f"expected an Article, got {type(article).__name__}")
    return article


def _check(articles: object, min_overlap: float, features: object, recipe: object) -> None:
    """Validate the arguments."""
    if isinstance(articles, Article):
        raise BadArticle("expected articles, got one Article: put it in a list")
    number = isinstance(min_overlap, int | float) and not isinstance(min_overlap, bool)
    if not (number and 0 < min_overlap <= 1):
        raise BadPolicy(f"min_overlap is {min_overlap!r}: give a share above 0, at most 1")
    if features is not None and not isinstance(features, Features):
        raise BadRecipe(f'features is {features!r}: give Features("words", 5), or None')
    if recipe is not None and not isinstance(recipe, Recipe):
        raise BadRecipe(f"recipe must be a Recipe, got {type(recipe).__name__}: make one")
