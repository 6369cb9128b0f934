"""`nearcopy verify`: check the integrity of a store."""

from collections.abc import Iterable

import typer

from nearcopy.cli.options import JsonOption, PolicyOptions, StoreOptions
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import ANSWER_NO, format_count, note, show, write_json_lines
from nearcopy.models import Check


def verify(store: StoreOptions, decisions: PolicyOptions, as_json: JsonOption = False) -> None:
    """Check the integrity of a store; exit with 1 if one fails."""
    from nearcopy.cli.open_store import open_existing

    with open_existing(store, decisions) as deduper:
        checks = deduper.verify()
    if as_json:
        write_json_lines(check._asdict() for check in checks)
    else:
        _show_checks(checks)
    warnings = sum(check.passed and check.warning for check in checks)
    failures = sum(not check.passed for check in checks)
    warned = f", {format_count(warnings, 'warning')}" if warnings else ""
    note(f"{len(checks) - failures - warnings} of {len(checks)} checks passed{warned}")
    if failures:
        raise typer.Exit(ANSWER_NO)


def _show_checks(checks: Iterable[Check]) -> None:
    table = make_table("check", "passed", "detail")
    for name, passed, detail, warning in checks:
        if not passed:
            add_row(table, name, "NO", detail, style="red")
        elif warning:
            add_row(table, name, "warning", detail, style="yellow")
        else:
            add_row(table, name, "yes", detail)
    show(table)
