"""Plots as inline SVG: no scripts, colours from the style of the page."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from nearcopy.evaluate.metrics import Bin, OperatingPoint
from nearcopy.evaluate.outcomes import Bar

WIDTH, HEIGHT = 340, 300
LEFT, TOP, RIGHT, BOTTOM = 44, 12, 12, 40  # the margins
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
GREY = "#8888"  # like all colours here, the default without a style sheet
COLOURS = {"same": "#1b7f5c", "others": "#c2571a"}
Point = tuple[float, float]  # both 0..1


def precision_recall(curve: Sequence[OperatingPoint], point: Point | None, base: float) -> str:
    """The precision-recall curve, and the operating point of the policy."""
    path = [(threshold.recall, threshold.precision) for threshold in curve]
    parts = [_dashed((0, base), (1, base)), _path(path)]
    if point is not None:
        tip = f"the policy: recall {point[0]:.3f}, precision {point[1]:.3f}"
        parts.append(_dot(point, 5, "point", tip))
    return _svg("Precision against recall", "recall", "precision", parts)


def calibration(bins: Sequence[Bin]) -> str:
    """The calibration curve: the share of positive pairs against the mean score of each bin."""
    most = max((bin_.pairs for bin_ in bins), default=0)
    parts = [_dashed((0, 0), (1, 1))]
    for bin_ in bins:
        if bin_.score is not None and bin_.share is not None:
            size = 3 + 7 * (bin_.pairs / most) ** 0.5
            tip = f"{bin_.pairs:,} pairs of mean score {bin_.score:.2f}: {bin_.share:.0%} positive"
            parts.append(_dot((bin_.score, bin_.share), size, "bin", tip))
    return _svg("Calibration", "mean score", "share that is the same", parts)


def histogram(bars: Sequence[Bar]) -> str:
    """The histograms of the scores of positive and negative pairs, as shares."""
    same, others = sum(bar.same for bar in bars), sum(bar.others for bar in bars)
    shares = [(bar, bar.same / (same or 1), bar.others / (others or 1)) for bar in bars]
    most = max((max(yes, no) for _, yes, no in shares), default=0) or 1
    parts = []
    for bar, yes, no in shares:
        half = (bar.low + bar.high) / 2
        tip = f"{bar.low:.2f} to {bar.high:.2f}: {bar.same:,} positive, {bar.others:,} negative"
        parts += [_bar(bar.low, half, yes / most, "same", tip)]
        parts += [_bar(half, bar.high, no / most, "others", tip)]
    return _svg("Scores of positive and negative pairs", "score", f"share, 1 is {most:.0%}", parts)


# Elements.


def _svg(title: str, across: str, up: str, parts: Iterable[str]) -> str:
    middle = (LEFT + WIDTH - RIGHT) / 2
    return "".join(
        [
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}" '
            'font-size="11" fill="currentColor">',
            *_axes(),
            *parts,
            f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">{across}</text>',
            f'<text transform="translate(12 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">'
            f"{up}</text></svg>",
        ]
    )


def _axes() -> Iterator[str]:
    for tick in TICKS:
        x, y = _place((tick, tick))
        yield _stroke("grid", (tick, 0), (tick, 1))
        yield _stroke("grid", (0, tick), (1, tick))
        yield f'<text x="{x}" y="{HEIGHT - BOTTOM + 14}" text-anchor="middle">{tick:g}</text>'
        yield f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{tick:g}</text>'


def _path(points: Sequence[Point]) -> str:
    """A curve without repeated points."""
    places = [place for place, _ in groupby(map(_place, points))]
    coordinates = " ".join(f"{x},{y}" for x, y in places)
    return f'<polyline class="curve" fill="none" stroke="currentColor" points="{coordinates}"/>'


def _stroke(kind: str, start: Point, end: Point) -> str:
    (x1, y1), (x2, y2) = _place(start), _place(end)
    return f'<line class="{kind}" stroke="{GREY}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _dashed(start: Point, end: Point) -> str:
    return _stroke("dashed", start, end)


def _dot(at: Point, size: float, kind: str, tip: str) -> str:
    x, y = _place(at)
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="{size:.1f}"><title>{tip}</title></circle>'


def _bar(low: float, high: float, up: float, kind: str, tip: str) -> str:
    (x1, y), (x2, base) = _place((low, up)), _place((high, 0))
    wide, tall = round(x2 - x1, 1), round(base - y, 1)
    return (
        f'<rect class="{kind}" fill="{COLOURS[kind]}" x="{x1}" y="{y}" '
        f'width="{wide}" height="{tall}"><title>{tip}</title></rect>'
    )


def _place(at: Point) -> Point:
    x = LEFT + at[0] * (WIDTH - LEFT - RIGHT)
    y = HEIGHT - BOTTOM - at[1] * (HEIGHT - TOP - BOTTOM)
    return round(x, 1), round(y, 1)
