"""Pages of stories, by age or size, for stores that have what it takes in memory."""

from collections.abc import Iterable, Mapping
from heapq import nlargest

from nearcopy.models import Article, Story
from nearcopy.stores.base import Store, StoryCursor, StoryFilter, StoryOrder, StoryPlace


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
    if query.any_article:
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
