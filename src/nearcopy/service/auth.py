"""Authentication and authorisation: who calls, with which scopes, for which pool."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from secrets import token_hex, token_urlsafe
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from starlette.requests import HTTPConnection

from nearcopy.errors import BadPolicy, StoreError
from nearcopy.service.log_format import caller as logged_caller
from nearcopy.service.problems import Problem, field_problem
from nearcopy.service.settings import Settings
from nearcopy.stores import validate_pool

SCOPES = ("read", "write", "admin")  # each includes those before it
PREFIX = "nc"
MAX_NAME = 200
LOCK_TIMEOUT = 10  # seconds
TABLE = """
CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL,
    scopes TEXT NOT NULL,
    pool TEXT,
    made TEXT NOT NULL
) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True)
class Token:
    """A token, without its secret."""

    id: str
    name: str
    digest: bytes
    scopes: tuple[str, ...]
    pool: str | None
    created: str


def parse_scopes(text: str) -> tuple[str, ...]:
    """The scopes of a comma-separated list, in order."""
    names = {name.strip() for name in text.split(",") if name.strip()}
    unknown = sorted(names - set(SCOPES))
    if unknown or not names:
        problem = f"unknown scope {unknown[0]!r:.60}" if unknown else "no scope is given"
        raise BadPolicy(f"{problem}: give one or more of {','.join(SCOPES)}")
    return tuple(scope for scope in SCOPES if scope in names)


