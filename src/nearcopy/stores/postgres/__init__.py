"""The PostgreSQL store: any number of workers on any number of machines.

A writer holds the lock of its pool from its first read to the commit. So sequence numbers become
visible in order, and of several workers that add copies exactly one is the first. Readers do not
wait for it.
"""

from nearcopy.stores.addresses import DEFAULT_POOL
from nearcopy.stores.postgres.connections import acquire_connections, release_connections
from nearcopy.stores.postgres.database import LIST_TABLES, PostgresDatabase
from nearcopy.stores.sql.schema import pools_of
from nearcopy.stores.sql.store import SqlStore


class PostgresStore(SqlStore):
    """A store in a schema of a PostgreSQL server."""

    def __init__(self, address: str, pool: str = DEFAULT_POOL) -> None:
        super().__init__(PostgresDatabase(address, pool))


def list_pools_at(address: str) -> list[str]:
    """The pools of a schema."""
    connections = acquire_connections(address)
    try:
        with connections.connection() as connection:
            return pools_of(name for (name,) in connection.execute(LIST_TABLES))
    finally:
        release_connections(address)
