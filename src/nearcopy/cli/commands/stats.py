"""`nearcopy stats`: counts of a store, its duplicate rate, its latency and its mistakes."""

import sys
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from nearcopy.cli.options import JsonOption, StoreOptions, flag, option
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import note, show, write_json_lines

if TYPE_CHECKING:
    from nearcopy.deduper.statistics import Stats

MILLISECOND = timedelta(milliseconds=1)
BAR_WIDTH = 20
SHOWN_DAYS = 30
SHOWN_SOURCES = 15
SIZES = {
    "1": range(1, 2),
    "2": range(2, 3),
    "3 to 4": range(3, 5),
    "5 to 9": range(5, 10),
    "10 to 99": range(10, 100),
    "100 or more": range(100, sys.maxsize),
}
FULL, PARTS = "█", " ▏▎▍▌▋▊▉"


def stats(
    store: StoreOptions,
    days: int | None = option("N", "Only articles added in the last N days.", min=1),
    pools: bool = flag("List the pools of the store.", None),
    as_json: JsonOption = False,
) -> None:
    """Show counts, duplicate rate and latency of a store."""
    from nearcopy.cli.open_store import open_existing
    from nearcopy.io.serializers import stats_row

    if pools:
        _list_pools(store.address, days, as_json)
        return
    with open_existing(store) as deduper:
        counts = deduper.stats(days=days)
    if as_json:
        write_json_lines([stats_row(counts)])
    else:
        _show(counts)


def _show(stats: "Stats") -> None:
    show(_totals(stats))
    counts = [(str(name), n) for name, n in stats.relations.items()]
    nothing = Text("no article is in a story with another")
    show(_bar_table("relation", counts) if counts else nothing)
    show(_by_size(stats), _by_source(stats), _by_day(stats))
    if stats.times:
        show(_latency(stats))
    for kind, count, limit in (
        ("sources, those with most articles", len(stats.sources), SHOWN_SOURCES),
        ("days, the last", len(stats.days), SHOWN_DAYS),
    ):
        if count > limit:
            note(f"showing {limit} of {count:,} {kind}; --json has all")


def _list_pools(address: str, days: int | None, as_json: bool) -> None:
    from nearcopy.cli.open_store import open_existing
    from nearcopy.stores import list_pools

    rows = []
    for pool in list_pools(address):
        with open_existing(StoreOptions(store=address, pool=pool)) as deduper:
            counts = deduper.stats(days=days)
        rows.append((pool, counts.articles, counts.duplicates, counts.stories))
    columns = ("pool", "articles", "duplicates", "stories")
    if as_json:
        write_json_lines(dict(zip(columns, row, strict=True)) for row in rows)
        return
    table = make_table(*columns, numbers=columns[1:])
    for name, *numbers in rows:
        add_row(table, name, *(f"{number:,}" for number in numbers))
    show(table)


def _totals(stats: "Stats") -> Table:
    since = f"added since {stats.since}" if stats.since else "in total"
    table = make_table(since, "count", numbers=["count"])
    add_row(table, "articles", f"{stats.articles:,}")
    add_row(table, "duplicates", f"{stats.duplicates:,}")
    add_row(table, "duplicate rate", format_share(stats.duplicate_rate))
    add_row(table, "stories", f"{stats.stories:,}", last=True)
    add_row(table, "pairs with feedback", f"{stats.feedback:,}")
    add_row(table, "false alarms", f"{stats.false_alarms:,}")
    add_row(table, "misses", f"{stats.misses:,}")
    return table


def _by_size(stats: "Stats") -> Table:
    counts = [
        (label, sum(n for size, n in stats.sizes.items() if size in sizes))
        for label, sizes in SIZES.items()
    ]
    return _bar_table("articles in a story", [(label, count) for label, count in counts if count])


def _by_source(stats: "Stats") -> Table:
    rows = [
        (name or "unknown", counts.articles, counts.duplicates)
        for name, counts in stats.sources.items()
    ]
    return _rate_table("source", rows[:SHOWN_SOURCES])


def _by_day(stats: "Stats") -> Table:
    rows = [(str(day), counts.articles, counts.duplicates) for day, counts in stats.days.items()]
    return _rate_table("added on", rows[-SHOWN_DAYS:])


def _bar_table(name: str, rows: Sequence[tuple[str, int]]) -> Table:
    table = make_table(name, "count", "", numbers=["count"])
    maximum = max((count for _, count in rows), default=0)
    for label, count in rows:
        add_row(table, label, f"{count:,}", draw_bar(count, maximum))
    return table


def _rate_table(name: str, rows: Sequence[tuple[str, int, int]]) -> Table:
    columns = (name, "articles", "", "duplicates", "rate")
    table = make_table(*columns, numbers=["articles", "rate"], optional=[""])
    table.columns[3].justify = "right"
    maximum = max((articles for _, articles, _ in rows), default=0)
    for label, articles, duplicates in rows:
        bar, rate = draw_bar(articles, maximum), format_share(duplicates / articles)
        add_row(table, label, f"{articles:,}", bar, f"{duplicates:,}", rate)
    return table


def draw_bar(count: int, maximum: int) -> str:
    """A bar whose length is the count relative to the maximum.

    >>> draw_bar(3, 4), draw_bar(1, 80), draw_bar(0, 4)
    ('███████████████', '▎', '')
    """
    eighths = round(8 * BAR_WIDTH * count / maximum) if maximum else 0
    return (FULL * (eighths // 8) + PARTS[eighths % 8]).strip()


def format_share(share: float | None) -> str:
    """A share as a percentage; empty for None."""
    return "" if share is None else f"{share:.1%}"


def _latency(stats: "Stats") -> Table:
    columns = ("count", "median ms", "p95 ms", "p99 ms")
    table = make_table("day", "call", *columns, numbers=columns)
    totals = [("all", name, latency) for name, latency in stats.times.items()]
    days = [
        (str(day), name, latency)
        for day, times in list(stats.times_by_day.items())[-SHOWN_DAYS:]
        for name, latency in times.items()
    ]
    for number, (day, name, latency) in enumerate([*totals, *days], start=1):
        times = (latency.median, latency.p95, latency.p99)
        quantiles = (f"{time / MILLISECOND:.2f}" for time in times)
        last = number == len(totals)
        add_row(table, day, name, f"{latency.times:,}", *quantiles, last=last)
    return table
