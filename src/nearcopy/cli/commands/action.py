"""`nearcopy action`: change the stories of a store by hand; recorded in an audit log, undoable."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from nearcopy.cli.options import (
    JsonOption,
    LimitOption,
    NoteOption,
    PolicyOptions,
    StoreOptions,
    argument,
    option,
)
from nearcopy.cli.tables import add_row, make_table, show_changes
from nearcopy.cli.terminal import format_count, note, one_line, show, write_json_lines
from nearcopy.errors import BadFeedback
from nearcopy.models.feedback import StoryAction

if TYPE_CHECKING:
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.deduper.story_actions import ActionResult

ARGUMENTS = {"keep": 1, "split": 1, "merge": 2, "undo": 1, "list": 0}
MAX_DIGITS = 18  # of an action's number


def action(
    kind: str = argument("keep|split|merge|undo|list", "Action.", show_default=False),
    ids: list[str] | None = argument(
        "ID ...", "An article; two stories; the number of an action.", default=None
    ),
    *,
    reason: NoteOption = "",
    by: str = option("NAME", "Name of the user.", default=""),
    limit: LimitOption = 50,
    store: StoreOptions,
    decisions: PolicyOptions,
    as_json: JsonOption = False,
) -> None:
    """Change the kept copy, or split or merge stories."""
    from nearcopy.cli.open_store import open_existing

    _check_usage(kind, ids or [])
    with open_existing(store, decisions) as deduper:
        if kind == "list":
            _list(deduper.actions(limit=limit), as_json)
            return
        result = _apply(deduper, kind, ids or [], by, reason)
    _report(result, as_json)


def _check_usage(kind: str, ids: list[str]) -> None:
    if kind not in ARGUMENTS:
        raise BadFeedback(f"no action {kind!r:.60}: choose from {', '.join(ARGUMENTS)}")
    if len(ids) != ARGUMENTS[kind]:
        expected = format_count(ARGUMENTS[kind], "id")
        raise BadFeedback(f"{kind} takes {expected}, {len(ids)} given")


def _apply(deduper: "Deduper", kind: str, ids: list[str], by: str, reason: str) -> "ActionResult":
    if kind == "keep":
        return deduper.keep(ids[0], by=by, note=reason)
    if kind == "split":
        return deduper.split(ids[0], by=by, note=reason)
    if kind == "merge":
        return deduper.merge(ids[0], ids[1], by=by, note=reason)
    if not ids[0].isascii() or not ids[0].isdigit() or len(ids[0]) > MAX_DIGITS:
        raise BadFeedback(
            f"{ids[0]!r:.60} is no action: give its number, as `action list` shows it"
        )
    return deduper.undo(int(ids[0]), by=by)


def _report(result: "ActionResult", as_json: bool) -> None:
    if as_json:
        from nearcopy.io.serializers import action_result_row

        write_json_lines([action_result_row(result)])
        return
    undone = " undone" if result.action.undone else ""
    show(Text(f"action {result.action.number}{undone}: {describe_action(result.action)}"))
    show_changes(result.changes)


def describe_action(action: StoryAction) -> str:
    """The action in one sentence."""
    article, other = one_line(action.article), one_line(action.other or "")
    if action.kind == "keep":
        return f"keep {article} in place of {other}"
    if action.kind == "split":
        return f"split {article} off"
    return f"merge the stories of {article} and {other}"


def _list(actions: "Sequence[StoryAction]", as_json: bool) -> None:
    from nearcopy.io.serializers import action_row

    if as_json:
        write_json_lines(map(action_row, actions))
        return
    columns = ("action", "when", "by", "what", "note", "undone")
    table = make_table(*columns, numbers=["action"])
    for action in actions:
        undone = f"{action.undone:%Y-%m-%d} {action.undone_by}".strip() if action.undone else ""
        day, what = f"{action.when:%Y-%m-%d}", describe_action(action)
        add_row(table, action.number, day, action.by, what, action.note, undone)
    show(table)
    note(f"{len(table.rows):,} in all")
