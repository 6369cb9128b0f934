"""`nearcopy forget`, `purge`, `verify`, `retell` and `migrate`: looking after a store."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearcopy.cli.settings import (
    JsonOption,
    PolicyOption,
    PoolOption,
    StoreOption,
    WindowOption,
    YesOption,
    settings,
    store_address,
)
from nearcopy.cli.terminal import (
    ANSWER_NO,
    add_row,
    agreed,
    can_ask,
    counted,
    in_a_line,
    noted,
    reported,
    show,
    table,
    write_lines,
)
from nearcopy.config import span
from nearcopy.errors import BadPolicy, NotStored, StoreError

if TYPE_CHECKING:
    from nearcopy.deduper import Deduper
    from nearcopy.model import Check

SHOWN = 20  # articles named one by one


@reported
def forget(
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="Articles in the store.")],
    store: StoreOption = None,
    pool: PoolOption = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove articles, and all that was found about them."""
    from nearcopy.cli.stored import reading

    address = store_address(store)
    with reading(address, pool=pool) as deduper:
        titles = {each: _title(deduper, each) for each in dict.fromkeys(ids)}
        there = [each for each, title in titles.items() if title is not None]
        missing = [each for each in titles if each not in there]
        _name(titles)
        sure = bool(there) and agreed(
            f"Forget {counted(len(there), 'article')} from {deduper.address}?", yes
        )
        count = deduper.forget(there) if sure else 0
    if as_json:
        write_lines([{"forgotten": count, "ids": there if sure else [], "missing": missing}])
    noted(f"forgot {counted(count, 'article')}")


def _title(deduper: "Deduper", name: str) -> str | None:
    """The title of an article, None where it is not in the store."""
    try:
        return deduper.article(name).title
    except NotStored:
        return None


def _name(titles: dict[str, str | None]) -> None:
    for name, title in list(titles.items())[:SHOWN]:
        noted(f"  {in_a_line(name)}: {'not in the store' if title is None else in_a_line(title)}")
    if len(titles) > SHOWN:
        noted(f"  and {len(titles) - SHOWN} more")


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
    from nearcopy.cli.stored import reading

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
    from nearcopy.formats import read_time

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


@reported
def verify(
    store: StoreOption = None,
    pool: PoolOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check that a store is sound; exit with 1 if not."""
    from nearcopy.cli.stored import reading

    with reading(store_address(store), *settings(None, policy, window), pool=pool) as deduper:
        found = deduper.verify()
    if as_json:
        write_lines(each._asdict() for each in found)
    else:
        _show_checks(found)
    warnings = sum(each.passed and each.warning for each in found)
    failed = sum(not each.passed for each in found)
    said = f", {counted(warnings, 'warning')}" if warnings else ""
    noted(f"{len(found) - failed - warnings} of {len(found)} checks passed{said}")
    if failed:
        raise typer.Exit(ANSWER_NO)


def _show_checks(found: Iterable["Check"]) -> None:
    shown = table("check", "passed", "detail")
    for name, passed, detail, warning in found:
        how, style = ("NO", "red") if not passed else ("yes", None)
        how, style = ("warning", "yellow") if passed and warning else (how, style)
        add_row(shown, name, how, detail, style=style)
    show(shown)


@reported
def retell(
    store: StoreOption = None,
    pool: PoolOption = None,
    learn: Annotated[
        bool,
        typer.Option("--learn", help="Count first how common terms are in this store."),
    ] = False,
    policy: PolicyOption = None,
    window: WindowOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell all stories anew, as if all articles had come at once."""
    from nearcopy.cli.stored import reading

    with reading(store_address(store), *settings(None, policy, window), pool=pool) as deduper:
        if learn:
            found = deduper.learn()
            noted(
                f"counted {counted(len(found.hashes), 'common term')}"
                f" in {counted(found.articles, 'article')}: from now on they count less"
            )
        else:
            deduper.retell()
        told = sum(len(story.members) > 1 for story in deduper.stories())
    if as_json:
        write_lines([{"stories": told, "learned": learn}])
    noted(f"stories of several articles: {told:,}")


@reported
def migrate(
    store: StoreOption = None,
    pool: PoolOption = None,
    to: Annotated[
        int | None,
        typer.Option("--to", metavar="N", min=0, help="Go to this schema, also back; 0 drops all."),
    ] = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Bring a store to the latest schema, or to another."""
    from nearcopy.cli.stored import must_exist
    from nearcopy.stores import open_store

    address = store_address(store)
    must_exist(address, pool)
    opened = open_store(address, pool)  # which brings it to the latest
    try:
        steps, otherwise = _steps(opened, to, yes), _without_steps(opened)
    finally:
        opened.close()
    if as_json:
        write_lines([{"store": opened.address, "steps": steps}])
    noted("\n".join(steps) or otherwise)


def _without_steps(store: Any) -> str:
    """What to say where no step was taken."""
    if hasattr(store, "migrate"):
        return "the store has the latest schema"
    return f"Redis has no migrations: the store is of format {store.readable_format()}, the latest"


def _steps(store: Any, to: int | None, yes: bool) -> list[str]:
    """The steps taken to a schema; a way back may lose what only the newer one holds."""
    if to is None:
        return []
    if not hasattr(store, "migrate"):
        raise StoreError(
            f"{store.address} has no schema to go to: Redis has no migrations; leave out --to"
        )
    if not (yes or can_ask()):
        raise StoreError("a step back drops what older schemas do not hold: say so with --yes")
    if not agreed(f"Go to schema {to}? A step back drops what older ones do not hold.", yes):
        return []
    return list(store.migrate(to))
