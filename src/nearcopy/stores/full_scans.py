"""What a store answers by a scan over everything: pages of stories, and counts."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from typing import TypeVar

from nearcopy.models import Article, Member, Story
from nearcopy.stores.base import (
    ArticleCounts,
    Store,
    StoreCounts,
    StoryCursor,
    StoryFilter,
    StoryOrder,
    StoryPlace,
)

Arrival = tuple[int, str | None]  # the day and the source of an article
Group = TypeVar("Group")


def first_places(places: Iterable[StoryPlace], order: StoryOrder, limit: int) -> list[StoryPlace]:
    """The first places in this order."""
    return sorted(places, key=lambda place: _rank(place, order), reverse=True)[:limit]


def latest_numbers(
    numbers: Mapping[str, int], before: int | None, limit: int
) -> list[tuple[int, str]]:
    """The highest sequence numbers below `before`, with their ids."""
    ranked = ((number, name) for name, number in numbers.items())
    return nlargest(limit, (pair for pair in ranked if before is None or pair[0] < before))


def scan_stories(
    store: Store, query: StoryFilter, order: StoryOrder, after: StoryCursor | None, limit: int
) -> list[StoryPlace]:
    """A page of stories, by a scan over every story."""
    ids, stories = list(store.ids()), store.stories(list(store.story_ids()))
    numbers, matching = store.sequence_numbers(ids), _matching_ids(store, ids, query)
    places = [
        _place(story, numbers)
        for story in stories.values()
        if any(member.id in matching for member in story.members)
    ]
    alone = matching.difference(member.id for story in stories.values() for member in story.members)
    places += [StoryPlace(1, numbers[name], None, name) for name in ids if name in alone]
    end = after and _rank(StoryPlace(*after, None), order)
    large = (place for place in places if place.size >= query.least)
    return first_places(
        (place for place in large if not end or _rank(place, order) < end), order, limit
    )


def _rank(place: StoryPlace, order: StoryOrder) -> tuple[int, ...]:
    return (place.latest,) if order == "newest" else (place.size, place.latest)


def _place(story: Story, numbers: Mapping[str, int]) -> StoryPlace:
    latest = max(numbers[member.id] for member in story.members)
    return StoryPlace(len(story.members), latest, story.id)


def _matching_ids(store: Store, ids: list[str], query: StoryFilter) -> set[str]:
    if query == StoryFilter(query.least):  # every article matches
        return set(ids)
    if query.source is not None:
        fingerprints = store.fingerprints(ids)
        ids = [name for name, item in fingerprints.items() if item.source == query.source]
    return {name for name, article in store.articles(ids).items() if _matches(article, query)}


def _matches(article: Article, query: StoryFilter) -> bool:
    when = article.published or article.seen
    if (query.since or query.until) and when is None:
        return False
    early = query.since is not None and when is not None and when < query.since
    late = query.until is not None and when is not None and when >= query.until
    return not early and not late and (query.text or "").casefold() in article.title.casefold()


def count_articles(
    arrivals: Collection[Arrival], members: Sequence[tuple[Arrival, str, Member]]
) -> StoreCounts:
    """The counts of articles, and of those that are members of stories."""
    duplicates = [arrival for arrival, _, member in members if member.duplicate_of]
    sizes = Counter(Counter(story for _, story, _ in members).values())
    if len(arrivals) > len(members):
        sizes[1] += len(arrivals) - len(members)
    related = Counter(
        (day, member.relation) for (day, _), _, member in members if member.relation is not None
    )
    return StoreCounts(
        _article_counts((day for day, _ in arrivals), (day for day, _ in duplicates)),
        _article_counts((source for _, source in arrivals), (source for _, source in duplicates)),
        dict(related),
        dict(sizes),
    )


def _article_counts(
    articles: Iterable[Group], duplicates: Iterable[Group]
) -> dict[Group, ArticleCounts]:
    counts, copies = Counter(articles), Counter(duplicates)
    return {group: ArticleCounts(count, copies[group]) for group, count in counts.items()}
