"""What the SQL stores need of a database, lookups between ids and sequence numbers, and settings.

Statements are written once for all databases: `?` is a placeholder, `IN ({})` takes a list, and
tables have the names of the default pool. What each database does in its own way is behind
`Database`.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

from nearcopy.config import Recipe
from nearcopy.errors import RecipeMismatch, StoreError
from nearcopy.models import Check
from nearcopy.stores.base import StoreSettings
from nearcopy.stores.integrity import recipe_mismatch
from nearcopy.stores.row_codec import recipe_from_json, recipe_to_json, replace_surrogates
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
IDS_BY_NUMBER = "SELECT number, id FROM articles WHERE number IN ({})"
COLUMNS = ("name", "value")
NOTE_PREFIX = "note "  # of the names of notes among the settings
INCREMENT = """
INSERT INTO settings VALUES (?, ?) ON CONFLICT (name)
DO UPDATE SET value = CAST(CAST(settings.value AS BIGINT) + CAST(excluded.value AS BIGINT) AS TEXT)
RETURNING value
"""


class Database(ABC):
    """One connection at a time, for one thread at a time."""

    address: str
    pool: str
    timeout: float  # seconds to wait for locks
    window_folder: Path | None = None  # where the window is kept on disk
    migrations: Sequence[Migration]
    article_tables: tuple[str, ...] = ("fingerprints", "arrivals", "members")
    numbers_by_id: str  # the statement that selects sequence numbers and ids

    @abstractmethod
    def transaction(self, *, writes: bool) -> AbstractContextManager[State]:
        """Run what is inside atomically; gives the state at its beginning.

        Transactions that write are serialized.
        """

    @abstractmethod
    def run(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of one statement."""

    def one(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """The first row, or None."""
        return next(iter(self.run(statement, values)), None)

    @abstractmethod
    def select_in(self, statement: str, values: Collection[Any], *more: Any) -> Iterator[Row]:
        """The rows where a column is `IN ({})` these values."""

    @abstractmethod
    def stream_in(self, statement: str, values: Collection[Any], *more: Any) -> Iterator[Row]:
        """The same for very many rows; within a transaction, with no other statement meanwhile."""

    def execute_in(self, statement: str, values: Collection[Any], *more: Any) -> None:
        """Execute a statement for all rows where a column is `IN ({})` these values."""
        for _ in self.select_in(statement, values, *more):
            pass

    @abstractmethod
    def insert(self, table: str, columns: Sequence[str], rows: Collection[Row]) -> None:
        """Insert new rows into a table."""

    @abstractmethod
    def replace(
        self, table: str, columns: Sequence[str], rows: Collection[Row], *, key: Sequence[str]
    ) -> None:
        """Insert rows into a table, or replace those with the same key."""

    def reserve(self, numbers: range) -> None:  # noqa: B027  # optional
        """Make room for new sequence numbers."""

    def prepare_purge(self) -> None:  # noqa: B027  # optional
        """Get ready to delete many articles."""

    @abstractmethod
    def delete_tombstones(self, before: int, latest: int) -> bool:
        """Delete some tombstones from before a time, or free space; whether more is left.

        `latest` is the last sequence number.
        """

    def forget_state(self) -> None:  # noqa: B027  # optional
        """Forget what is known of the database, after a transaction that failed."""

    def kept_commits(self) -> bool:
        """Whether everything committed before a failed transaction is still there for sure."""
        return True

    @abstractmethod
    def check_durability(self) -> list[Check]:
        """Whether the data is sound, and commits survive a crash."""

    @abstractmethod
    def index_names(self) -> set[str]:
        """The indexes that exist."""

    @abstractmethod
    def schema_version(self) -> int:
        """The number of the last migration done; 0 for an empty database."""

    @abstractmethod
    def migrate(self, to: int) -> list[str]:
        """Migrate up or down to a schema version; the names of the migrations done."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    def _read_ledger(self) -> int:
        """The number of the last migration in the ledger; one that is not known is refused."""
        (number,) = self.one("SELECT coalesce(max(number), 0) FROM migrations")
        latest = self.migrations[-1].number
        if number > latest:
            raise StoreError(
                f"{self.address} has schema {number}, this nearcopy knows {latest}: "
                f"update nearcopy, or go back with the newer one: `nearcopy migrate --to {latest}`"
            )
        return int(number)

    def _run_migrations(self, to: int) -> list[str]:
        """Migrate within a transaction; the names of the migrations done."""
        if not 0 <= to <= self.migrations[-1].number:
            raise StoreError(f"no schema {to}: choose one from 0 to {self.migrations[-1].number}")
        current = self._read_ledger()
        up = [item for item in self.migrations if current < item.number <= to]
        down = [item for item in reversed(self.migrations) if to < item.number <= current]
        for migration in up:
            for statement in migration.up:
                self.run(statement)
            self.run("INSERT INTO migrations (number, name) VALUES (?, ?)", migration[:2])
        for migration in down:
            for statement in migration.down:
                self.run(statement)
            self.run("DELETE FROM migrations WHERE number = ?", (migration.number,))
        return [f"{m.number} {m.name}" for m in up] + [f"back {m.number} {m.name}" for m in down]


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


class _Cache:
    def __init__(self) -> None:
        self.numbers: dict[str, int | None] = {}  # None: there is no such article
        self.ids: dict[int, str] = {}

    def add(self, pairs: Iterable[tuple[int, str]]) -> None:
        for number, name in pairs:
            self.numbers[name] = number
            self.ids[number] = name


class ArticleIds:
    """Lookups between ids and sequence numbers; the cache is valid within a transaction only."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache: _Cache | None = None

    def start_cache(self) -> None:
        self._cache = _Cache()

    def stop_cache(self) -> None:
        self._cache = None

    def forget(self) -> None:
        """Empty the cache, after articles were removed."""
        if self._cache is not None:
            self._cache = _Cache()

    def add(self, pairs: Iterable[tuple[int, str]]) -> None:
        """Cache sequence numbers with their ids."""
        if self._cache is not None:
            self._cache.add(pairs)

    def numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The sequence numbers of the articles that are stored."""
        cache = self._cache or _Cache()
        unknown = [name for name in ids if name not in cache.numbers]
        cache.numbers.update(dict.fromkeys(unknown))
        cache.add(self._database.select_in(self._database.numbers_by_id, unknown))
        return {name: number for name in ids if (number := cache.numbers[name]) is not None}

    def ids(self, numbers: Collection[int]) -> dict[int, str]:
        """The ids of these sequence numbers."""
        cache = self._cache or _Cache()
        unknown = [number for number in numbers if number not in cache.ids]
        cache.add(self._database.select_in(IDS_BY_NUMBER, unknown))
        return {number: cache.ids[number] for number in numbers if number in cache.ids}


class SqlSettings:
    """Settings by name."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._run: int | None = None
        self._recipe: Recipe | None = None

    def bind(self, recipe: Recipe | None, version: int, window: timedelta | None = None) -> Recipe:
        del window  # nothing expires
        with self._database.transaction(writes=False):
            settings = self._read()
        if not settings:
            with self._database.transaction(writes=True):
                settings = self._read() or self._create(recipe or Recipe(), version)
        address = self._database.address
        if recipe is not None and recipe.id != settings["recipe"]:
            stored = settings["recipe_json"]
            raise recipe_mismatch(f"store {address}", settings["recipe"], stored, recipe)
        if settings["keys"] != str(version):
            raise RecipeMismatch(
                f"store {address} was filled with keys of version {settings['keys']}, this "
                f"nearcopy makes version {version}: rebuild it with `nearcopy rebuild`"
            )
        self._recipe = recipe or recipe_from_json(settings["recipe_json"])
        return self._recipe

    @property
    def recipe(self) -> Recipe:
        """The recipe of this store."""
        if self._recipe is None:
            stored = self.settings()
            self._recipe = stored.recipe if stored else Recipe()
        return self._recipe

    def settings(self) -> StoreSettings | None:
        settings = self._read()
        if not settings:
            return None
        return StoreSettings(recipe_from_json(settings["recipe_json"]), int(settings["keys"]))

    def note(self, name: str) -> str | None:
        return self._get(NOTE_PREFIX + name)

    def set_note(self, name: str, text: str | None) -> None:
        if text is None:
            self._database.run("DELETE FROM settings WHERE name = ?", (NOTE_PREFIX + name,))
        else:
            self._set({NOTE_PREFIX + name: text})

    def increment(self, name: str, by: int = 1) -> int:
        """Add to a counter; its new value."""
        (value,) = self._database.one(INCREMENT, (name, str(by)))
        return int(value)

    def run_count(self) -> int:
        return int(self._get("runs") or 0)

    def raise_run_count(self, count: int) -> None:
        """Have at least so many runs."""
        if count > self.run_count():
            self._set({"runs": str(count)})

    def current_run(self) -> int:
        """The number of this run, which begins with the first article that it adds."""
        if self._run is None:
            self._run = self.increment("runs")
        return self._run

    def forget_run(self) -> None:
        """Take the number of this run again, after the transaction that took it failed."""
        self._run = None

    def _read(self) -> dict[str, str]:
        settings: dict[str, str] = dict(self._database.run("SELECT name, value FROM settings"))
        return settings if "recipe" in settings else {}

    def _create(self, recipe: Recipe, version: int) -> dict[str, str]:
        settings = {
            "recipe": recipe.id,
            "recipe_json": recipe_to_json(recipe),
            "keys": str(version),
        }
        self._set(settings)
        return settings

    def _get(self, name: str) -> str | None:
        row = self._database.one("SELECT value FROM settings WHERE name = ?", (name,))
        return row and str(row[0])

    def _set(self, settings: dict[str, str]) -> None:
        self._database.replace("settings", COLUMNS, list(settings.items()), key=("name",))
