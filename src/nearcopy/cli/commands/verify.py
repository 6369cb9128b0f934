"""`nearcopy verify`: check the integrity of a store."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

from nearcopy.cli.options import (
    JsonOption,
    PolicyOption,
    PoolOption,
    StoreOption,
    WindowOption,
    store_address,
)
from nearcopy.cli.terminal import (
    ANSWER_NO,
    add_row,
    counted,
    noted,
    reported,
    show,
    table,
    write_lines,
)
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.models.model import Check


@reported
def verify(
    store: StoreOption = None,
    pool: PoolOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check that a store is sound; exit with 1 if not."""
    from nearcopy.cli.open_store import reading

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
