"""The ledger of an SQL store: which steps of its schema are done, and how to get to another."""

from collections.abc import Sequence
from typing import NamedTuple

from nearcopy.errors import StoreError
from nearcopy.stores.sql.database import Database


class Migration(NamedTuple):
    """A step up, and the way back."""

    number: int
    name: str
    up: tuple[str, ...]
    down: tuple[str, ...]


def schema_of(database: Database, migrations: Sequence[Migration]) -> int:
    """The number of the latest migration in the ledger, where there is one."""
    (number,) = database.one("SELECT coalesce(max(number), 0) FROM migrations")
    latest = migrations[-1].number
    if number > latest:
        raise StoreError(
            f"{database.address} has schema {number}, this nearcopy knows {latest}: "
            f"update nearcopy, or go back with the newer one: `nearcopy migrate --to {latest}`"
        )
    return int(number)


def checked_schema(number: int, migrations: Sequence[Migration]) -> int:
    """The number, where there is such a schema."""
    if not 0 <= number <= migrations[-1].number:
        raise StoreError(f"no schema {number}: choose one from 0 to {migrations[-1].number}")
    return number


def migrate(database: Database, migrations: Sequence[Migration], to: int) -> list[str]:
    """Go up or back to a schema, within a step; the names of the steps taken."""
    done = schema_of(database, migrations)
    up = [migration for migration in migrations if done < migration.number <= to]
    down = [migration for migration in reversed(migrations) if to < migration.number <= done]
    for migration in up:
        _all(database, migration.up)
        named = migration.number, migration.name
        database.run("INSERT INTO migrations (number, name) VALUES (?, ?)", named)
    for migration in down:
        _all(database, migration.down)
        database.run("DELETE FROM migrations WHERE number = ?", (migration.number,))
    return [f"{s.number} {s.name}" for s in up] + [f"back {s.number} {s.name}" for s in down]


def _all(database: Database, statements: Sequence[str]) -> None:
    for statement in statements:
        database.run(statement)
