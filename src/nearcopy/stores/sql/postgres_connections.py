"""Connections to PostgreSQL, and its errors with advice.

The stores of one process share a connection pool for each address.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from struct import Struct
from threading import Lock
from time import monotonic
from typing import Any

import psycopg
from psycopg import Connection, errors
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Format
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg.types.string import StrBinaryDumper, StrDumper
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from nearcopy.errors import StoreError, TransientStoreError
from nearcopy.stores import mask_password

OLDEST_SERVER = 14
MAX_CONNECTIONS = 8  # a store holds one during a transaction
WAIT_SECONDS = 60.0
# The pool's own backoff would reach minutes while a server is away.
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

# Transient: the transaction was rolled back, and may be retried.
TRANSIENT = (
    errors.SerializationFailure,
    errors.DeadlockDetected,
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
)
OWN_SCHEMA = (
    "give the store a schema of its own: `CREATE SCHEMA nearcopy AUTHORIZATION its_role`, and "
    "?options=-csearch_path%3Dnearcopy in the address"
)
ADVICE = (
    (errors.LockNotAvailable, "somebody else has been writing for too long: see pg_stat_activity"),
    (errors.QueryCanceled, "it took too long, or somebody cancelled it: see pg_stat_activity"),
    (errors.ReadOnlySqlTransaction, "this server is read-only: give the address of the primary"),
    (errors.InsufficientPrivilege, OWN_SCHEMA),
    (errors.DuplicateTable, f"the schema holds tables of something else: {OWN_SCHEMA}"),
    (errors.UndefinedTable, "the tables were dropped meanwhile: open the store again"),
    (errors.DiskFull, "make room on the disk of the server"),
    (errors.TooManyConnections, "raise max_connections of the server, or open fewer stores"),
    (PoolTimeout, "is the server up, and are there connections left?"),
)
# Messages of servers and libpq about connections that cannot be made, which have no code.
NO_SERVER = "no server answers there: is it running, and are host and port right?"
CONNECTION_ADVICE = (
    (r"role .* does not exist", "there is no such role: CREATE ROLE makes one with LOGIN"),
    (r"not permitted to log in", "the role may not log in: ALTER ROLE lets it with LOGIN"),
    (r"database .* does not exist", "there is no such database: CREATE DATABASE makes one"),
    (r"no password supplied", "a password is required: give it in the address or in ~/.pgpass"),
    (r"password authentication failed", "the password or the role is wrong: see the address"),
    (r"(Peer|Ident) authentication failed", "the role must have the name of the system's user"),
    (r"pg_hba\.conf", "the server accepts no such connection: see its pg_hba.conf"),
    (r"too many clients|connection slots", "raise max_connections, or open fewer stores"),
    (r"starting up|shutting down|recovery", "the server is not ready: wait until it is"),
    (r"Servname", "the port is no number: see the address"),
    (r"resolve host|translate host", "there is no such host: see its name in the address"),
    (r"refused|No such file|timeout|timed out|unreachable|No route", NO_SERVER),
    (r"unrecognized configuration", "the server has no such setting: see options in the address"),
    (r"SSL", "the server does not accept that encryption: see sslmode in the address"),
    (r"URI", "the address cannot be read: see how it is written, and its options"),
)
OTHERWISE = "is the server running, do role and database exist, is the password right?"
MESSAGE_PREFIX = re.compile(r"^connection [a-z ]{2,9}: (?:connection to server .{1,300} failed: )?")

Connections = ConnectionPool[Connection]


_shared: dict[tuple[int, str], Connections] = {}  # by process and address
_users: Counter[tuple[int, str]] = Counter()  # of each of these
_lock = Lock()


def acquire_connections(address: str) -> Connections:
    """The connection pool of an address, until it is released."""
    with _lock:
        key = os.getpid(), address
        if key not in _shared:
            _shared[key] = _open_pool(address)
        _users[key] += 1
        return _shared[key]


def release_connections(address: str) -> None:
    """Close the connection pool of an address when its last user releases it."""
    with _lock:
        key = os.getpid(), address
        if key not in _shared:
            return
        _users[key] -= 1
        if not _users[key]:
            _shared.pop(key).close()


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


def connection_error(error: psycopg.Error, address: str) -> StoreError:
    """The error to raise where no connection can be made."""
    message = MESSAGE_PREFIX.sub("", _first_line(error))
    advice = next((do for words, do in CONNECTION_ADVICE if re.search(words, message)), OTHERWISE)
    return StoreError(
        f"{address}: {_describe_attempt(error)}{advice} ({' '.join(message.split())})"
    )


def _describe_attempt(error: psycopg.Error) -> str:
    """Role, database and host of the attempt, where the driver got so far."""
    connection = error.pgconn
    if connection is None:
        return ""
    role, base, host, port = (
        part.decode("utf-8", "replace")
        for part in (connection.user, connection.db, connection.host, connection.port)
    )
    return f"no connection as {role!r} to database {base!r} at {host}, port {port}: "


def _first_line(error: psycopg.Error) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def store_error(error: psycopg.Error, address: str) -> StoreError:
    """The error to raise in place of one of the driver's."""
    message = _first_line(error)
    if _is_transient(error):
        return TransientStoreError(f"{address}: {message}")
    advice = next((text for kind, text in ADVICE if isinstance(error, kind)), None)
    return StoreError(f"{address}: {message}" + (f": {advice}" if advice else ""))


