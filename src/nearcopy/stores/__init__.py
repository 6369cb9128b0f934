"""Stores: the address says which one. Each is imported when it is asked for."""

from nearcopy.errors import StoreError
from nearcopy.stores.base import Entry, Found, Store

__all__ = ["Entry", "Found", "Store", "open_store"]


def open_store(address: str) -> Store:
    """The store at an address: `memory://`, or `sqlite:///seen.db`."""
    scheme, mark, _ = str(address).partition("://")
    if mark and scheme == "memory":
        from nearcopy.stores.memory import MemoryStore

        return MemoryStore()
    if mark and scheme == "sqlite":
        from nearcopy.stores.sqlite import SqliteStore

        return SqliteStore(address)
    raise StoreError(
        f"no store is known by {address!r}: give memory:// or sqlite:///path/to/seen.db"
    )
