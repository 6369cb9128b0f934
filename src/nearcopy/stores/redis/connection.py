"""The connection to a Redis server: address, scripts, retries and error messages."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha1
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from nearcopy.errors import StoreError, require
from nearcopy.stores import mask_password
from nearcopy.stores.retry import Backoff

ROWS = 64  # articles in one hash; a row has up to four fields, this far apart
LOG_BYTES = 512 << 10  # size of the log; a worker that is further behind reads all headers
KEPT: Final = ("all", "fingerprints", "sketches")
CONNECT_SECONDS, ANSWER_SECONDS = 5.0, 30.0
RETRY_SECONDS = 20.0  # for a server that restarts, loads its data or is busy
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.5
STAGED_MILLISECONDS = 600_000
SCAN_COUNT = 2000
PATTERN_CHARACTERS = re.compile(rb"[*?\[\]^\\]")
DATABASE = re.compile(r"(/[0-9]*)?")
NOT_READY = ("LOADING", "BUSY ", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN")
ADVICE = {
    "maxmemory": "the memory of the server is full: raise maxmemory, then purge the store",
    "READONLY": "this server is a replica: give the address of the primary",
    "read only replica": "this server is a replica: give the address of the primary",
    "WRONGTYPE": "another program uses keys of this name: give another ?prefix=",
    "MOVED": "the store is on one node of this cluster: give the address of the node named here",
    "NOPERM": "the user needs the commands listed in docs/stores.md on the keys of the store",
    "DB index": "the server has no database of this number: most have 0 to 15",
    "MISCONF": "the server cannot write to its disk: see its log",
}
Answer = TypeVar("Answer")


class Script(NamedTuple):
    """A Lua script, and the digest that the server knows it by."""

    source: str
    sha1: str


def load_script(name: str) -> Script:
    """The script of that name in the folder `lua`, with the constants and functions it uses."""
    folder = files(__package__).joinpath("lua")
    constants = f"local ROWS, LOG_BYTES = {ROWS}, {LOG_BYTES}\n"
    parts = (folder.joinpath(f"{part}.lua").read_text("utf-8") for part in ("strings", name))
    source = constants + "".join(parts)
    return Script(source, sha1(source.encode(), usedforsecurity=False).hexdigest())


READ, COMMIT, RELEASE = map(load_script, ("read", "commit", "release"))


class Address(NamedTuple):
    """The server, the key prefix of the store on it, and what the store keeps."""

    url: str  # for the driver
    shown: str  # without the password
    prefix: str
    keep: str | None  # None: what the store was created with


def parse_address(address: str, pool: str) -> Address:
    """The parts of a `redis://`, `rediss://` or `unix://` address."""
    parts = urlsplit(address)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    keep, prefix = options.pop("keep", None), options.pop("prefix", "nearcopy")
    query = f"?{urlencode(options)}" if options else ""
    url = f"{parts.scheme}://{parts.netloc}{parts.path}{query}"
    masked = mask_password(address)
    if keep is not None and keep not in KEPT:
        raise StoreError(f"{masked}: keep is {keep!r}: choose one of {', '.join(KEPT)}")
    if not prefix or set(prefix) & set("{}\r\n"):
        raise StoreError(f"{masked}: the prefix is {prefix!r}: give a word without braces")
    if not parts.netloc and not parts.path:
        raise StoreError(f"{masked} names no server: give redis://host:6379/0 or unix:///path")
    if parts.scheme != "unix" and not DATABASE.fullmatch(parts.path):
        raise StoreError(f"{masked}: {parts.path[1:]!r} is no database: give its number, as in /0")
    return Address(url, masked, f"{prefix}:{{{pool}}}:", keep)


def _unknown_option(address: str, message: str) -> str:
    """The message for an option the driver rejects; its own message ends with the name."""
    name = message.rpartition("argument ")[2]
    return (
        f"{address}: there is no option {name}: take it out of the address. Options are keep and "
        f"prefix, and those of redis-py, such as db, username, password and socket_timeout "
        f"({message})"
    )


class Position(NamedTuple):
    """How far a worker has read the log of transactions."""

    version: int = -1  # -1: nothing
    token: bytes = b"-"  # of the transaction that wrote this version
    number: int = 0  # the last sequence number


class Snapshot(NamedTuple):
    """The state of the store at one moment, and what changed since the reader's position."""

    position: Position  # the reader's from now on
    store_id: bytes  # set when the store was created
    now: int  # microseconds since 1970 by the server's clock
    continues: bool  # whether the log goes back to the reader's position
    log: list[bytes]
    rows: list[bytes | None]  # of the sequence numbers after the reader's
    records: list[Any]  # the requested ones, in order: a row, a string or a hash


def join_pieces(pieces: Any) -> bytes | None:
    """A row, which is stored whole or in pieces; None where there is none."""
    whole = b"".join(filter(None, pieces)) if isinstance(pieces, list) else pieces
    return whole or None


