"""Times as files have them: ISO 8601, RFC 822, epochs, days and seconds run together."""

import re
from datetime import UTC, date, datetime, time, timedelta
from email.utils import parsedate_to_datetime

from nearcopy.errors import BadArticle

LONGEST = 64  # characters; no way to write a time needs more
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SCALES = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))  # at or above the first, divide by the second
YEARS = range(1800, 2201)  # a number like these is a year alone, and no time
WHOLE = re.compile(r"-?\d+", re.ASCII)
BROKEN = re.compile(r"\d+\.\d*", re.ASCII)
RUN_TOGETHER = re.compile(r"(?:1[89]|2[01])\d{6}(?:\d{6})?", re.ASCII)
DAY_MONTH = re.compile(
    r"(?:[A-Za-z]{3,9},? +)?\d{1,2}[ -][A-Za-z]{3,9}[ -]\d{2,4} +\d{1,2}:\d\d", re.ASCII
)
ZONE = re.compile(r" (?:([+-]\d\d:?\d\d)|UTC|GMT|Z)\Z", re.ASCII)
ABSENT = frozenset({"", "nan", "nat", "none", "null"})


def read_time(value: object) -> datetime | None:
    """The time that a value of a file stands for, None where it stands for none; naive is UTC.

    >>> read_time("Tue, 07 Oct 2025 11:42:00 GMT") == read_time(1759837320000)
    True
    """
    if value is None:
        return None
    try:
        when = _read(value)
        if when is not None and when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        if when is not None and not 1 < when.year < 9999:
            when.astimezone(UTC)  # overflows here and not where it is used
    except (ValueError, TypeError, IndexError, OverflowError) as exc:
        raise BadArticle(f"no time: {value!r:.60}, write it as 2026-01-31T09:00:00Z") from exc
    return when


def _read(value: object) -> datetime | None:
    if isinstance(value, str):
        return _text(value.strip())
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(value)
    raise TypeError(type(value).__name__)


def _number(value: float) -> datetime | None:
    if value != value:
        return None
    if isinstance(value, int) and RUN_TOGETHER.fullmatch(str(value)):
        return _run_together(str(value))
    if value in YEARS:
        raise ValueError("a year alone")
    for least, scale in SCALES:
        if abs(value) >= least:
            return EPOCH + timedelta(seconds=value / scale)
    return EPOCH + timedelta(seconds=value)


def _run_together(digits: str) -> datetime:
    """20251007 or 20251007114200."""
    return datetime.fromisoformat(f"{digits[:8]}T{digits[8:] or '00'}")


def _text(text: str) -> datetime | None:
    if len(text) > LONGEST:
        raise ValueError("too long")
    if text[4:5] == "-":
        return datetime.fromisoformat(ZONE.sub(lambda zone: zone[1] or "Z", text))
    if text.casefold() in ABSENT:
        return None
    if WHOLE.fullmatch(text):
        return _number(int(text))
    if BROKEN.fullmatch(text):
        return _number(float(text))
    if DAY_MONTH.match(text):
        return parsedate_to_datetime(text)
    return datetime.fromisoformat(text)
