"""`nearcopy feedback`: record whether two articles of a store are duplicates."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.text import Text

from nearcopy.cli.options import (
    JsonOption,
    NoteOption,
    PolicyOptions,
    StoreOptions,
    argument,
    flag,
    option,
)
from nearcopy.cli.tables import add_row, make_table, show_changes
from nearcopy.cli.terminal import note, one_line, show, write_json_lines
from nearcopy.errors import BadFeedback
from nearcopy.io.files import open_writer
from nearcopy.models.feedback import Feedback

if TYPE_CHECKING:
    from nearcopy.deduper.feedback import FeedbackResult


def feedback(
    a: str | None = argument("A", "Article in the store.", default=None),
    b: str | None = argument("B", "The other article.", default=None),
    *,
    same: bool = flag("They are duplicates.", None),
    different: bool = flag("They are no duplicates.", None),
    relation: str | None = option("R", "Their relation; same_event: one story, but no duplicates."),
    reason: NoteOption = "",
    undo: bool = flag("Retract the feedback on the pair.", None),
    list_: bool = flag("List all feedback.", None),
    store: StoreOptions,
    decisions: PolicyOptions,
    as_json: JsonOption = False,
    as_csv: bool = flag("With --list: write CSV.", None, name="--csv"),
) -> None:
    """Record whether two articles are duplicates."""
    from nearcopy.cli.open_store import open_existing

    _check_usage(a, b, [same, different, undo, list_], list_)
    if as_json and as_csv:
        raise BadFeedback("--json and --csv: choose one")
    with open_existing(store, decisions) as deduper:
        if list_:
            _list(deduper.all_feedback(), as_json, as_csv)
            return
        if undo:
            correction = deduper.retract_feedback(a or "", b or "")
        else:
            correction = deduper.feedback(
                a or "", b or "", same=same, relation=relation, note=reason
            )
    _report(correction, as_json)


def _check_usage(a: str | None, b: str | None, flags: list[bool], list_: bool) -> None:
    if flags.count(True) != 1:
        raise BadFeedback(
            "what is the feedback? Give one of --same, --different, --undo or --list; "
            "--relation goes with --same or --different"
        )
    if list_ != (a is None) or list_ != (b is None):
        raise BadFeedback("--list takes no articles; --same, --different and --undo take two")
    if a == b and a is not None:
        raise BadFeedback(f"{a!r:.60} twice: name two articles")


def _report(correction: "FeedbackResult", as_json: bool) -> None:
    if as_json:
        from nearcopy.io.serializers import correction_row

        write_json_lines([correction_row(correction)])
        return
    pair = correction.feedback
    ids, reason = f"{one_line(pair.a)} and {one_line(pair.b)}", one_line(pair.decision.reason)
    show(Text(f"{ids}: {'retracted:' if correction.retracted else f'{pair.relation},'} {reason}"))
    show(Text(_describe_prediction(pair)))
    show_changes(correction.changes)


def _describe_prediction(feedback: Feedback) -> str:
    predicted = feedback.prediction
    kind = "a duplicate" if predicted.duplicate else "no duplicate"
    mistake = f": a {feedback.mistake}" if feedback.mistake else ""
    return (
        f"the policy had decided {predicted.relation}, {kind}, "
        f"confidence {predicted.confidence:.2f}, rule {predicted.rule}{mistake}"
    )


def _list(feedback: Iterable[Feedback], as_json: bool, as_csv: bool) -> None:
    from nearcopy.io.serializers import FEEDBACK_COLUMNS, feedback_row

    if as_csv:
        with open_writer("-", "csv", columns=FEEDBACK_COLUMNS) as file:
            for pair in feedback:
                file.write(feedback_row(pair))
    elif as_json:
        write_json_lines(map(feedback_row, feedback))
    else:
        _show_all(feedback)


def _show_all(feedback: Iterable[Feedback]) -> None:
    table = make_table(
        *("when", "a", "b", "feedback", "note", "policy", "sure", "mistake"),
        numbers=["sure"],
        optional=["sure", "when", "policy"],
    )
    for pair in feedback:
        label = f"{'same' if pair.same else 'different'}: {pair.relation}"
        predicted = f"{pair.prediction.relation}, {pair.prediction.rule}"
        day, confidence = f"{pair.when:%Y-%m-%d}", pair.prediction.confidence
        add_row(table, day, pair.a, pair.b, label, pair.note, predicted, confidence, pair.mistake)
    show(table)
    note(f"{len(table.rows):,} in all")
