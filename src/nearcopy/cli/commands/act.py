"""`nearcopy act`: what people do to the stories of a store; journalled, and undone where asked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from nearcopy.cli.options import (
    JsonOption,
    PolicyOption,
    PoolOption,
    StoreOption,
    WindowOption,
    store_address,
)
from nearcopy.cli.terminal import (
    add_row,
    counted,
    in_a_line,
    noted,
    reported,
    show,
    table,
    write_lines,
)
from nearcopy.errors import BadFeedback
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.deduper.feedback.actions import Done
    from nearcopy.models.action import Act

What = Annotated[
    str,
    typer.Argument(metavar="keep|split|merge|undo|list", help="What to do.", show_default=False),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID ...", help="An article; two stories; the number of an act."),
]
Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="Why, in your own words.")]
By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who does it.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="So many of the list.")]
TAKES = {"keep": 1, "split": 1, "merge": 2, "undo": 1, "list": 0}


@reported
def act(
    what: What,
    names: Names = None,
    note: Note = "",
    by: By = "",
    limit: Limit = 50,
    store: StoreOption = None,
    pool: PoolOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep another copy, split a member off, merge stories."""
    from nearcopy.cli.open_store import reading

    _check_usage(what, names or [])
    with reading(store_address(store), *settings(None, policy, window), pool=pool) as deduper:
        if what == "list":
            _list(deduper.acts(limit=limit), as_json)
            return
        found = _done(deduper, what, names or [], by, note)
    _answer(found, as_json)


def _check_usage(what: str, names: list[str]) -> None:
    if what not in TAKES:
        raise BadFeedback(f"no act {what!r:.60}: choose from {', '.join(TAKES)}")
    if len(names) != TAKES[what]:
        raise BadFeedback(f"{what} takes {counted(TAKES[what], 'name')}, {len(names)} given")


def _done(deduper: "Deduper", what: str, names: list[str], by: str, note: str) -> "Done":
    if what == "keep":
        return deduper.keep(names[0], by=by, note=note)
    if what == "split":
        return deduper.split(names[0], by=by, note=note)
    if what == "merge":
        return deduper.merge(names[0], names[1], by=by, note=note)
    if not names[0].isascii() or not names[0].isdigit() or len(names[0]) > 18:
        raise BadFeedback(f"{names[0]!r:.60} is no act: give its number, as `act list` shows it")
    return deduper.undo(int(names[0]), by=by)


def _answer(found: "Done", as_json: bool) -> None:
    if as_json:
        from nearcopy.io.serializers.answers import action_result_row

        write_lines([action_result_row(found)])
        return
    undone = " undone" if found.act.undone else ""
    show(Text(f"act {found.act.number}{undone}: {sentence(found.act)}"))
    if found.changes:
        shown = table("article", "story", "copy of", "story before", "copy of before")
        for each in found.changes:
            before = each.story_before, each.duplicate_of_before
            add_row(shown, each.id, each.story_id, each.duplicate_of, *before)
        show(shown)
    noted(f"{counted(len(found.changes), 'article')} changed places")


def sentence(act: "Act") -> str:
    """What was done, in one sentence."""
    article, other = in_a_line(act.article), in_a_line(act.other or "")
    if act.deed == "keep":
        return f"keep {article} in place of {other}"
    if act.deed == "split":
        return f"split {article} off"
    return f"merge the stories of {article} and {other}"


def _list(acts: "Sequence[Act]", as_json: bool) -> None:
    from nearcopy.io.serializers.answers import action_row

    if as_json:
        write_lines(map(action_row, acts))
        return
    shown = table("act", "when", "by", "what", "note", "undone", numbers=["act"])
    for each in acts:
        undone = f"{each.undone:%Y-%m-%d} {each.undone_by}".strip() if each.undone else ""
        day = f"{each.when:%Y-%m-%d}"
        add_row(shown, each.number, day, each.by, sentence(each), each.note, undone)
    show(shown)
    noted(f"{len(shown.rows):,} in all")
