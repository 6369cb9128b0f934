"""Partitions: the large tables of a PostgreSQL store are split by sequence number.

Sequence numbers ascend with time. So a purge empties whole partitions, and dropping them frees
their space at once, where deleted rows would leave it behind.
"""

from collections.abc import Callable, Iterable
from typing import Any

from psycopg.errors import LockNotAvailable

from nearcopy.stores.sql.database import TOMBSTONE, Row
from nearcopy.stores.sql.schema import table_name

PARTITION_SIZE = 50_000  # sequence numbers
PARTITION_MARK = "#"  # between a table and its partition; not allowed in names of pools
# Articles come last: while theirs exists, a partition is not dropped completely.
PARTITIONED_TABLES = ("fingerprints", "edges", "edge_ends", "articles")
# Rows of some KB stay in one piece: they are compressed already, and are read whole.
NO_TOAST = "toast_tuple_target = 8160"
DETACH_TIMEOUT = "20ms"  # for readers to finish, while others wait behind
MAX_REFUSALS = 200  # of locks in one purge, for instance because of autovacuum
TOMBSTONE_BATCH = 1000
# By their names: a partition that was detached, and not dropped yet, has no parent.
EXISTING = """
SELECT substr(relname::text, length(%s) + 1) FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND starts_with(relname::text, %s)
    AND relkind = 'r'
"""
IS_ATTACHED = "SELECT relispartition FROM pg_class WHERE oid = to_regclass(%s)"
# An article, or a tombstone that is too recent. By narrow indexes: deleted rows are in the table
# until it is vacuumed, and a scan of them takes long.
NEEDED = """
SELECT 1 WHERE EXISTS (SELECT 1 FROM arrivals WHERE number >= ? AND number < ?)
OR EXISTS (SELECT 1 FROM articles WHERE number >= ? AND number < ? AND deleted = 1
           AND coalesce(published, seen) >= ?)
"""
DELETE_TOMBSTONES = f"""
DELETE FROM articles WHERE number IN (
    SELECT number FROM articles WHERE number >= ? AND number < ? AND {TOMBSTONE}
    LIMIT {TOMBSTONE_BATCH}
) AND number >= ? AND number < ? RETURNING 1
"""

Query = Callable[..., list[Row]]


def partition_of(number: int) -> int:
    """The partition of an article."""
    return number // PARTITION_SIZE


class Partitions:
    """The partitions of one pool's tables, within transactions that write."""

    def __init__(self, pool: str, run: Query, run_native: Query) -> None:
        self._pool = pool
        self._run, self._run_native = run, run_native
        self.forget()

    def forget(self) -> None:
        """Forget which partitions exist, and how far a purge got."""
        self._existing: set[int] = set()
        self._to_purge: list[int] | None = None
        self._refusals = 0

    def create(self, numbers: Iterable[int]) -> None:
        """Create the partitions of these sequence numbers where they are missing."""
        for partition in sorted({partition_of(number) for number in numbers} - self._existing):
            if not self._exists("articles", partition):
                for table in PARTITIONED_TABLES:
                    self._create(table, partition)
            self._existing.add(partition)

    def _create(self, table: str, partition: int) -> None:
        """Create a table and attach it, so that neither readers nor writers have to wait."""
        parent, part = self._name(table), self._name(table, partition)
        first, end = partition * PARTITION_SIZE, (partition + 1) * PARTITION_SIZE
        self._run_native(f"CREATE TABLE {part} (LIKE {parent} INCLUDING ALL) WITH ({NO_TOAST})")
        self._run_native(
            f"ALTER TABLE {parent} ATTACH PARTITION {part} FOR VALUES FROM ({first}) TO ({end})"
        )

    def _exists(self, table: str, partition: int) -> bool:
        name: Any = self._name(table, partition)
        return self._run_native("SELECT to_regclass(%s) IS NULL", (name,)) == [(False,)]

    def _name(self, table: str, partition: int | None = None) -> str:
        """The quoted name of a table, or of one of its partitions."""
        end = "" if partition is None else f"{PARTITION_MARK}{partition}"
        return f'"{table_name(table, self._pool)}{end}"'

    def _list(self) -> list[int]:
        start = f"{table_name('articles', self._pool)}{PARTITION_MARK}"
        suffixes = (suffix for (suffix,) in self._run_native(EXISTING, (start, start)))
        return sorted(int(suffix) for suffix in suffixes if suffix.isdecimal())

    def purge_some(self, before: int, latest: int) -> bool:
        """Drop a partition that is not needed, or delete some tombstones; whether more is left."""
        newest = partition_of(latest)
        if self._to_purge is None:
            self._to_purge = [newest, *(p for p in reversed(self._list()) if p < newest)]
            self._refusals = 0
        if not self._to_purge:
            self._to_purge = None
            return False
        refusals = self._refusals
        partition = self._to_purge.pop()
        if self._purge(partition, before, newest):
            # A partition that somebody reads just now is tried again after the others.
            refused = self._refusals > refusals
            self._to_purge.insert(0 if refused else len(self._to_purge), partition)
        return True

    def _purge(self, partition: int, before: int, newest: int) -> bool:
        """Drop the partition, or delete some of its tombstones; whether more is left of it."""
        first, end = partition * PARTITION_SIZE, (partition + 1) * PARTITION_SIZE
        needed = self._run(NEEDED, (first, end, first, end, before))
        if not needed and partition < newest:
            return self._drop(partition)
        deleted = self._run(DELETE_TOMBSTONES, (first, end, before, first, end))
        return len(deleted) == TOMBSTONE_BATCH

    def _drop(self, partition: int) -> bool:
        """Detach or drop one table of a partition; whether more is left of it.

        All readers of a table have to wait while a partition is detached, so each is detached in a
        transaction of its own, and dropped in another one, which blocks no reader.
        """
        tables = (table for table in PARTITIONED_TABLES if self._exists(table, partition))
        table = next(tables, None)
        if table is None:
            return False
        part = self._name(table, partition)
        if self._run_native(IS_ATTACHED, (part,)) == [(True,)]:
            return self._try_locking(f"ALTER TABLE {self._name(table)} DETACH PARTITION {part}")
        return self._try_locking(f"DROP TABLE {part}")

    def _try_locking(self, statement: str) -> bool:
        """Run a statement that needs a lock; False after too many refusals."""
        run = self._run_native
        run("SAVEPOINT dropping")
        # Nothing is lost if this is not durable, and no commit waits for the disk.
        run("SET LOCAL synchronous_commit = off")
        run(f"SET LOCAL lock_timeout = '{DETACH_TIMEOUT}'")
        try:
            run(statement)
        except LockNotAvailable:
            run("ROLLBACK TO SAVEPOINT dropping")
            self._refusals += 1
            return self._refusals < MAX_REFUSALS
        return True
