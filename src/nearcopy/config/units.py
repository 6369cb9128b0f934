"""Units as users write them and as stores keep them: durations, sizes of memory, timestamps."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from nearcopy.errors import BadPolicy

TIME_UNITS = {
    "w": timedelta(weeks=1),
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
}
SIZE_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
DURATION = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([wdhms])", re.IGNORECASE)
SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([kmgt]?)i?b?", re.IGNORECASE)
UNLIMITED = "all"
NO_TIME = -(1 << 62)  # in columns of microseconds since 1970

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
FIRST = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
LAST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND


def parse_duration(text: str) -> timedelta:
    """The duration that a number and its unit name.

    >>> parse_duration("36h") == timedelta(days=1.5), parse_duration("2w").days
    (True, 14)
    """
    match = DURATION.fullmatch(text.strip())
    try:
        if match:
            unit = TIME_UNITS[match[2].lower()] // MICROSECOND
            return timedelta(microseconds=int(Decimal(match[1]) * unit))
    except OverflowError:
        raise BadPolicy(f"{text!r:.60} is too long: give at most {timedelta.max.days}d") from None
    raise BadPolicy(
        f"{text!r:.60} is not a duration: write 14d, 36h, 2w or 90m "
        "(weeks, days, hours, minutes, seconds)"
    )


def parse_window(text: str) -> timedelta | None:
    """The length of a time window; None for "all", which has no limit.

    >>> parse_window("all") is None
    True
    """
    if text.strip().lower() == UNLIMITED:
        return None
    length = parse_duration(text)
    if not length:
        raise BadPolicy(f"a window of {text!r:.60} is empty: give a longer one")
    return length


def format_duration(length: timedelta | None) -> str:
    """The duration in the largest unit that divides it.

    >>> format_duration(timedelta(hours=36)), format_duration(None)
    ('36h', 'all')
    """
    if length is None:
        return UNLIMITED
    for name in "dhms":
        if not length % TIME_UNITS[name]:
            return f"{length // TIME_UNITS[name]}{name}"
    seconds, fraction = divmod(length // MICROSECOND, 1_000_000)
    return f"{seconds}.{fraction:06d}s"


def parse_size(text: str) -> int:
    """The number of bytes that a number and its unit name.

    >>> parse_size("1.5 GB"), parse_size("512m")
    (1610612736, 536870912)
    """
    match = SIZE.fullmatch(text.strip())
    if not match:
        raise BadPolicy(f"{text!r:.60} is not a size: write 4GB or 512MB")
    return int(Decimal(match[1]) * SIZE_UNITS[match[2].lower()])


def to_micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970, clamped to the years 1 to 9999 in UTC."""
    return None if moment is None else min(max((moment - EPOCH) // MICROSECOND, FIRST), LAST)


def from_micros(stored: int | None) -> datetime | None:
    """The time in UTC of microseconds since 1970."""
    return None if stored is None else EPOCH + stored * MICROSECOND
