"""Opening stores: an existing one, one that may be created, or two to copy between."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from nearcopy.cli.options import DecisionOptions, StoreOptions
from nearcopy.cli.tables import add_row, make_table
from nearcopy.errors import NearcopyError, StoreError
from nearcopy.stores import Store, list_pools, mask_password, open_store, validate_pool

if TYPE_CHECKING:
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.maintenance.store_records import Inventory

SQLITE = "sqlite:///"
MEMORY = "memory:"
DIGITS = 16  # of a digest that are shown


@contextmanager
def open_existing(
    store: StoreOptions, options: DecisionOptions | None = None
) -> Iterator["Deduper"]:
    """A deduper on a store that exists; a mistyped path or pool is an error."""
    require_store(store.address, store.pool)
    with open_deduper(store, options) as deduper:
        yield deduper


@contextmanager
def open_deduper(
    store: StoreOptions, options: DecisionOptions | None = None, *, threads: int = 1
) -> Iterator["Deduper"]:
    """A deduper on a store that is created if it does not exist."""
    from nearcopy.deduper.deduper import Deduper

    recipe, policy = options.load() if options else (None, None)
    with Deduper(store.address, recipe, policy, threads=threads, pool=store.pool) as deduper:
        yield deduper


def require_store(address: str, pool: str | None = None) -> None:
    """Raise where there is no such store, or no such pool in it."""
    if address.startswith(MEMORY):
        raise NearcopyError(
            f"{address} begins empty and is lost when the command ends, so there is nothing in it "
            "to query: give a persistent store, such as --store seen.db"
        )
    name, pools = validate_pool(pool), list_pools(address)
    if pools and name not in pools:
        raise NearcopyError(
            f"no pool {name} in {mask_password(address)}: it has {', '.join(pools)}; "
            "`nearcopy add FILE --pool ...` creates one"
        )
    file = store_file(address)
    is_file = file is not None and Path(file).exists()
    if not pools and not is_file:  # opening the file reports what is wrong with it
        raise NearcopyError(
            f"no store at {mask_password(address).removeprefix(SQLITE)}: "
            "`nearcopy add FILE --store ...` creates one"
        )


def store_file(address: str) -> str | None:
    """The file of a SQLite store, None for other stores."""
    return address.removeprefix(SQLITE) if address.startswith(SQLITE) else None


@contextmanager
def open_raw_store(address: str, pool: str | None) -> Iterator[Store]:
    """A store without a deduper."""
    from nearcopy.stores.retry import retry_transient

    store = retry_transient(open_store)(address, pool)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def open_two_stores(
    source: str, pool: str | None, target: str, to_pool: str | None
) -> Iterator[tuple[Store, Store]]:
    """An existing store to read, and one to write, created if it does not exist."""
    for address in (source, target):
        if address.startswith(MEMORY):
            raise StoreError(
                f"{address} is lost when the command ends: give a persistent store, such as seen.db"
            )
    if store_label(source, pool) == store_label(target, to_pool):
        raise StoreError(
            f"{mask_password(source)} is read and written: name another store to write"
        )
    require_store(source, pool)
    with open_raw_store(source, pool) as one, open_raw_store(target, to_pool) as other:
        yield one, other


def store_label(address: str, pool: str | None) -> str:
    """A pool of a store in words, the same from every working directory."""
    file = store_file(address)
    label = mask_password(address if file is None else f"{SQLITE}{Path(file).resolve()}")
    name = validate_pool(pool)
    return label if name == validate_pool(None) else f"{label}, pool {name}"


def inventory_table(inventory: "Inventory") -> Table:
    """A row for each kind of record: count and first digits of the digest."""
    shown_table = make_table("kind", "records", "sha256", numbers=["records"])
    for kind, records in inventory.items():
        digest = records.digest[:DIGITS] if records.count else ""
        add_row(shown_table, kind, f"{records.count:,}", digest)
    return shown_table


def inventory_row(inventory: "Inventory") -> dict[str, Any]:
    """The inventory as data."""
    return {
        kind: {"count": records.count, "sha256": records.digest}
        for kind, records in inventory.items()
    }
