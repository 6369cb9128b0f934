"""Overview: what was added, how much of it was duplicate, and how well it is detected.

Charts are coordinates of bars and points, drawn as SVG by the template. Their colours are CSS
classes, for light and dark mode; every chart has a table.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, NamedTuple

from fastapi import Query, Request
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.deduper.statistics import Stats
from nearcopy.io.serializers import stats_row
from nearcopy.models import Relation, Story
from nearcopy.service.dependencies import ReadAccess
from nearcopy.service.pages.render import page_router, respond, spaced
from nearcopy.service.pages.view_models import article_card, story_cards

router = page_router()
LARGEST = 6  # stories shown
LARGEST_OF_ALL = 30  # stories looked at first
LATEST = 200  # articles searched for flags
MAX_FLAGGED = 8
KINDS = {"new": "new", "duplicates": "duplicates"}
WIDTH, HEIGHT = 640, 180
LEFT, RIGHT, BOTTOM, TOP = 54, 18, 24, 10
FLOOR = HEIGHT - BOTTOM
ROOM = FLOOR - TOP  # for the columns
MAX_COLUMNS = 60
MAX_LABELS = 6  # below a chart
ROUND_STEPS = (1, 2, 2.5, 5, 10)


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
    columns = by_day(added, ("new", "duplicates", "articles"))
    stacks = [col._replace(counts={kind: col.counts[kind] for kind in KINDS}) for col in columns]
    return {
        "added": stacked(stacks, KINDS),
        "rate": rate(columns, "duplicates", "articles"),
        "columns": columns,
        "related": stacked(by_day(_relations_by_day(stats), tuple(names)), names),
        "related_columns": by_day(stats["relations_by_day"], tuple(names)),
        "names": names,
        "kinds": KINDS,
    }


def _relations_by_day(stats: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for every day with articles, even without relations."""
    relations = {row["day"]: row for row in stats["relations_by_day"]}
    return [relations.get(row["day"], {"day": row["day"]}) for row in stats["days"]]


# Charts.


class Bar(NamedTuple):
    """A segment of a column, or a point."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    title: str


class Tick(NamedTuple):
    """A label at a position of an axis."""

    at: float
    label: str


class Chart(NamedTuple):
    bars: list[Bar]
    lines: list[Tick]  # the y axis
    labels: list[Tick]  # the x axis
    points: str = ""  # of a polyline
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    floor: int = FLOOR


class Column(NamedTuple):
    """The counts of one or several days, by kind."""

    name: str
    counts: Mapping[str, int]


def by_day(rows: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> list[Column]:
    """A column for each day from the first to the last, or for several days if they are many."""
    if not rows:
        return []
    by_date = {date.fromisoformat(row["day"]): row for row in rows}
    first, last = min(by_date), max(by_date)
    days = (last - first).days + 1
    step = -(-days // MAX_COLUMNS)
    columns = []
    for start in range(0, days, step):
        group = [first + timedelta(days=start + n) for n in range(min(step, days - start))]
        counts = {kind: sum(by_date.get(d, {}).get(kind, 0) for d in group) for kind in kinds}
        columns.append(Column(group[0].isoformat(), counts))
    return columns


def stacked(columns: Sequence[Column], names: Mapping[str, str]) -> Chart:
    """Stacked columns; `names` maps the kinds to their labels, the lowest first."""
    top = _round_up(max((sum(column.counts.values()) for column in columns), default=0))
    bars: list[Bar] = []
    for n, column in enumerate(columns):
        x, width = _column_place(n, len(columns))
        y = float(FLOOR)
        for kind, name in names.items():
            count = column.counts.get(kind, 0)
            if count:
                height = ROOM * count / top
                y -= height
                title = f"{column.name}: {count:,} {name}"
                bars.append(Bar(kind, x, round(y, 2), width, round(height, 2), title))
    lines = [Tick(round(FLOOR - ROOM * part, 2), f"{top * part:,.4g}") for part in (0, 0.5, 1)]
    return Chart(bars, lines, _labels(columns))


def rate(columns: Sequence[Column], part: str, whole: str) -> Chart:
    """The share of one kind in another, as a line over the days with articles."""
    shares = [
        (n, column.counts[part] / column.counts[whole], column)
        for n, column in enumerate(columns)
        if column.counts[whole]
    ]
    top = _round_up(max((share for _, share, _ in shares), default=0) * 100) / 100
    bars, points = [], []
    for n, share, column in shares:
        x, width = _column_place(n, len(columns))
        middle, y = round(x + width / 2, 2), round(FLOOR - ROOM * share / top, 2)
        points.append(f"{middle},{y}")
        bars.append(Bar("point", middle, y, 0, 0, f"{column.name}: {share * 100:.1f} %"))
    lines = [Tick(round(FLOOR - ROOM * p, 2), f"{top * p * 100:.3g} %") for p in (0, 0.5, 1)]
    return Chart(bars, lines, _labels(columns), " ".join(points))


def _column_place(n: int, count: int) -> tuple[float, float]:
    """The x position and the width of a column; few columns stay narrow."""
    room = (WIDTH - LEFT - RIGHT) / max(count, 8)
    return round(LEFT + room * n + room * 0.12, 2), round(room * 0.76, 2)


def _labels(columns: Sequence[Column]) -> list[Tick]:
    step = max(1, -(-len(columns) // MAX_LABELS))
    labels = []
    for n in range(0, len(columns), step):
        x, width = _column_place(n, len(columns))
        labels.append(Tick(round(x + width / 2, 2), columns[n].name))
    return labels


def _round_up(value: float) -> float:
    """The next round number, for the top of an axis."""
    if value <= 0:
        return 1.0
    unit = 1.0
    while unit * 10 < value:
        unit *= 10
    while unit > value:
        unit /= 10
    return max(1.0, next(unit * step for step in ROUND_STEPS if unit * step >= value))
