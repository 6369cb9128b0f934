"""`nearcopy migrate`: bring the schema of a store to another version."""

from typing import Annotated, Any

import typer

from nearcopy.cli.options import JsonOption, PoolOption, StoreOption, YesOption, store_address
from nearcopy.cli.terminal import agreed, can_ask, noted, reported, write_lines
from nearcopy.errors import StoreError


@reported
def migrate(
    store: StoreOption = None,
    pool: PoolOption = None,
    to: Annotated[
        int | None,
        typer.Option("--to", metavar="N", min=0, help="Go to this schema, also back; 0 drops all."),
    ] = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Bring a store to the latest schema, or to another."""
    from nearcopy.cli.open_store import must_exist
    from nearcopy.stores import open_store

    address = store_address(store)
    must_exist(address, pool)
    opened = open_store(address, pool)  # which brings it to the latest
    try:
        steps, otherwise = _steps(opened, to, yes), _without_steps(opened)
    finally:
        opened.close()
    if as_json:
        write_lines([{"store": opened.address, "steps": steps}])
    noted("\n".join(steps) or otherwise)


def _without_steps(store: Any) -> str:
    """What to say where no step was taken."""
    if hasattr(store, "migrate"):
        return "the store has the latest schema"
    return f"Redis has no migrations: the store is of format {store.readable_format()}, the latest"


def _steps(store: Any, to: int | None, yes: bool) -> list[str]:
    """The steps taken to a schema; a way back may lose what only the newer one holds."""
    if to is None:
        return []
    if not hasattr(store, "migrate"):
        raise StoreError(
            f"{store.address} has no schema to go to: Redis has no migrations; leave out --to"
        )
    if not (yes or can_ask()):
        raise StoreError("a step back drops what older schemas do not hold: say so with --yes")
    if not agreed(f"Go to schema {to}? A step back drops what older ones do not hold.", yes):
        return []
    return list(store.migrate(to))
