"""Overview: what was added, how much of it was duplicate, and how well it is detected."""

from datetime import UTC, datetime, time
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.deduper.statistics import Stats
from nearcopy.io.serializers.story import stats_row
from nearcopy.models import Relation, Story
from nearcopy.service.dependencies import ReadAccess
from nearcopy.service.pages import charts
from nearcopy.service.pages.render import page_router, respond, spaced
from nearcopy.service.pages.view_models import article_card, story_cards

router = page_router()
LARGEST = 6  # stories shown
LARGEST_OF_ALL = 30  # stories looked at first
LATEST = 200  # articles searched for flags
MAX_FLAGGED = 8
KINDS = {"new": "new", "duplicates": "duplicates"}


@router.get("/")
async def overview(
    request: Request,
    context: ReadAccess,
    days: Annotated[int, Query(ge=0, le=100_000)] = 30,
) -> Response:
    """The statistics of the last days; 0: of all."""
    stats = await context.stats(days or None)
    data = await context.pool.reads.run(lambda deduper: _data(deduper, days, stats))
    return respond(request, context, "overview.html", data, **_charts(data["stats"]))


def _data(deduper: Deduper, days: int, stats: Stats) -> dict[str, Any]:
    since = datetime.combine(stats.since, time(), UTC) if stats.since else None
    largest = _largest(deduper, since)
    return {
        "days": days,
        "empty": not deduper.latest(limit=1),
        "stats": stats_row(stats),
        "busiest": story_cards(deduper, largest or _largest(deduper, None)),
        "busiest_older": not largest,  # what was added lately may be published long ago
        "flagged": _flagged(deduper),
        "flagged_of": LATEST,
    }


def _largest(deduper: Deduper, since: datetime | None) -> list[Story]:
    """The largest stories of these days, mostly among the largest of all, which is faster."""
    stories = deduper.find_stories(least=2, order="largest", limit=LARGEST_OF_ALL).stories
    recent = [story for story in stories if since is None or _seen_since(story, since)][:LARGEST]
    if len(recent) == LARGEST or len(stories) < LARGEST_OF_ALL:
        return recent
    page = deduper.find_stories(least=2, since=since, order="largest", limit=LARGEST)
    return list(page.stories)


def _seen_since(story: Story, since: datetime) -> bool:
    return story.last_seen is not None and story.last_seen >= since


def _flagged(deduper: Deduper) -> list[dict[str, Any]]:
    """The latest articles whose verdict has a flag, and why."""
    verdicts = deduper.verdicts(deduper.latest(limit=LATEST))
    flagged = [verdict for verdict in verdicts if verdict.flags][:MAX_FLAGGED]
    articles = deduper.articles([verdict.id for verdict in flagged])
    return [
        article_card(articles.get(verdict.id), verdict.id)
        | {
            "flags": list(verdict.flags),
            "reasons": list(verdict.reasons),
            "story_id": verdict.story_id,
        }
        for verdict in flagged
    ]


def _charts(stats: dict[str, Any]) -> dict[str, Any]:
    """The charts, and the columns of their tables."""
    added = [row | {"new": row["articles"] - row["duplicates"]} for row in stats["days"]]
    names = {name: spaced(name) for name in map(str, Relation) if name in stats["relations"]}
    columns = charts.by_day(added, ("new", "duplicates", "articles"))
    stacks = [col._replace(counts={kind: col.counts[kind] for kind in KINDS}) for col in columns]
    return {
        "added": charts.stacked(stacks, KINDS),
        "rate": charts.rate(columns, "duplicates", "articles"),
        "columns": columns,
        "related": charts.stacked(charts.by_day(_relations_by_day(stats), tuple(names)), names),
        "related_columns": charts.by_day(stats["relations_by_day"], tuple(names)),
        "names": names,
        "kinds": KINDS,
    }


def _relations_by_day(stats: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for every day with articles, even without relations."""
    relations = {row["day"]: row for row in stats["relations_by_day"]}
    return [relations.get(row["day"], {"day": row["day"]}) for row in stats["days"]]
