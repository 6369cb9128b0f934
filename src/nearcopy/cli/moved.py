"""What commands that move stores have in common: the two stores, and what is said at the end."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from nearcopy.cli.spared import store_file
from nearcopy.cli.stored import MEMORY, must_exist
from nearcopy.cli.terminal import add_row, table
from nearcopy.errors import StoreError
from nearcopy.stores.addresses import shown
from nearcopy.stores.pools import checked_pool

if TYPE_CHECKING:
    from nearcopy.inventory import Inventory
    from nearcopy.stores import Store

DIGITS = 16  # of a digest that are shown

ToPoolOption = Annotated[
    str | None,
    typer.Option("--to-pool", metavar="NAME", help="The pool to write; else of the same name."),
]


@contextmanager
def two_stores(
    source: str, pool: str | None, target: str, to_pool: str | None
) -> Iterator[tuple["Store", "Store"]]:
    """A store that is there and another one, made where there is none."""
    _check_places(source, pool, target, to_pool)
    must_exist(source, pool)
    with opened(source, pool) as one, opened(target, to_pool) as other:
        yield one, other


@contextmanager
def opened(address: str, pool: str | None) -> Iterator["Store"]:
    """A store, and nothing that judges."""
    from nearcopy.steps import tried
    from nearcopy.stores import open_store

    store = tried(open_store)(address, pool)
    try:
        yield store
    finally:
        store.close()


def _check_places(source: str, pool: str | None, target: str, to_pool: str | None) -> None:
    for address in (source, target):
        if address.startswith(MEMORY):
            raise StoreError(f"{address} is gone when the command ends: give a store that lasts")
    if place(source, pool) == place(target, to_pool):
        raise StoreError(
            f"{shown(source)} is both the store that is read and the one to write: name another"
        )


def place(address: str, pool: str | None) -> str:
    """What to call a pool of a store, from wherever it is looked at."""
    file = store_file(address)
    where = address if file is None else f"sqlite:///{Path(file).resolve()}"
    named = checked_pool(pool)
    return shown(where) if named == checked_pool(None) else f"{shown(where)}, pool {named}"


def held_table(held: "Inventory") -> Table:
    """How much there is of each kind, with the beginning of its digest."""
    made = table("kind", "records", "sha256", numbers=["records"])
    for kind, each in held.items():
        add_row(made, kind, f"{each.count:,}", each.digest[:DIGITS] if each.count else "")
    return made


def held_row(held: "Inventory") -> dict[str, Any]:
    """The same as data."""
    return {kind: {"count": each.count, "sha256": each.digest} for kind, each in held.items()}
