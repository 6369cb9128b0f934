"""A SQLite file: opened, brought to the latest schema, written to in steps that last."""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nearcopy.errors import StoreError
from nearcopy.stores.rows import whole
from nearcopy.stores.schema import LATEST, LEDGER, MIGRATIONS

APPLICATION = 0x6E656172  # "near", in the header of the file
WAIT_SECONDS = 60.0
AT_ONCE = 500  # values in one statement; SQLite takes 32,766, older ones 999
SETTINGS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # a commit is on the disk when it returns
    "PRAGMA cache_size = -65536",
    "PRAGMA wal_autocheckpoint = 4000",
    "PRAGMA secure_delete = ON",  # what is forgotten leaves no trace in the file
)

Row = tuple[Any, ...]


def path_of(address: str) -> Path:
    """The file that an address names: `sqlite:///seen.db`, `sqlite:////var/lib/seen.db`."""
    path = address.removeprefix("sqlite://").removeprefix("/")
    if not path:
        raise StoreError(f"{address} names no file: give sqlite:///path/to/seen.db")
    return Path(path)


def _storable(value: Any) -> bool:
    """Whether there can be such a value in a file: a text may hold half a surrogate pair."""
    return not isinstance(value, str) or value.isascii() or whole(value) == value


class SqliteFile:
    """One connection to a file, for one thread at a time."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.path = path_of(address)
        if not self.path.parent.is_dir():
            raise StoreError(f"{address}: there is no folder {self.path.parent}: make it first")
        with self._told():
            self._connection = sqlite3.connect(
                self.path, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What SQLite has to say, with the address."""
        try:
            yield
        except sqlite3.Error as wrong:
            raise StoreError(f"{self.address}: {wrong}") from wrong

    def _prepare(self) -> None:
        self._check_owner()
        for setting in SETTINGS:
            self._connection.execute(setting)
        if self.schema() < LATEST:
            self.migrate(LATEST)

    def _check_owner(self) -> None:
        """Nobody else's database is touched."""
        # In this order: where another process has just made the tables, it has signed them too.
        (tables,) = self.one("SELECT count(*) FROM sqlite_master")
        (owner,) = self.one("PRAGMA application_id")
        if tables and owner != APPLICATION:
            raise StoreError(f"{self.address} is a database of something else: give another file")

    def schema(self) -> int:
        """The number of the latest migration done; 0 for a new file."""
        if self.one("SELECT 1 FROM sqlite_master WHERE name = 'migrations'") is None:
            return 0
        (number,) = self.one("SELECT coalesce(max(number), 0) FROM migrations")
        if number > LATEST:
            raise StoreError(
                f"{self.address} has schema {number}, this nearcopy knows {LATEST}: "
                f"update nearcopy, or go back with the newer one: `nearcopy migrate --to {LATEST}`"
            )
        return int(number)

    def migrate(self, to: int = LATEST) -> list[str]:
        """Go up or back to a schema; the names of the steps taken. One step, all or nothing."""
        if not 0 <= to <= LATEST:
            raise StoreError(f"no schema {to}: choose one from 0 to {LATEST}")
        with self.transaction("IMMEDIATE"):
            self.run(f"PRAGMA application_id = {APPLICATION}")
            self.run(LEDGER)
            done = self.schema()
            steps = [each for each in MIGRATIONS if done < each.number <= to]
            back = [each for each in reversed(MIGRATIONS) if to < each.number <= done]
            for step in steps:
                self._all(step.up)
                self.run(
                    "INSERT INTO migrations (number, name) VALUES (?, ?)", (step.number, step.name)
                )
            for step in back:
                self._all(step.down)
                self.run("DELETE FROM migrations WHERE number = ?", (step.number,))
        return [f"{s.number} {s.name}" for s in steps] + [f"back {s.number} {s.name}" for s in back]

    def _all(self, statements: Sequence[str]) -> None:
        for statement in statements:
            self.run(statement)

    @contextmanager
    def transaction(self, kind: str) -> Iterator[None]:
        """All of what is inside, or none of it."""
        with self._told():
            try:
                self._connection.execute(f"BEGIN {kind}")
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def run(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """The cursor of one statement."""
        return self._connection.execute(statement, values)

    def many(self, statement: str, rows: Collection[Row]) -> None:
        """One statement for each row."""
        if rows:
            self._connection.executemany(statement, rows)

    def one(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """The first row, or None."""
        return self._connection.execute(statement, values).fetchone()

    def among(self, statement: str, values: Collection[Any], *last: Any) -> Iterator[Row]:
        """The rows for which a column is `IN ({})` these values, some at a time."""
        listed = [each for each in values if _storable(each)]
        for start in range(0, len(listed), AT_ONCE):
            some = listed[start : start + AT_ONCE]
            marks = ",".join("?" * len(some))
            yield from self._connection.execute(statement.format(marks), (*some, *last))

    def change(self, statement: str, values: Collection[Any]) -> None:
        """One statement for all rows that are `IN ({})` these values."""
        for _ in self.among(statement, values):
            pass

    def wait_at_most(self, seconds: float) -> None:
        """Wait no longer than this for others from now on."""
        self.run(f"PRAGMA busy_timeout = {int(1000 * seconds)}")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
