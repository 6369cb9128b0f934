"""Spans of time as people write them: 14d, 36h, 2w."""

import re
from datetime import timedelta
from decimal import Decimal

from nearcopy.errors import BadPolicy

UNITS = {
    "w": timedelta(weeks=1),
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
}
MICROSECOND = timedelta(microseconds=1)
WRITTEN = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([wdhms])", re.IGNORECASE)
EVER = "all"


def span(text: str) -> timedelta:
    """The span of time that a number and its unit name.

    >>> span("36h") == timedelta(days=1.5), span("2w").days
    (True, 14)
    """
    found = WRITTEN.fullmatch(text.strip())
    try:
        if found:
            unit = UNITS[found[2].lower()] // MICROSECOND
            return timedelta(microseconds=int(Decimal(found[1]) * unit))
    except OverflowError:
        raise BadPolicy(f"{text!r:.60} is longer than time is counted here") from None
    raise BadPolicy(
        f"{text!r:.60} is no span of time: write 14d, 36h, 2w or 90m "
        "(weeks, days, hours, minutes, seconds)"
    )


def window(text: str) -> timedelta | None:
    """The span, or None where there is no end to it.

    >>> window("all") is None
    True
    """
    if text.strip().lower() == EVER:
        return None
    length = span(text)
    if not length:
        raise BadPolicy(f"a window of {text!r:.60} holds nothing: give a longer one")
    return length


def written(length: timedelta | None) -> str:
    """The span in the largest unit that holds it whole.

    >>> written(timedelta(hours=36)), written(timedelta(days=14)), written(None)
    ('36h', '14d', 'all')
    """
    if length is None:
        return EVER
    for name in "dhms":
        if not length % UNITS[name]:
            return f"{length // UNITS[name]}{name}"
    whole, part = divmod(length // MICROSECOND, 1_000_000)
    return f"{whole}.{part:06d}s"
