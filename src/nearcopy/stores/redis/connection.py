"""The link to a Redis server: its address, its scripts, and what can go wrong, said plainly."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha1
from random import uniform
from time import monotonic, sleep
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from nearcopy.errors import StoreError, require
from nearcopy.stores.addresses import shown
from nearcopy.stores.redis.lua_scripts import COMMIT, LEAVE, LOOK

KEPT: Final = ("all", "fingerprints", "sketches")
CONNECT_SECONDS, ANSWER_SECONDS = 5.0, 30.0
PATIENCE_SECONDS = 20.0  # with a server that is restarted, loads its data or is busy
A_MOMENT, LONGEST_PAUSE = 0.02, 0.5
STAGED_MILLISECONDS = 600_000
LISTED_AT_ONCE = 2000
MEANT_OTHERWISE = re.compile(rb"[*?\[\]^\\]")  # in a pattern than in a name
DATABASE = re.compile(r"(/[0-9]*)?")
NOT_READY = ("LOADING", "BUSY ", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN")
ADVICE = {
    "maxmemory": "the memory of the server is full: raise maxmemory, then purge the store",
    "READONLY": "this server is a replica: give the address of the primary",
    "read only replica": "this server is a replica: give the address of the primary",
    "WRONGTYPE": "something else has keys of this name: give another ?prefix=",
    "MOVED": "the store is on one node of this cluster: give the address of the node named here",
    "NOPERM": "the user needs the commands of docs/stores.md on the keys of the store",
    "DB index": "the server has no database of this number: most have 0 to 15",
    "MISCONF": "the server cannot write to its disk: see its log",
}
SCRIPTS = (LOOK, COMMIT, LEAVE)
Answer = TypeVar("Answer")


class Address(NamedTuple):
    """Where the server is, and what its store keeps."""

    url: str  # for the driver
    shown: str  # without the password
    prefix: str
    keep: str | None  # None: as the first to come decided


def address_of(address: str, pool: str) -> Address:
    """The parts of `redis://`, `rediss://` and `unix://` addresses."""
    parts = urlsplit(address)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    keep, prefix = options.pop("keep", None), options.pop("prefix", "nearcopy")
    query = f"?{urlencode(options)}" if options else ""
    url = f"{parts.scheme}://{parts.netloc}{parts.path}{query}"
    masked = shown(address)
    if keep is not None and keep not in KEPT:
        raise StoreError(f"{masked}: keep is {keep!r}: choose one of {', '.join(KEPT)}")
    if not prefix or set(prefix) & set("{}\r\n"):
        raise StoreError(f"{masked}: the prefix is {prefix!r}: give a word without braces")
    if not parts.netloc and not parts.path:
        raise StoreError(f"{masked} names no server: give redis://host:6379/0 or unix:///path")
    if parts.scheme != "unix" and not DATABASE.fullmatch(parts.path):
        raise StoreError(f"{masked}: {parts.path[1:]!r} is no database: give its number, as in /0")
    return Address(url, masked, f"{prefix}:{{{pool}}}:", keep)


def _no_option(address: str, message: str) -> str:
    """What to say of an option that the driver does not have; it ends with the name of it."""
    name = message.rpartition("argument ")[2]
    return (
        f"{address}: there is no option {name}: take it out of the address. Options are keep and "
        f"prefix, and those of redis-py, such as db, username, password and socket_timeout "
        f"({message})"
    )


class Known(NamedTuple):
    """What a worker knew when it looked last."""

    version: int = -1  # -1: nothing
    token: bytes = b"-"  # of the step that made this version
    number: int = 0


def joined(pieces: Any) -> bytes | None:
    """A row, which comes whole or in pieces; None where there is none."""
    whole = b"".join(filter(None, pieces)) if isinstance(pieces, list) else pieces
    return whole or None


class Seen(NamedTuple):
    """What a look answers."""

    known: Known  # from now on
    born: bytes  # of which making the store is
    now: int  # microseconds since 1970 by the server's clock
    follows: bool  # whether the log goes back to what the caller knew
    log: list[bytes]
    rows: list[bytes | None]  # of the numbers after the one that the caller knew
    found: list[Any]  # what was wanted, in order: a row, a string or a hash


class Link:
    """The scripts of one store on one server. All calls may be made twice."""

    def __init__(self, address: Address) -> None:
        self.shown, self._prefix = address.shown, address.prefix.encode()
        self._pools = self._prefix.partition(b"{")[0] + b"pools"
        self._redis = require("redis", extra="redis")
        self._errors = self._redis.exceptions
        self.pieces = 1  # that a row may be in
        self.patience = 0.0  # a server that has never answered is not waited for
        quiet = self._redis.retry.Retry(self._redis.backoff.NoBackoff(), 0)
        try:
            self._client: Any = self._redis.Redis.from_url(
                address.url,
                socket_connect_timeout=CONNECT_SECONDS,
                socket_timeout=ANSWER_SECONDS,
                retry=quiet,
            )
            self.command("PING")
        except TypeError as error:
            raise StoreError(_no_option(self.shown, str(error))) from error
        except ValueError as error:
            raise StoreError(f"{self.shown} is no address of a Redis server: {error}") from error
        self.patience = PATIENCE_SECONDS

    def look(
        self, position: Known, names: bytes, *, most: int = 0, token: bytes = b"", lease: int = 0
    ) -> Seen | None:
        """What there is and what is new; None where a token is given and another has the lock."""
        arguments = (*position, token, lease, most, self.pieces, names)
        answer = self._script(LOOK, b"meta", self._prefix, *arguments)
        if answer[0] == b"busy":
            return None
        _, version, made_by, number, born, seconds, micros, follows, *answers = answer
        log, rows, records = answers
        now = int(seconds) * 1_000_000 + int(micros)
        state = Known(version, made_by, number)
        return Seen(state, born, now, bool(follows), log, list(map(joined, rows)), records)

    def stage(self, token: bytes, place: int, operations: bytes) -> None:
        """Leave a part of a step with the server, for the commit that comes."""
        key = self._prefix + b"staged:" + token
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
        """Whether the step was applied; not where another's came between."""
        arguments = (token, expected, number, expiry, entry, operations)
        return bool(self._script(COMMIT, b"meta", self._prefix, *arguments) != b"moved")

    def leave(self, token: bytes) -> None:
        """Give the lock back, if the server is there."""
        self._script(LEAVE, b"lock", token, patience=0.0)

    def meta(self) -> dict[bytes, bytes]:
        """What is known of the store as a whole."""
        kind = self.command("TYPE", self._prefix + b"meta")
        if kind not in (b"none", b"hash", "none", "hash"):
            key = self._prefix.decode() + "meta"
            raise StoreError(f"{self.shown}: {key} is something else's: give another ?prefix=")
        fields: dict[bytes, bytes] = self.command("HGETALL", self._prefix + b"meta")
        return fields

    def names(self, start: bytes) -> Iterator[bytes]:
        """The names of all keys that begin so; some may come twice."""
        whole = self._prefix + start
        pattern = MEANT_OTHERWISE.sub(rb"\\\g<0>", whole) + b"*"
        cursor: Any = b"0"
        while True:
            cursor, batch = self.command("SCAN", cursor, "MATCH", pattern, "COUNT", LISTED_AT_ONCE)
            yield from (name[len(self._prefix) :] for name in batch)
            if int(cursor) == 0:
                return

    def list_pool(self, pool: str) -> None:
        """Have a pool listed."""
        with suppress(StoreError):  # on a cluster the list may be on another node
            self.command("SADD", self._pools, pool)

    def pools(self) -> list[str]:
        """The pools that were made under the prefix."""
        return sorted(name.decode() for name in self.command("SMEMBERS", self._pools))

    def information(self, section: str) -> dict[str, Any]:
        """What the server says of itself."""
        values: dict[str, Any] = self.command("INFO", section)
        return values

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def command(self, *words: Any) -> Any:
        """The answer to one command."""
        return self._patiently(lambda: self._client.execute_command(*words), self.patience)

    def _script(
        self, script: str, key: bytes, *arguments: Any, patience: float | None = None
    ) -> Any:
        name = SHA1[script]
        words = (1, self._prefix + key, *arguments)

        def run() -> Any:
            try:
                return self._client.execute_command("EVALSHA", name, *words)
            except self._errors.NoScriptError:  # the server has forgotten its scripts
                return self._client.execute_command("EVAL", script, *words)

        return self._patiently(run, self.patience if patience is None else patience)

    def _patiently(self, call: Callable[[], Answer], patience: float) -> Answer:
        """The answer, asked for again where a connection is lost or the server is not ready."""
        with self._told():
            end, pause = monotonic() + patience, A_MOMENT
            while True:
                try:
                    return call()
                except self._errors.AuthenticationError:
                    raise
                except (self._errors.ConnectionError, self._errors.TimeoutError):
                    if monotonic() >= end:
                        raise
                except self._errors.ResponseError as error:
                    if not str(error).startswith(NOT_READY) or monotonic() >= end:
                        raise
                sleep(uniform(pause / 2, pause))  # noqa: S311
                pause = min(2 * pause, LONGEST_PAUSE)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What went wrong, with the address and what to do."""
        try:
            yield
        except self._errors.RedisError as error:
            raise StoreError(f"{self.shown}: {self._advice(error)} ({error})") from error

    def _advice(self, error: Exception) -> str:
        message, errors = str(error), self._errors
        if isinstance(error, errors.AuthenticationError) or "NOAUTH" in message:
            return "give the user and the password that the server wants in the address"
        if isinstance(error, errors.BusyLoadingError) or message.startswith(NOT_READY):
            return "the server is not ready: wait until it is"
        if isinstance(error, errors.ConnectionError | errors.TimeoutError):
            return "see that the server runs, can be reached and has time to answer"
        for words, advice in ADVICE.items():
            if words in message:
                return advice
        return "see the log of the server"


SHA1 = {script: sha1(script.encode(), usedforsecurity=False).hexdigest() for script in SCRIPTS}
