"""The PostgreSQL store: for any number of workers on any number of machines.

Whoever writes holds the lock of its pool from the first look to the commit, so numbers are given
and become visible in order, and of several that add copies exactly one is the first. Nobody who
only looks waits for it.
"""

from collections.abc import Iterable, Mapping, Sequence

from nearcopy.models.model import Article, Check
from nearcopy.stores.pools import DEFAULT, INDEXES, pools_of
from nearcopy.stores.postgres.connections import let_go, take
from nearcopy.stores.postgres.database import TABLES, PostgresDatabase
from nearcopy.stores.postgres.partitions import SIZE, Blocks, block_of
from nearcopy.stores.postgres.schema import MIGRATIONS
from nearcopy.stores.sql.integrity import complete, copied, indexes, schema
from nearcopy.stores.sql.store import CLEARED, SqlStore

CLEARED_AT_ONCE = 1000
NOT_HERE = {"articles_id"}  # of the indexes; `known` has the ids
SAFE = ("fsync", "full_page_writes", "synchronous_commit")
# An article that is there, or a mark of one that is not to be cleared yet. By narrow indexes: what
# was deleted is in the table until it is vacuumed, and going through that takes long.
NEEDED = """
SELECT 1 WHERE EXISTS (SELECT 1 FROM arrivals WHERE number >= ? AND number < ?)
OR EXISTS (SELECT 1 FROM articles WHERE number >= ? AND number < ? AND deleted = 1
           AND coalesce(published, seen) >= ?)
"""
CLEAR = f"""
DELETE FROM articles WHERE number IN (
    SELECT number FROM articles WHERE number >= ? AND number < ? AND {CLEARED}
    LIMIT {CLEARED_AT_ONCE}
) AND number >= ? AND number < ? RETURNING 1
"""


class PostgresStore(SqlStore):
    """A store in a schema of a PostgreSQL server."""

    parts = (*SqlStore.parts, "known")
    numbered = "SELECT number, id FROM known WHERE id IN ({})"

    def __init__(self, address: str, pool: str = DEFAULT) -> None:
        self._server = PostgresDatabase(address, pool)
        self._blocks = Blocks(self._server)
        self._to_clear: list[int] | None = None  # blocks to go through yet
        self._run_of_server = self._server.run_of_server()
        super().__init__(self._server)

    def _forget_memory(self) -> None:
        super()._forget_memory()
        self._blocks.forget()
        self._to_clear = None

    def _forget_step(self) -> None:
        super()._forget_step()
        self._blocks.forget()
        self._to_clear = None

    def _is_where_it_was(self) -> bool:
        """Not on a server that was started since, or another: it may lack what lasted elsewhere."""
        before, self._run_of_server = self._run_of_server, self._server.run_of_server()
        return before is not None and before == self._run_of_server

    def _new_numbers(self, count: int) -> range:
        numbers = super()._new_numbers(count)
        self._blocks.make(numbers)
        return numbers

    def _file_articles(
        self, numbers: Sequence[int], articles: Iterable[Article], runs: Mapping[str, int]
    ) -> None:
        added = list(articles)
        super()._file_articles(numbers, added, runs)
        ids = [(article.id, number) for article, number in zip(added, numbers, strict=True)]
        self._server.insert("known", ("id", "number"), ids)

    def _clear_some(self, before: int) -> bool:
        """Go through the blocks: drop those of which nothing is needed, clear the others."""
        if self._to_clear is None:
            newest = block_of(int(self._caught_up))
            self._to_clear = [older for older in reversed(self._blocks.all()) if older < newest]
            self._to_clear.insert(0, newest)
            self._blocks.begin_dropping()
        if not self._to_clear:
            self._to_clear = None
            return False
        refusals = self._blocks.refusals
        block = self._to_clear.pop()
        if self._more_of(block, before):
            # Where somebody is in the way, the others come first.
            later = self._blocks.refusals > refusals
            self._to_clear.insert(0 if later else len(self._to_clear), block)
        return True

    def _more_of(self, block: int, before: int) -> bool:
        """Drop or clear some of a block; whether to come again for more of it."""
        first, end = block * SIZE, (block + 1) * SIZE
        newest = block_of(int(self._caught_up))
        needed = self._server.one(NEEDED, (first, end, first, end, before))
        if needed is None and block < newest:
            return self._blocks.drop_some(block)
        deleted = self._server.run(CLEAR, (first, end, before, first, end))
        return len(deleted) == CLEARED_AT_ONCE

    def verify(self) -> list[Check]:
        """Whether the schema is as it should be."""
        server = self._server
        expected = {index for index in INDEXES if index not in NOT_HERE}
        rows = server.run("SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()")
        present = {name for (name,) in rows}
        return [
            _durable(server),
            schema(server, MIGRATIONS),
            indexes(present, {server.named(index) for index in expected}),
            complete(server, self.parts),
            copied(server),
        ]


def _durable(server: PostgresDatabase) -> Check:
    settings = {name: server.plain(f"SHOW {name}")[0][0] for name in SAFE}
    detail = ", ".join(f"{name} {value}" for name, value in settings.items())
    return Check("durability", "off" not in settings.values(), detail)


def pools_in(address: str) -> list[str]:
    """The pools of a schema."""
    connections = take(address)
    try:
        with connections.connection() as connection:
            return pools_of([name for (name,) in connection.execute(TABLES)])
    finally:
        let_go(address)
