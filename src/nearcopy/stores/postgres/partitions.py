"""Blocks: the large tables of a PostgreSQL store are made of parts that can be dropped whole.

Articles come about in the order of time and are numbered in the order they come. So what a purge
leaves is mostly blocks of which nothing is needed any more, and dropping them gives their space
back at once, where deleted rows would leave it behind.
"""

from collections.abc import Iterable

from psycopg.errors import LockNotAvailable

from nearcopy.stores.pools import table_name
from nearcopy.stores.postgres.database import PostgresDatabase

SIZE = 50_000  # numbers in a block
MARK = "#"  # between a table and its block; no pool has it in its name
# Articles come last: while theirs is there, a block is not dropped wholly.
TABLES = ("fingerprints", "article_keys", "edges", "articles")
# Rows of some KB stay in one piece: they are packed already, and are read whole.
IN_ONE_PIECE = "toast_tuple_target = 8160"
AT_MOST = "20ms"  # that taking a part out waits for those who read, while others wait behind it
PATIENCE = 200  # times in one purge that somebody may be in the way, such as autovacuum
# By their names: one that was taken out, and not dropped yet, is no part of anything.
THERE = """
SELECT substr(relname::text, length(%s) + 1) FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND starts_with(relname::text, %s)
    AND relkind = 'r'
"""
A_PART = "SELECT relispartition FROM pg_class WHERE oid = to_regclass(%s)"


def block_of(number: int) -> int:
    """The block that an article is in."""
    return number // SIZE


class Blocks:
    """The blocks of a store's tables."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._there: set[int] = set()
        self.refusals = 0  # since dropping began

    def forget(self) -> None:
        """Take nothing for granted from now on."""
        self._there.clear()

    def make(self, numbers: Iterable[int]) -> None:
        """Have blocks for these numbers, within a step that writes."""
        for block in sorted({block_of(number) for number in numbers} - self._there):
            if not self._is_there("articles", block):
                for table in TABLES:
                    self._make(table, block)
            self._there.add(block)

    def _is_there(self, table: str, block: int) -> bool:
        rows = self._database.plain("SELECT to_regclass(%s) IS NULL", (self._name(table, block),))
        return rows == [(False,)]

    def _name(self, table: str, block: int | None = None) -> str:
        """The quoted name of a table, or of one of its blocks."""
        end = "" if block is None else f"{MARK}{block}"
        return f'"{table_name(table, self._database.pool)}{end}"'

    def _make(self, table: str, block: int) -> None:
        """Attached rather than made as a part: so nobody who reads or writes has to wait."""
        parent, part = self._name(table), self._name(table, block)
        self._database.plain(
            f"CREATE TABLE {part} (LIKE {parent} INCLUDING ALL) WITH ({IN_ONE_PIECE})"
        )
        self._database.plain(
            f"ALTER TABLE {parent} ATTACH PARTITION {part}"
            f" FOR VALUES FROM ({block * SIZE}) TO ({(block + 1) * SIZE})"
        )

    def all(self) -> list[int]:
        """The blocks there are, first to last."""
        start = f"{table_name('articles', self._database.pool)}{MARK}"
        suffixes = (number for (number,) in self._database.plain(THERE, (start, start)))
        return sorted(int(number) for number in suffixes if number.isdecimal())

    def begin_dropping(self) -> None:
        """Have patience with those who are in the way."""
        self.refusals = 0

    def drop_some(self, block: int) -> bool:
        """Go on to drop a block of which nothing is needed; whether to come again for more.

        One table's part at a time is taken out of it, for which all who read that table have to
        wait, and then, in a step of its own, dropped, for which nobody has.
        """
        table = next((candidate for candidate in TABLES if self._is_there(candidate, block)), None)
        if table is None:
            return False
        part = self._name(table, block)
        if self._database.plain(A_PART, (part,)) == [(True,)]:
            return self._tried(f"ALTER TABLE {self._name(table)} DETACH PARTITION {part}")
        return self._tried(f"DROP TABLE {part}")

    def _tried(self, statement: str) -> bool:
        """Whether to come again: not where somebody has been in the way all the time."""
        run = self._database.plain
        run("SAVEPOINT dropping")
        # Nothing is lost where this does not last, and nobody waits for the disk.
        run("SET LOCAL synchronous_commit = off")
        run(f"SET LOCAL lock_timeout = '{AT_MOST}'")
        try:
            run(statement)
        except LockNotAvailable:
            run("ROLLBACK TO SAVEPOINT dropping")
            self.refusals += 1
            return self.refusals < PATIENCE
        return True
