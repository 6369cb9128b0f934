"""Stores keep articles, edges, stories, feedback and statistics behind one contract (`base`).

There are four: in memory, in a SQLite file, on a PostgreSQL server, on a Redis server. The scheme
of the address selects one, which is imported on demand.
"""

from nearcopy.errors import StoreError, require
from nearcopy.stores.addresses import (
    POSTGRES_SCHEMES,
    REDIS_SCHEMES,
    mask_password,
    scheme_of,
    validate_pool,
)
from nearcopy.stores.base import Candidates, Store, StoredArticle

__all__ = ["Candidates", "Store", "StoredArticle", "list_pools", "open_store"]


def open_store(address: str, pool: str | None = None) -> Store:
    """The store at an address: `memory://`, `sqlite:///seen.db`, `postgresql://host/base`, or
    `redis://host:6379/0`."""
    pool_name, scheme = validate_pool(pool), scheme_of(address)
    if scheme == "memory":
        from nearcopy.stores.memory import MemoryStore

        return MemoryStore()
    if scheme == "sqlite":
        from nearcopy.stores.sqlite import SqliteStore

        return SqliteStore(address, pool_name)
    if scheme in POSTGRES_SCHEMES:
        require("psycopg_pool", extra="postgres")
        from nearcopy.stores.postgres import PostgresStore

        return PostgresStore(address, pool_name)
    if scheme in REDIS_SCHEMES:
        from nearcopy.stores.redis.store import RedisStore

        return RedisStore(address, pool_name)
    raise _unknown_address(address)


def list_pools(address: str) -> list[str]:
    """The pools of the store at an address; none where there is no store."""
    scheme = scheme_of(address)
    if scheme == "memory":
        return []
    if scheme == "sqlite":
        from nearcopy.stores import sqlite

        return sqlite.list_pools_at(address)
    if scheme in POSTGRES_SCHEMES:
        require("psycopg_pool", extra="postgres")
        from nearcopy.stores import postgres

        return postgres.list_pools_at(address)
    if scheme in REDIS_SCHEMES:
        from nearcopy.stores.redis import store as redis

        return redis.list_pools_at(address)
    raise _unknown_address(address)


def _unknown_address(address: str) -> StoreError:
    return StoreError(
        f"{mask_password(str(address))!r} is not the address of a store: give memory://, "
        "sqlite:///path/to/seen.db, postgresql://user@host/database or redis://host:6379/0"
    )
