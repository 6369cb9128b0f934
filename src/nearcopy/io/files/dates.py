"""Times in files: ISO 8601, RFC 822, epochs, and digits run together."""

import re
from datetime import UTC, date, datetime, time, timedelta
from email.utils import parsedate_to_datetime

from nearcopy.errors import BadArticle

LONGEST = 64  # characters
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# When a row without a time of its own counts as seen in a batch job: after all others. So answers
# depend neither on the clock nor on the order of the rows; ties are broken by id.
UNDATED = datetime(9000, 1, 1, tzinfo=UTC)
SCALES = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))  # at or above the first, divide by the second
YEARS = range(1800, 2201)  # a number like these is a year, not a time
WHOLE = re.compile(r"-?\d+", re.ASCII)
DECIMAL = re.compile(r"\d+\.\d*", re.ASCII)
COMPACT = re.compile(r"(?:1[89]|2[01])\d{6}(?:\d{6})?", re.ASCII)
DAY_MONTH = re.compile(
    r"(?:[A-Za-z]{3,9},? +)?\d{1,2}[ -][A-Za-z]{3,9}[ -]\d{2,4} +\d{1,2}:\d\d", re.ASCII
)
ZONE = re.compile(r" (?:([+-]\d\d:?\d\d)|UTC|GMT|Z)\Z", re.ASCII)
ABSENT = frozenset({"", "nan", "nat", "none", "null"})


def read_time(value: object) -> datetime | None:
    """The time of a value, None if it is absent; naive times are UTC.

    >>> read_time("Tue, 07 Oct 2025 11:42:00 GMT") == read_time(1759837320000)
    True
    """
    if value is None:
        return None
    try:
        when = _parse(value)
        if when is not None and when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        if when is not None and not 1 < when.year < 9999:
            when.astimezone(UTC)  # overflows here, not where it is used
    except (ValueError, TypeError, IndexError, OverflowError) as exc:
        raise BadArticle(f"not a time: {value!r:.60}: write it as 2026-01-31T09:00:00Z") from exc
    return when


def _parse(value: object) -> datetime | None:
    if isinstance(value, str):
        return _parse_text(value.strip())
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _parse_number(value)
    raise TypeError(type(value).__name__)


def _parse_number(value: float) -> datetime | None:
    if value != value:
        return None
    if isinstance(value, int) and COMPACT.fullmatch(str(value)):
        return _parse_digits(str(value))
    if value in YEARS:
        raise ValueError("a year alone")
    for least, scale in SCALES:
        if abs(value) >= least:
            return EPOCH + timedelta(seconds=value / scale)
    return EPOCH + timedelta(seconds=value)


def _parse_digits(digits: str) -> datetime:
    """20251007 or 20251007114200."""
    return datetime.fromisoformat(f"{digits[:8]}T{digits[8:] or '00'}")


def _parse_text(text: str) -> datetime | None:
    if len(text) > LONGEST:
        raise ValueError("too long")
    if text[4:5] == "-":
        return datetime.fromisoformat(ZONE.sub(lambda zone: zone[1] or "Z", text))
    if text.casefold() in ABSENT:
        return None
    if WHOLE.fullmatch(text):
        return _parse_number(int(text))
    if DECIMAL.fullmatch(text):
        return _parse_number(float(text))
    if DAY_MONTH.match(text):
        return parsedate_to_datetime(text)
    return datetime.fromisoformat(text)
