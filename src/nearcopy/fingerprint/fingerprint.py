"""Fingerprints: all that is stored of an article to compare it by."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import chain, repeat
from typing import Any

import numpy as np

import nearcopy.kernels as kernels
from nearcopy.config import FrequencyTable, Recipe, check_recipe
from nearcopy.errors import BadArticle, BadRecipe
from nearcopy.extract import facts, titles, urls
from nearcopy.extract.block_pages import block_page_reasons
from nearcopy.extract.text import normalised_texts
from nearcopy.extract.titles import stages_and_columns
from nearcopy.extract.urls import PageAddress
from nearcopy.kernels.result_types import Readings
from nearcopy.models import Article, Fingerprint

BATCH = 1024
MIN_PROFILE_WORDS = 30  # of a text; below it the slug of the address is part of the profile
STAGE_FINDER = kernels.WordFinder(stages_and_columns.STAGE_WORDS)
COLUMN_FINDER = kernels.PhraseFinder(stages_and_columns.ANCHORS)


def fingerprints(
    articles: Iterable[Article], recipe: Recipe | None = None, *, threads: int = 1
) -> Iterator[Fingerprint]:
    """The fingerprint of every article, in order.

    >>> from nearcopy import Article, fingerprints
    >>> [print.words for print in fingerprints([Article(id="a", text="Ferry runs aground")])]
    [3]

    Args:
        articles: The articles.
        recipe: How fingerprints are computed; by default `Recipe()`.
        threads: The threads of the kernels; 0 for all cores.
    """
    if isinstance(articles, Article):
        raise BadArticle("expected articles, got one Article: put it in a list")
    recipe = check_recipe(recipe) or Recipe()
    return chain.from_iterable(_compute_batch(b, recipe, threads) for b in _batches(articles))


def _batches(articles: Iterable[Article]) -> Iterator[list[Article]]:
    """The articles in batches; those before an invalid one are still returned."""
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


def _compute_batch(batch: list[Article], recipe: Recipe, threads: int) -> list[Fingerprint]:
    """The fingerprints of a batch."""
    cleaned = [titles.clean(article.title, article.source) for article in batch]
    plain = [title.text for title in cleaned]
    stated = facts.read_titles(plain)
    normal = normalised_texts(plain)
    meaningful = list(map(_drop_marks, normal))
    gist = _gists(plain, stated.remainders, meaningful)
    pages = _page_addresses(batch)
    own_pages = list(map(_own_page, pages))
    readings, block_page_reasons = _read_texts(batch, meaningful, pages, recipe, threads)
    return _rows(
        len(batch),
        **readings._asdict(),
        id=[article.id for article in batch],
        recipe=repeat(recipe.id),
        title=meaningful,
        gist=gist,
        facts=stated.figures,
        names=stated.names,
        stages=_stages(normal, [title.prefix for title in cleaned]),
        column=_columns(normal),
        refiled=[title.refiled for title in cleaned],
        url=own_pages,
        declared_url=map(_declared_page, batch, own_pages),
        source=[_outlet(page, a.source) for a, page in zip(batch, pages, strict=True)],
        published=[article.published for article in batch],
        tier=[article.tier for article in batch],
        block_page=block_page_reasons,
        seen=[article.seen for article in batch],
    )


def _read_texts(
    batch: list[Article],
    normal_titles: list[str],
    pages: list[PageAddress | None],
    recipe: Recipe,
    threads: int,
) -> tuple[Readings, list[str | None]]:
    """What is read from titles and texts, and why each article is none.

    The slug of the address is part of the profiles of short articles and of those without a title.
    """
    texts, html = [article.text for article in batch], [article.html for article in batch]
    names = [a.title if normal else "" for a, normal in zip(batch, normal_titles, strict=True)]
    with_slugs = _with_slugs(names, pages)
    readings = kernels.readings(
        [name or with_slug for name, with_slug in zip(names, with_slugs, strict=True)],
        texts,
        recipe,
        html=html,
        threads=threads,
        short_titles=with_slugs,
        short_words=MIN_PROFILE_WORDS,
    )
    reasons = block_page_reasons(
        [article.title for article in batch], texts, readings.words, html=html
    )
    for row, reason in enumerate(reasons):
        if reason:  # the text of a block page is not part of its profile
            readings.profile[row] = kernels.profiles([with_slugs[row]], [""])[0]
    return readings, reasons


def _with_slugs(names: list[str], pages: list[PageAddress | None]) -> list[str]:
    """The titles, each with the words of its address that name the story."""
    rows = [row for row, page in enumerate(pages) if page]
    titles_with_slugs = names.copy()
    slugs = urls.slugs([page.form for page in pages if page])
    for row, slug in zip(rows, slugs, strict=True):
        titles_with_slugs[row] = f"{names[row]} {slug}"
    return titles_with_slugs


# Setting slots by column takes a fifth of the time of a constructor with 23 arguments.
_SLOTS = {field.name: getattr(Fingerprint, field.name).__set__ for field in fields(Fingerprint)}


def _rows(count: int, **columns: Iterable[Any]) -> list[Fingerprint]:
    """The fingerprints with these columns as fields."""
    rows = [Fingerprint.__new__(Fingerprint) for _ in range(count)]
    for name, put in _SLOTS.items():
        deque(map(put, rows, columns[name]), maxlen=0)
    return rows


def _gists(texts: list[str], remainders: list[str], normal_titles: list[str]) -> list[str]:
    """The normalised titles without their facts."""
    gists = normal_titles.copy()
    rows = [row for row, text in enumerate(texts) if remainders[row] != text]
    for row, gist in zip(rows, normalised_texts([remainders[row] for row in rows]), strict=True):
        gists[row] = _drop_marks(gist)
    return gists


def _stages(normal: list[str], prefixes: list[str | None]) -> list[tuple[str, ...]]:
    """`titles.find_stage_words` of every normalised title, in one pass."""
    stages = STAGE_FINDER.find(normal, most=stages_and_columns.MAX_WORDS)
    for row, prefix in enumerate(prefixes):
        if prefix is not None:
            stages[row] = titles.find_stage_words(normal[row], prefix)
    return stages


def _columns(normal: list[str]) -> list[str | None]:
    """`titles.recurring_column` of every normalised title with a phrase of such columns."""
    return [
        titles.recurring_column(title) if matches else None
        for title, matches in zip(normal, COLUMN_FINDER.match(normal), strict=True)
    ]


def _drop_marks(title: str) -> str:
    """The title; empty for a mere mark such as "Breaking news"."""
    return "" if title in titles.EMPTY_TITLES else title


def _page_addresses(batch: list[Article]) -> list[PageAddress | None]:
    """The address of each article that has one."""
    return urls.page_addresses([article.url or "" for article in batch])


def _own_page(page: PageAddress | None) -> str | None:
    """The canonical address; None for a home page."""
    return page.form if page and not page.is_home else None


def _declared_page(article: Article, own_page: str | None) -> str | None:
    """The declared address if it differs."""
    if not article.canonical_url:
        return None
    declared = urls.declared_address(article.url, article.canonical_url)
    return declared if declared != own_page else None


def _outlet(page: PageAddress | None, source: str | None) -> str | None:
    """The site of the address, else the source."""
    return page.site if page else _outlet_name(source) if source else None


def outlet_of(article: Article) -> str | None:
    """The outlet of an article: the site of its address, else its source."""
    return _outlet(_page_addresses([article])[0], article.source)


def _outlet_name(source: str) -> str:
    """The site if the source is a host, else the folded name."""
    host = "." in source and " " not in source
    return (urls.site("//" + source) if host else None) or source.casefold().strip()


def frequency_table(articles: Iterable[Article], recipe: Recipe | None = None) -> FrequencyTable:
    """The document frequencies of the features of the recipe's SimHash, for weights="tfidf"."""
    recipe = check_recipe(recipe) or Recipe()
    features = recipe.simhash
    if features is None:
        raise BadRecipe("the recipe has no simhash: give it features to count")
    counts: Counter[int] = Counter()
    documents = 0
    for batch in _batches(articles):
        documents += len(batch)
        sets = kernels.feature_sets(
            [a.text for a in batch], recipe, features, html=[a.html for a in batch]
        )
        values, times = np.unique(sets.values, return_counts=True)
        counts.update(dict(zip(values.tolist(), times.tolist(), strict=True)))
    if documents == 0:
        raise BadRecipe("there are no articles: a frequency table needs at least one")
    return FrequencyTable.from_counts(recipe.hash, features, documents, counts)
