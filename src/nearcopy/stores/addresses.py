"""Addresses of stores, as they are given and as they may be shown."""

import re

from nearcopy.errors import BadPolicy

BEFORE_HOST = re.compile(r"(://[^/?#:@]*):[^/?#]*@")
BEGINNINGS = {
    "sqlite": "sqlite:///",
    "unix": "unix:///",
    **{
        scheme: f"{scheme}://" for scheme in ("memory", "postgresql", "postgres", "redis", "rediss")
    },
}
AMONG_OPTIONS = re.compile(r"([?&](?:ssl)?password=)[^&#]*", re.IGNORECASE)


def shown(address: str) -> str:
    """The address without its password.

    >>> shown("postgresql://me:secret@host/db?sslpassword=also"), shown("sqlite:///seen.db")
    ('postgresql://me:***@host/db?sslpassword=***', 'sqlite:///seen.db')
    """
    return AMONG_OPTIONS.sub(r"\1***", BEFORE_HOST.sub(r"\1:***@", address))


def address_of(store: str) -> str:
    """The address of a store; a bare path is one of SQLite.

    >>> address_of("seen.db"), address_of("redis://localhost:6379")
    ('sqlite:///seen.db', 'redis://localhost:6379')
    """
    if "://" in store:
        return store
    scheme, colon, path = store.partition(":")
    unknown = path.startswith("/") and scheme.isalpha() and len(scheme) > 1  # C:/ is a path
    if colon and (scheme in BEGINNINGS or unknown):
        raise BadPolicy(
            f"no address begins with '{scheme}:' alone: write {shown(_meant(scheme, path))}, or "
            "put ./ before it where it is the name of a file"
        )
    return f"sqlite:///{store}"


def _meant(scheme: str, path: str) -> str:
    """The address that was probably meant."""
    place = path if scheme == "sqlite" else path.lstrip("/")
    return BEGINNINGS.get(scheme, f"{scheme}://") + place
