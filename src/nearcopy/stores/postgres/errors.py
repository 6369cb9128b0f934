"""What PostgreSQL has to say, with the address and what to do."""

import re

import psycopg
from psycopg import errors
from psycopg_pool import PoolClosed, PoolTimeout

from nearcopy.errors import StoreError, TryAgain

# Lost through no fault of the step, and nothing of it is done.
LOST = (
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
TO_DO = (
    (errors.LockNotAvailable, "somebody else has been writing for too long: see pg_stat_activity"),
    (errors.QueryCanceled, "it took too long, or somebody cancelled it: see pg_stat_activity"),
    (errors.ReadOnlySqlTransaction, "this server only reads: give the address of the primary"),
    (errors.InsufficientPrivilege, OWN_SCHEMA),
    (errors.DuplicateTable, f"the schema holds tables of something else: {OWN_SCHEMA}"),
    (errors.UndefinedTable, "the tables were dropped meanwhile: open the store again"),
    (errors.DiskFull, "make room on the disk of the server"),
    (errors.TooManyConnections, "raise max_connections of the server, or open fewer stores"),
    (PoolTimeout, "is the server up, and are there connections left?"),
)


# What servers and libpq say of a connection that cannot be made, which has no code.
NO_SERVER = "no server answers there: is it running, and are host and port right?"
NOT_OPENED = (
    (r"role .* does not exist", "there is no such role: CREATE ROLE makes one with LOGIN"),
    (r"not permitted to log in", "the role may not log in: ALTER ROLE lets it with LOGIN"),
    (r"database .* does not exist", "there is no such database: CREATE DATABASE makes one"),
    (r"no password supplied", "a password is wanted: give it in the address or in ~/.pgpass"),
    (r"password authentication failed", "the password or the role is wrong: see the address"),
    (r"(Peer|Ident) authentication failed", "the role must have the name of the system's user"),
    (r"pg_hba\.conf", "the server lets nobody in by that way: see its pg_hba.conf"),
    (r"too many clients|connection slots", "raise max_connections, or open fewer stores"),
    (r"starting up|shutting down|recovery", "the server is not ready: wait until it is"),
    (r"Servname", "the port is no number: see the address"),
    (r"resolve host|translate host", "there is no such host: see its name in the address"),
    (r"refused|No such file|timeout|timed out|unreachable|No route", NO_SERVER),
    (r"unrecognized configuration", "the server has no such setting: see options in the address"),
    (r"SSL", "the server does not talk that way: see sslmode in the address"),
    (r"URI", "the address cannot be read: see how it is written, and its options"),
)
OTHERWISE = "is the server running, do role and database exist, is the password right?"
ABOUT_IT = re.compile(r"^connection [a-z ]{2,9}: (?:connection to server .{1,300} failed: )?")


def not_opened(error: psycopg.Error, address: str) -> StoreError:
    """The error to raise where no connection can be made: tried what, found what, do what."""
    message = ABOUT_IT.sub("", _first_line(error))
    to_do = next((do for words, do in NOT_OPENED if re.search(words, message)), OTHERWISE)
    return StoreError(f"{address}: {_tried(error)}{to_do} ({' '.join(message.split())})")


def _tried(error: psycopg.Error) -> str:
    """Who wanted to be connected to what, where the driver got so far."""
    connection = error.pgconn
    if connection is None:
        return ""
    who, base, host, port = (
        part.decode("utf-8", "replace")
        for part in (connection.user, connection.db, connection.host, connection.port)
    )
    return f"no connection as {who!r} to database {base!r} at {host}, port {port}: "


def _first_line(error: psycopg.Error) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def told(error: psycopg.Error, address: str) -> StoreError:
    """The error to raise in place of one of the driver's."""
    message = _first_line(error)
    if _lost(error):
        return TryAgain(f"{address}: {message}")
    to_do = next((what for kind, what in TO_DO if isinstance(error, kind)), None)
    return StoreError(f"{address}: {message}" + (f": {to_do}" if to_do else ""))


def _lost(error: psycopg.Error) -> bool:
    """Whether the connection broke, which no server has a code for, or was broken."""
    silent = isinstance(error, psycopg.OperationalError) and error.sqlstate is None
    return isinstance(error, LOST) or (silent and not isinstance(error, PoolTimeout | PoolClosed))
