"""Stores: the address says which one. Each is imported when it is asked for."""

from nearcopy.errors import StoreError, require
from nearcopy.stores.base import Entry, Found, Store
from nearcopy.stores.pools import checked_pool

__all__ = ["Entry", "Found", "Store", "open_store", "pools_at"]

POSTGRES = ("postgresql", "postgres")
REDIS = ("redis", "rediss", "unix")


def open_store(address: str, pool: str | None = None) -> Store:
    """The store at an address: `memory://`, `sqlite:///seen.db`, `postgresql://host/base`, or
    `redis://host:6379/0`."""
    named, scheme = checked_pool(pool), _scheme(address)
    if scheme == "memory":
        from nearcopy.stores.memory.store import MemoryStore

        return MemoryStore()
    if scheme == "sqlite":
        from nearcopy.stores.sqlite.store import SqliteStore

        return SqliteStore(address, named)
    if scheme in POSTGRES:
        require("psycopg_pool", extra="postgres")
        from nearcopy.stores.postgres.store import PostgresStore

        return PostgresStore(address, named)
    if scheme in REDIS:
        from nearcopy.stores.redis.store import RedisStore

        return RedisStore(address, named)
    raise _unknown(address)


def pools_at(address: str) -> list[str]:
    """The pools that the store at an address has; none where there is no store."""
    scheme = _scheme(address)
    if scheme == "memory":
        return []
    if scheme == "sqlite":
        from nearcopy.stores.sqlite import database as sqlite_file

        return sqlite_file.pools_in(address)
    if scheme in POSTGRES:
        require("psycopg_pool", extra="postgres")
        from nearcopy.stores.postgres import store as postgres

        return postgres.pools_in(address)
    if scheme in REDIS:
        from nearcopy.stores.redis import store as redis

        return redis.pools_in(address)
    raise _unknown(address)


def _scheme(address: str) -> str:
    scheme, mark, _ = str(address).partition("://")
    return scheme if mark else ""


def _unknown(address: str) -> StoreError:
    return StoreError(
        f"no store is known by {address!r}: give memory://, sqlite:///path/to/seen.db, "
        "postgresql://user@host/database or redis://host:6379/0"
    )
