"""`nearcopy purge`: remove all articles from before a time."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from nearcopy.cli.options import JsonOption, PoolOption, StoreOption, YesOption, store_address
from nearcopy.cli.terminal import agreed, counted, noted, reported, write_lines
from nearcopy.config import span
from nearcopy.errors import BadPolicy


@reported
def purge(
    before: Annotated[
        str, typer.Option("--before", metavar="DATE|SPAN", help="2026-01-31, or 30d for that ago.")
    ],
    store: StoreOption = None,
    pool: PoolOption = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove all articles from before a time."""
    from nearcopy.cli.open_store import reading

    address, time = store_address(store), moment(before, datetime.now(UTC))
    told = time.isoformat(" ", "minutes")
    with reading(address, pool=pool) as deduper:
        sure = agreed(f"Remove all from before {told} from {deduper.address}?", yes)
        count = deduper.purge(time) if sure else 0
    if as_json:
        write_lines([{"removed": count, "before": time.isoformat()}])
    noted(f"removed {counted(count, 'article')} from before {told}")


def moment(text: str, now: datetime) -> datetime:
    """The time that a date names, or a span before now."""
    from nearcopy.io.files import read_time

    try:
        return now - span(text)
    except OverflowError:
        raise BadPolicy(f"--before {text!r:.60} is before time is counted here") from None
    except BadPolicy:
        pass
    try:
        found = read_time(text)
    except ValueError:
        found = None
    if found is None:
        raise BadPolicy(f"--before {text!r:.60}: give a date, 2026-01-31, or a span, 30d")
    return found