class Connection:
    """The commands and scripts of one store on one server. All calls are idempotent."""

    def __init__(self, address: Address) -> None:
        self.shown, self.prefix = address.shown, address.prefix.encode()
        self._pools = self.prefix.partition(b"{")[0] + b"pools"
        self._redis = require("redis", extra="redis")
        self._errors = self._redis.exceptions
        self.pieces = 1  # that a row may be split into
        self.retry_seconds = 0.0  # a server that never answered is not retried
        no_retry = self._redis.retry.Retry(self._redis.backoff.NoBackoff(), 0)
        try:
            self._client: Any = self._redis.Redis.from_url(
                address.url,
                socket_connect_timeout=CONNECT_SECONDS,
                socket_timeout=ANSWER_SECONDS,
                retry=no_retry,
            )
            self.command("PING")
        except TypeError as error:
            raise StoreError(_unknown_option(self.shown, str(error))) from error
        except ValueError as error:
            raise StoreError(f"{self.shown} is no address of a Redis server: {error}") from error
        self.retry_seconds = RETRY_SECONDS

    def read(
        self,
        position: Position,
        request: bytes,
        *,
        new_rows: int = 0,
        token: bytes = b"",
        lease: int = 0,
    ) -> Snapshot | None:
        """The requested records and what is new; None where another worker holds the lock."""
        arguments = (*position, token, lease, new_rows, self.pieces, request)
        answer = self._run(READ, b"meta", self.prefix, *arguments)
        if answer[0] == b"busy":
            return None
        _, version, last_token, number, store_id, seconds, micros, continues, *lists = answer
        log, rows, records = lists
        return Snapshot(
            Position(version, last_token, number),
            store_id,
            int(seconds) * 1_000_000 + int(micros),
            bool(continues),
            log,
            list(map(join_pieces, rows)),
            records,
        )

    def stage(self, token: bytes, place: int, operations: bytes) -> None:
        """Upload a part of a large transaction ahead of its commit."""
        key = self.prefix + b"staged:" + token
        self.command("HSET", key, place, operations)
        self.command("PEXPIRE", key, STAGED_MILLISECONDS)

    def commit(
        self,
        token: bytes,
        expected: int,
        number: int,
        *,
        expiry: int,
        entry: bytes,
        operations: bytes,
    ) -> bool:
        """Whether the transaction was applied; not where another was committed before it."""
        arguments = (token, expected, number, expiry, entry, operations)
        return bool(self._run(COMMIT, b"meta", self.prefix, *arguments) != b"moved")

    def release(self, token: bytes) -> None:
        """Release the lock, without retries."""
        self._run(RELEASE, b"lock", token, retry_seconds=0.0)

    def meta(self) -> dict[bytes, bytes]:
        """The settings of the store."""
        kind = self.command("TYPE", self.prefix + b"meta")
        if kind not in (b"none", b"hash", "none", "hash"):
            key = self.prefix.decode() + "meta"
            raise StoreError(
                f"{self.shown}: the key {key} belongs to another program: give another ?prefix="
            )
        fields: dict[bytes, bytes] = self.command("HGETALL", self.prefix + b"meta")
        return fields

    def scan(self, start: bytes) -> Iterator[bytes]:
        """The keys of the store with this beginning; some may be repeated."""
        pattern = PATTERN_CHARACTERS.sub(rb"\\\g<0>", self.prefix + start) + b"*"
        cursor: Any = b"0"
        while True:
            cursor, batch = self.command("SCAN", cursor, "MATCH", pattern, "COUNT", SCAN_COUNT)
            yield from (key[len(self.prefix) :] for key in batch)
            if int(cursor) == 0:
                return

    def list_pool(self, pool: str) -> None:
        """Add a pool to the list of pools."""
        with suppress(StoreError):  # on a cluster the list may be on another node
            self.command("SADD", self._pools, pool)

    def pools(self) -> list[str]:
        """The pools that were created under the prefix."""
        return sorted(name.decode() for name in self.command("SMEMBERS", self._pools))

    def info(self, section: str) -> dict[str, Any]:
        """A section of the INFO of the server."""
        values: dict[str, Any] = self.command("INFO", section)
        return values

    def close(self) -> None:
        """Close the connections to the server."""
        self._client.close()

    def command(self, *words: Any) -> Any:
        """The answer to one command."""
        return self._retry(lambda: self._client.execute_command(*words), self.retry_seconds)

    def _run(
        self, script: Script, key: bytes, *arguments: Any, retry_seconds: float | None = None
    ) -> Any:
        words = (1, self.prefix + key, *arguments)

        def evaluate() -> Any:
            try:
                return self._client.execute_command("EVALSHA", script.sha1, *words)
            except self._errors.NoScriptError:  # after a restart or SCRIPT FLUSH
                return self._client.execute_command("EVAL", script.source, *words)

        return self._retry(evaluate, self.retry_seconds if retry_seconds is None else retry_seconds)

    def _retry(self, call: Callable[[], Answer], seconds: float) -> Answer:
        """Retry a call with exponential backoff while the connection fails or is not ready."""
        with self._explain_errors():
            backoff = Backoff(seconds, FIRST_PAUSE, LONGEST_PAUSE)
            while True:
                try:
                    return call()
                except self._errors.AuthenticationError:
                    raise
                except (self._errors.ConnectionError, self._errors.TimeoutError):
                    if backoff.expired:
                        raise
                except self._errors.ResponseError as error:
                    if not str(error).startswith(NOT_READY) or backoff.expired:
                        raise
                backoff.sleep()

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """Raise errors of the driver as StoreError, with the address and advice."""
        try:
            yield
        except self._errors.RedisError as error:
            raise StoreError(f"{self.shown}: {self._advice(error)} ({error})") from error

    def _advice(self, error: Exception) -> str:
        message, errors = str(error), self._errors
        if isinstance(error, errors.AuthenticationError) or "NOAUTH" in message:
            return "give the user and the password of the server in the address"
        if isinstance(error, errors.BusyLoadingError) or message.startswith(NOT_READY):
            return "the server is not ready: wait until it is"
        if isinstance(error, errors.ConnectionError | errors.TimeoutError):
            return "see that the server runs, can be reached and has time to answer"
        for words, advice in ADVICE.items():
            if words in message:
                return advice
        return "see the log of the server"
