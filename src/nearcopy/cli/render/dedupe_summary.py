"""The result of `nearcopy dedupe` on a terminal: counts, and a short list of duplicates."""

from rich.table import Table

from nearcopy.batch.summary import DedupeSummary
from nearcopy.cli.render.tables import add_row, make_table
from nearcopy.cli.terminal import note, show
from nearcopy.io.files import Row
from nearcopy.models import Relation, Verdict

LONGEST = 50  # duplicates in the short list


def summary_table(summary: DedupeSummary, seconds: float, label: str) -> Table:
    """The counts as a table; `label` names the duplicates."""
    shown = make_table("rows", "count", numbers=["count"])
    add_row(shown, "read", f"{summary.read:,}")
    add_row(shown, "kept", f"{summary.kept:,}")
    add_row(shown, label, f"{summary.duplicates:,}")
    add_row(shown, "rejected", f"{summary.rejected:,}", last=True)
    for relation in Relation:
        if summary.relations[relation]:
            add_row(shown, relation.value, f"{summary.relations[relation]:,}")
    shown.add_section()
    story, size = summary.largest_story
    add_row(shown, "stories", f"{len(summary.stories):,}")
    if size > 1:
        add_row(shown, f"largest story, {story}", f"{size:,}")
    if summary.repeated_ids:
        add_row(shown, "repeated ids", f"{summary.repeated_ids:,}")
    add_row(shown, "seconds", f"{seconds:.1f}")
    add_row(shown, "rows per second", f"{summary.read / seconds:,.0f}" if seconds else "")
    return shown


class Shortlist:
    """The first duplicates, and how many more there are."""

    def __init__(self) -> None:
        self._table = make_table(
            "duplicate",
            "title",
            "is",
            "of",
            "sure",
            "because",
            numbers=["sure"],
            optional=["sure", "because"],
        )
        self._count = 0

    def add(self, row: Row, verdict: Verdict) -> None:
        """Add an article, if it is a duplicate."""
        if not verdict.is_duplicate:
            return
        self._count += 1
        if self._count <= LONGEST:
            shown = (row.article.id, row.article.title, verdict.relation.value)
            why = "; ".join(verdict.reasons)
            add_row(self._table, *shown, verdict.duplicate_of, verdict.confidence, why)

    def show(self) -> None:
        """Print the table, and how many more there are."""
        if self._count:
            show(self._table)
        else:
            note("no duplicates")
        if self._count > LONGEST:
            note(f"... and {self._count - LONGEST:,} more")
        note("write every row with its verdict: -o FILE")
