"""A SQLite file: opened, brought to the latest schema, written to in steps that last."""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from nearcopy.errors import StoreError
from nearcopy.stores.pools import DEFAULT, LEDGER, pooled, pools_of, table_name
from nearcopy.stores.sql.database import STATE, Row, State, storable, upsert
from nearcopy.stores.sql.migrations import checked_schema, migrate, schema_of
from nearcopy.stores.sqlite.schema import LATEST, MIGRATIONS
from nearcopy.stores.sqlite.schema import LEDGER as LEDGER_TABLE

APPLICATION = 0x6E656172  # "near", in the header of the file
WAIT_SECONDS = 60.0
LOOK_AGAIN_SECONDS = 0.002
AT_ONCE = 500  # values in one statement; SQLite takes 32,766, older ones 999
# Of a new file, before all else: what is purged can be given back to the disk.
GIVES_BACK = "PRAGMA auto_vacuum = INCREMENTAL"
PAGES_WRITTEN_BACK = 4000  # from the log to the file at once
SETTINGS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # a commit is on the disk when it returns
    "PRAGMA cache_size = -65536",
    f"PRAGMA wal_autocheckpoint = {PAGES_WRITTEN_BACK}",
    "PRAGMA secure_delete = ON",  # what is forgotten leaves no trace in the file
)

TO_DO = {
    sqlite3.SQLITE_FULL: "make room on the disk, nothing of this step was written",
    sqlite3.SQLITE_BUSY: "somebody else has been writing for too long: let them finish",
    sqlite3.SQLITE_READONLY: "allow this user to write to the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "see that the file and its folder may be read and written",
    sqlite3.SQLITE_IOERR: "look at the disk, and whether it is full",
    sqlite3.SQLITE_CORRUPT: "the file is damaged: bring it back from a copy",
    sqlite3.SQLITE_NOTADB: "give another file",
}


def path_of(address: str) -> Path:
    """The file that an address names: `sqlite:///seen.db`, `sqlite:////var/lib/seen.db`."""
    path = address.removeprefix("sqlite://").removeprefix("/")
    if not path:
        raise StoreError(f"{address} names no file: give sqlite:///path/to/seen.db")
    return Path(path)


def pools_in(address: str) -> list[str]:
    """The pools of a file; none where there is no file."""
    path = path_of(address)
    if not path.is_file():
        return []
    try:
        with closing(sqlite3.connect(path, timeout=WAIT_SECONDS)) as connection:
            return pools_of(
                [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
            )
    except sqlite3.Error as error:
        raise StoreError(f"{address}: {error}{_to_do(error)}") from error


def _to_do(error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return f": {TO_DO[code]}" if code in TO_DO else ""


class SqliteFile:
    """One connection to a file, for one thread at a time."""

    def __init__(self, address: str, pool: str = DEFAULT) -> None:
        self.address = address
        self.pool = pool
        self.path = path_of(address)
        self._wait = WAIT_SECONDS
        if not self.path.parent.is_dir():
            raise StoreError(f"{address}: there is no folder {self.path.parent}: make it first")
        if self.path.is_dir():
            raise StoreError(f"{address} is a folder: name a file in it, {self.path / 'seen.db'}")
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
        except sqlite3.Error as error:
            raise StoreError(f"{self.address}: {error}{_to_do(error)}") from error

    def _prepare(self) -> None:
        new = self._is_new()
        for setting in [GIVES_BACK, *SETTINGS] if new else SETTINGS:
            self._connection.execute(setting)
        if self.schema() < LATEST:
            self.migrate(LATEST)

    def _is_new(self) -> bool:
        """Whether there is nothing in the file yet; nobody else's database is touched."""
        # In this order: where another process has just made the tables, it has signed them too.
        (tables,) = self.one("SELECT count(*) FROM sqlite_master")
        (owner,) = self.one("PRAGMA application_id")
        if tables and owner != APPLICATION:
            raise StoreError(f"{self.address} is a database of something else: give another file")
        return not tables

    def schema(self) -> int:
        """The number of the latest migration done; 0 for a new file."""
        ledger = table_name(LEDGER, self.pool)
        if self.one("SELECT 1 FROM sqlite_master WHERE name = ?", (ledger,)) is None:
            return 0
        return schema_of(self, MIGRATIONS)

    def migrate(self, to: int = LATEST) -> list[str]:
        """Go up or back to a schema; the names of the steps taken. One step, all or nothing."""
        with self._transaction("IMMEDIATE"):
            self.run(f"PRAGMA application_id = {APPLICATION}")
            self.run(LEDGER_TABLE)
            return migrate(self, MIGRATIONS, checked_schema(to, MIGRATIONS))

    @contextmanager
    def step(self, *, writes: bool) -> Iterator[State]:
        """All of what is inside, or none of it; gives the state at its beginning."""
        with self._transaction("IMMEDIATE" if writes else "DEFERRED"):
            yield dict(self.run(STATE))

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[None]:
        with self._told():
            try:
                self._begin(kind)
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _begin(self, kind: str) -> None:
        """Begins as soon as nobody else writes.

        SQLite itself would look again ever more rarely, up to ten times a second, and who does much
        in many short steps would keep others waiting for long.
        """
        end = monotonic() + self._wait
        self._connection.execute("PRAGMA busy_timeout = 0")
        try:
            while not self._begun(kind, last=monotonic() >= end):
                sleep(LOOK_AGAIN_SECONDS)
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * self._wait)}")

    def _begun(self, kind: str, *, last: bool) -> bool:
        try:
            self._connection.execute(f"BEGIN {kind}")
        except sqlite3.OperationalError as busy:
            if last or busy.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            return False
        return True

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of one statement."""
        return self._connection.execute(pooled(statement, self.pool), values).fetchall()

    def one(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """The first row, or None."""
        return next(iter(self.run(statement, values)), None)

    def among(self, statement: str, values: Collection[Any], *last: Any) -> Iterator[Row]:
        """The rows for which a column is `IN ({})` these values, some at a time."""
        listed = [value for value in values if storable(value)]
        named = pooled(statement, self.pool)
        for start in range(0, len(listed), AT_ONCE):
            batch = listed[start : start + AT_ONCE]
            marks = ",".join("?" * len(batch))
            yield from self._connection.execute(named.format(marks), (*batch, *last))

    stream = among

    def change(self, statement: str, values: Collection[Any], *last: Any) -> None:
        """One statement for all rows that are `IN ({})` these values."""
        for _ in self.among(statement, values, *last):
            pass

    def insert(self, table: str, columns: Sequence[str], rows: Collection[Row]) -> None:
        """Put new rows into a table."""
        marks = ", ".join("?" * len(columns))
        statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"
        self._connection.executemany(pooled(statement, self.pool), rows)

    def replace(
        self, table: str, columns: Sequence[str], rows: Collection[Row], *, key: Sequence[str]
    ) -> None:
        """Put rows into a table, in place of those with the same key."""
        marks = ", ".join("?" * len(columns))
        statement = upsert(table, columns, f"VALUES ({marks})", key)
        self._connection.executemany(pooled(statement, self.pool), rows)

    def wait_at_most(self, seconds: float) -> None:
        """Wait no longer than this for others from now on."""
        self._wait = seconds

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
