"""Points in time as whole microseconds since 1970, as stores keep them."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
FIRST = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
LAST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND


def micros(moment: datetime | None) -> int | None:
    """A time as stores keep it; one that in UTC is before year 1 or after 9999, the next to it."""
    return None if moment is None else min(max((moment - EPOCH) // MICROSECOND, FIRST), LAST)


def moment(stored: int | None) -> datetime | None:
    """The time that a store kept."""
    return None if stored is None else EPOCH + stored * MICROSECOND
