"""`nearcopy copy-store FROM TO`: copy a whole store into another."""

from time import perf_counter
from typing import TYPE_CHECKING, Any

from nearcopy.cli.open_store import inventory_row, inventory_table, open_two_stores, store_label
from nearcopy.cli.options import (
    JsonOption,
    PoolOption,
    ToPoolOption,
    argument,
    option,
    store_address,
)
from nearcopy.cli.terminal import Phases, format_count, note, show, write_json_lines
from nearcopy.config.units import parse_window
from nearcopy.errors import StoreError

if TYPE_CHECKING:
    from nearcopy.maintenance.copy_store import CopyResult

EXPIRING = ("redis:", "rediss:", "unix:")


def copy_store(
    from_: str = argument("FROM", "Store to read."),
    to: str = argument("TO", "Store to write: new, or empty."),
    pool: PoolOption = None,
    to_pool: ToPoolOption = None,
    window: str | None = option("SPAN", "Expiry of articles in a Redis TO; by default as in FROM."),
    as_json: JsonOption = False,
) -> None:
    """Copy a store into another, and verify the copy.

    Interrupted at any point and started again, it resumes. Without --pool all pools are copied.
    """
    source, target = store_address(from_), store_address(to)
    for name in _list_pools(source, pool, to_pool):
        row, moved = _copy_pool(source, target, name, to_pool or name, window)
        if as_json:
            write_json_lines([row])
        else:
            show(inventory_table(moved.inventory))
        note(_summary(row))


def _list_pools(source: str, pool: str | None, to_pool: str | None) -> list[str | None]:
    """The pools to copy; None where there is no pool, which is reported on opening the store."""
    from nearcopy.stores import list_pools

    if pool is not None:
        return [pool]
    pools = list_pools(source)
    if to_pool is not None and len(pools) > 1:
        raise StoreError(f"--to-pool names one pool: say which with --pool, of {', '.join(pools)}")
    return [*pools] or [None]


def _copy_pool(
    source: str, target: str, pool: str | None, to_pool: str | None, window: str | None
) -> tuple[dict[str, Any], "CopyResult"]:
    from nearcopy.maintenance.copy_store import copy_store

    started = perf_counter()
    expiry = parse_window(window) if window is not None else None
    with open_two_stores(source, pool, target, to_pool) as (one, other), Phases() as phases:
        name = store_label(source, pool)
        moved = copy_store(one, other, name=name, window=expiry, progress=phases.track)
        settings = other.settings()
    if target.startswith(EXPIRING) and (settings is None or settings.window is None):
        note("nothing expires in TO: copy with --window 14d to have articles expire after 14 days")
    row = {
        "from": one.address,
        "to": other.address,
        "pool": pool or "default",
        "to_pool": to_pool or "default",
        "copied": moved.copied,
        "skipped": moved.skipped,
        "verified": True,
        "records": inventory_row(moved.inventory),
        "seconds": round(perf_counter() - started, 3),
    }
    return row, moved


def _summary(row: dict[str, Any]) -> str:
    present = f", {row['skipped']:,} already there" if row["skipped"] else ""
    return (
        f"pool {row['pool']}: copied {format_count(row['copied'], 'article')}{present}; "
        "verified: both stores hold the same records"
    )
