"""Listing: stories a page at a time, by how new or how large they are."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from heapq import nlargest
from typing import Literal, NamedTuple, Protocol

from nearcopy.models.model import Article, Fingerprint, Story

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

    def fingerprints(self, ids: list[str]) -> dict[str, Fingerprint]:
        """What the articles are compared by."""


def first(entries: Iterable[Listed], order: Order, limit: int) -> list[Listed]:
    """The first of the places in this order."""
    return sorted(entries, key=lambda entry: _rank(entry, order), reverse=True)[:limit]


def last(numbers: Mapping[str, int], before: int | None, limit: int) -> list[tuple[int, str]]:
    """The numbers and ids of what came last, of those with a number below `before`."""
    ranked = ((number, name) for name, number in numbers.items())
    return nlargest(limit, (pair for pair in ranked if before is None or pair[0] < before))


def walked(
    store: Walkable, query: Wanted, order: Order, after: After | None, limit: int
) -> list[Listed]:
    """A page found by looking at every story: for stores that have what it takes in memory."""
    ids, stories = list(store.ids()), store.stories(list(store.story_ids()))
    numbers, fits = store.numbers(ids), _fitting(store, ids, query)
    entries = [_listed(story, numbers) for story in stories.values() if _any(story, fits)]
    alone = fits.difference(entry.id for story in stories.values() for entry in story.members)
    entries += [Listed(1, numbers[name], None, name) for name in ids if name in alone]
    end = after and _rank(Listed(*after, None), order)
    left = (entry for entry in entries if entry.size >= query.least)
    return first((entry for entry in left if not end or _rank(entry, order) < end), order, limit)


def _rank(entry: Listed, order: Order) -> tuple[int, ...]:
    return (entry.latest,) if order == "newest" else (entry.size, entry.latest)


def _listed(story: Story, numbers: dict[str, int]) -> Listed:
    latest = max(numbers[member.id] for member in story.members)
    return Listed(len(story.members), latest, story.id)


def _any(story: Story, fits: set[str]) -> bool:
    return any(member.id in fits for member in story.members)


def _fitting(store: Walkable, ids: list[str], query: Wanted) -> set[str]:
    """The articles that fit."""
    if query.any_article:
        return set(ids)
    if query.source is not None:
        fingerprints = store.fingerprints(ids)
        ids = [
            name
            for name in ids
            if name in fingerprints and fingerprints[name].source == query.source
        ]
    return {name for name, article in store.articles(ids).items() if _fits(article, query)}


def _fits(article: Article, query: Wanted) -> bool:
    when = article.published or article.seen
    if (query.since or query.until) and when is None:
        return False
    early = query.since is not None and when is not None and when < query.since
    late = query.until is not None and when is not None and when >= query.until
    return not early and not late and (query.text or "").casefold() in article.title.casefold()
