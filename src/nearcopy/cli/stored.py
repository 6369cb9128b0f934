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


@contextmanager
def reading(
    address: str, recipe: "Recipe | None" = None, policy: "Policy | None" = None
) -> Iterator["Deduper"]:
    """A store that is there; a mistyped path is an error, not an empty store."""
    must_exist(address)
    with adding(address, recipe, policy) as deduper:
        yield deduper


@contextmanager
def adding(
    address: str,
    recipe: "Recipe | None" = None,
    policy: "Policy | None" = None,
    threads: int = 1,
) -> Iterator["Deduper"]:
    """A store, made where there is none."""
    from nearcopy.deduper import Deduper

    with Deduper(address, recipe, policy, threads=threads) as deduper:
        yield deduper


def must_exist(address: str) -> None:
    """Raises where an address of SQLite names no file."""
    if address.startswith(SQLITE) and not Path(address.removeprefix(SQLITE)).exists():
        raise NearcopyError(
            f"no store at {address.removeprefix(SQLITE)}: `nearcopy add FILE --store ...` makes one"
        )
