"""Pools: one store holds several sets of articles that never see each other.

Each pool of an SQL store has tables of its own. Statements name them as the default pool does, and
for another pool the names are put in their place here, before a statement is run.
"""

import re
from functools import lru_cache

from nearcopy.errors import StoreError

DEFAULT = "default"
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}\Z")
MARK = "@"  # between a table and its pool; no table and no pool has it in its name

LEDGER = "migrations"
TABLES = (
    "acts",
    "article_fingerprints",
    "article_keys",
    "articles",
    "arrivals",
    "blobs",
    "edges",
    "feedback",
    "fingerprints",
    "known",
    "members",
    "redirects",
    "revisions",
    "settings",
    "shelf_days",
    "stories",
    "times",
    LEDGER,
)
INDEXES = (
    "acts_keeps",
    "article_keys_shelf",
    "articles_deleted_seen",
    "articles_id",
    "articles_published",
    "articles_seen",
    "edges_b",
    "feedback_b",
    "known_number",
    "members_story",
)
NAMED = re.compile(rf"\b(?:{'|'.join((*TABLES, *INDEXES))})\b")


def checked_pool(pool: str | None) -> str:
    """The name of a pool; None is the default."""
    if pool is None:
        return DEFAULT
    if not isinstance(pool, str) or not NAME.match(pool):
        raise StoreError(
            f"a pool cannot be called {pool!r:.60}: give up to 32 of a-z, 0-9, - and _, "
            "a letter or a digit first"
        )
    return pool


def table_name(table: str, pool: str) -> str:
    """What a table is called in a pool.

    >>> table_name("articles", "sport"), table_name("articles", "default")
    ('articles@sport', 'articles')
    """
    return table if pool == DEFAULT else f"{table}{MARK}{pool}"


@lru_cache(maxsize=4096)
def pooled(statement: str, pool: str) -> str:
    """The statement about the tables of a pool.

    >>> pooled("SELECT id FROM articles WHERE articles.number = ?", "sport")
    'SELECT id FROM "articles@sport" WHERE "articles@sport".number = ?'
    """
    if pool == DEFAULT:
        return statement
    return NAMED.sub(lambda match: f'"{table_name(match[0], pool)}"', statement)


def pools_of(tables: list[str]) -> list[str]:
    """The pools whose ledgers are among these tables.

    >>> pools_of(["articles", "migrations@sport", "migrations"])
    ['default', 'sport']
    """
    ledgers = [name.partition(MARK) for name in tables]
    return sorted(pool or DEFAULT for table, _, pool in ledgers if table == LEDGER)
