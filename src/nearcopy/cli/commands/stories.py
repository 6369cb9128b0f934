"""`nearcopy stories`: the stories of a store, or one with all its members."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from nearcopy.cli.options import JsonOption, StoreOptions, flag, option
from nearcopy.cli.render.tables import add_row, make_table
from nearcopy.cli.terminal import (
    format_count,
    note,
    one_line,
    report_errors,
    show,
    write_json_lines,
)
from nearcopy.errors import NearcopyError

if TYPE_CHECKING:
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.models import Story

PAGE = 10_000
POINTS = ": length"  # the points of each copy follow; only `stories ID` shows them
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@report_errors
def stories(
    id_: Annotated[
        str | None, typer.Argument(metavar="ID", help="A story, or an article in one.")
    ] = None,
    *,
    store: StoreOptions,
    min_members: Annotated[
        int, typer.Option("--min-members", metavar="N", min=1, help="Minimum number of articles.")
    ] = 2,
    order: Annotated[
        str, option("--order", "ORDER", "newest: by the last added article; or largest.")
    ] = "newest",
    spread: Annotated[
        bool, flag("--spread", "Show how the story spread from outlet to outlet.", None)
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the stories in a store, or show one.

    Stories of several articles come first, the one with the last added article at the top.
    """
    from nearcopy.cli.open_store import open_existing
    from nearcopy.io.serializers.story import story_row

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


def _list_stories(deduper: "Deduper", min_members: int, order: str) -> Iterator["Story"]:
    """The stories in order; those of one article come last."""
    yield from _read_pages(deduper, max(2, min_members), order)
    if min_members == 1:
        every = _read_pages(deduper, 1, order)
        yield from (story for story in every if len(story.members) == 1)


def _read_pages(deduper: "Deduper", min_members: int, order: str) -> Iterator["Story"]:
    """The stories of at least this many articles, one page read at a time."""
    page = deduper.find_stories(least=min_members, order=order, limit=PAGE)
    yield from page.stories
    while page.after is not None:
        page = deduper.find_stories(least=min_members, order=order, limit=PAGE, after=page.after)
        yield from page.stories


def _show_all(stories: Iterable["Story"], deduper: "Deduper") -> None:
    from nearcopy.cluster.spread import count_outlets, count_syndicated

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
    from nearcopy.cli.render.timeline import render_spread
    from nearcopy.io.serializers.story import spread_row

    spread = deduper.spread(id_)
    write_json_lines([spread_row(spread)]) if as_json else show(*render_spread(spread))


def _show_one(story: "Story", deduper: "Deduper") -> None:
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


def format_span(story: "Story") -> str:
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
