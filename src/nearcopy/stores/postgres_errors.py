"""What PostgreSQL has to say, with the address and what to do."""

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


def told(wrong: psycopg.Error, address: str, *, opening: bool = False) -> StoreError:
    """The error to raise in place of one of the driver's."""
    said = next(iter(str(wrong).strip().splitlines()), type(wrong).__name__)
    if not opening and _lost(wrong):
        return TryAgain(f"{address}: {said}")
    to_do = next((what for kind, what in TO_DO if isinstance(wrong, kind)), None)
    return StoreError(f"{address}: {said}" + (f": {to_do}" if to_do else ""))


def _lost(wrong: psycopg.Error) -> bool:
    """Whether the connection broke, which no server has a code for, or was broken."""
    silent = isinstance(wrong, psycopg.OperationalError) and wrong.sqlstate is None
    return isinstance(wrong, LOST) or (silent and not isinstance(wrong, PoolTimeout | PoolClosed))
