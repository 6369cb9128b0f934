"""The SQLite store: one durable file, for one process or several on one machine."""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from nearcopy.errors import StoreError
from nearcopy.models import Check
from nearcopy.stores import DEFAULT_POOL
from nearcopy.stores.sql import schema
from nearcopy.stores.sql.database import STATE, TOMBSTONE, Database, Row, State, is_storable, upsert
from nearcopy.stores.sql.store import SqlStore

APPLICATION_ID = 0x6E656172  # "near", in the header of the file
WINDOW_SUFFIX = "-window"  # of the folder beside the file
LOCK_TIMEOUT_SECONDS = 60.0
LOCK_POLL_SECONDS = 0.002
MAX_PARAMETERS = 500  # of one statement; SQLite takes 32,766, older versions 999
# Before the first table: pages that hold several rows, and are freed by a purge.
NEW_FILE = ("PRAGMA page_size = 16384", "PRAGMA auto_vacuum = INCREMENTAL")
INCREMENTAL = 2  # the value of that pragma
# Pages of 16 KB in the write-ahead log from which on it is written back to the file; fewer during a
# purge, because readers wait behind writes on their way to the disk.
CHECKPOINT_PAGES, PURGE_CHECKPOINT_PAGES = 1000, 125
TOMBSTONE_BATCH = 1000
VACUUM_BATCH = 250  # pages freed in one transaction
PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # a commit is on the disk when it returns
    "PRAGMA cache_size = -65536",
    f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}",
    "PRAGMA secure_delete = ON",  # removed articles leave no trace in the file
)
DELETE_TOMBSTONES = f"""
DELETE FROM articles
WHERE number IN (SELECT number FROM articles WHERE {TOMBSTONE} LIMIT {TOMBSTONE_BATCH})
RETURNING 1
"""
ADVICE = {
    sqlite3.SQLITE_FULL: "make room on the disk, nothing of this transaction was written",
    sqlite3.SQLITE_BUSY: "somebody else has been writing for too long: let them finish",
    sqlite3.SQLITE_READONLY: "allow this user to write to the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "see that the file and its folder may be read and written",
    sqlite3.SQLITE_IOERR: "look at the disk, and whether it is full",
    sqlite3.SQLITE_CORRUPT: "the file is damaged: restore it from a backup",
    sqlite3.SQLITE_NOTADB: "give another file",
}
MIGRATIONS = schema.migrations_for(schema.SQLITE)
LATEST = MIGRATIONS[-1].number


class SqliteStore(SqlStore):
    """A store in a file."""

    def __init__(self, address: str, pool: str = DEFAULT_POOL) -> None:
        super().__init__(SqliteDatabase(address, pool))


def path_of(address: str) -> Path:
    """The file of an address: `sqlite:///seen.db`, `sqlite:////var/lib/seen.db`."""
    path = address.removeprefix("sqlite://").removeprefix("/")
    if not path:
        raise StoreError(f"{address} names no file: give sqlite:///path/to/seen.db")
    return Path(path)


def list_pools_at(address: str) -> list[str]:
    """The pools of a file; none where there is no file."""
    path = path_of(address)
    if not path.is_file():
        return []
    with (
        _translate_errors(address),
        closing(sqlite3.connect(path, timeout=LOCK_TIMEOUT_SECONDS)) as connection,
    ):
        return schema.pools_of(
            name for (name,) in connection.execute("SELECT name FROM sqlite_master")
        )


