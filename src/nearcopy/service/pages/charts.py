"""Charts: coordinates of bars and points, drawn as SVG by the templates.

Colours are CSS classes, for light and dark mode; every chart has a table.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

WIDTH, HEIGHT = 640, 180
LEFT, RIGHT, BOTTOM, TOP = 54, 18, 24, 10
MAX_COLUMNS = 60
MAX_LABELS = 6  # below a chart
ROUND_STEPS = (1, 2, 2.5, 5, 10)


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
    floor: int = HEIGHT - BOTTOM


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
    room, floor = HEIGHT - BOTTOM - TOP, HEIGHT - BOTTOM
    bars: list[Bar] = []
    for n, column in enumerate(columns):
        x, width = _column_place(n, len(columns))
        y = float(floor)
        for kind, name in names.items():
            count = column.counts.get(kind, 0)
            if count:
                height = room * count / top
                y -= height
                title = f"{column.name}: {count:,} {name}"
                bars.append(Bar(kind, x, round(y, 2), width, round(height, 2), title))
    lines = [Tick(round(floor - room * part, 2), f"{top * part:,.4g}") for part in (0, 0.5, 1)]
    return Chart(bars, lines, _labels(columns))


def rate(columns: Sequence[Column], part: str, whole: str) -> Chart:
    """The share of one kind in another, as a line over the days with articles."""
    shares = [
        (n, column.counts[part] / column.counts[whole], column)
        for n, column in enumerate(columns)
        if column.counts[whole]
    ]
    top = _round_up(max((share for _, share, _ in shares), default=0) * 100) / 100
    room, floor = HEIGHT - BOTTOM - TOP, HEIGHT - BOTTOM
    bars, points = [], []
    for n, share, column in shares:
        x, width = _column_place(n, len(columns))
        middle, y = round(x + width / 2, 2), round(floor - room * share / top, 2)
        points.append(f"{middle},{y}")
        bars.append(Bar("point", middle, y, 0, 0, f"{column.name}: {share * 100:.1f} %"))
    lines = [Tick(round(floor - room * p, 2), f"{top * p * 100:.3g} %") for p in (0, 0.5, 1)]
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
