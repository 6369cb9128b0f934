"""The PostgreSQL store: any number of workers on any number of machines.

A writer holds the lock of its pool from its first read to the commit. So sequence numbers become
visible in order, and of several workers that add copies exactly one is the first. Readers do not
wait for it.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from time import monotonic, sleep
from typing import Any, NamedTuple
from uuid import uuid4

import psycopg
from psycopg import Connection

from nearcopy.errors import StoreError, TransientStoreError
from nearcopy.models import Check
from nearcopy.stores import DEFAULT_POOL, mask_password
from nearcopy.stores.sql import schema
from nearcopy.stores.sql.database import STATE, Database, Row, State, is_storable, upsert
from nearcopy.stores.sql.postgres_connections import (
    INTEGER,
    OWN_SCHEMA,
    TEXT,
    WAIT_SECONDS,
    acquire_connections,
    get_connection,
    pack_array,
    release_connections,
    store_error,
)
from nearcopy.stores.sql.postgres_partitions import Partitions
from nearcopy.stores.sql.store import SqlStore
from nearcopy.stores.window_files import user_folder

STREAM_BATCH = 5000  # rows
COMMIT_POLL_SECONDS = 0.05
# Whatever the server's defaults are.
BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
BEGIN_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
# A generic plan for any list of values would scan all partitions, and compare each row with each
# value; and what many partitions seem to cost would have short lookups compiled.
LIMITS = (
    "SET LOCAL lock_timeout = {wait}; SET LOCAL statement_timeout = {longer};"
    " SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL jit = off"
)
# A writer holds this row to the end, and sees all that others committed before.
LOCK = "SELECT FROM settings WHERE name = 'numbers' FOR UPDATE"
# The last commit of a writer, by which it knows after a lost connection whether it committed. The
# transaction's number would not do: after a crash the server may give it to another transaction.
MARK_COMMIT = """
INSERT INTO settings VALUES ('{writer}', '{count} ' || extract(epoch FROM now())::bigint)
ON CONFLICT (name) DO UPDATE SET value = excluded.value; COMMIT
"""
LAST_COMMIT = "SELECT split_part(value, ' ', 1) FROM settings WHERE name = '{writer}'"
OLDEST_MARK_SECONDS = 86_400
DELETE_MARKS = """
DELETE FROM settings WHERE name LIKE 'commits of %'
AND split_part(value, ' ', 2)::bigint < extract(epoch FROM now()) - ?
"""
# One process at a time creates or changes the tables of a schema, also where there are none yet.
MIGRATION_LOCK = "SELECT pg_advisory_xact_lock(1851097458, hashtext(current_schema()))"
LIST_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
LIST_INDEXES = "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
LIST_COLUMNS = """
SELECT attname, atttypid::bigint, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped
"""
SERVER_START = """
SELECT pg_postmaster_start_time()::text, current_setting('fsync'),
       current_setting('synchronous_commit')
"""
SIGNATURE = "nearcopy"  # the comment on the ledger: a table of that name may be anybody's
READ_SIGNATURE = "SELECT obj_description(to_regclass(?), 'pg_class')"
DURABILITY_SETTINGS = ("fsync", "full_page_writes", "synchronous_commit")
MIGRATIONS = schema.migrations_for(schema.POSTGRES)
LATEST = MIGRATIONS[-1].number


class ColumnType(NamedTuple):
    """The type of a column: PostgreSQL's number and name of it."""

    oid: int
    name: str


@lru_cache(maxsize=4096)
def translate(statement: str, pool: str) -> str:
    """A statement as PostgreSQL takes it.

    Articles are looked up by number one by one, each in its partition alone: half the time of a
    lookup of all of them in each partition.

    >>> translate("SELECT id FROM article_ids WHERE number > ? AND id IN ({})", "default")
    'SELECT id FROM article_ids WHERE number > %s AND id = ANY(%s)'
    >>> translate("SELECT id FROM articles WHERE number IN ({})", "default")
    'SELECT id FROM articles WHERE number IN (SELECT unnest(%s::bigint[]))'
    """
    named = schema.with_pool(statement, pool).replace("%", "%%")
    named = named.replace(" number IN ({})", " number IN (SELECT unnest(%s::bigint[]))")
    return named.replace(" IN ({})", " = ANY(%s)").replace("?", "%s")


class PostgresStore(SqlStore):
    """A store in a schema of a PostgreSQL server."""

    def __init__(self, address: str, pool: str = DEFAULT_POOL) -> None:
        super().__init__(PostgresDatabase(address, pool))