class Tokens:
    """The token file, reloaded when another process has changed it."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._connection: sqlite3.Connection | None = None
        self._version: int | None = None
        self._tokens: dict[str, Token] = {}

    def add(self, name: str, scopes: tuple[str, ...], pool: str | None = None) -> str:
        """Create a token; its secret, which cannot be read again."""
        if not name or len(name) > MAX_NAME or not name.isprintable():
            raise BadPolicy(f"name is {name!r:.60}: give a name of up to {MAX_NAME} characters")
        token_id, secret = token_hex(6), token_urlsafe(32)
        created = datetime.now(UTC).isoformat(timespec="seconds")
        row = (token_id, name, _digest(secret), ",".join(scopes), pool, created)
        try:
            with self._transaction() as file:
                file.execute("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?)", row)
        except sqlite3.IntegrityError:
            raise BadPolicy(
                f"token {name!r} already exists: revoke it, or give another name"
            ) from None
        return f"{PREFIX}_{token_id}_{secret}"

    def revoke(self, name: str) -> bool:
        """Delete a token by its name; whether it existed."""
        if not self.path.exists():
            return False
        with self._transaction() as file:
            return file.execute("DELETE FROM tokens WHERE name = ?", (name,)).rowcount > 0

    def all(self) -> list[Token]:
        """All tokens, sorted by name."""
        self._reload()
        return sorted(self._tokens.values(), key=lambda token: token.name)

    @property
    def exists(self) -> bool:
        """Whether there is a token file, even if all its tokens are revoked."""
        return self._connection is not None or self.path.exists()

    def find(self, text: str) -> Token | None:
        """The token with this id and secret."""
        self._reload()
        prefix, _, id_and_secret = text.partition("_")
        token_id, _, secret = id_and_secret.partition("_")
        token = self._tokens.get(token_id)
        same = compare_digest(_digest(secret), token.digest if token else _digest(""))
        return token if same and token and prefix == PREFIX else None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _reload(self) -> None:
        if not self.exists:
            return
        with self._translate_errors():
            if self._connection is None:
                self._connection = self._connect()
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
            if version != self._version:
                self._tokens = {token.id: token for token in _read_tokens(self._connection)}
                self._version = version

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._translate_errors(), closing(self._connect()) as file, file:
            file.execute("BEGIN IMMEDIATE")
            file.execute(TABLE)
            yield file

    def _connect(self) -> sqlite3.Connection:
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        return sqlite3.connect(self.path, timeout=LOCK_TIMEOUT, check_same_thread=False)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"the token file {self.path} cannot be used: {error}") from error


def _read_tokens(file: sqlite3.Connection) -> Iterator[Token]:
    if file.execute("SELECT 1 FROM sqlite_master WHERE name = 'tokens'").fetchone() is None:
        return
    rows = file.execute("SELECT id, name, digest, scopes, pool, made FROM tokens")
    for token_id, name, digest, scopes, pool, created in rows:
        yield Token(token_id, name, digest, tuple(scopes.split(",")), pool, created)


def _digest(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "replace")).digest()


COOKIE = "nearcopy_token"
COOKIE_ATTRIBUTES = "Path=/; HttpOnly; SameSite=Strict"
EXPIRED_COOKIE = f"{COOKIE}=; {COOKIE_ATTRIBUTES}; Max-Age=0"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})
SAME_SITE = frozenset({"same-origin", "none"})


class Caller(NamedTuple):
    """Who makes a request: the bearer of a token, or a user of this machine."""

    name: str
    scopes: tuple[str, ...]
    pool: str | None = None
    by_cookie: bool = False

    def allows(self, scope: str) -> bool:
        """Whether one of the scopes includes this one."""
        return any(SCOPES.index(held) >= SCOPES.index(scope) for held in self.scopes)


LOCAL_CALLER = Caller("local user", ("admin",))


def caller_of(token: Token, *, by_cookie: bool = False) -> Caller:
    return Caller(token.name, token.scopes, token.pool, by_cookie)


class Authenticator:
    """Finds the caller of a request, and checks what it may do."""

    def __init__(self, settings: Settings, tokens: Tokens) -> None:
        self._settings, self._tokens = settings, tokens

    @property
    def open(self) -> bool:
        """Whether no token is needed: the service is local and has no token file."""
        return self._settings.local and not self._tokens.exists

    def token(self, request: HTTPConnection) -> Token | None:
        """The token of the Authorization header or of the cookie, if valid."""
        return self._tokens.find(_bearer(request) or request.cookies.get(COOKIE, ""))

    def authenticate(self, request: HTTPConnection) -> Caller | None:
        """The caller; None without a valid token."""
        if self.open:
            _check_host(request)
            check_same_site(request)
            caller: Caller | None = LOCAL_CALLER
        else:
            token, by_cookie = self.token(request), not _bearer(request)
            caller = caller_of(token, by_cookie=by_cookie) if token else None
            if caller and by_cookie:
                check_same_site(request)
        logged_caller.set(caller.name if caller else None)
        return caller

    def authorize(self, request: HTTPConnection, scope: str) -> Caller:
        """The caller if it has the scope; else a problem."""
        caller = self.authenticate(request)
        if caller is None:
            raise Problem(
                401,
                "send a token as `Authorization: Bearer ...`; `nearcopy token add NAME --scope "
                f"{scope}` creates one",
            )
        if not caller.allows(scope):
            scopes = ", ".join(caller.scopes)
            detail = f"{caller.name} has the scope {scopes}: use a token with the scope {scope}"
            raise Problem(403, detail)
        return caller

    def choose_pool(self, caller: Caller, requested: str | None) -> str | None:
        """The pool of a request, if the caller may use it."""
        if caller.pool is not None and requested not in (None, caller.pool):
            raise Problem(403, f"{caller.name} is limited to the pool {caller.pool}: omit `pool`")
        name = caller.pool or requested or self._settings.pool
        try:
            return name and validate_pool(name)
        except StoreError as error:
            raise field_problem("pool", str(error)) from None

    def cookie(self, secret: str) -> str:
        """The Set-Cookie header that signs a browser in."""
        secure = "; Secure" if self._settings.secure_cookies else ""
        return f"{COOKIE}={secret}; {COOKIE_ATTRIBUTES}{secure}"


def _bearer(request: HTTPConnection) -> str | None:
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else None


def _check_host(request: HTTPConnection) -> None:
    """Refuse other host names, against DNS rebinding."""
    host = request.headers.get("host", "")
    parts = _split(f"//{host}")
    if parts is None or parts.hostname not in LOCAL_HOSTS:
        raise Problem(
            421,
            f"host {host!r:.100} is not served: without tokens use localhost or 127.0.0.1; "
            "`nearcopy token add NAME --scope read,write` creates a token",
        )


def _split(address: str) -> SplitResult | None:
    """The parts of an address; None if it is not valid, such as `http://[`."""
    try:
        return urlsplit(address)
    except ValueError:
        return None


def check_same_site(request: HTTPConnection) -> None:
    """Refuse cross-site requests that change something (CSRF)."""
    if request.scope["method"] in SAFE_METHODS:
        return
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        foreign = site not in SAME_SITE
    else:
        parts = None if origin is None else _split(origin)
        own = parts is not None and parts.netloc == request.headers.get("host")
        foreign = origin is not None and not own
    if foreign:
        raise Problem(403, "cross-site request: send it with a bearer token instead")
