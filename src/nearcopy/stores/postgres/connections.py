"""Connections to PostgreSQL: those that stores of a process have open to one address are shared."""

import os
from dataclasses import dataclass
from threading import Lock
from time import monotonic

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from nearcopy.errors import StoreError
from nearcopy.stores.addresses import shown
from nearcopy.stores.postgres.errors import not_opened
from nearcopy.stores.postgres.type_adapters import prepare

OLDEST = 14
MOST = 8  # connections; a store holds one while it does a step
WAIT_SECONDS = 60.0
# A pool by itself would look for a server that was away ever more rarely, in minutes at last.
LOOK_AGAIN_SECONDS = 1.0
# Unless the address says otherwise. Who is gone without a word is noticed within a minute.
OPTIONS = {
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
    "application_name": "nearcopy",
}
NOTICE_THE_LOST = (
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"
)

Connections = ConnectionPool[Connection]


@dataclass(slots=True)
class _Shared:
    connections: Connections
    users: int = 0


_shared: dict[tuple[int, str], _Shared] = {}  # by process and address
_lock = Lock()


def take(address: str) -> Connections:
    """Connections to an address, until they are let go of."""
    with _lock:
        key = os.getpid(), address
        if key not in _shared:
            _shared[key] = _Shared(_opened(address))
        _shared[key].users += 1
        return _shared[key].connections


def connection_of(connections: Connections, wait: float) -> Connection:
    """A connection, as soon as there is one; to be given back."""
    end = monotonic() + wait
    while True:
        try:
            return connections.getconn(timeout=min(wait, LOOK_AGAIN_SECONDS))
        except PoolTimeout:
            if monotonic() >= end:
                raise PoolTimeout(f"no connection within {wait:.0f} s") from None


def let_go(address: str) -> None:
    """No longer needed by one who took them."""
    with _lock:
        key = os.getpid(), address
        shared = _shared.get(key)
        if shared is None:
            return
        shared.users -= 1
        if not shared.users:
            del _shared[key]
            shared.connections.close()


def _opened(address: str) -> Connections:
    """Connections, when one could be made: what is wrong with an address shows at once."""
    try:
        conninfo = make_conninfo(**OPTIONS | _given(address), client_encoding="UTF8")
        with psycopg.connect(conninfo) as connection:
            _check(connection, shown(address))
    except psycopg.Error as error:
        raise not_opened(error, shown(address)) from None
    return ConnectionPool(
        conninfo,
        kwargs={"autocommit": True},
        configure=_prepared,
        min_size=0,
        max_size=MOST,
        timeout=WAIT_SECONDS,
        reconnect_timeout=LOOK_AGAIN_SECONDS,
        open=True,
    )


def _given(address: str) -> dict[str, str]:
    return {name: str(value) for name, value in conninfo_to_dict(address).items()}


def _check(connection: Connection, address: str) -> None:
    version = connection.info.server_version // 10_000
    encoding = connection.info.parameter_status("server_encoding")
    if version < OLDEST:
        raise StoreError(f"{address} is PostgreSQL {version}: {OLDEST} or newer is needed")
    if encoding != "UTF8":
        raise StoreError(f"{address} keeps texts in {encoding}: make a database with UTF8")


def _prepared(connection: Connection) -> None:
    prepare(connection)
    connection.execute(NOTICE_THE_LOST)
