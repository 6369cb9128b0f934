"""How a story spread, as a table of outlets and a time line of bars."""

from collections.abc import Iterator
from datetime import datetime

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from nearcopy.cli.terminal import add_row, counted, in_a_line, table
from nearcopy.cluster.spread import Credit, First, Outlet, Spread

WIDEST = 40  # characters of the longest bar
BAR = "█"


def pictured(spread: Spread) -> Iterator[RenderableType]:
    """What there is to show of a spread, from top to bottom."""
    yield from (Text(line) for line in told(spread))
    yield _outlets(spread)
    if len(spread.steps) > 1:
        yield _bars(spread)


def told(spread: Spread) -> Iterator[str]:
    """The spread in a few sentences: the first, how far and how fast, and what is not known."""
    counts = counted(len(spread.outlets), "outlet"), counted(spread.articles, "article")
    yield f"{spread.story}: {counts[0]}, {counts[1]}, {spread.syndicated:,} syndicated"
    if spread.first is None:
        yield "nothing tells which came first: no article bears a time"
    else:
        yield _first(spread.first)
    if spread.hours and len(spread.outlets) > 1:
        yield f"{_after(spread.hours)} to the last; half of the outlets {_half(spread)}"
    if spread.credits:
        yield "credits: " + ", ".join(map(_credit, spread.credits))
    yield from _unknown(spread)


def _first(first: First) -> str:
    outlet = in_a_line(first.outlet) if first.outlet else "an unnamed outlet"
    line = f"first: {outlet}, {_when(first.when)}, {in_a_line(first.article)}"
    line += ", by when it was taken in" if first.by == "seen" else ""
    tied = ", ".join(map(in_a_line, first.tied))
    return f"{line}; at the same moment {tied}" if tied else line


def _half(spread: Spread) -> str:
    return f"after {_after(spread.half_hours)}" if spread.half_hours else "at once"


def _credit(credit: Credit) -> str:
    return f"{in_a_line(credit.agency)} in {counted(credit.articles, 'article')}"


def _unknown(spread: Spread) -> Iterator[str]:
    if spread.seen_only:
        times = counted(spread.seen_only, "article")
        yield f"{times} placed by when taken in (~), published then or earlier"
    if spread.undated and spread.first is not None:
        yield f"{counted(spread.undated, 'article')} without a time"
    if spread.unnamed:
        yield f"{counted(spread.unnamed, 'article')} of no known outlet"


def _outlets(spread: Spread) -> Table:
    right = ["after", "articles", "syndicated"]
    shown = table(
        "outlet",
        "first article",
        "is",
        "when",
        "after",
        "articles",
        "syndicated",
        numbers=right,
        least=["syndicated", "when", "articles"],
    )
    for each in spread.outlets:
        add_row(
            shown,
            each.name,
            each.article,
            each.relation or "kept",
            _placed(each),
            None if each.hours is None else f"+{_after(each.hours)}",
            each.articles,
            each.syndicated,
        )
    return shown


def _bars(spread: Spread) -> Table:
    """A bar for each step, as long as the outlets there were by its end; new ones are bright."""
    most = spread.steps[-1].total
    shown = Table(show_header=False, box=None, pad_edge=False)
    shown.add_column(justify="right", no_wrap=True)
    shown.add_column(no_wrap=True)
    for step in spread.steps:
        old = round(WIDEST * (step.total - step.new) / most)
        new = max(1, round(WIDEST * step.total / most) - old) if step.new else 0
        bar = Text("░" * old, "dim") + Text(BAR * new, "green")
        count = f" {step.total:,}" + (f" (+{step.new:,})" if step.new else "")
        shown.add_row(Text(f"+{_after(step.hours)}"), bar + Text(count))
    return shown


def _placed(outlet: Outlet) -> str:
    mark = "~" if outlet.by == "seen" else ""
    return mark + _when(outlet.when)


def _when(time: datetime | None) -> str:
    return "" if time is None else time.strftime("%Y-%m-%d %H:%M")


def _after(hours: float | None) -> str:
    """So long in the unit that suits it.

    >>> _after(0.7), _after(1.5), _after(60)
    ('42m', '90m', '2.5d')
    """
    hours = hours or 0.0
    if hours >= 48:
        return f"{round(hours / 24, 1):g}d"
    return f"{round(hours, 1):g}h" if hours >= 2 else f"{round(hours * 60)}m"