def _is_transient(error: psycopg.Error) -> bool:
    """Whether the transaction may be retried; a broken connection has no code."""
    no_code = isinstance(error, psycopg.OperationalError) and error.sqlstate is None
    broken = no_code and not isinstance(error, PoolTimeout | PoolClosed)
    return isinstance(error, TRANSIENT) or broken


ESCAPE = "\ufffe"  # a noncharacter, never meant to be in a text
ESCAPED_NUL, ESCAPED_ESCAPE = ESCAPE + "0", ESCAPE + "1"


def escape_nul(text: str) -> str:
    """The text without NUL."""
    if "\0" in text or ESCAPE in text:
        return text.replace(ESCAPE, ESCAPED_ESCAPE).replace("\0", ESCAPED_NUL)
    return text


def unescape_nul(text: str) -> str:
    """The text with its NULs.

    >>> [unescape_nul(escape_nul(text)) == text for text in ("a\\0b", "\\ufffe0", "\\0\\ufffe")]
    [True, True, True]
    """
    return (
        text.replace(ESCAPED_NUL, "\0").replace(ESCAPED_ESCAPE, ESCAPE) if ESCAPE in text else text
    )


class TextDumper(StrDumper):
    """Writes a text in text format."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(escape_nul(obj))


class TextBinaryDumper(StrBinaryDumper):
    """Writes a text in binary format."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(escape_nul(obj))


class TextLoader(Loader):
    """Reads a text in text format."""

    def load(self, data: Buffer) -> str:
        return unescape_nul(str(data, "utf-8"))


class TextBinaryLoader(TextLoader):
    """Reads a text in binary format."""

    format = Format.BINARY


class PackedArray(bytes):
    """An array in PostgreSQL's binary format; the statement has to cast it to its type."""


class PackedArrayDumper(Dumper):
    """Passes a packed array on."""

    format = Format.BINARY

    def dump(self, obj: PackedArray) -> Buffer | None:
        return obj


ARRAY_HEADER = Struct(">5i")  # dimensions, whether there are NULLs, type, length, lower bound
LENGTH = Struct(">i")
NULL = LENGTH.pack(-1)
INTEGER, TEXT = 20, 25
AS_BYTES: Mapping[int, Callable[[Any], bytes]] = {
    17: bytes,
    INTEGER: Struct(">q").pack,
    TEXT: lambda text: escape_nul(text).encode(),
    701: Struct(">d").pack,
}


def pack_array(values: Collection[Any], oid: int) -> PackedArray:
    """An array of one of the types of the tables, by PostgreSQL's number of it.

    The driver inspects each value three times, a quarter of the time of a small transaction.

    >>> pack_array([1], INTEGER).hex(" ", 4)
    '00000001 00000001 00000014 00000001 00000001 00000008 00000000 00000001'
    """
    as_bytes, length = AS_BYTES[oid], LENGTH.pack
    encoded = [NULL if value is None else as_bytes(value) for value in values]
    parts = [part if part is NULL else length(len(part)) + part for part in encoded]
    return PackedArray(ARRAY_HEADER.pack(1, 1, oid, len(parts), 1) + b"".join(parts))


def register_adapters(connection: Connection) -> None:
    adapters = connection.adapters
    for text in (TextDumper, TextBinaryDumper):
        adapters.register_dumper(str, text)
    for integer in (Int8Dumper, Int8BinaryDumper):
        adapters.register_dumper(int, integer)
    adapters.register_dumper(PackedArray, PackedArrayDumper)
    for loader in (TextLoader, TextBinaryLoader):
        adapters.register_loader("text", loader)
