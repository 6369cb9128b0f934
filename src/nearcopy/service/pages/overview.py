"""Overview: what came, what of it was there before, and how well it is told."""

from datetime import UTC, datetime, time
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.deduper.statistics import Stats
from nearcopy.io.serializers.answers import stats_row
from nearcopy.models import Relation, Story
from nearcopy.service.dependencies import Reading
from nearcopy.service.pages import charts
from nearcopy.service.pages.render import page_router, shown
from nearcopy.service.pages.template_filters import spaced
from nearcopy.service.pages.view_models import card, story_cards

router = page_router()
BUSIEST = 6
LIKELY = 30  # of the largest, looked at first
LOOKED_AT = 200  # of the articles that came last
FLAGGED = 8
KINDS = {"new": "new", "duplicates": "duplicates"}


@router.get("/")
async def overview(
    request: Request,
    asked: Reading,
    days: Annotated[int, Query(ge=0, le=100_000)] = 30,
) -> Response:
    """The numbers of the last so many days; 0: of all."""
    found = await asked.stats(days or None)
    data = await asked.pool.looks.run(lambda deduper: _found(deduper, days, found))
    return shown(request, asked, "overview.html", data, **_drawn(data["stats"]))


def _found(deduper: Deduper, days: int, found: Stats) -> dict[str, Any]:
    since = datetime.combine(found.since, time(), UTC) if found.since else None
    largest = _largest(deduper, since)
    return {
        "days": days,
        "empty": not deduper.latest(limit=1),
        "stats": stats_row(found),
        "busiest": story_cards(deduper, largest or _largest(deduper, None)),
        "busiest_older": not largest,  # what came may have been published long ago
        "flagged": _flagged(deduper),
        "flagged_of": LOOKED_AT,
    }


def _largest(deduper: Deduper, since: datetime | None) -> list[Story]:
    """The largest of these days; most often they are among the largest of all, found sooner."""
    found = deduper.find_stories(least=2, order="largest", limit=LIKELY).stories
    fitting = [each for each in found if since is None or _told_since(each, since)][:BUSIEST]
    if len(fitting) == BUSIEST or len(found) < LIKELY:
        return fitting
    some = deduper.find_stories(least=2, since=since, order="largest", limit=BUSIEST)
    return list(some.stories)


def _told_since(story: Story, since: datetime) -> bool:
    return story.last_seen is not None and story.last_seen >= since


def _flagged(deduper: Deduper) -> list[dict[str, Any]]:
    """Of what came last, that which should not be trusted, and why."""
    marked = [each for each in deduper.verdicts(deduper.latest(limit=LOOKED_AT)) if each.flags]
    some = marked[:FLAGGED]
    articles = deduper.articles([each.id for each in some])
    return [
        card(articles.get(each.id), each.id)
        | {"flags": list(each.flags), "reasons": list(each.reasons), "story_id": each.story_id}
        for each in some
    ]


def _drawn(stats: dict[str, Any]) -> dict[str, Any]:
    """The charts, and what their tables show."""
    arrived = [row | {"new": row["articles"] - row["duplicates"]} for row in stats["days"]]
    names = {name: spaced(name) for name in map(str, Relation) if name in stats["relations"]}
    columns = charts.by_day(arrived, ("new", "duplicates", "articles"))
    parts = [each._replace(counts={kind: each.counts[kind] for kind in KINDS}) for each in columns]
    return {
        "arrived": charts.stacked(parts, KINDS),
        "rate": charts.rate(columns, "duplicates", "articles"),
        "columns": columns,
        "related": charts.stacked(charts.by_day(_all_days(stats), tuple(names)), names),
        "related_columns": charts.by_day(stats["relations_by_day"], tuple(names)),
        "names": names,
        "kinds": KINDS,
    }


def _all_days(stats: dict[str, Any]) -> list[dict[str, Any]]:
    """What articles were to others on every day that any came."""
    known = {row["day"]: row for row in stats["relations_by_day"]}
    return [known.get(row["day"], {"day": row["day"]}) for row in stats["days"]]
