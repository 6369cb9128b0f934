"""A PostgreSQL schema: brought to the latest tables, read and written in steps."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from time import monotonic, sleep
from typing import Any, NamedTuple

import psycopg
from psycopg import Connection

from nearcopy.errors import StoreError, TryAgain
from nearcopy.stores.addresses import shown
from nearcopy.stores.pools import DEFAULT, LEDGER, pooled, table_name
from nearcopy.stores.postgres.connections import WAIT_SECONDS, connection_of, let_go, take
from nearcopy.stores.postgres.errors import OWN_SCHEMA, told
from nearcopy.stores.postgres.schema import LATEST, MIGRATIONS, SIGNED
from nearcopy.stores.postgres.schema import LEDGER as LEDGER_TABLE
from nearcopy.stores.postgres.type_adapters import INTEGER, TEXT, packed
from nearcopy.stores.sql.database import STATE, Row, State, storable, upsert
from nearcopy.stores.sql.migrations import checked_schema, migrate, schema_of

STREAMED_AT_ONCE = 5000  # rows
ASK_AGAIN_SECONDS = 0.05
# Whatever the server's defaults are.
READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
# A plan for any list of values would look at all blocks, and for each row at each value; and what
# many blocks seem to cost would have short look-ups compiled.
LIMITS = (
    "SET LOCAL lock_timeout = {wait}; SET LOCAL statement_timeout = {longer};"
    " SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL jit = off"
)
# Whoever writes holds this row to the end. What is read after that is all that others have done.
LOCK = "SELECT FROM settings WHERE name = 'numbers' FOR UPDATE"
ITSELF = "SELECT pg_current_xact_id()::text"
# One at a time makes or changes the tables of a schema, also where there are none yet.
ALONE = "SELECT pg_advisory_xact_lock(1851097458, hashtext(current_schema()))"
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
COLUMNS = """
SELECT attname, atttypid::bigint, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped
"""
RUN_OF_SERVER = """
SELECT pg_postmaster_start_time()::text, current_setting('fsync'),
       current_setting('synchronous_commit')
