"""Sizes of memory as people write them: 4GB, 512MB."""

import re
from decimal import Decimal

from nearcopy.errors import BadPolicy

UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
WRITTEN = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([kmgt]?)i?b?", re.IGNORECASE)


def size(text: str) -> int:
    """The number of bytes that a number and its unit name.

    >>> size("1.5 GB"), size("512m")
    (1610612736, 536870912)
    """
    found = WRITTEN.fullmatch(text.strip())
    if not found:
        raise BadPolicy(f"{text!r:.60} is no size: write 4GB or 512MB")
    return int(Decimal(found[1]) * UNITS[found[2].lower()])
