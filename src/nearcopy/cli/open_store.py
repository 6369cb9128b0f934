"""How commands open stores: an existing one, one that may be created, or two to copy between."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from nearcopy.cli.overwrite_guard import store_file
from nearcopy.cli.terminal import add_row, table
from nearcopy.errors import NearcopyError, StoreError
from nearcopy.stores.addresses import shown
from nearcopy.stores.pools import checked_pool

if TYPE_CHECKING:
    from nearcopy.config import Policy, Recipe
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.maintenance.inventory import Inventory
    from nearcopy.stores import Store

SQLITE = "sqlite:///"
MEMORY = "memory:"
DIGITS = 16  # of a digest that are shown

ToPoolOption = Annotated[
    str | None,
    typer.Option("--to-pool", metavar="NAME", help="The pool to write; else of the same name."),
]


@contextmanager
def reading(
    address: str,
    recipe: "Recipe | None" = None,
    policy: "Policy | None" = None,
    *,
    pool: str | None = None,
) -> Iterator["Deduper"]:
    """A store that is there; a mistyped path or pool is an error, not an empty store."""
    must_exist(address, pool)
    with adding(address, recipe, policy, pool=pool) as deduper:
        yield deduper


@contextmanager
def adding(
    address: str,
    recipe: "Recipe | None" = None,
    policy: "Policy | None" = None,
    *,
    threads: int = 1,
    pool: str | None = None,
) -> Iterator["Deduper"]:
    """A store, made where there is none."""
    from nearcopy.deduper.deduper import Deduper

    with Deduper(address, recipe, policy, threads=threads, pool=pool) as deduper:
        yield deduper


def must_exist(address: str, pool: str | None = None) -> None:
    """Raises where there is no such store, or no such pool in it."""
    from nearcopy.stores import pools_at

    if address.startswith(MEMORY):
        raise NearcopyError(
            f"{address} begins empty and is gone when the command ends, so there is nothing in it "
            "to ask: give a store that lasts, such as --store seen.db"
        )
    named, there = checked_pool(pool), pools_at(address)
    if there and named not in there:
        raise NearcopyError(
            f"no pool {named} in {shown(address)}: it has {', '.join(there)}; "
            "`nearcopy add FILE --pool ...` makes one"
        )
    if not there and not _opens(address):
        raise NearcopyError(
            f"no store at {shown(address).removeprefix(SQLITE)}: "
            "`nearcopy add FILE --store ...` makes one"
        )


def _opens(address: str) -> bool:
    """Whether opening it says better what is wrong with it."""
    return address.startswith(SQLITE) and Path(address.removeprefix(SQLITE)).exists()


@contextmanager
def two_stores(
    source: str, pool: str | None, target: str, to_pool: str | None
) -> Iterator[tuple["Store", "Store"]]:
    """A store that is there and another one, made where there is none."""
    _check_places(source, pool, target, to_pool)
    must_exist(source, pool)
    with open_bare_store(source, pool) as one, open_bare_store(target, to_pool) as other:
        yield one, other


@contextmanager
def open_bare_store(address: str, pool: str | None) -> Iterator["Store"]:
    """A store, and nothing that judges."""
    from nearcopy.stores import open_store
    from nearcopy.stores.retry import tried

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
    shown_table = table("kind", "records", "sha256", numbers=["records"])
    for kind, each in held.items():
        add_row(shown_table, kind, f"{each.count:,}", each.digest[:DIGITS] if each.count else "")
    return shown_table


def held_row(held: "Inventory") -> dict[str, Any]:
    """The same as data."""
    return {kind: {"count": each.count, "sha256": each.digest} for kind, each in held.items()}
