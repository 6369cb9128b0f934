"""What pages show of articles and stories, as plain data."""

from collections.abc import Iterable, Mapping
from typing import Any

from nearcopy.deduper import Deduper
from nearcopy.formats.answers import story_row
from nearcopy.model import Article, Story

Row = dict[str, Any]
TITLE = 1000  # characters that a page is given
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
    kept = deduper.articles({story.kept for story in told})
    return [_listed(story, kept) for story in told]


def _listed(story: Story, articles: Mapping[str, Article]) -> Row:
    row = story_row(story)
    sources = dict.fromkeys(each.source for each in story.members if each.source)
    return {
        "id": row["id"],
        "kept": card(articles.get(story.kept), story.kept),
        "articles": len(story.members),
        "outlets": row["outlets"],
        "sources": list(sources),
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
