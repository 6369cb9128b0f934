"""Tokens: who may do what, and where.

A secret is 256 random bits, so its plain SHA-256 can be kept: there is nothing to guess that a slow
hash would protect. It is compared in constant time.
"""

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

from nearcopy.errors import BadPolicy, StoreError

SCOPES = ("read", "write", "admin")  # each allows what those before it do
MARK = "nc"
LONGEST = 200
WAIT_SECONDS = 10
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
    made: str

    def allows(self, scope: str) -> bool:
        """Whether it allows that."""
        return any(SCOPES.index(each) >= SCOPES.index(scope) for each in self.scopes)


def checked_scopes(text: str) -> tuple[str, ...]:
    """The scopes of a list with commas, in order."""
    named = {each.strip() for each in text.split(",") if each.strip()}
    unknown = sorted(named - set(SCOPES))
    if unknown or not named:
        found = f"there is no scope {unknown[0]!r:.60}" if unknown else "no scope is named"
        raise BadPolicy(f"{found}: give one or more of {','.join(SCOPES)}")
    return tuple(each for each in SCOPES if each in named)


class Tokens:
    """The file of tokens, read anew when another process has changed it."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._watch: sqlite3.Connection | None = None
        self._version: int | None = None
        self._known: dict[str, Token] = {}

    def add(self, name: str, scopes: tuple[str, ...], pool: str | None = None) -> str:
        """Make a token; its secret, which is told this once."""
        if not name or len(name) > LONGEST or not name.isprintable():
            raise BadPolicy(f"name is {name!r:.60}: give a name of up to {LONGEST} characters")
        number, secret = token_hex(6), token_urlsafe(32)
        made = datetime.now(UTC).isoformat(timespec="seconds")
        row = (number, name, _digest(secret), ",".join(scopes), pool, made)
        try:
            with self._writing() as file:
                file.execute("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?)", row)
        except sqlite3.IntegrityError:
            raise BadPolicy(
                f"there is a token {name!r} already: revoke it, or name another"
            ) from None
        return f"{MARK}_{number}_{secret}"

    def revoke(self, name: str) -> bool:
        """Forget a token by its name; whether there was one."""
        if not self.path.exists():
            return False
        with self._writing() as file:
            return file.execute("DELETE FROM tokens WHERE name = ?", (name,)).rowcount > 0

    def all(self) -> list[Token]:
        """All tokens, by name."""
        self._catch_up()
        return sorted(self._known.values(), key=lambda each: each.name)

    @property
    def there(self) -> bool:
        """Whether there is a file of tokens, be it that all in it were revoked."""
        return self._watch is not None or self.path.exists()

    def find(self, given: str) -> Token | None:
        """The token of this secret."""
        self._catch_up()
        mark, _, rest = given.partition("_")
        number, _, secret = rest.partition("_")
        token = self._known.get(number)
        same = compare_digest(_digest(secret), token.digest if token else _digest(""))
        return token if same and token and mark == MARK else None

    def close(self) -> None:
        """Let go of the file."""
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def _catch_up(self) -> None:
        if self._watch is None and not self.path.exists():
            return
        with self._told():
            if self._watch is None:
                self._watch = self._opened()
            (version,) = self._watch.execute("PRAGMA data_version").fetchone()
            if version != self._version:
                self._known = {each.id: each for each in map(_token, _rows(self._watch))}
                self._version = version

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._told(), closing(self._opened()) as file, file:
            file.execute("BEGIN IMMEDIATE")
            file.execute(TABLE)
            yield file

    def _opened(self) -> sqlite3.Connection:
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        return sqlite3.connect(self.path, timeout=WAIT_SECONDS, check_same_thread=False)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except (sqlite3.Error, OSError) as wrong:
            raise StoreError(f"the file of tokens {self.path} cannot be used: {wrong}") from wrong


def _rows(file: sqlite3.Connection) -> list[tuple[str, str, bytes, str, str | None, str]]:
    if file.execute("SELECT 1 FROM sqlite_master WHERE name = 'tokens'").fetchone() is None:
        return []
    return file.execute("SELECT id, name, digest, scopes, pool, made FROM tokens").fetchall()


def _token(row: tuple[str, str, bytes, str, str | None, str]) -> Token:
    number, name, digest, scopes, pool, made = row
    return Token(number, name, digest, tuple(scopes.split(",")), pool, made)


def _digest(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "replace")).digest()
