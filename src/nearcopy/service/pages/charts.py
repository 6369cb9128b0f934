"""Charts: places of bars and points within a picture, drawn by the templates as SVG.

Colours are classes, so that light and dark are the style sheet's; every chart has its table.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

WIDTH, HEIGHT = 640, 180
LEFT, RIGHT, BOTTOM, TOP = 54, 18, 24, 10
MOST_COLUMNS = 60
LABELS = 6  # days named below a chart
ROUND = (1, 2, 2.5, 5, 10)


class Piece(NamedTuple):
    """A part of a column."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    title: str


class Mark(NamedTuple):
    """A line across, or a name below, with where it stands."""

    at: float
    label: str


class Chart(NamedTuple):
    """A picture: its pieces, its lines, and the names below."""

    pieces: list[Piece]
    lines: list[Mark]
    names: list[Mark]
    points: str = ""  # of a line from column to column
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    floor: int = HEIGHT - BOTTOM


class Column(NamedTuple):
    """A day, or a few, and how many there are of each kind."""

    name: str
    counts: Mapping[str, int]


def by_day(rows: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> list[Column]:
    """A column for each day from the first to the last, or for each few where they are many."""
    if not rows:
        return []
    found = {date.fromisoformat(row["day"]): row for row in rows}
    first, last = min(found), max(found)
    days = (last - first).days + 1
    step = -(-days // MOST_COLUMNS)
    columns = []
    for start in range(0, days, step):
        some = [first + timedelta(days=start + n) for n in range(min(step, days - start))]
        counts = {kind: sum(found.get(d, {}).get(kind, 0) for d in some) for kind in kinds}
        columns.append(Column(some[0].isoformat(), counts))
    return columns


def stacked(columns: Sequence[Column], words: Mapping[str, str]) -> Chart:
    """Columns of pieces one on another; `words` are the kinds, the lowest first, with names."""
    most = _round(max((sum(each.counts.values()) for each in columns), default=0))
    room, floor = HEIGHT - BOTTOM - TOP, HEIGHT - BOTTOM
    pieces: list[Piece] = []
    for place, column in enumerate(columns):
        x, width = _place(place, len(columns))
        y = float(floor)
        for kind, word in words.items():
            count = column.counts.get(kind, 0)
            if count:
                height = room * count / most
                y -= height
                title = f"{column.name}: {count:,} {word}"
                pieces.append(Piece(kind, x, round(y, 2), width, round(height, 2), title))
    lines = [Mark(round(floor - room * part, 2), f"{most * part:,.4g}") for part in (0, 0.5, 1)]
    return Chart(pieces, lines, _names(columns))


def rate(columns: Sequence[Column], part: str, whole: str) -> Chart:
    """The share of one kind in another, as a line over the days that have any."""
    shares = [
        (place, each.counts[part] / each.counts[whole], each)
        for place, each in enumerate(columns)
        if each.counts[whole]
    ]
    most = _round(max((share for _, share, _ in shares), default=0) * 100) / 100
    room, floor = HEIGHT - BOTTOM - TOP, HEIGHT - BOTTOM
    pieces, points = [], []
    for place, share, column in shares:
        x, width = _place(place, len(columns))
        middle, y = round(x + width / 2, 2), round(floor - room * share / most, 2)
        points.append(f"{middle},{y}")
        pieces.append(Piece("point", middle, y, 0, 0, f"{column.name}: {share * 100:.1f} %"))
    lines = [Mark(round(floor - room * p, 2), f"{most * p * 100:.3g} %") for p in (0, 0.5, 1)]
    return Chart(pieces, lines, _names(columns), " ".join(points))


def _place(place: int, count: int) -> tuple[float, float]:
    """Where a column stands and how wide it is; few columns are not made wide."""
    room = (WIDTH - LEFT - RIGHT) / max(count, 8)
    return round(LEFT + room * place + room * 0.12, 2), round(room * 0.76, 2)


def _names(columns: Sequence[Column]) -> list[Mark]:
    step = max(1, -(-len(columns) // LABELS))
    found = []
    for place in range(0, len(columns), step):
        x, width = _place(place, len(columns))
        found.append(Mark(round(x + width / 2, 2), columns[place].name))
    return found


def _round(most: float) -> float:
    """The next number that reads well, to be the height of a chart."""
    if most <= 0:
        return 1.0
    unit = 1.0
    while unit * 10 < most:
        unit *= 10
    while unit > most:
        unit /= 10
    return max(1.0, next(unit * each for each in ROUND if unit * each >= most))
