"""What the SQL stores ask of a database.

Statements are written once for all: `?` stands for a value, `IN ({})` for many, tables are named as
the default pool does. What databases do each in their own way is behind these few calls.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from nearcopy.stores.row_codec import whole

Row = tuple[Any, ...]
State = Mapping[str, str]

# What others may have changed since the last step: the last number given, the count of removals,
# and whether people said anything at all, or want something to be kept.
STATE = """
SELECT name, value FROM settings WHERE name IN ('numbers', 'removals')
UNION ALL SELECT 'told', 'yes' WHERE EXISTS (SELECT 1 FROM feedback)
UNION ALL SELECT 'kept', 'yes' WHERE EXISTS (SELECT 1 FROM acts WHERE keeps IS NOT NULL)
"""


class Database(Protocol):
    """One connection at a time, for one thread at a time."""

    address: str
    pool: str

    def step(self, *, writes: bool) -> AbstractContextManager[State]:
        """All of what is inside, or none of it; gives the state at its beginning.

        Those that write go one after the other.
        """

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of one statement."""

    def one(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """The first row, or None."""

    def among(self, statement: str, values: Collection[Any], *last: Any) -> Iterator[Row]:
        """The rows for which a column is `IN ({})` these values."""

    def stream(self, statement: str, values: Collection[Any], *last: Any) -> Iterator[Row]:
        """The same where there may be very many; within a step, and nothing else meanwhile."""

    def change(self, statement: str, values: Collection[Any], *last: Any) -> None:
        """One statement for all rows that are `IN ({})` these values."""

    def insert(self, table: str, columns: Sequence[str], rows: Collection[Row]) -> None:
        """Put new rows into a table."""

    def replace(
        self, table: str, columns: Sequence[str], rows: Collection[Row], *, key: Sequence[str]
    ) -> None:
        """Put rows into a table, in place of those with the same key."""

    def migrate(self, to: int) -> list[str]:
        """Go up or back to a schema; the steps taken."""

    def wait_at_most(self, seconds: float) -> None:
        """Wait no longer than this for others from now on."""

    def close(self) -> None:
        """Let go of it."""


def storable(value: Any) -> bool:
    """Whether a database can hold such a value: a text may have half a surrogate pair."""
    return not isinstance(value, str) or value.isascii() or whole(value) == value


def upsert(table: str, columns: Sequence[str], values: str, key: Sequence[str]) -> str:
    """The statement that puts values in place of those with the same key."""
    assignments = ", ".join(
        f"{column} = excluded.{column}" for column in columns if column not in key
    )
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) {values} ON CONFLICT ({', '.join(key)})"
        f" DO UPDATE SET {assignments}"
    )
