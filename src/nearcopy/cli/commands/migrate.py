"""`nearcopy migrate`: migrate the schema of a store."""

from typing import Any

from nearcopy.cli.options import JsonOption, StoreOptions, YesOption, option
from nearcopy.cli.terminal import confirm, is_interactive, note, write_json_lines
from nearcopy.errors import StoreError


def migrate(
    store: StoreOptions,
    to: int | None = option("N", "Schema version, also older; 0 drops all.", min=0),
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Migrate a store to the latest schema, or to another."""
    from nearcopy.cli.open_store import open_raw_store, require_store

    require_store(store.address, store.pool)
    with open_raw_store(store.address, store.pool) as opened:  # migrates it to the latest schema
        steps, unchanged = _migrate_to(opened, to, yes), _describe_schema(opened)
    if as_json:
        write_json_lines([{"store": opened.address, "steps": steps}])
    note("\n".join(steps) or unchanged)


def _describe_schema(store: Any) -> str:
    """The message where no migration was run."""
    if hasattr(store, "migrate"):
        return "the store has the latest schema"
    return f"Redis has no migrations: the store has format {store.format()}, the latest"


def _migrate_to(store: Any, version: int | None, yes: bool) -> list[str]:
    """The migrations run to reach a version; going back drops data older schemas cannot hold."""
    if version is None:
        return []
    if not hasattr(store, "migrate"):
        raise StoreError(
            f"{store.address} has no schema to migrate: Redis has no migrations; leave out --to"
        )
    if not (yes or is_interactive()):
        raise StoreError("going back drops data that older schemas cannot hold: confirm with --yes")
    question = f"Migrate to schema {version}? Going back drops data that older ones cannot hold."
    if not confirm(question, yes):
        return []
    return list(store.migrate(version))
