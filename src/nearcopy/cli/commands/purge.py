"""`nearcopy purge`: remove all articles older than a date."""

from datetime import UTC, datetime

from nearcopy.cli.options import JsonOption, StoreOptions, YesOption, option
from nearcopy.cli.terminal import confirm, format_count, note, write_json_lines
from nearcopy.config.units import parse_duration
from nearcopy.errors import BadPolicy
from nearcopy.io.files import read_time


def purge(
    before: str = option("DATE|SPAN", "A date, 2026-01-31, or an age, 30d.", default=...),
    *,
    store: StoreOptions,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove all articles older than a date."""
    from nearcopy.cli.open_store import open_existing

    time = parse_time(before, datetime.now(UTC))
    minute = time.isoformat(" ", "minutes")
    with open_existing(store) as deduper:
        confirmed = confirm(f"Remove all from before {minute} from {deduper.address}?", yes)
        count = deduper.purge(time) if confirmed else 0
    if as_json:
        write_json_lines([{"removed": count, "before": time.isoformat()}])
    note(f"removed {format_count(count, 'article')} from before {minute}")


def parse_time(text: str, now: datetime) -> datetime:
    """The time of a date, or of an age before now."""
    try:
        return now - parse_duration(text)
    except OverflowError:
        raise BadPolicy(
            f"--before {text!r:.60} is before the year 1: give a date, 2026-01-31, or an age, 30d"
        ) from None
    except BadPolicy:
        pass
    try:
        time = read_time(text)
    except ValueError:
        time = None
    if time is None:
        raise BadPolicy(f"--before {text!r:.60}: give a date, 2026-01-31, or an age, 30d")
    return time
