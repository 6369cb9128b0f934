"""Joins: all pairs of articles with at least so much in common, none missed and none other."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from nearcopy import kernels
from nearcopy.compare import Overlap
from nearcopy.config import Features, Recipe
from nearcopy.errors import BadArticle, BadPolicy, BadRecipe
from nearcopy.kernels.results import FeatureSets, SimilarPairs
from nearcopy.model import Article

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
    threads: int = 1,
) -> Iterator[tuple[str, str, Overlap]]:
    """The ids and the exact overlap of every two texts with at least this Jaccard, in order.

    The features are those of the recipe's MinHash unless given; texts without any are like nothing.
    All articles are read before the first pair. Memory is linear in them, though their pairs may be
    quadratic: a thousand copies of one page are half a million.
    """
    _check(articles, min_overlap, features, recipe)
    recipe = recipe or Recipe()
    wanted = features or recipe.minhash or recipe.simhash or Features()
    return _pairs(articles, float(min_overlap), recipe, wanted, threads)


def _pairs(
    articles: Iterable[Article],
    min_overlap: float,
    recipe: Recipe,
    wanted: Features,
    threads: int,
) -> Iterator[tuple[str, str, Overlap]]:
    ids, sizes, join = _read(articles, min_overlap, recipe, wanted, threads)
    place = 0
    while place < len(join):
        place, found = join.find(place, BLOCK, threads=threads)
        for (a, b), shared in _rows(found):
            yield ids[a], ids[b], Overlap(sizes[a], sizes[b], shared)


def _rows(found: SimilarPairs) -> Iterator[tuple[list[int], int]]:
    """The places of each pair, and how many features they share; few of them at a time."""
    for start in range(0, len(found.shared), BLOCK):
        rows = slice(start, start + BLOCK)
        yield from zip(found.pairs[rows].tolist(), found.shared[rows].tolist(), strict=True)


def _read(
    articles: Iterable[Article],
    min_overlap: float,
    recipe: Recipe,
    wanted: Features,
    threads: int,
) -> _Read:
    """The ids and the sets of the articles; their texts are let go."""
    ids: list[str] = []
    sizes: list[int] = []
    values = bytearray()  # grows in place, where joining arrays would hold everything twice
    for batch in _batches(articles):
        texts, html = [each.text for each in batch], [each.html for each in batch]
        made = kernels.feature_sets(texts, recipe, wanted, html=html, threads=threads)
        ids += [each.id for each in batch]
        sizes += np.diff(made.starts).tolist()
        values += made.values.data
    starts = np.cumsum([0, *sizes], dtype=np.uint64)
    sets = FeatureSets(starts, np.frombuffer(values, np.uint64))
    return _Read(ids, sizes, kernels.SetJoin(sets, min_overlap))


def _batches(articles: Iterable[Article]) -> Iterator[list[Article]]:
    remaining = iter(articles)
    while batch := list(islice(remaining, BATCH)):
        for each in batch:
            if not isinstance(each, Article):
                raise BadArticle(f"expected an Article, got {type(each).__name__}")
        yield batch


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
