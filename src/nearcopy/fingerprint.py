"""Fingerprints: all that is remembered of an article to compare it by."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from nearcopy import facts, junk, kernels, titles, urls
from nearcopy.config import FrequencyTable, Recipe, checked_recipe
from nearcopy.errors import BadArticle, BadRecipe
from nearcopy.model import Article, Fingerprint

BATCH = 1024


def fingerprints(
    articles: Iterable[Article], recipe: Recipe | None = None, *, threads: int = 1
) -> Iterator[Fingerprint]:
    """A fingerprint for every article, in order; `threads` 0 means all cores."""
    if isinstance(articles, Article):
        raise BadArticle("expected articles, got one Article: put it in a list")
    recipe = checked_recipe(recipe) or Recipe()
    return chain.from_iterable(_fingerprints(b, recipe, threads) for b in _batches(articles))


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
    """The rows of the batch, each from its text, its title and its address."""
    cleaned = [titles.clean(article.title, article.source) for article in batch]
    stated = [facts.read(title.text) for title in cleaned]
    normal = titles.normals([title.text for title in cleaned])
    gists = titles.normals([found.rest for found in stated])
    readings = kernels.readings(
        [article.title for article in batch],
        [article.text for article in batch],
        recipe,
        html=[article.html for article in batch],
        threads=threads,
    )
    rows = zip(batch, zip(*readings, strict=True), cleaned, stated, normal, gists, strict=True)
    for article, reading, title, found, words, gist in rows:
        page, declared, source = _addresses(article)
        count, digest, simhash, minhash, numerals, profile, details = reading
        yield Fingerprint(
            id=article.id,
            recipe=recipe.id,
            words=count,
            digest=digest,
            simhash=simhash,
            minhash=minhash,
            numerals=numerals,
            profile=profile,
            details=details,
            title=_telling(words),
            gist=_telling(gist),
            facts=found.figures,
            names=found.names,
            stages=titles.stages(words, title.prefix),
            column=titles.recurring(words),
            refiled=title.refiled,
            url=page,
            declared_url=declared,
            source=source,
            published=article.published,
            tier=article.tier,
            junk=junk.reason(article.title, article.text, count, html=article.html),
            seen=article.seen,
        )


def _telling(title: str) -> str:
    """The title, or nothing where it is a mark of the trade alone: "Breaking news"."""
    return "" if title in titles.MARKS else title


def _addresses(article: Article) -> tuple[str | None, str | None, str | None]:
    """Where the article stands: its page, what the page declares instead, and whose it is."""
    url, source = article.url, article.source
    page = urls.canonical(url) if url else None
    declared = urls.declared(url, article.canonical_url) if article.canonical_url else None
    outlet = (urls.site(page) if page else None) or (_outlet(source) if source else None)
    if page and urls.is_home(page):
        page = None
    return page, declared if declared != page else None, outlet


def _outlet(source: str) -> str:
    """One name per outlet: the site where the source is given as a host, else the folded name."""
    host = "." in source and " " not in source
    return (urls.site("//" + source) if host else None) or source.casefold().strip()


def frequency_table(articles: Iterable[Article], recipe: Recipe | None = None) -> FrequencyTable:
    """How many articles hold each feature of the recipe's SimHash, for weights="tfidf"."""
    recipe = checked_recipe(recipe) or Recipe()
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
