"""The duplicates of a run to look at, where nobody asked for a file."""

from nearcopy.cli.terminal import add_row, noted, show, table
from nearcopy.formats import Row
from nearcopy.model import Verdict

LONGEST = 50


class Shortlist:
    """The first duplicates, and how many more there are."""

    def __init__(self) -> None:
        self._table = table(
            "duplicate",
            "title",
            "is",
            "of",
            "sure",
            "because",
            numbers=["sure"],
            least=["sure", "because"],
        )
        self._count = 0

    def add(self, row: Row, verdict: Verdict) -> None:
        """Takes note of an article."""
        if not verdict.is_duplicate:
            return
        self._count += 1
        if self._count <= LONGEST:
            shown = (row.article.id, row.article.title, verdict.relation.value)
            why = "; ".join(verdict.reasons)
            add_row(self._table, *shown, verdict.duplicate_of, verdict.confidence, why)

    def show(self) -> None:
        """Shows them."""
        if self._count:
            show(self._table)
        else:
            noted("no duplicates")
        if self._count > LONGEST:
            noted(f"... and {self._count - LONGEST:,} more")
        noted("write every row with its verdict: -o FILE")