@contextmanager
def _translate_errors(address: str) -> Iterator[None]:
    """Raise StoreError with the address and advice in place of SQLite's errors."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        advice = f": {ADVICE[code]}" if code in ADVICE else ""
        raise StoreError(f"{address}: {error}{advice}") from error


class SqliteDatabase(Database):
    """One connection to a file, for one thread at a time."""

    migrations = MIGRATIONS
    # By the index, whatever SQLite's planner thinks of it before it has statistics.
    numbers_by_id = (
        "SELECT number, id FROM articles INDEXED BY articles_id WHERE deleted = 0 AND id IN ({})"
    )

    def __init__(self, address: str, pool: str = DEFAULT_POOL) -> None:
        self.address, self.pool = address, pool
        path = path_of(address)
        self.timeout = LOCK_TIMEOUT_SECONDS
        if not path.parent.is_dir():
            raise StoreError(f"{address}: there is no folder {path.parent}: make it first")
        if path.is_dir():
            raise StoreError(f"{address} is a folder: name a file in it, {path / 'seen.db'}")
        self.window_folder = path.with_name(path.name + WINDOW_SUFFIX) / pool
        with _translate_errors(address):
            self._connection = sqlite3.connect(
                path, timeout=LOCK_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._configure()
            except BaseException:
                self._connection.close()
                raise

    def _configure(self) -> None:
        for pragma in [*NEW_FILE, *PRAGMAS] if self._is_new() else PRAGMAS:
            self._connection.execute(pragma)
        if self.schema_version() < LATEST:
            self.migrate(LATEST)

    def _is_new(self) -> bool:
        """Whether the file is empty; the database of another application is refused."""
        # In this order: where another process has just made the tables, it has signed them too.
        (tables,) = self.one("SELECT count(*) FROM sqlite_master")
        (owner,) = self.one("PRAGMA application_id")
        if tables and owner != APPLICATION_ID:
            raise StoreError(f"{self.address} is a database of something else: give another file")
        return not tables

    def schema_version(self) -> int:
        ledger = schema.table_name(schema.LEDGER, self.pool)
        if self.one("SELECT 1 FROM sqlite_master WHERE name = ?", (ledger,)) is None:
            return 0
        return self._read_ledger()

    def migrate(self, to: int = LATEST) -> list[str]:
        with self._begin("IMMEDIATE"):
            self.run(f"PRAGMA application_id = {APPLICATION_ID}")
            self.run(schema.LEDGER_TABLE.format(**schema.SQLITE))
            return self._run_migrations(to)

    @contextmanager
    def transaction(self, *, writes: bool) -> Iterator[State]:
        with self._begin("IMMEDIATE" if writes else "DEFERRED"):
            yield dict(self.run(STATE))

    @contextmanager
    def _begin(self, kind: str) -> Iterator[None]:
        with _translate_errors(self.address):
            try:
                self._wait_for_lock(kind)
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _wait_for_lock(self, kind: str) -> None:
        """Begin a transaction as soon as no other writer is active.

        SQLite itself would poll ever more rarely, up to ten times a second, so that a process with
        many short transactions would starve others.
        """
        deadline = monotonic() + self.timeout
        self._connection.execute("PRAGMA busy_timeout = 0")
        try:
            while not self._try_begin(kind, last=monotonic() >= deadline):
                sleep(LOCK_POLL_SECONDS)
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * self.timeout)}")

    def _try_begin(self, kind: str, *, last: bool) -> bool:
        try:
            self._connection.execute(f"BEGIN {kind}")
        except sqlite3.OperationalError as busy:
            if last or busy.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            return False
        return True

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return self._connection.execute(schema.with_pool(statement, self.pool), values).fetchall()

    def select_in(self, statement: str, values: Collection[Any], *more: Any) -> Iterator[Row]:
        storable = [value for value in values if is_storable(value)]
        template = schema.with_pool(statement, self.pool)
        for start in range(0, len(storable), MAX_PARAMETERS):
            batch = storable[start : start + MAX_PARAMETERS]
            placeholders = ",".join("?" * len(batch))
            yield from self._connection.execute(template.format(placeholders), (*batch, *more))

    stream_in = select_in

    def insert(self, table: str, columns: Sequence[str], rows: Collection[Row]) -> None:
        placeholders = ", ".join("?" * len(columns))
        statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({placeholders})"
        self._connection.executemany(schema.with_pool(statement, self.pool), rows)

    def replace(
        self, table: str, columns: Sequence[str], rows: Collection[Row], *, key: Sequence[str]
    ) -> None:
        placeholders = ", ".join("?" * len(columns))
        statement = upsert(table, columns, f"VALUES ({placeholders})", key)
        self._connection.executemany(schema.with_pool(statement, self.pool), rows)

    def prepare_purge(self) -> None:
        self.run(f"PRAGMA wal_autocheckpoint = {PURGE_CHECKPOINT_PAGES}")

    def delete_tombstones(self, before: int, latest: int) -> bool:
        del latest
        deleted = self.run(DELETE_TOMBSTONES, (before,))
        more = len(deleted) == TOMBSTONE_BATCH or self._vacuum()
        if not more:
            self.run(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        return more

    def _vacuum(self) -> bool:
        """Give some unused pages back to the disk; whether more are left."""
        if self.one("PRAGMA auto_vacuum") != (INCREMENTAL,):
            return False
        (unused,) = self.one("PRAGMA freelist_count")
        for _ in range(min(unused, VACUUM_BATCH)):  # Python's driver frees one page at a time
            self.run("PRAGMA incremental_vacuum(1)")
        return bool(unused > VACUUM_BATCH)

    def check_durability(self) -> list[Check]:
        lines = [line for (line,) in self.run("PRAGMA quick_check(5)")]
        (journal,), (level,) = self.one("PRAGMA journal_mode"), self.one("PRAGMA synchronous")
        durable = journal == "wal" and level >= 2
        return [
            Check("file", lines == ["ok"], "quick_check: " + "; ".join(lines)),
            Check("durability", durable, f"journal {journal}, synchronous {level} (2 is full)"),
        ]

    def index_names(self) -> set[str]:
        rows = self.run("SELECT name FROM sqlite_master WHERE type = 'index'")
        return {name for (name,) in rows}

    def close(self) -> None:
        self._connection.close()