def list_pools_at(address: str) -> list[str]:
    """The pools of a schema."""
    connections = acquire_connections(address)
    try:
        with connections.connection() as connection:
            return schema.pools_of(name for (name,) in connection.execute(LIST_TABLES))
    finally:
        release_connections(address)


class PostgresDatabase(Database):
    """A schema of a server, for one thread at a time."""

    migrations = MIGRATIONS
    article_tables = (*Database.article_tables, "article_ids")
    numbers_by_id = "SELECT number, id FROM article_ids WHERE id IN ({})"

    def __init__(self, address: str, pool: str = DEFAULT_POOL) -> None:
        self.address, self.pool = mask_password(address), pool
        self.window_folder = user_folder(self.address, pool)
        self._conninfo = address
        self.timeout = WAIT_SECONDS
        self._held: Connection | None = None  # during a transaction
        self._writer, self._commits = f"commits of {uuid4().hex}", 0
        self._column_types: dict[str, dict[str, ColumnType]] = {}  # by table
        self._partitions = Partitions(pool, self.run, self.run_native)
        self._connections = acquire_connections(address)
        try:
            if self.schema_version() < LATEST:
                self.migrate(LATEST)
            self._server_start = self._read_server_start()
        except BaseException:
            self.close()
            raise

    # Transactions.

    @contextmanager
    def transaction(self, *, writes: bool) -> Iterator[State]:
        wait = int(1000 * self.timeout)
        limits = LIMITS.format(wait=wait, longer=2 * wait)
        begin = [BEGIN_WRITE if writes else BEGIN_READ, limits]
        with self._translate_errors(), self._hold_connection() as connection:
            *_, state = self._begin(connection, *begin, *([LOCK] if writes else []), STATE)
            yield dict(state)
            if writes:
                self._commit(connection)
            else:
                connection.execute("COMMIT")

    def _begin(self, connection: Connection, *statements: str) -> list[list[Any]]:
        """The rows of the first statements of a transaction, all sent at once."""
        cursor = connection.execute(schema.with_pool("; ".join(statements), self.pool))
        results = []
        while True:
            results.append(cursor.fetchall() if cursor.description else [])
            if not cursor.nextset():
                return results

    def _commit(self, connection: Connection) -> None:
        """Commit; if the connection is lost meanwhile, ask the server whether it did."""
        self._commits += 1
        statement = MARK_COMMIT.format(writer=self._writer, count=self._commits)
        try:
            connection.execute(schema.with_pool(statement, self.pool))
        except psycopg.OperationalError as lost:
            if not connection.closed:
                raise
            if not self._is_committed():
                raise TransientStoreError(f"{self.address}: {lost}") from lost

    def _is_committed(self) -> bool:
        """Whether the last transaction was committed; decided once its lock is free."""
        deadline = monotonic() + self.timeout
        limits = LIMITS.format(wait=int(1000 * self.timeout), longer=int(2000 * self.timeout))
        last_commit = LAST_COMMIT.format(writer=self._writer)
        while monotonic() < deadline:
            with suppress(psycopg.Error), self._borrow_connection() as connection:
                *_, rows, _ = self._begin(
                    connection, BEGIN_WRITE, limits, LOCK, last_commit, "ROLLBACK"
                )
                return rows == [(str(self._commits),)]
            sleep(COMMIT_POLL_SECONDS)
        raise StoreError(
            f"{self.address}: the connection was lost and it is not known whether the transaction "
            "was committed: run it again, adding what is stored changes nothing"
        )

    @contextmanager
    def _hold_connection(self) -> Iterator[Connection]:
        """A connection for one transaction, which is rolled back unless it was committed."""
        with self._borrow_connection() as connection:
            self._held = connection
            try:
                yield connection
            except BaseException:
                self._roll_back(connection)
                raise
            finally:
                self._held = None

    def _roll_back(self, connection: Connection) -> None:
        try:
            connection.execute("ROLLBACK")
        except psycopg.Error:
            connection.close()  # nor does the server keep anything then
            self._connections.check()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Raise StoreError with the address and advice in place of PostgreSQL's errors."""
        try:
            yield
        except psycopg.Error as error:
            raise store_error(error, self.address) from error

    # Statements.

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """The connection of the transaction, or outside of one a connection for a statement."""
        if self._held is not None:
            yield self._held
            return
        with self._translate_errors(), self._borrow_connection() as connection:
            yield connection

    @contextmanager
    def _borrow_connection(self) -> Iterator[Connection]:
        connection = get_connection(self._connections, self.timeout)
        try:
            yield connection
        finally:
            self._connections.putconn(connection)

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return self.run_native(translate(statement, self.pool), values)

    def run_native(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of a statement in PostgreSQL's own syntax."""
        with self._connection() as connection:
            cursor = connection.cursor(binary=True)
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def select_in(self, statement: str, values: Collection[Any], *more: Any) -> Iterator[Row]:
        storable = [value for value in values if is_storable(value)]
        if not storable:
            return iter(())
        oid = INTEGER if isinstance(storable[0], int) else TEXT
        return iter(self.run(statement, (pack_array(storable, oid), *more)))

    def stream_in(self, statement: str, values: Collection[Any], *more: Any) -> Iterator[Row]:
        if self._held is None:
            raise StoreError("rows are streamed within a transaction only")
        with self._held.cursor(name="nearcopy", binary=True) as cursor:
            cursor.itersize = STREAM_BATCH
            cursor.execute(translate(statement, self.pool), (list(values), *more))
            yield from cursor

    def insert(self, table: str, columns: Sequence[str], rows: Collection[Row]) -> None:
        if not rows:
            return
        types = self._types_of(table)
        statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)"
        with (
            self._connection() as connection,
            connection.cursor() as cursor,
            cursor.copy(translate(statement, self.pool)) as copy,
        ):
            copy.set_types([types[column].oid for column in columns])
            for row in rows:
                copy.write_row(row)

    def replace(
        self, table: str, columns: Sequence[str], rows: Collection[Row], *, key: Sequence[str]
    ) -> None:
        if not rows:
            return
        places = [columns.index(column) for column in key]
        last = {tuple(row[place] for place in places): row for row in rows}
        types = [self._types_of(table)[column] for column in columns]
        arrays = ", ".join(f"?::{column_type.name}[]" for column_type in types)
        statement = upsert(table, columns, f"SELECT * FROM unnest({arrays})", key)
        values = zip(*last.values(), strict=True)
        self.run(statement, list(map(pack_array, values, [item.oid for item in types])))

    def _types_of(self, table: str) -> dict[str, ColumnType]:
        if table not in self._column_types:
            rows = self.run(LIST_COLUMNS, (f'"{schema.table_name(table, self.pool)}"',))
            self._column_types[table] = {name: ColumnType(*item) for name, *item in rows}
        return self._column_types[table]

    # Partitions and state.

    def reserve(self, numbers: range) -> None:
        self._partitions.create(numbers)

    def prepare_purge(self) -> None:
        self.run(DELETE_MARKS, (OLDEST_MARK_SECONDS,))

    def delete_tombstones(self, before: int, latest: int) -> bool:
        return self._partitions.purge_some(before, latest)

    def forget_state(self) -> None:
        self._partitions.forget()

    def kept_commits(self) -> bool:
        """False on a server that was started since: after a crash it may lack commits."""
        before, self._server_start = self._server_start, self._read_server_start()
        return before is not None and before == self._server_start

    def _read_server_start(self) -> str | None:
        """When the server was started; None if a crash may lose commits."""
        ((since, fsync, commits),) = self.run_native(SERVER_START)
        return None if "off" in (fsync, commits) else str(since)

    # The schema.

    def table_names(self) -> list[str]:
        """The tables of the schema, of all pools."""
        return [name for (name,) in self.run(LIST_TABLES)]

    def index_names(self) -> set[str]:
        return {name for (name,) in self.run(LIST_INDEXES)}

    def schema_version(self) -> int:
        ledger = schema.table_name(schema.LEDGER, self.pool)
        if ledger not in self.table_names():
            return 0
        if self.one(READ_SIGNATURE, (f'"{ledger}"',)) != (SIGNATURE,):
            raise StoreError(
                f"{self.address}: the table {ledger} is of something else: {OWN_SCHEMA}"
            )
        return self._read_ledger()

    def migrate(self, to: int = LATEST) -> list[str]:
        self._column_types.clear()
        with self._translate_errors(), self._hold_connection() as connection:
            self._begin(connection, BEGIN_WRITE, MIGRATION_LOCK)
            if self.one("SELECT current_schema()") == (None,):
                raise StoreError(f"{self.address}: there is no schema to use: {OWN_SCHEMA}")
            if not self.schema_version():
                self.run(schema.LEDGER_TABLE.format(**schema.POSTGRES))
                self.run(f"COMMENT ON TABLE migrations IS '{SIGNATURE}'")
            done = self._run_migrations(to)
            connection.execute("COMMIT")
        return done

    def check_durability(self) -> list[Check]:
        settings = {name: self.run_native(f"SHOW {name}")[0][0] for name in DURABILITY_SETTINGS}
        detail = ", ".join(f"{name} {value}" for name, value in settings.items())
        return [Check("durability", "off" not in settings.values(), detail)]

    def close(self) -> None:
        if self._conninfo:
            release_connections(self._conninfo)
            self._conninfo = ""
