"""Joins: all pairs of articles with at least so much in common, none missed and none other.

Words are taken as they are written, case aside, so that anyone can count again what was counted: a
word is a run of letters and digits, each Chinese or Japanese character one of its own. Or they are
folded as in fingerprints, where vowel signs and spelling variants are no difference.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal, NamedTuple, get_args

import numpy as np

from nearcopy import kernels
from nearcopy.config import Features, Recipe
from nearcopy.errors import BadArticle, BadPolicy, BadRecipe
from nearcopy.extract.text import strip_html
from nearcopy.kernels.result_types import FeatureSets, SimilarPairs
from nearcopy.match.compare import Overlap
from nearcopy.models import Article

Words = Literal["written", "folded"]
CHARACTERS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
WORD = re.compile(rf"[{CHARACTERS}]|[^\W{CHARACTERS}]+")
BATCH = 1024  # articles at a time
BLOCK = 1 << 16  # pairs at a time


class _Read(NamedTuple):
    """What is kept of the articles."""

    ids: list[str]
    sizes: list[int]
    join: kernels.SetJoin


def pairs(
    articles: Iterable[Article],
    min_overlap: float = 0.5,
    *,
    features: Features | None = None,
    recipe: Recipe | None = None,
    words: Words = "written",
    threads: int = 1,
) -> Iterator[tuple[str, str, Overlap]]:
    """The ids and the exact overlap of every two texts with at least this Jaccard, in order.

    The features are those of the recipe's MinHash unless given; texts without any are like nothing.
    `words` says what a word is; runs of characters are always folded.
    All articles are read before the first pair. Memory is linear in them, though their pairs may be
    quadratic: a thousand copies of one page are half a million.
    """
    _check(articles, min_overlap, features, recipe)
    if words not in get_args(Words):
        raise BadPolicy(f"words is {words!r}: choose one of {', '.join(get_args(Words))}")
    recipe = recipe or Recipe()
    unit = features or recipe.minhash or recipe.simhash or Features()
    if words == "written" and unit.unit == "words":
        articles = spelt_in_numbers(articles)
    return _pairs(articles, float(min_overlap), recipe, unit, threads)


def spelt_in_numbers(articles: Iterable[Article]) -> Iterator[Article]:
    """The articles with a number for each word: two are the same where the words are."""
    numbers: dict[str, str] = {}
    for article in map(_checked, articles):
        text = strip_html(article.text) if article.html else article.text
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
    ids, sizes, join = _read(articles, min_overlap, recipe, features, threads)
    place = 0
    while place < len(join):
        place, block = join.find(place, BLOCK, threads=threads)
        for (a, b), shared in _rows(block):
            yield ids[a], ids[b], Overlap(sizes[a], sizes[b], shared)


def _rows(block: SimilarPairs) -> Iterator[tuple[list[int], int]]:
    """The places of each pair, and how many features they share; few of them at a time."""
    for start in range(0, len(block.shared), BLOCK):
        rows = slice(start, start + BLOCK)
        yield from zip(block.pairs[rows].tolist(), block.shared[rows].tolist(), strict=True)


def _read(
    articles: Iterable[Article],
    min_overlap: float,
    recipe: Recipe,
    features: Features,
    threads: int,
) -> _Read:
    """The ids and the sets of the articles; their texts are let go."""
    ids: list[str] = []
    sizes: list[int] = []
    values = bytearray()  # grows in place, where joining arrays would hold everything twice
    for batch in _batches(articles):
        texts, html = [article.text for article in batch], [article.html for article in batch]
        sets_of_batch = kernels.feature_sets(texts, recipe, features, html=html, threads=threads)
        ids += [article.id for article in batch]
        sizes += np.diff(sets_of_batch.starts).tolist()
        values += sets_of_batch.values.data
    starts = np.cumsum([0, *sizes], dtype=np.uint64)
    sets = FeatureSets(starts, np.frombuffer(values, np.uint64))
    return _Read(ids, sizes, kernels.SetJoin(sets, min_overlap))


def _batches(articles: Iterable[Article]) -> Iterator[list[Article]]:
    remaining = map(_checked, articles)
    while batch := list(islice(remaining, BATCH)):
        yield batch


def _checked(article: object) -> Article:
    if not isinstance(article, Article):
        raise BadArticle(f"expected an Article, got {type(article).__name__}")
    return article


def _check(articles: object, min_overlap: float, features: object, recipe: object) -> None:
    """Refuses what cannot be meant."""
    if isinstance(articles, Article):
        raise BadArticle("expected articles, got one Article: put it in a list")
    number = isinstance(min_overlap, int | float) and not isinstance(min_overlap, bool)
    if not (number and 0 < min_overlap <= 1):
        raise BadPolicy(f"min_overlap is {min_overlap!r}: give a share above 0, at most 1")
    if features is not None and not isinstance(features, Features):
        raise BadRecipe(f'features is {features!r}: give Features("words", 5), or None')
    if recipe is not None and not isinstance(recipe, Recipe):
        raise BadRecipe(f"recipe must be a Recipe, got {type(recipe).__name__}: make one")
