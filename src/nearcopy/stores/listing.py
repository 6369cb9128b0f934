"""Listing: stories a page at a time, by how new or how large they are."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from nearcopy.model import Article, Story

Order = Literal["newest", "largest"]


class Wanted(NamedTuple):
    """Which stories: of so many articles or more, one of which fits all the rest."""

    least: int = 1
    since: datetime | None = None  # published, or where it bears no date seen
    until: datetime | None = None  # before this
    source: str | None = None  # as fingerprints hold it
    text: str | None = None  # within its title, in any case

    @property
    def any_article(self) -> bool:
        """Whether every article fits."""
        return self[1:] == (None, None, None, None)


class After(NamedTuple):
    """Where a list goes on: behind the story of this size whose latest article has this number."""

    size: int
    latest: int


class Listed(NamedTuple):
    """A place in a list: a story, or an article that is in none and so is one by itself."""

    size: int
    latest: int  # the number of the article that came last
    story: str | None
    article: str | None = None


class Walkable(Protocol):
    """What a walk through a store takes."""

    def ids(self) -> Iterator[str]:
        """All articles."""

    def story_ids(self) -> Iterator[str]:
        """The remembered stories."""

    def stories(self, ids: list[str]) -> dict[str, Story]:
        """The remembered stories, by id."""

    def numbers(self, ids: list[str]) -> dict[str, int]:
        """The numbers of the articles."""

    def articles(self, ids: list[str]) -> dict[str, Article]:
        """The articles as they came."""

    def sources(self, ids: list[str]) -> dict[str, str | None]:
        """The outlets of the articles, as fingerprints hold them."""


def first(places: Iterable[Listed], order: Order, limit: int) -> list[Listed]:
    """The first of the places in this order."""
    return sorted(places, key=lambda each: _rank(each, order), reverse=True)[:limit]


def walked(
    store: Walkable, wanted: Wanted, order: Order, after: After | None, limit: int
) -> list[Listed]:
    """A page found by looking at every story: for stores that are in memory."""
    ids, told = list(store.ids()), store.stories(list(store.story_ids()))
    numbers, fits = store.numbers(ids), _fitting(store, ids, wanted)
    places = [_listed(story, numbers) for story in told.values() if _any(story, fits)]
    grouped = {each.id for story in told.values() for each in story.members}
    places += [Listed(1, numbers[name], None, name) for name in ids if name in fits - grouped]
    end = after and _rank(Listed(*after, None), order)
    left = (each for each in places if each.size >= wanted.least)
    return first((each for each in left if not end or _rank(each, order) < end), order, limit)


def _rank(place: Listed, order: Order) -> tuple[int, ...]:
    return (place.latest,) if order == "newest" else (place.size, place.latest)


def _listed(story: Story, numbers: dict[str, int]) -> Listed:
    latest = max(numbers[each.id] for each in story.members)
    return Listed(len(story.members), latest, story.id)


def _any(story: Story, fits: set[str]) -> bool:
    return any(each.id in fits for each in story.members)


def _fitting(store: Walkable, ids: list[str], wanted: Wanted) -> set[str]:
    """The articles that fit."""
    if wanted.any_article:
        return set(ids)
    sources = store.sources(ids) if wanted.source is not None else {}
    return {
        name
        for name, article in store.articles(ids).items()
        if sources.get(name) == wanted.source and _fits(article, wanted)
    }


def _fits(article: Article, wanted: Wanted) -> bool:
    when = article.published or article.seen
    if (wanted.since or wanted.until) and when is None:
        return False
    early = wanted.since is not None and when is not None and when < wanted.since
    late = wanted.until is not None and when is not None and when >= wanted.until
    return not early and not late and (wanted.text or "").casefold() in article.title.casefold()
