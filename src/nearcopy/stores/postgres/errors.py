"""PostgreSQL's errors, with the address and advice."""

import re

import psycopg
from psycopg import errors
from psycopg_pool import PoolClosed, PoolTimeout

from nearcopy.errors import StoreError, TransientStoreError

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
