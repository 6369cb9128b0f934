"""The interface between the SQL stores and a database.

Statements are written once for all databases: `?` is a placeholder, `IN ({})` takes a list, and
tables have the names of the default pool. What each database does in its own way is behind this
interface.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from nearcopy.models import Check
from nearcopy.stores.row_codec import replace_surrogates
from nearcopy.stores.sql.schema import Migration

Row = tuple[Any, ...]
State = Mapping[str, str]

# What others may have changed since the last transaction: the last sequence number, the count of
# removals, and whether there is any feedback, or an action that keeps an article.
STATE = """
SELECT name, value FROM settings WHERE name IN ('numbers', 'removals')
UNION ALL SELECT 'has_feedback', 'yes' WHERE EXISTS (SELECT 1 FROM feedback)
UNION ALL SELECT 'has_keeps', 'yes' WHERE EXISTS (SELECT 1 FROM actions WHERE keeps IS NOT NULL)
"""
TOMBSTONE = "deleted = 1 AND coalesce(published, seen) < ?"


class Database(Protocol):
    """One connection at a time, for one thread at a time."""

    address: str
    pool: str
    migrations: Sequence[Migration]
    article_tables: tuple[str, ...]  # with a row for each article, by its sequence number
    numbers_by_id: str  # the statement that selects sequence numbers and ids

    def transaction(self, *, writes: bool) -> AbstractContextManager[State]:
        """Run what is inside atomically; gives the state at its beginning.

        Transactions that write are serialized.
        """

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of one statement."""

    def one(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """The first row, or None."""

    def select_in(self, statement: str, values: Collection[Any], *more: Any) -> Iterator[Row]:
        """The rows where a column is `IN ({})` these values."""

    def stream_in(self, statement: str, values: Collection[Any], *more: Any) -> Iterator[Row]:
        """The same for very many rows; within a transaction, with no other statement meanwhile."""

    def execute_in(self, statement: str, values: Collection[Any], *more: Any) -> None:
        """Execute a statement for all rows where a column is `IN ({})` these values."""

    def insert(self, table: str, columns: Sequence[str], rows: Collection[Row]) -> None:
        """Insert new rows into a table."""

    def replace(
        self, table: str, columns: Sequence[str], rows: Collection[Row], *, key: Sequence[str]
    ) -> None:
        """Insert rows into a table, or replace those with the same key."""

    def reserve(self, numbers: range) -> None:
        """Make room for new sequence numbers."""

    def prepare_purge(self) -> None:
        """Get ready to delete many articles."""

    def delete_tombstones(self, before: int, latest: int) -> bool:
        """Delete some tombstones from before a time, or free space; whether more is left.

        `latest` is the last sequence number.
        """

    def forget_state(self) -> None:
        """Forget what is known of the database, after a transaction that failed."""

    def kept_commits(self) -> bool:
        """Whether everything committed before a failed transaction is still there for sure."""

    def check_durability(self) -> list[Check]:
        """Whether the data is sound, and commits survive a crash."""

    def index_names(self) -> set[str]:
        """The indexes that exist."""

    def schema_version(self) -> int:
        """The number of the last migration done; 0 for an empty database."""

    def migrate(self, to: int) -> list[str]:
        """Migrate up or down to a schema version; the names of the migrations done."""

    def set_timeout(self, seconds: float) -> None:
        """Wait no longer than this for locks from now on."""

    def close(self) -> None:
        """Close the connection."""


def is_storable(value: Any) -> bool:
    """Whether a database can hold a value: a text may have a lone surrogate."""
    return not isinstance(value, str) or value.isascii() or replace_surrogates(value) == value


def upsert(table: str, columns: Sequence[str], values: str, key: Sequence[str]) -> str:
    """The statement that inserts values or replaces those with the same key."""
    assignments = ", ".join(
        f"{column} = excluded.{column}" for column in columns if column not in key
    )
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) {values} ON CONFLICT ({', '.join(key)})"
        f" DO UPDATE SET {assignments}"
    )
