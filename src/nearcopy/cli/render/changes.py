"""Articles that moved to another story after feedback or an action."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nearcopy.cli.render.tables import add_row, make_table
from nearcopy.cli.terminal import format_count, note, show

if TYPE_CHECKING:
    from nearcopy.deduper.feedback.record import Change


def show_changes(changes: "Sequence[Change]") -> None:
    """Show each article with its story and kept copy, now and before."""
    if changes:
        table = make_table(
            *("article", "story", "copy of", "story before", "copy of before"),
            optional=["copy of before", "story before"],
        )
        for change in changes:
            before = change.story_before, change.duplicate_of_before
            add_row(table, change.id, change.story_id, change.duplicate_of, *before)
        show(table)
    note(f"{format_count(len(changes), 'article')} moved")
