"""`nearcopy stories`: the pieces of news in a store, and one of them with all its members."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from nearcopy.cli.options import JsonOption, PoolOption, StoreOption, store_address
from nearcopy.cli.terminal import (
    add_row,
    counted,
    in_a_line,
    noted,
    reported,
    show,
    table,
    write_lines,
)
from nearcopy.errors import NearcopyError

if TYPE_CHECKING:
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.models.model import Story

PAGE = 10_000
POINTS = ": length"  # from here on a reason goes into its points, which `stories ID` has
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@reported
def stories(
    id_: Annotated[
        str | None, typer.Argument(metavar="ID", help="A story, or an article in one.")
    ] = None,
    store: StoreOption = None,
    pool: PoolOption = None,
    min_members: Annotated[
        int,
        typer.Option("--min-members", metavar="N", min=1, help="Only stories of so many articles."),
    ] = 2,
    order: Annotated[
        str,
        typer.Option(
            "--order",
            metavar="ORDER",
            help="newest: those that got an article last first; or largest.",
        ),
    ] = "newest",
    spread: Annotated[
        bool, typer.Option("--spread", help="How the story spread from outlet to outlet.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the stories in a store, or the members of one.

    Those of several articles come first, and of these the one that got an article last.
    """
    from nearcopy.cli.open_store import reading
    from nearcopy.io.serializers.answers import story_row

    if spread and id_ is None:
        raise NearcopyError("--spread is of one story: `nearcopy stories ID --spread`")
    with reading(store_address(store), pool=pool) as deduper:
        if id_ is not None and spread:
            _show_spread(id_, deduper, as_json)
            return
        if id_ is not None:
            story = deduper.story(id_)
            write_lines([story_row(story)]) if as_json else _show_one(story, deduper)
            return
        found = _ordered(deduper, min_members, order)
        write_lines(map(story_row, found)) if as_json else _show_all(found, deduper)


def _ordered(deduper: "Deduper", least: int, order: str) -> Iterator["Story"]:
    """The stories in order; articles on their own after all others."""
    yield from _listed(deduper, max(2, least), order)
    if least == 1:
        yield from (each for each in _listed(deduper, 1, order) if len(each.members) == 1)


def _listed(deduper: "Deduper", least: int, order: str) -> Iterator["Story"]:
    """All stories of so many articles, looked for as they are asked for."""
    page = deduper.find_stories(least=least, order=order, limit=PAGE)
    yield from page.stories
    while page.after is not None:
        page = deduper.find_stories(least=least, order=order, limit=PAGE, after=page.after)
        yield from page.stories


def _show_all(found: Iterable["Story"], deduper: "Deduper") -> None:
    from nearcopy.cluster.spread import outlets_of, syndicated

    shown = table(
        "story",
        "kept",
        "title",
        "members",
        "outlets",
        "syndicated",
        "span",
        "why",
        numbers=["members", "outlets", "syndicated"],
        least=["why", "syndicated", "outlets", "span"],
    )
    shown.columns[0].no_wrap = True  # it is there to be copied
    for story in found:
        title = deduper.article(story.kept).title
        counts = len(story.members), outlets_of(story), syndicated(story)
        why, _, _ = story.why.partition(POINTS)
        add_row(shown, story.id, story.kept, title, *counts, span(story), why)
    show(shown)
    noted(f"{len(shown.rows):,} in all; `nearcopy stories ID` shows one with its members")


def _show_spread(id_: str, deduper: "Deduper", as_json: bool) -> None:
    from nearcopy.cli.render.timeline import pictured
    from nearcopy.io.serializers.answers import spread_row

    found = deduper.spread(id_)
    write_lines([spread_row(found)]) if as_json else show(*pictured(found))


def _show_one(story: "Story", deduper: "Deduper") -> None:
    shown = table(
        "article",
        "title",
        "is",
        "of",
        "sure",
        "outlet",
        "published",
        numbers=["sure"],
        least=["published", "sure", "outlet"],
    )
    for member in story.members:
        kept = member.relation is None
        add_row(
            shown,
            member.id,
            deduper.article(member.id).title,
            "kept" if kept else member.relation,
            member.duplicate_of or (None if kept else story.kept),
            None if kept else member.confidence,
            member.source,
            _when(member.published),
            style="green" if kept else None,
        )
    size, length = len(story.members), span(story) or "an unknown time"
    show(
        Text(f"{story.id}: {counted(size, 'article')} over {length}"),
        Text(f"kept {in_a_line(story.kept)}: {story.why}"),
        shown,
    )


def span(story: "Story") -> str:
    """How long it took from the first to the last of a story."""
    if story.first_seen is None or story.last_seen is None:
        return ""
    length = story.last_seen - story.first_seen
    for unit, name in ((DAY, "d"), (HOUR, "h")):
        if length >= 2 * unit:
            return f"{length / unit:.1f}{name}"
    return f"{length // MINUTE}m"


def _when(time: datetime | None) -> str:
    return "" if time is None else time.strftime("%Y-%m-%d %H:%M")
