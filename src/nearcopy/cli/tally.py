"""What became of the rows of a run: counted, checked, told."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table

from nearcopy.cli.terminal import add_row, table
from nearcopy.cluster import Brake
from nearcopy.config import Policy
from nearcopy.errors import NearcopyError
from nearcopy.model import Relation, Verdict

LARGEST_SHARE = 0.6  # of the articles; to remove more than this is rarely meant


@dataclass(slots=True)
class Tally:
    """Counts as they grow."""

    read: int = 0  # rows, as first looked at
    repeated: int = 0  # ids that came again
    rejected: int = 0
    kept: int = 0
    removed: int = 0
    relations: Counter[Relation] = field(default_factory=Counter)
    stories: Counter[str] = field(default_factory=Counter)

    def count(self, verdict: Verdict) -> None:
        """Take note of an article."""
        self.relations[verdict.relation] += 1
        self.stories[verdict.story_id or verdict.id] += 1
        if verdict.is_duplicate:
            self.removed += 1
        else:
            self.kept += 1

    @property
    def largest(self) -> tuple[str, int]:
        """The story of most members, and how many these are."""
        return max(self.stories.items(), key=lambda item: item[1], default=("", 0))

    def too_much(self, policy: Policy, brakes: Sequence[Brake] = ()) -> str | None:
        """Why someone should look before so much is removed, None where all is as usual."""
        articles = self.kept + self.removed
        if self.removed > LARGEST_SHARE * articles:
            share = self.removed / articles
            return f"{self.removed:,} of {articles:,} articles are duplicates ({share:.0%})"
        story, size = self.largest
        if size > policy.largest_story:
            return f"story {story} has {size:,} members"
        worst = max(brakes, key=lambda brake: brake.size, default=None)
        return f"the story of {worst.kept}: {worst.why}" if worst else None

    def check(self) -> None:
        """Raises where a row has been lost."""
        if self.kept + self.removed + self.rejected != self.read:
            raise NearcopyError(f"rows are missing: {self.sum('removed')}; nothing was written")

    def sum(self, gone: str) -> str:
        """The line that says that no row has vanished."""
        return (
            f"kept {self.kept:,} + {gone} {self.removed:,} + rejected {self.rejected:,} "
            f"= read {self.read:,}"
        )

    def row(self, seconds: float, gone: str) -> dict[str, Any]:
        """The summary as data."""
        story, size = self.largest
        return {
            "read": self.read,
            "kept": self.kept,
            gone: self.removed,
            "rejected": self.rejected,
            "repeated_ids": self.repeated,
            "stories": len(self.stories),
            "largest_story": {"id": story, "members": size} if story else None,
            "relations": {each.value: self.relations[each] for each in Relation},
            "seconds": round(seconds, 3),
            "rows_per_second": round(self.read / seconds) if seconds else None,
            "conserved": self.kept + self.removed + self.rejected == self.read,
        }

    def table(self, seconds: float, gone: str) -> Table:
        """The summary to look at."""
        made = table("rows", "count", numbers=["count"])
        for name in ("read", "kept", gone, "rejected"):
            value = self.removed if name == gone else getattr(self, name)
            add_row(made, name, f"{value:,}", last=name == "rejected")
        for relation in Relation:
            if self.relations[relation]:
                add_row(made, relation.value, f"{self.relations[relation]:,}")
        made.add_section()
        story, size = self.largest
        add_row(made, "stories", f"{len(self.stories):,}")
        if size > 1:
            add_row(made, f"largest story, {story}", f"{size:,}")
        if self.repeated:
            add_row(made, "ids that came again", f"{self.repeated:,}")
        add_row(made, "seconds", f"{seconds:.1f}")
        add_row(made, "rows a second", f"{self.read / seconds:,.0f}" if seconds else "")
        return made