"""
SIGNATURE = "SELECT obj_description(to_regclass(?), 'pg_class')"


class Kind(NamedTuple):
    """The type of a column."""

    number: int
    name: str


@lru_cache(maxsize=4096)
def translated(statement: str, pool: str) -> str:
    """A statement as PostgreSQL takes it.

    Articles are looked up by number one by one, each in its block alone: half the time of a look
    for all of them in each block.

    >>> translated("SELECT id FROM known WHERE number > ? AND id IN ({})", "default")
    'SELECT id FROM known WHERE number > %s AND id = ANY(%s)'
    >>> translated("SELECT id FROM articles WHERE number IN ({})", "default")
    'SELECT id FROM articles WHERE number IN (SELECT unnest(%s::bigint[]))'
    """
    named = pooled(statement, pool).replace("%", "%%")
    named = named.replace(" number IN ({})", " number IN (SELECT unnest(%s::bigint[]))")
    return named.replace(" IN ({})", " = ANY(%s)").replace("?", "%s")


class PostgresDatabase:
    """A schema of a PostgreSQL server, for one thread at a time."""

    def __init__(self, address: str, pool: str = DEFAULT) -> None:
        self.address, self.pool = shown(address), pool
        self._given = address
        self._wait = WAIT_SECONDS
        self._held: Connection | None = None  # while a step is done
        self._kinds: dict[str, dict[str, Kind]] = {}  # of columns, by table
        self._connections = take(address)
        try:
            if self.schema() < LATEST:
                self.migrate(LATEST)
        except BaseException:
            self.close()
            raise

    # Steps.

    @contextmanager
    def step(self, *, writes: bool) -> Iterator[State]:
        """All of what is inside, or none of it; gives the state at its beginning."""
        with self._told(), self._holding() as connection:
            opening = (
                [WRITE, self._limits(), LOCK, STATE] if writes else [READ, self._limits(), STATE]
            )
            results = self._begin(connection, *opening, *([ITSELF] if writes else []))
            state, itself = (results[-2], results[-1][0][0]) if writes else (results[-1], None)
            yield dict(state)
            self._commit(connection, itself)

    def _limits(self) -> str:
        wait = int(1000 * self._wait)
        return LIMITS.format(wait=wait, longer=2 * wait)

    def _begin(self, connection: Connection, *statements: str) -> list[list[Row]]:
        """The rows of the statements that a step begins with, all sent at once."""
        cursor = connection.execute(pooled("; ".join(statements), self.pool))
        results = []
        while True:
            results.append(cursor.fetchall() if cursor.description else [])
            if not cursor.nextset():
                return results

    def _commit(self, connection: Connection, itself: str | None) -> None:
        """Ends a step; where the connection goes meanwhile, the server knows whether it lasts."""
        try:
            connection.execute("COMMIT")
        except psycopg.OperationalError as lost:
            if not connection.closed:
                raise
            if itself is not None and not self._lasts(itself):
                raise TryAgain(f"{self.address}: {lost}") from lost

    def _lasts(self, transaction: str) -> bool:
        """Whether a step was committed, once that is decided."""
        end = monotonic() + self._wait
        while monotonic() < end:
            with suppress(psycopg.Error), self._another() as connection:
                status = connection.execute(
                    "SELECT pg_xact_status(%s::xid8)", (transaction,)
                ).fetchone()
                if status in (("committed",), ("aborted",)):
                    return status == ("committed",)
            sleep(ASK_AGAIN_SECONDS)
        raise StoreError(
            f"{self.address}: the connection was lost and nobody knows whether the step was done: "
            "do it again, adding what is there changes nothing"
        )

    @contextmanager
    def _holding(self) -> Iterator[Connection]:
        """A connection, which takes back what was not committed when it is given back."""
        connection = self._held = connection_of(self._connections, self._wait)
        try:
            yield connection
        except BaseException:
            self._take_back(connection)
            raise
        finally:
            self._held = None
            self._connections.putconn(connection)

    def _take_back(self, connection: Connection) -> None:
        try:
            connection.execute("ROLLBACK")
        except psycopg.Error:
            connection.close()  # nor does the server keep anything then
            self._connections.check()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What PostgreSQL has to say, with the address and what to do."""
        try:
            yield
        except psycopg.Error as error:
            raise told(error, self.address) from error

    # Statements.

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """The connection of the step, or outside of steps one for a statement."""
        if self._held is not None:
            yield self._held
            return
        with self._told(), self._another() as connection:
            yield connection

    @contextmanager
    def _another(self) -> Iterator[Connection]:
        connection = connection_of(self._connections, self._wait)
        try:
            yield connection
        finally:
            self._connections.putconn(connection)

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of one statement."""
        return self.plain(translated(statement, self.pool), values)

    def plain(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of a statement that is PostgreSQL's own."""
        with self._connection() as connection:
            cursor = connection.cursor(binary=True)
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def one(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """The first row, or None."""
        return next(iter(self.run(statement, values)), None)

    def among(self, statement: str, values: Collection[Any], *last: Any) -> Iterator[Row]:
        """The rows for which a column is `IN ({})` these values."""
        listed = [value for value in values if storable(value)]
        if not listed:
            return iter(())
        kind = INTEGER if isinstance(listed[0], int) else TEXT
        return iter(self.run(statement, (packed(listed, kind), *last)))

    def stream(self, statement: str, values: Collection[Any], *last: Any) -> Iterator[Row]:
        """The same where there may be very many."""
        if self._held is None:
            raise StoreError("rows are streamed within a step only")
        with self._held.cursor(name="nearcopy", binary=True) as cursor:
            cursor.itersize = STREAMED_AT_ONCE
            cursor.execute(translated(statement, self.pool), (list(values), *last))
            yield from cursor

    def change(self, statement: str, values: Collection[Any], *last: Any) -> None:
        """One statement for all rows that are `IN ({})` these values."""
        self.among(statement, values, *last)

    def insert(self, table: str, columns: Sequence[str], rows: Collection[Row]) -> None:
        """Put new rows into a table."""
        if not rows:
            return
        kinds = self._kinds_of(table)
        statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)"
        with (
            self._connection() as connection,
            connection.cursor() as cursor,
            cursor.copy(translated(statement, self.pool)) as copy,
        ):
            copy.set_types([kinds[column].number for column in columns])
            for row in rows:
                copy.write_row(row)

    def replace(
        self, table: str, columns: Sequence[str], rows: Collection[Row], *, key: Sequence[str]
    ) -> None:
        """Put rows into a table, in place of those with the same key."""
        if not rows:
            return
        places = [columns.index(column) for column in key]
        last = {tuple(row[place] for place in places): row for row in rows}
        kinds = self._kinds_of(table)
        lists = ", ".join(f"?::{kinds[column].name}[]" for column in columns)
        statement = upsert(table, columns, f"SELECT * FROM unnest({lists})", key)
        values = zip(*last.values(), strict=True)
        numbers = [kinds[column].number for column in columns]
        self.run(statement, list(map(packed, values, numbers)))

    def _kinds_of(self, table: str) -> dict[str, Kind]:
        if table not in self._kinds:
            named = f'"{self.named(table)}"'
            rows = self.run(COLUMNS, (named,))
            self._kinds[table] = {name: Kind(*kind) for name, *kind in rows}
        return self._kinds[table]

    # The schema.

    def named(self, table: str) -> str:
        """What a table or an index is called in this pool."""
        return table_name(table, self.pool)

    def tables(self) -> list[str]:
        """The tables of the schema."""
        return [name for (name,) in self.run(TABLES)]

    def schema(self) -> int:
        """The number of the latest migration done; 0 where there are no tables."""
        ledger = self.named(LEDGER)
        if ledger not in self.tables():
            return 0
        if self.one(SIGNATURE, (f'"{ledger}"',)) != (SIGNED,):
            raise StoreError(
                f"{self.address}: the table {ledger} is of something else: {OWN_SCHEMA}"
            )
        return schema_of(self, MIGRATIONS)

    def migrate(self, to: int = LATEST) -> list[str]:
        """Go up or back to a schema; the names of the steps taken. One step, all or nothing."""
        checked_schema(to, MIGRATIONS)
        self._kinds.clear()
        with self._told(), self._holding() as connection:
            self._begin(connection, WRITE, ALONE)
            if self.one("SELECT current_schema()") == (None,):
                raise StoreError(f"{self.address}: there is no schema to use: {OWN_SCHEMA}")
            if not self.schema():
                self.run(LEDGER_TABLE)
                self.run(f"COMMENT ON TABLE migrations IS '{SIGNED}'")
            steps = migrate(self, MIGRATIONS, to)
            self._commit(connection, None)
        return steps

    def run_of_server(self) -> str | None:
        """What is the same as long as the server runs; None where a crash may lose what lasts."""
        ((since, fsync, commits),) = self.plain(RUN_OF_SERVER)
        return None if "off" in (fsync, commits) else str(since)

    def wait_at_most(self, seconds: float) -> None:
        """Wait no longer than this for others from now on."""
        self._wait = seconds

    def close(self) -> None:
        """Let go of the connections."""
        if self._given:
            let_go(self._given)
            self._given = ""
