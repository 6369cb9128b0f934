"""Stores as commands open them: one that is only asked must be there already."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nearcopy.errors import NearcopyError

if TYPE_CHECKING:
    from nearcopy.config import Policy, Recipe
    from nearcopy.deduper import Deduper

SQLITE = "sqlite:///"
MEMORY = "memory:"


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
    from nearcopy.deduper import Deduper

    with Deduper(address, recipe, policy, threads=threads, pool=pool) as deduper:
        yield deduper


def must_exist(address: str, pool: str | None = None) -> None:
    """Raises where there is no such store, or no such pool in it."""
    from nearcopy.stores import pools_at
    from nearcopy.stores.addresses import shown
    from nearcopy.stores.pools import checked_pool

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
