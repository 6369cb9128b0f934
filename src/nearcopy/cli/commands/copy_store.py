"""`nearcopy copy-store FROM TO`: all that a store holds, in another."""

from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearcopy.cli.open_store import ToPoolOption, held_row, held_table, place, two_stores
from nearcopy.cli.options import JsonOption, PoolOption, store_address
from nearcopy.cli.terminal import counted, noted, reported, show, write_lines
from nearcopy.config.units import window as window_of
from nearcopy.errors import StoreError

if TYPE_CHECKING:
    from nearcopy.maintenance.copy_store import Moved

EXPIRING = ("redis:", "rediss:", "unix:")

From = Annotated[str, typer.Argument(metavar="FROM", help="The store to read.")]
To = Annotated[str, typer.Argument(metavar="TO", help="The store to write: new, or empty.")]
Keep = Annotated[
    str | None,
    typer.Option(
        "--window",
        metavar="SPAN",
        help="After which articles expire in TO, where it is of Redis; else as in FROM, or never.",
    ),
]


@reported
def copy_store(
    from_: From,
    to: To,
    pool: PoolOption = None,
    to_pool: ToPoolOption = None,
    window: Keep = None,
    as_json: JsonOption = False,
) -> None:
    """Copy all that a store holds into another, and verify it.

    Stopped at any point and started again, it goes on. Without --pool all pools are copied.
    """
    source, target = store_address(from_), store_address(to)
    for each in _pools(source, pool, to_pool):
        row, moved = _copied(source, target, each, to_pool or each, window)
        if as_json:
            write_lines([row])
        else:
            show(held_table(moved.held))
        noted(_told(row))


def _pools(source: str, pool: str | None, to_pool: str | None) -> list[str | None]:
    """The pools to copy; None where there seems to be none, which opening it tells better."""
    from nearcopy.stores import pools_at

    if pool is not None:
        return [pool]
    there = pools_at(source)
    if to_pool is not None and len(there) > 1:
        raise StoreError(f"--to-pool names one pool: say which with --pool, of {', '.join(there)}")
    return [*there] or [None]


def _copied(
    source: str, target: str, pool: str | None, to_pool: str | None, window: str | None
) -> tuple[dict[str, Any], "Moved"]:
    from nearcopy.cli.progress import Phases
    from nearcopy.maintenance.copy_store import copy_store

    started = perf_counter()
    stays = window_of(window) if window is not None else None
    with two_stores(source, pool, target, to_pool) as (one, other), Phases() as phases:
        name = place(source, pool)
        moved = copy_store(one, other, name=name, window=stays, watch=phases.each)
        stated = other.stated()
    if target.startswith(EXPIRING) and (stated is None or stated.window is None):
        noted("nothing expires in TO: copied with --window 14d, articles would after that")
    row = {
        "from": one.address,
        "to": other.address,
        "pool": pool or "default",
        "to_pool": to_pool or "default",
        "copied": moved.copied,
        "there": moved.there,
        "verified": True,
        "records": held_row(moved.held),
        "seconds": round(perf_counter() - started, 3),
    }
    return row, moved


def _told(row: dict[str, Any]) -> str:
    there = f", {row['there']:,} were there" if row["there"] else ""
    return (
        f"pool {row['pool']}: copied {counted(row['copied'], 'article')}{there}; "
        "verified: both stores were read and hold the same"
    )
