"""Addresses of stores and names of pools.

A pool is a set of articles of its own in a store: pools never see each other's articles.
"""

import re

from nearcopy.errors import BadPolicy, StoreError

DEFAULT_POOL = "default"
POOL_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}\Z")
POSTGRES_SCHEMES = ("postgresql", "postgres")
REDIS_SCHEMES = ("redis", "rediss", "unix")
PREFIXES = {
    "sqlite": "sqlite:///",
    "unix": "unix:///",
    **{scheme: f"{scheme}://" for scheme in ("memory", *POSTGRES_SCHEMES, "redis", "rediss")},
}
PASSWORD_BEFORE_HOST = re.compile(r"(://[^/?#:@]*):[^/?#]*@")
PASSWORD_OPTION = re.compile(r"([?&](?:ssl)?password=)[^&#]*", re.IGNORECASE)


def mask_password(address: str) -> str:
    """The address without its password, to be shown and logged.

    >>> mask_password("postgresql://me:secret@host/db?sslpassword=also")
    'postgresql://me:***@host/db?sslpassword=***'
    """
    return PASSWORD_OPTION.sub(r"\1***", PASSWORD_BEFORE_HOST.sub(r"\1:***@", address))


def parse_address(store: str) -> str:
    """The address of a store; a bare path is one of SQLite.

    >>> parse_address("seen.db"), parse_address("redis://localhost:6379")
    ('sqlite:///seen.db', 'redis://localhost:6379')
    """
    if "://" in store:
        return store
    scheme, colon, path = store.partition(":")
    unknown = path.startswith("/") and scheme.isalpha() and len(scheme) > 1  # C:/ is a path
    if colon and (scheme in PREFIXES or unknown):
        raise BadPolicy(
            f"no address begins with '{scheme}:' alone: write {_suggest_address(scheme, path)}, or "
            "put ./ before it where it is the name of a file"
        )
    return f"sqlite:///{store}"


def _suggest_address(scheme: str, path: str) -> str:
    """The address that was probably meant."""
    place = path if scheme == "sqlite" else path.lstrip("/")
    return mask_password(PREFIXES.get(scheme, f"{scheme}://") + place)


def scheme_of(address: str) -> str:
    """The part of an address before "://"; empty where there is none."""
    scheme, mark, _ = str(address).partition("://")
    return scheme if mark else ""


def validate_pool(pool: str | None) -> str:
    """The name of a pool; None is the default pool."""
    if pool is None:
        return DEFAULT_POOL
    if not isinstance(pool, str) or not POOL_NAME.match(pool):
        raise StoreError(
            f"a pool cannot be called {pool!r:.60}: give up to 32 of a-z, 0-9, - and _, "
            "a letter or a digit first"
        )
    return pool
