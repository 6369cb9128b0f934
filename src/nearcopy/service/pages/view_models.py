"""What pages show of articles and stories, as plain data."""

from collections.abc import Iterable, Mapping
from typing import Any

from nearcopy.deduper.deduper import Deduper
from nearcopy.io.serializers.answers import story_row
from nearcopy.models import Article, Story

Row = dict[str, Any]
TITLE = 1000  # characters that a page is given
NAMED = 3  # outlets of a story in a list
STEPS = 12  # of the spread of a story over time


def card(article: Article | None, name: str) -> Row:
    """What is shown of an article; one that is gone by now has its id alone."""
    return {
        "id": name,
        "title": article.title[:TITLE] if article else "",
        "source": article.source if article else None,
        "url": address(article.url) if article else None,
        "language": article.language if article else None,
        "published": _time(article),
    }


def address(url: str | None) -> str | None:
    """The address where a browser may follow it: it is the article's, and may be anything."""
    return url if url and url.lower().startswith(("http://", "https://")) else None


def _time(article: Article | None) -> str | None:
    moment = (article.published or article.seen) if article else None
    return moment.isoformat() if moment else None


def story_cards(deduper: Deduper, stories: Iterable[Story]) -> list[Row]:
    """Stories as they are listed: with the title of the kept copy, and how they spread."""
    told = list(stories)
    named = [_first_of_outlets(story) for story in told]
    wanted = {story.kept for story in told} | {name for each in named for name in each.values()}
    articles = deduper.articles(wanted)
    return [_listed(story, each, articles) for story, each in zip(told, named, strict=True)]


def _first_of_outlets(story: Story) -> dict[str, str]:
    """Some outlets, each with its first article of the story."""
    found: dict[str, str] = {}
    for each in story.members:
        if each.source and len(found) < NAMED:
            found.setdefault(each.source, each.id)
    return found


def _listed(story: Story, named: Mapping[str, str], articles: Mapping[str, Article]) -> Row:
    row = story_row(story)
    sources = [(name in articles and articles[name].source) or site for site, name in named.items()]
    return {
        "id": row["id"],
        "name": row["id"] if len(story.members) > 1 else story.kept,  # by which it is found soonest
        "kept": card(articles.get(story.kept), story.kept),
        "articles": len(story.members),
        "outlets": row["outlets"],
        "sources": sources,
        "syndicated": row["syndicated"],
        "first_seen": row["first_seen"],
        "last_seen": row["last_seen"],
        "spread": spread_of(story),
    }


def spread_of(story: Story) -> list[int]:
    """How many articles came in each twelfth of the time from the first to the last."""
    times = sorted(each.published for each in story.members if each.published)
    counts = [0] * STEPS
    if not times:
        return counts
    whole = (times[-1] - times[0]).total_seconds() or 1.0
    for moment in times:
        share = (moment - times[0]).total_seconds() / whole
        counts[min(STEPS - 1, int(share * STEPS))] += 1
    return counts
