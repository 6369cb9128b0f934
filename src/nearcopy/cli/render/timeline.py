"""The spread of a story: a table of outlets and a timeline of bars."""

from collections.abc import Iterator
from datetime import datetime

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from nearcopy.cli.render.tables import add_row, make_table
from nearcopy.cli.terminal import format_count, one_line
from nearcopy.cluster.spread import Credit, First, Outlet, Spread

BAR_WIDTH = 40  # characters of the longest bar
BAR = "█"


def render_spread(spread: Spread) -> Iterator[RenderableType]:
    """All parts of the rendering, from top to bottom."""
    yield from (Text(line) for line in describe_spread(spread))
    yield _outlet_table(spread)
    if len(spread.steps) > 1:
        yield _timeline(spread)


def describe_spread(spread: Spread) -> Iterator[str]:
    """The first article, the reach and the speed of the spread, and what is unknown."""
    counts = format_count(len(spread.outlets), "outlet"), format_count(spread.articles, "article")
    yield f"{spread.story}: {counts[0]}, {counts[1]}, {spread.syndicated:,} syndicated"
    if spread.first is None:
        yield "the first article is unknown: no article has a time"
    else:
        yield _describe_first(spread.first)
    if spread.hours and len(spread.outlets) > 1:
        total = _format_hours(spread.hours)
        yield f"{total} to the last; half of the outlets {_describe_half(spread)}"
    if spread.credits:
        yield "credits: " + ", ".join(map(_describe_credit, spread.credits))
    yield from _describe_unknown(spread)


def _describe_first(first: First) -> str:
    outlet = one_line(first.outlet) if first.outlet else "an unnamed outlet"
    line = f"first: {outlet}, {_format_time(first.when)}, {one_line(first.article)}"
    line += ", by the time it was seen" if first.by == "seen" else ""
    tied = ", ".join(map(one_line, first.tied))
    return f"{line}; at the same time {tied}" if tied else line


def _describe_half(spread: Spread) -> str:
    return f"after {_format_hours(spread.half_hours)}" if spread.half_hours else "at once"


def _describe_credit(credit: Credit) -> str:
    return f"{one_line(credit.agency)} in {format_count(credit.articles, 'article')}"


def _describe_unknown(spread: Spread) -> Iterator[str]:
    if spread.seen_only:
        times = format_count(spread.seen_only, "article")
        yield f"{times} dated by when they were seen (~), published then or earlier"
    if spread.undated and spread.first is not None:
        yield f"{format_count(spread.undated, 'article')} without a time"
    if spread.unnamed:
        yield f"{format_count(spread.unnamed, 'article')} of no known outlet"


def _outlet_table(spread: Spread) -> Table:
    counts = ["after", "articles", "syndicated"]
    table = make_table(
        "outlet",
        "first article",
        "is",
        "when",
        "after",
        "articles",
        "syndicated",
        numbers=counts,
        optional=["syndicated", "when", "articles"],
    )
    for outlet in spread.outlets:
        add_row(
            table,
            outlet.name,
            outlet.article,
            outlet.relation or "kept",
            _format_placed(outlet),
            None if outlet.hours is None else f"+{_format_hours(outlet.hours)}",
            outlet.articles,
            outlet.syndicated,
        )
    return table


def _timeline(spread: Spread) -> Table:
    """A bar per time step: outlets so far, those new in the step in green."""
    most = spread.steps[-1].total
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    for step in spread.steps:
        old = round(BAR_WIDTH * (step.total - step.new) / most)
        new = max(1, round(BAR_WIDTH * step.total / most) - old) if step.new else 0
        bar = Text("░" * old, "dim") + Text(BAR * new, "green")
        count = f" {step.total:,}" + (f" (+{step.new:,})" if step.new else "")
        table.add_row(Text(f"+{_format_hours(step.hours)}"), bar + Text(count))
    return table


def _format_placed(outlet: Outlet) -> str:
    mark = "~" if outlet.by == "seen" else ""
    return mark + _format_time(outlet.when)


def _format_time(time: datetime | None) -> str:
    return "" if time is None else time.strftime("%Y-%m-%d %H:%M")


def _format_hours(hours: float | None) -> str:
    """A time span in minutes, hours or days.

    >>> _format_hours(0.7), _format_hours(1.5), _format_hours(60)
    ('42m', '90m', '2.5d')
    """
    hours = hours or 0.0
    if hours >= 48:
        return f"{round(hours / 24, 1):g}d"
    return f"{round(hours, 1):g}h" if hours >= 2 else f"{round(hours * 60)}m"
