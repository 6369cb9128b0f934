"""What pages show of articles and stories, as plain data."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from nearcopy.config import Scoring
from nearcopy.deduper.deduper import Deduper
from nearcopy.io.serializers import story_row
from nearcopy.models import Article, Story

Row = dict[str, Any]
MAX_TITLE = 1000  # characters
MAX_OUTLETS = 3  # named in a list of stories
SPREAD_STEPS = 12  # of the sparkline of a story
NUMBER = r"(-?[\d.]+(?:e[+-]\d+)?)"
SCORE_CARD = re.compile(
    rf"{NUMBER} points: length {NUMBER} for (\d+) words, details {NUMBER} for (\d+), "
    rf"source {NUMBER} for (an unknown tier|tier -?\d+), freshness {NUMBER}$"
)
BLOCK_PAGE = re.compile(r"block page \(([^()]*)\)")


def article_card(article: Article | None, name: str) -> Row:
    """What is shown of an article; only its id if it was deleted."""
    url = article.url if article else None
    moment = (article.published or article.seen) if article else None
    return {
        "id": name,
        "title": article.title[:MAX_TITLE] if article else "",
        "source": article.source if article else None,
        # An article may have any URL: a page links to those that are safe.
        "url": url if url and url.lower().startswith(("http://", "https://")) else None,
        "language": article.language if article else None,
        "published": moment.isoformat() if moment else None,
    }


def story_cards(deduper: Deduper, stories: Iterable[Story]) -> list[Row]:
    """Stories for a list: the title of the kept copy, outlets, and a sparkline."""
    listed = [(story, _first_by_outlet(story)) for story in stories]
    ids = {story.kept for story, _ in listed}
    ids |= {article for _, outlets in listed for article in outlets.values()}
    articles = deduper.articles(ids)
    return [_story_card(story, outlets, articles) for story, outlets in listed]


def _first_by_outlet(story: Story) -> dict[str, str]:
    """A few outlets, each with its first article of the story."""
    outlets: dict[str, str] = {}
    for member in story.members:
        if member.source and len(outlets) < MAX_OUTLETS:
            outlets.setdefault(member.source, member.id)
    return outlets


def _story_card(story: Story, outlets: Mapping[str, str], articles: Mapping[str, Article]) -> Row:
    row = story_row(story)
    sources = [
        (name in articles and articles[name].source) or site for site, name in outlets.items()
    ]
    return {
        "id": row["id"],
        "name": row["id"] if len(story.members) > 1 else story.kept,  # the faster lookup
        "kept": article_card(articles.get(story.kept), story.kept),
        "articles": len(story.members),
        "outlets": row["outlets"],
        "sources": sources,
        "syndicated": row["syndicated"],
        "first_seen": row["first_seen"],
        "last_seen": row["last_seen"],
        "spread": _sparkline(story),
    }


def _sparkline(story: Story) -> list[int]:
    """The number of articles in each step of the time from the first to the last."""
    times = sorted(member.published for member in story.members if member.published)
    counts = [0] * SPREAD_STEPS
    if not times:
        return counts
    span = (times[-1] - times[0]).total_seconds() or 1.0
    for moment in times:
        share = (moment - times[0]).total_seconds() / span
        counts[min(SPREAD_STEPS - 1, int(share * SPREAD_STEPS))] += 1
    return counts


def score_card(why: str) -> Row | None:
    """The points of a member when the kept copy was chosen; None if `why` does not list them.

    They are parsed from the stored sentence: computed again, by another policy or with other
    members, they could explain another choice.
    """
    match = SCORE_CARD.search(why[-400:])
    if match is None:
        return None
    total, length, words, details, count, source, tier, freshness = match.groups()
    block_page = BLOCK_PAGE.match(why)
    return {
        "length": float(length),
        "words": int(words),
        "details": float(details),
        "detail_count": int(count),
        "source": float(source),
        "tier": None if tier.startswith("an") else int(tier.removeprefix("tier ")),
        "freshness": float(freshness),
        "total": float(total),
        "block_page": block_page[1] if block_page else None,
    }


def max_points(scoring: Scoring) -> dict[str, float]:
    """The maximum of each part of a score card."""
    return {
        "length": scoring.length,
        "details": scoring.details,
        "source": max(scoring.tiers, default=0.0),
        "freshness": scoring.freshness,
    }


def rank_members(members: Iterable[Row]) -> list[Row]:
    """The members with a score card: the kept copy, then the others by points."""
    kept, *others = members
    ranked = sorted(others, key=lambda member: -member["score"])
    return [member for member in (kept, *ranked) if member["card"]]
