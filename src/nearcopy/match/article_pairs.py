"""Judging pairs of articles that are in no store."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from nearcopy.config import Policy, Recipe
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.match.judgement import Judgement, judge_pairs
from nearcopy.models import Article

BATCH = 2048  # pairs judged at once


def judge_articles(
    pairs: Iterable[tuple[Article, Article]], recipe: Recipe, policy: Policy
) -> Iterator[Judgement]:
    """The judgement of each pair, in order; one id may belong to different articles."""
    remaining = iter(pairs)
    while batch := list(islice(remaining, BATCH)):
        yield from _judge_batch(batch, recipe, policy)


def _judge_batch(
    batch: list[tuple[Article, Article]], recipe: Recipe, policy: Policy
) -> list[Judgement]:
    ids: dict[Article, str] = {}  # an article in several pairs is fingerprinted once
    for pair in batch:
        for article in pair:
            ids.setdefault(article, str(len(ids)))
    articles = {id_: replace(article, id=id_) for article, id_ in ids.items()}
    by_id = dict(zip(articles, fingerprints(articles.values(), recipe), strict=True))
    pairs = [(by_id[ids[a]], by_id[ids[b]]) for a, b in batch]
    return judge_pairs(
        pairs, recipe, policy, lambda names: {id_: articles[id_] for id_ in sorted(names)}
    )
