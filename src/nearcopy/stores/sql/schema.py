"""The tables of the SQL stores, and their migrations.

The tables are written once, in `schema.sql`, with types by dialect, in `dialects.toml`.

A released migration is never changed: what comes later is a migration of its own. Each pool has
tables of its own: statements name those of the default pool, `with_pool` puts in the others.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from nearcopy.stores import DEFAULT_POOL

POOL_MARK = "@"  # between a table and its pool; not allowed in names of pools
LEDGER = "migrations"
FOLDER = files(__package__)
DIALECTS: dict[str, dict[str, str]] = tomllib.loads(
    FOLDER.joinpath("dialects.toml").read_text("utf-8")
)
SQLITE, POSTGRES = DIALECTS["sqlite"], DIALECTS["postgresql"]
LEDGER_TABLE = """
CREATE TABLE IF NOT EXISTS migrations (
    number {integer} PRIMARY KEY,
    name TEXT NOT NULL,
    applied_at {now}
)
"""
# Times are microseconds since 1970, days are counted from 1970. Sequence numbers are never reused,
# so a cached number names that article or none. A deleted article leaves its id and dates.
TABLES = FOLDER.joinpath("schema.sql").read_text("utf-8")
CREATED = re.compile(r"CREATE (?:UNIQUE )?(TABLE|INDEX|VIEW) (?:IF NOT EXISTS )?(\w+)")


class Migration(NamedTuple):
    """Statements to go to a schema version, and those to go back."""

    number: int
    name: str
    up: tuple[str, ...]
    down: tuple[str, ...]


def migrations_for(dialect: Mapping[str, str]) -> tuple[Migration, ...]:
    """All migrations, first to last."""
    script = TABLES.format(**dialect)
    up = tuple(statement.strip() for statement in script.split(";"))
    created = [match for match in CREATED.findall(script) if match[0] != "INDEX"]
    down = tuple(f"DROP {kind} {name}" for kind, name in reversed(created))
    return (Migration(1, "all tables", up, down),)


def index_names_of(migrations: Iterable[Migration]) -> set[str]:
    """The indexes that migrations create, in the default pool."""
    statements = (statement for migration in migrations for statement in migration.up)
    created = (match for statement in statements for match in CREATED.findall(statement))
    return {name for kind, name in created if kind == "INDEX"}


NAMES = {name for d in DIALECTS.values() for _, name in CREATED.findall(TABLES.format(**d))}
NAMED = re.compile(rf"\b(?:{'|'.join(sorted({*NAMES, LEDGER}))})\b")


def table_name(table: str, pool: str) -> str:
    """The name of a table in a pool.

    >>> table_name("articles", "sport"), table_name("articles", "default")
    ('articles@sport', 'articles')
    """
    return table if pool == DEFAULT_POOL else f"{table}{POOL_MARK}{pool}"


@lru_cache(maxsize=4096)
def with_pool(statement: str, pool: str) -> str:
    """The statement with the table names of a pool.

    >>> with_pool("SELECT id FROM articles WHERE articles.number = ?", "sport")
    'SELECT id FROM "articles@sport" WHERE "articles@sport".number = ?'
    """
    if pool == DEFAULT_POOL:
        return statement
    return NAMED.sub(lambda match: f'"{table_name(match[0], pool)}"', statement)


def pools_of(tables: Iterable[str]) -> list[str]:
    """The pools whose ledgers are among these tables.

    >>> pools_of(["articles", "migrations@sport", "migrations"])
    ['default', 'sport']
    """
    names = [name.partition(POOL_MARK) for name in tables]
    return sorted(pool or DEFAULT_POOL for table, _, pool in names if table == LEDGER)
