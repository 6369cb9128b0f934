"""Addresses of stores, as they may be shown."""

import re

BEFORE_HOST = re.compile(r"(://[^/?#:@]*):[^/?#]*@")
AMONG_OPTIONS = re.compile(r"([?&](?:ssl)?password=)[^&#]*", re.IGNORECASE)


def shown(address: str) -> str:
    """The address without its password.

    >>> shown("postgresql://me:secret@host/db?sslpassword=also"), shown("sqlite:///seen.db")
    ('postgresql://me:***@host/db?sslpassword=***', 'sqlite:///seen.db')
    """
    return AMONG_OPTIONS.sub(r"\1***", BEFORE_HOST.sub(r"\1:***@", address))
