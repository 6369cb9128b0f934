"""The result of `nearcopy dedupe`: counts, the guard, and a short list of duplicates."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table

from nearcopy.cli.render.tables import add_row, make_table
from nearcopy.cli.terminal import note, show
from nearcopy.cluster.duplicate_groups import OversizedGroup
from nearcopy.config import Policy
from nearcopy.errors import NearcopyError
from nearcopy.io.files import Row
from nearcopy.models import Relation, Verdict

LONGEST = 50  # duplicates in the short list
LARGEST_SHARE = 0.6  # of the articles; to remove more than this is rarely meant


@dataclass(slots=True)
class Tally:
    """Counts as they grow."""

    read: int = 0  # rows, in the first pass
    repeated: int = 0  # repeated ids
    rejected: int = 0
    kept: int = 0
    removed: int = 0
    relations: Counter[Relation] = field(default_factory=Counter)
    stories: Counter[str] = field(default_factory=Counter)

    def count(self, verdict: Verdict) -> None:
        """Count an article."""
        self.relations[verdict.relation] += 1
        self.stories[verdict.story_id or verdict.id] += 1
        if verdict.is_duplicate:
            self.removed += 1
        else:
            self.kept += 1

    @property
    def largest(self) -> tuple[str, int]:
        """The largest story, and the number of its members."""
        return max(self.stories.items(), key=lambda item: item[1], default=("", 0))

    def too_much(self, policy: Policy, brakes: Sequence[OversizedGroup] = ()) -> str | None:
        """Why a user should confirm the removal, None where nothing is unusual."""
        articles = self.kept + self.removed
        if self.removed > LARGEST_SHARE * articles:
            share = self.removed / articles
            return f"{self.removed:,} of {articles:,} articles are duplicates ({share:.0%})"
        story, size = self.largest
        if size > policy.max_story_size:
            return f"story {story} has {size:,} members"
        worst = max(brakes, key=lambda brake: brake.size, default=None)
        return f"the story of {worst.kept}: {worst.why}" if worst else None

    def check(self) -> None:
        """Raise where a row has been lost."""
        if self.kept + self.removed + self.rejected != self.read:
            raise NearcopyError(f"rows are missing: {self.sum('removed')}; nothing was written")

    def sum(self, label: str) -> str:
        """The equation that shows that no row was lost."""
        return (
            f"kept {self.kept:,} + {label} {self.removed:,} + rejected {self.rejected:,} "
            f"= read {self.read:,}"
        )

    def row(self, seconds: float, label: str) -> dict[str, Any]:
        """The summary as data."""
        story, size = self.largest
        return {
            "read": self.read,
            "kept": self.kept,
            label: self.removed,
            "rejected": self.rejected,
            "repeated_ids": self.repeated,
            "stories": len(self.stories),
            "largest_story": {"id": story, "members": size} if story else None,
            "relations": {relation.value: self.relations[relation] for relation in Relation},
            "seconds": round(seconds, 3),
            "rows_per_second": round(self.read / seconds) if seconds else None,
            "conserved": self.kept + self.removed + self.rejected == self.read,
        }

    def table(self, seconds: float, label: str) -> Table:
        """The summary as a table."""
        shown = make_table("rows", "count", numbers=["count"])
        for name in ("read", "kept", label, "rejected"):
            value = self.removed if name == label else getattr(self, name)
            add_row(shown, name, f"{value:,}", last=name == "rejected")
        for relation in Relation:
            if self.relations[relation]:
                add_row(shown, relation.value, f"{self.relations[relation]:,}")
        shown.add_section()
        story, size = self.largest
        add_row(shown, "stories", f"{len(self.stories):,}")
        if size > 1:
            add_row(shown, f"largest story, {story}", f"{size:,}")
        if self.repeated:
            add_row(shown, "ids that came again", f"{self.repeated:,}")
        add_row(shown, "seconds", f"{seconds:.1f}")
        add_row(shown, "rows a second", f"{self.read / seconds:,.0f}" if seconds else "")
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
