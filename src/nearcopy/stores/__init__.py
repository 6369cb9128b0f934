"""Stores keep articles, edges, stories, feedback and statistics behind one contract (`base`).

There are four: in memory, in a SQLite file, on a PostgreSQL server, on a Redis server. The scheme
of the address selects one, which is imported on demand. A pool is a set of articles of its own in a
store: pools never see each other's articles.
"""

import re
from collections.abc import Callable

from nearcopy.errors import BadPolicy, StoreError, require
from nearcopy.stores.base import Candidates, Store, StoredArticle

__all__ = ["Candidates", "Store", "StoredArticle", "list_pools", "open_store"]

DEFAULT_POOL = "default"
POOL_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}\Z")
POSTGRES_SCHEMES = ("postgresql", "postgres")
REDIS_SCHEMES = ("redis", "rediss", "unix")
PREFIXES = {
    "sqlite": "sqlite:///",
    "unix": "unix:///",
    **{scheme: f"{scheme}://" for scheme in ("memory", *POSTGRES_SCHEMES, "redis", "rediss")},
}
PASSWORD_BEFORE_HOST = re.compile(r"(://[^/?#:@]*):[^/?#]*@")
PASSWORD_OPTION = re.compile(r"([?&](?:ssl)?password=)[^&#]*", re.IGNORECASE)


def open_store(address: str, pool: str | None = None) -> Store:
    """The store at an address: `memory://`, `sqlite:///seen.db`, `postgresql://host/base`, or
    `redis://host:6379/0`."""
    pool_name = validate_pool(pool)
    open_pool, _ = _import_store(address)
    return open_pool(address, pool_name)


def list_pools(address: str) -> list[str]:
    """The pools of the store at an address; none where there is no store."""
    _, list_pools_at = _import_store(address)
    return list_pools_at(address)


def _import_store(address: str) -> tuple[Callable[[str, str], Store], Callable[[str], list[str]]]:
    """What opens a pool of the store at an address, and what lists its pools."""
    scheme = scheme_of(address)
    if scheme == "memory":
        from nearcopy.stores.memory import MemoryStore

        return lambda *_: MemoryStore(), lambda _: []
    if scheme == "sqlite":
        from nearcopy.stores.sql import sqlite

        return sqlite.SqliteStore, sqlite.list_pools_at
    if scheme in POSTGRES_SCHEMES:
        require("psycopg_pool", extra="postgres")
        from nearcopy.stores.sql import postgres

        return postgres.PostgresStore, postgres.list_pools_at
    if scheme in REDIS_SCHEMES:
        from nearcopy.stores.redis import store as redis

        return redis.RedisStore, redis.list_pools_at
    raise StoreError(
        f"{mask_password(str(address))!r} is not the address of a store: give memory://, "
        "sqlite:///path/to/seen.db, postgresql://user@host/database or redis://host:6379/0"
    )


def mask_password(address: str) -> str:
    """The address without its password, to be shown and logged.

    >>> mask_password("postgresql://me:secret@host/db?sslpassword=also")
    'postgresql://me:***@host/db?sslpassword=***'
    """
    return PASSWORD_OPTION.sub(r"\1***", PASSWORD_BEFORE_HOST.sub(r"\1:***@", address))


def parse_address(store: str) -> str:
    """The address of a store; a bare path is one of SQLite.

    >>> parse_address("seen.db"), parse_address("redis://localhost:6379")
    ('sqlite:///seen.db', 'redis://localhost:6379')
    """
    if "://" in store:
        return store
    scheme, colon, path = store.partition(":")
    unknown = path.startswith("/") and scheme.isalpha() and len(scheme) > 1  # C:/ is a path
    if colon and (scheme in PREFIXES or unknown):
        raise BadPolicy(
            f"no address begins with '{scheme}:' alone: write {_suggest_address(scheme, path)}, or "
            "put ./ before it where it is the name of a file"
        )
    return f"sqlite:///{store}"


def _suggest_address(scheme: str, path: str) -> str:
    """The address that was probably meant."""
    place = path if scheme == "sqlite" else path.lstrip("/")
    return mask_password(PREFIXES.get(scheme, f"{scheme}://") + place)


def scheme_of(address: str) -> str:
    """The part of an address before "://"; empty where there is none."""
    scheme, mark, _ = str(address).partition("://")
    return scheme if mark else ""


def validate_pool(pool: str | None) -> str:
    """The name of a pool; None is the default pool."""
    if pool is None:
        return DEFAULT_POOL
    if not isinstance(pool, str) or not POOL_NAME.match(pool):
        raise StoreError(
            f"a pool cannot be called {pool!r:.60}: give up to 32 of a-z, 0-9, - and _, "
            "a letter or a digit first"
        )
    return pool
