"""The SQLite store: one file that lasts, for one process or several on one machine."""

from collections.abc import Collection

from nearcopy.models.model import Check
from nearcopy.stores.pools import DEFAULT, table_name
from nearcopy.stores.sql.integrity import complete, copied, indexes, schema
from nearcopy.stores.sql.store import CLEARED, SqlStore
from nearcopy.stores.sqlite.database import PAGES_WRITTEN_BACK, SqliteFile
from nearcopy.stores.sqlite.schema import MIGRATIONS

INDEXES = (
    "acts_keeps",
    "articles_id",
    "articles_seen",
    "articles_deleted_seen",
    "articles_published",
    "article_keys_shelf",
    "edges_b",
    "feedback_b",
    "members_story",
)
CLEARED_AT_ONCE = 1000
PAGES_AT_ONCE = 1000  # of 4 KB, given back in one step
# Pages in the log from which on they are written back while much is removed: whoever reads from the
# disk waits behind those that are on their way to it.
WRITTEN_BACK_AT = 500
INCREMENTAL = 2  # what SQLite calls a file whose pages can be given back some at a time


class SqliteStore(SqlStore):
    """A store in a file."""

    # By the index, whatever SQLite thinks of it before it has counted anything.
    numbered = (
        "SELECT number, id FROM articles INDEXED BY articles_id WHERE deleted = 0 AND id IN ({})"
    )

    def __init__(self, address: str, pool: str = DEFAULT) -> None:
        self._file = SqliteFile(address, pool)
        super().__init__(self._file)

    def drop(self, ids: Collection[str]) -> int:
        """Forget articles without a mark that they ever were there; how many there were."""
        self._file.run(f"PRAGMA wal_autocheckpoint = {WRITTEN_BACK_AT}")
        return super().drop(ids)

    def _clear_some(self, before: int) -> bool:
        """Delete some of what is left of removed articles; after that, give back pages."""
        deleted = self._file.run(
            "DELETE FROM articles WHERE number IN (SELECT number FROM articles"
            f" WHERE {CLEARED} LIMIT {CLEARED_AT_ONCE}) RETURNING 1",
            (before,),
        )
        more = len(deleted) == CLEARED_AT_ONCE or self._give_back()
        if not more:
            self._file.run(f"PRAGMA wal_autocheckpoint = {PAGES_WRITTEN_BACK}")
        return more

    def _give_back(self) -> bool:
        """Give pages that are not used back to the disk; whether there are more."""
        if self._file.one("PRAGMA auto_vacuum") != (INCREMENTAL,):
            return False
        (unused,) = self._file.one("PRAGMA freelist_count")
        for _ in range(min(unused, PAGES_AT_ONCE)):  # Python's driver has it done for one page only
            self._file.run("PRAGMA incremental_vacuum(1)")
        return bool(unused > PAGES_AT_ONCE)

    def verify(self) -> list[Check]:
        """Whether the file is as it should be."""
        file = self._file
        expected = {table_name(index, file.pool) for index in INDEXES}
        rows = file.run("SELECT name FROM sqlite_master WHERE type = 'index'")
        return [
            _whole(file),
            _durable(file),
            schema(file, MIGRATIONS),
            indexes({name for (name,) in rows}, expected),
            complete(file, self.parts),
            copied(file),
        ]


def _whole(file: SqliteFile) -> Check:
    lines = [line for (line,) in file.run("PRAGMA quick_check(5)")]
    return Check("file", lines == ["ok"], "quick_check: " + "; ".join(lines))


def _durable(file: SqliteFile) -> Check:
    (journal,), (level,) = file.one("PRAGMA journal_mode"), file.one("PRAGMA synchronous")
    sure = journal == "wal" and level >= 2
    return Check("durability", sure, f"journal {journal}, synchronous {level} (2 is full)")
