"""`nearcopy stories`: the stories of a store, or one with all its members and its spread."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from nearcopy.cli.options import JsonOption, StoreOptions, argument, flag, option
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import format_count, note, one_line, show, write_json_lines
from nearcopy.errors import NearcopyError
from nearcopy.models import Story

if TYPE_CHECKING:
    from nearcopy.cluster.outlet_spread import First, Spread
    from nearcopy.deduper.deduper import Deduper

PAGE = 10_000
POINTS = ": length"  # the points of each copy follow; only `stories ID` shows them
BAR_WIDTH = 40  # characters of the longest bar
BAR = "█"
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


def stories(
    id_: str | None = argument("ID", "A story, or an article in one.", default=None),
    *,
    store: StoreOptions,
    min_members: int = option("N", "Minimum number of articles.", default=2, min=1),
    order: str = option(
        "ORDER", "newest: by the last added article; or largest.", default="newest"
    ),
    spread: bool = flag("Show how the story spread from outlet to outlet.", None),
    as_json: JsonOption = False,
) -> None:
    """List the stories in a store, or show one.

    Stories of several articles come first, the one with the last added article at the top.
    """
    from nearcopy.cli.open_store import open_existing
    from nearcopy.io.serializers import story_row

    if spread and id_ is None:
        raise NearcopyError("--spread is of one story: `nearcopy stories ID --spread`")
    with open_existing(store) as deduper:
        if id_ is not None and spread:
            _show_spread(id_, deduper, as_json)
        elif id_ is not None:
            story = deduper.story(id_)
            write_json_lines([story_row(story)]) if as_json else _show_one(story, deduper)
        else:
            listed = _list_stories(deduper, min_members, order)
            write_json_lines(map(story_row, listed)) if as_json else _show_all(listed, deduper)


def _list_stories(deduper: "Deduper", min_members: int, order: str) -> Iterator[Story]:
    """The stories in order; those of one article come last."""
    yield from _read_pages(deduper, max(2, min_members), order)
    if min_members == 1:
        every = _read_pages(deduper, 1, order)
        yield from (story for story in every if len(story.members) == 1)


def _read_pages(deduper: "Deduper", min_members: int, order: str) -> Iterator[Story]:
    """The stories of at least this many articles, one page read at a time."""
    page = deduper.find_stories(least=min_members, order=order, limit=PAGE)
    yield from page.stories
    while page.after is not None:
        page = deduper.find_stories(least=min_members, order=order, limit=PAGE, after=page.after)
        yield from page.stories


def _show_all(stories: Iterable[Story], deduper: "Deduper") -> None:
    from nearcopy.cluster.outlet_spread import count_outlets, count_syndicated

    counts = ["members", "outlets", "syndicated"]
    table = make_table(
        *("story", "kept", "title", *counts, "span", "why"),
        numbers=counts,
        optional=["why", "syndicated", "outlets", "span"],
    )
    table.columns[0].no_wrap = True  # an id must be easy to copy
    for story in stories:
        title = deduper.article(story.kept).title
        numbers = len(story.members), count_outlets(story), count_syndicated(story)
        reason, _, _ = story.why.partition(POINTS)
        add_row(table, story.id, story.kept, title, *numbers, format_span(story), reason)
    show(table)
    note(f"{len(table.rows):,} in all; `nearcopy stories ID` shows one with its members")


def _show_spread(id_: str, deduper: "Deduper", as_json: bool) -> None:
    from nearcopy.io.serializers import dataclass_row

    spread = deduper.spread(id_)
    write_json_lines([dataclass_row(spread)]) if as_json else show(*render_spread(spread))


def _show_one(story: Story, deduper: "Deduper") -> None:
    table = make_table(
        *("article", "title", "is", "of", "sure", "outlet", "published"),
        numbers=["sure"],
        optional=["published", "sure", "outlet"],
    )
    for member in story.members:
        kept = member.relation is None
        add_row(
            table,
            member.id,
            deduper.article(member.id).title,
            "kept" if kept else member.relation,
            member.duplicate_of or (None if kept else story.kept),
            None if kept else member.confidence,
            member.source,
            _format_time(member.published),
            style="green" if kept else None,
        )
    size, length = len(story.members), format_span(story) or "an unknown time"
    show(
        Text(f"{story.id}: {format_count(size, 'article')} over {length}"),
        Text(f"kept {one_line(story.kept)}: {story.why}"),
        table,
    )


def format_span(story: Story) -> str:
    """The time from the first to the last article of a story."""
    if story.first_seen is None or story.last_seen is None:
        return ""
    length = story.last_seen - story.first_seen
    for unit, name in ((DAY, "d"), (HOUR, "h")):
        if length >= 2 * unit:
            return f"{length / unit:.1f}{name}"
    return f"{length // MINUTE}m"


def _format_time(time: datetime | None) -> str:
    return "" if time is None else time.strftime("%Y-%m-%d %H:%M")


# The spread of a story: a table of outlets and a timeline of bars.


def render_spread(spread: "Spread") -> Iterator[RenderableType]:
    """All parts of the rendering, from top to bottom."""
    yield from (Text(line) for line in describe_spread(spread))
    yield _outlet_table(spread)
    if len(spread.steps) > 1:
        yield _timeline(spread)


def describe_spread(spread: "Spread") -> Iterator[str]:
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
        yield "credits: " + ", ".join(
            f"{one_line(credit.agency)} in {format_count(credit.articles, 'article')}"
            for credit in spread.credits
        )
    yield from _describe_unknown(spread)


def _describe_first(first: "First") -> str:
    outlet = one_line(first.outlet) if first.outlet else "an unnamed outlet"
    line = f"first: {outlet}, {_format_time(first.when)}, {one_line(first.article)}"
    line += ", by the time it was seen" if first.by == "seen" else ""
    tied = ", ".join(map(one_line, first.tied))
    return f"{line}; at the same time {tied}" if tied else line


def _describe_half(spread: "Spread") -> str:
    return f"after {_format_hours(spread.half_hours)}" if spread.half_hours else "at once"


def _describe_unknown(spread: "Spread") -> Iterator[str]:
    if spread.seen_only:
        times = format_count(spread.seen_only, "article")
        yield f"{times} dated by when they were seen (~), published then or earlier"
    if spread.undated and spread.first is not None:
        yield f"{format_count(spread.undated, 'article')} without a time"
    if spread.unnamed:
        yield f"{format_count(spread.unnamed, 'article')} of no known outlet"


def _outlet_table(spread: "Spread") -> Table:
    counts = ["after", "articles", "syndicated"]
    columns = ("outlet", "first article", "is", "when", *counts)
    table = make_table(*columns, numbers=counts, optional=["syndicated", "when", "articles"])
    for outlet in spread.outlets:
        add_row(
            table,
            outlet.name,
            outlet.article,
            outlet.relation or "kept",
            ("~" if outlet.by == "seen" else "") + _format_time(outlet.when),
            None if outlet.hours is None else f"+{_format_hours(outlet.hours)}",
            outlet.articles,
            outlet.syndicated,
        )
    return table


def _timeline(spread: "Spread") -> Table:
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


def _format_hours(hours: float | None) -> str:
    """A time span in minutes, hours or days.

    >>> _format_hours(0.7), _format_hours(1.5), _format_hours(60)
    ('42m', '90m', '2.5d')
    """
    hours = hours or 0.0
    if hours >= 48:
        return f"{round(hours / 24, 1):g}d"
    return f"{round(hours, 1):g}h" if hours >= 2 else f"{round(hours * 60)}m"
