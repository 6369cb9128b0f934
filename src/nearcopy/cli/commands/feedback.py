"""`nearcopy feedback`: what people say of two articles in a store holds from then on."""

from collections.abc import Iterable
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
    from nearcopy.deduper.feedback.record import Correction
    from nearcopy.models.feedback import Feedback

A = Annotated[str | None, typer.Argument(metavar="A", help="An article in the store.")]
B = Annotated[str | None, typer.Argument(metavar="B", help="The other one.")]
Same = Annotated[bool, typer.Option("--same", help="The two are the same.")]
Different = Annotated[bool, typer.Option("--different", help="They are not.")]
RelationOption = Annotated[
    str | None,
    typer.Option(
        "--relation",
        metavar="R",
        help="What they are; same_event: of one story, and no duplicates.",
    ),
]
Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="Why, in your own words.")]
Undo = Annotated[bool, typer.Option("--undo", help="Take back what was said of the two.")]
List = Annotated[bool, typer.Option("--list", help="List all that was said.")]
CsvOption = Annotated[bool, typer.Option("--csv", help="With --list: CSV in place of a table.")]


@reported
def feedback(
    a: A = None,
    b: B = None,
    same: Same = False,
    different: Different = False,
    relation: RelationOption = None,
    note: Note = "",
    undo: Undo = False,
    list_: List = False,
    store: StoreOption = None,
    pool: PoolOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
) -> None:
    """Say that two articles are the same, or different."""
    from nearcopy.cli.open_store import reading

    _check_usage(a, b, [same, different, undo, list_], list_)
    if as_json and as_csv:
        raise BadFeedback("--json and --csv: choose one")
    with reading(store_address(store), *settings(None, policy, window), pool=pool) as deduper:
        if list_:
            _list(deduper.told(), as_json, as_csv)
            return
        if undo:
            found = deduper.take_back(a or "", b or "")
        else:
            found = deduper.feedback(a or "", b or "", same=same, relation=relation, note=note)
    _answer(found, as_json)


def _check_usage(a: str | None, b: str | None, said: list[bool], list_: bool) -> None:
    if said.count(True) != 1:
        raise BadFeedback(
            "what is it? Give one of --same, --different, --undo or --list; "
            "--relation goes with --same or --different"
        )
    if list_ != (a is None) or list_ != (b is None):
        raise BadFeedback("--list names no articles; --same, --different and --undo name two")
    if a == b and a is not None:
        raise BadFeedback(f"{a!r:.60} twice: name two articles")


def _answer(found: "Correction", as_json: bool) -> None:
    if as_json:
        from nearcopy.io.serializers.answers import correction_row

        write_lines([correction_row(found)])
        return
    told = found.feedback
    names = f"{in_a_line(told.a)} and {in_a_line(told.b)}"
    if found.taken_back:
        show(Text(f"{names}: taken back: {in_a_line(told.decision.reason)}"))
    else:
        show(Text(f"{names}: {told.relation}, {in_a_line(told.decision.reason)}"))
    show(Text(_said(told)))
    _show_changes(found)


def _said(told: "Feedback") -> str:
    said = told.said
    kind = "a duplicate" if said.duplicate else "no duplicate"
    wrong = f": a {told.mistake}" if told.mistake else ""
    return (
        f"the policy had said {said.relation}, {kind}, confidence {said.confidence:.2f}, "
        f"rule {said.rule}{wrong}"
    )


def _show_changes(found: "Correction") -> None:
    if found.changes:
        shown = table(
            "article",
            "story",
            "copy of",
            "story before",
            "copy of before",
            least=["copy of before", "story before"],
        )
        for each in found.changes:
            before = each.story_before, each.duplicate_of_before
            add_row(shown, each.id, each.story_id, each.duplicate_of, *before)
        show(shown)
    noted(f"{counted(len(found.changes), 'article')} changed places")


def _list(told: Iterable["Feedback"], as_json: bool, as_csv: bool) -> None:
    from nearcopy.io.serializers.answers import feedback_row

    if as_csv:
        from nearcopy.io.files import open_writer

        with open_writer("-", "csv", columns=COLUMNS) as rows:
            for each in told:
                rows.write(feedback_row(each))
    elif as_json:
        write_lines(map(feedback_row, told))
    else:
        _show_all(told)


COLUMNS = (
    "a",
    "b",
    "same",
    "relation",
    "note",
    "when",
    "mistake",
    "said_relation",
    "said_rule",
    "said_confidence",
    "said_duplicate",
    "said_news",
    "said_copy",
    "evidence",
)


def _show_all(told: Iterable["Feedback"]) -> None:
    shown = table(
        "when",
        "a",
        "b",
        "told",
        "note",
        "was said",
        "sure",
        "mistake",
        numbers=["sure"],
        least=["sure", "when", "was said"],
    )
    for each in told:
        say = f"{'same' if each.same else 'different'}: {each.relation}"
        had = f"{each.said.relation}, {each.said.rule}"
        day = f"{each.when:%Y-%m-%d}"
        sure = each.said.confidence
        add_row(shown, day, each.a, each.b, say, each.note, had, sure, each.mistake)
    show(shown)
    noted(f"{len(shown.rows):,} in all")
