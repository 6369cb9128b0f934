"""`nearcopy stats`: what is in a store, how it is doing, and what people found wrong with it."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from nearcopy.cli.options import JsonOption, PoolOption, StoreOption, store_address
from nearcopy.cli.terminal import add_row, noted, reported, show, table, write_lines

if TYPE_CHECKING:
    from nearcopy.deduper.latency import Timing
    from nearcopy.deduper.stats import Stats

LONGEST = 20  # of a bar
SHOWN_DAYS = 30
SHOWN_SOURCES = 15
SIZES = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 99), (100, None))
FULL, PARTS = "█", " ▏▎▍▌▋▊▉"

Days = Annotated[
    int | None,
    typer.Option("--days", metavar="N", min=1, help="Only what came in the last so many days."),
]


Pools = Annotated[bool, typer.Option("--pools", help="List the pools of the store.")]


@reported
def stats(
    store: StoreOption = None,
    pool: PoolOption = None,
    days: Days = None,
    pools: Pools = False,
    as_json: JsonOption = False,
) -> None:
    """Count what is in a store, and how well it does."""
    from nearcopy.cli.open_store import reading
    from nearcopy.io.serializers.answers import stats_row

    if pools:
        _list_pools(store_address(store), days, as_json)
        return
    with reading(store_address(store), pool=pool) as deduper:
        found = deduper.stats(days=days)
    if as_json:
        write_lines([stats_row(found)])
        return
    show(_whole(found))
    show(_by_relation(found) if found.relations else Text("no article is in a story with another"))
    show(_by_size(found), _by_source(found), _by_day(found))
    if found.times:
        show(_times(found))
    for kind, count, shown in (
        ("sources, those with most articles", len(found.sources), SHOWN_SOURCES),
        ("days, the last", len(found.days), SHOWN_DAYS),
    ):
        if count > shown:
            noted(f"shown are {shown} of {count:,} {kind}; --json has all")


def _list_pools(address: str, days: int | None, as_json: bool) -> None:
    from nearcopy.cli.open_store import reading
    from nearcopy.stores import pools_at

    rows = []
    for pool in pools_at(address):
        with reading(address, pool=pool) as deduper:
            found = deduper.stats(days=days)
        rows.append((pool, found.articles, found.duplicates, found.stories))
    names = ("pool", "articles", "duplicates", "stories")
    if as_json:
        write_lines(dict(zip(names, row, strict=True)) for row in rows)
        return
    shown = table(*names, numbers=names[1:])
    for name, *counts in rows:
        add_row(shown, name, *(f"{count:,}" for count in counts))
    show(shown)


def _whole(found: "Stats") -> Table:
    since = f"since {found.since}" if found.since else "ever"
    shown = table(f"came {since}", "count", numbers=["count"])
    add_row(shown, "articles", f"{found.articles:,}")
    add_row(shown, "duplicates", f"{found.duplicates:,}")
    add_row(shown, "duplicate rate", share(found.duplicate_rate))
    add_row(shown, "stories", f"{found.stories:,}", last=True)
    add_row(shown, "pairs that people spoke of", f"{found.told:,}")
    add_row(shown, "false alarms", f"{found.false_alarms:,}")
    add_row(shown, "misses", f"{found.misses:,}")
    return shown


def _by_relation(found: "Stats") -> Table:
    return _bars("relation", [(str(name), n) for name, n in found.relations.items()])


def _by_size(found: "Stats") -> Table:
    counted = [
        (_sizes(low, high), sum(n for size, n in found.sizes.items() if _in(size, low, high)))
        for low, high in SIZES
    ]
    return _bars("articles in a story", [each for each in counted if each[1]])


def _sizes(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"


def _in(size: int, low: int, high: int | None) -> bool:
    return size >= low and (high is None or size <= high)


def _by_source(found: "Stats") -> Table:
    rows = [
        (name or "unknown", each.articles, each.duplicates) for name, each in found.sources.items()
    ]
    return _shares("source", rows[:SHOWN_SOURCES])


def _by_day(found: "Stats") -> Table:
    rows = [(str(day), each.articles, each.duplicates) for day, each in found.days.items()]
    return _shares("came on", rows[-SHOWN_DAYS:])


def _bars(name: str, rows: Sequence[tuple[str, int]]) -> Table:
    shown = table(name, "count", "", numbers=["count"])
    most = max((count for _, count in rows), default=0)
    for label, count in rows:
        add_row(shown, label, f"{count:,}", bar(count, most))
    return shown


def _shares(name: str, rows: Sequence[tuple[str, int, int]]) -> Table:
    shown = table(
        name, "articles", "", "duplicates", "rate", numbers=["articles", "rate"], least=[""]
    )
    shown.columns[3].justify = "right"
    most = max((articles for _, articles, _ in rows), default=0)
    for label, articles, copies in rows:
        rate = share(copies / articles)
        add_row(shown, label, f"{articles:,}", bar(articles, most), f"{copies:,}", rate)
    return shown


def bar(count: int, most: int) -> str:
    """A bar as long as the count is beside the most there is.

    >>> bar(3, 4), bar(1, 80), bar(0, 4)
    ('███████████████', '▎', '')
    """
    eighths = round(8 * LONGEST * count / most) if most else 0
    return (FULL * (eighths // 8) + PARTS[eighths % 8]).strip()


def share(value: float | None) -> str:
    """A share as people read it; nothing where there is none."""
    return "" if value is None else f"{value:.1%}"


def _times(found: "Stats") -> Table:
    columns = ("times", "median ms", "p95 ms", "p99 ms")
    shown = table("day", "work", *columns, numbers=columns)
    every = [("all", work, each) for work, each in found.times.items()]
    _add_times(shown, every)
    shown.rows[-1].end_section = True
    days = list(found.times_by_day.items())[-SHOWN_DAYS:]
    _add_times(shown, ((str(day), work, each) for day, of in days for work, each in of.items()))
    return shown


def _add_times(shown: Table, rows: Iterable[tuple[str, str, "Timing"]]) -> None:
    for day, work, each in rows:
        times = (_ms(each.median), _ms(each.p95), _ms(each.p99))
        add_row(shown, day, work, f"{each.times:,}", *times)


def _ms(time: timedelta) -> str:
    return f"{time / timedelta(milliseconds=1):.2f}"
