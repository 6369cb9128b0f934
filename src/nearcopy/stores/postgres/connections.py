"""Connections to PostgreSQL: stores of one process share a connection pool for each address."""

import os
from dataclasses import dataclass
from threading import Lock
from time import monotonic

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from nearcopy.errors import StoreError
from nearcopy.stores.addresses import mask_password
from nearcopy.stores.postgres.errors import connection_error
from nearcopy.stores.postgres.type_adapters import register_adapters

OLDEST_SERVER = 14
MAX_CONNECTIONS = 8  # a store holds one during a transaction
WAIT_SECONDS = 60.0
# The pool by itself would look for a server that was away ever more rarely, in minutes at last.
RECONNECT_SECONDS = 1.0
# Unless the address says otherwise. A peer that vanished is noticed within a minute.
OPTIONS = {
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
    "application_name": "nearcopy",
}
SET_KEEPALIVES = (
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"
)

Connections = ConnectionPool[Connection]


@dataclass(slots=True)
class _SharedPool:
    connections: Connections
    users: int = 0


_shared: dict[tuple[int, str], _SharedPool] = {}  # by process and address
_lock = Lock()


def acquire_connections(address: str) -> Connections:
    """The connection pool of an address, until it is released."""
    with _lock:
        key = os.getpid(), address
        if key not in _shared:
            _shared[key] = _SharedPool(_open_pool(address))
        _shared[key].users += 1
        return _shared[key].connections


def release_connections(address: str) -> None:
    """Close the connection pool of an address when its last user releases it."""
    with _lock:
        key = os.getpid(), address
        shared = _shared.get(key)
        if shared is None:
            return
        shared.users -= 1
        if not shared.users:
            del _shared[key]
            shared.connections.close()


def get_connection(connections: Connections, timeout: float) -> Connection:
    """A connection as soon as one is free; to be put back."""
    deadline = monotonic() + timeout
    while True:
        try:
            return connections.getconn(timeout=min(timeout, RECONNECT_SECONDS))
        except PoolTimeout:
            if monotonic() >= deadline:
                raise PoolTimeout(f"no connection within {timeout:.0f} s") from None


def _open_pool(address: str) -> Connections:
    """A connection pool, after one connection was made: a wrong address fails at once."""
    try:
        given = {name: str(value) for name, value in conninfo_to_dict(address).items()}
        conninfo = make_conninfo(**OPTIONS | given, client_encoding="UTF8")
        with psycopg.connect(conninfo) as connection:
            _check_server(connection, mask_password(address))
    except psycopg.Error as error:
        raise connection_error(error, mask_password(address)) from None
    return ConnectionPool(
        conninfo,
        kwargs={"autocommit": True},
        configure=_configure,
        min_size=0,
        max_size=MAX_CONNECTIONS,
        timeout=WAIT_SECONDS,
        reconnect_timeout=RECONNECT_SECONDS,
        open=True,
    )


def _check_server(connection: Connection, address: str) -> None:
    version = connection.info.server_version // 10_000
    encoding = connection.info.parameter_status("server_encoding")
    if version < OLDEST_SERVER:
        raise StoreError(f"{address} is PostgreSQL {version}: {OLDEST_SERVER} or newer is needed")
    if encoding != "UTF8":
        raise StoreError(f"{address} keeps texts in {encoding}: make a database with UTF8")


def _configure(connection: Connection) -> None:
    register_adapters(connection)
    connection.execute(SET_KEEPALIVES)
