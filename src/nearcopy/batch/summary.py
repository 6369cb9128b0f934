"""Summaries of batch jobs: what became of the rows, and the guard against removing too many."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nearcopy.batch.shared_keys import OversizedKeys
from nearcopy.cluster.duplicate_groups import OversizedGroup
from nearcopy.config import Policy
from nearcopy.errors import NearcopyError
from nearcopy.models import Relation, Verdict

LARGEST_SHARE = 0.6  # of the articles; removing more than this is rarely intended


class Shard(NamedTuple):
    """An output file: its rows, how many of them were written, its size and its checksum."""

    name: str
    rows: int
    written: int
    bytes: int
    checksum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusSummary:
    """The counts of a corpus run, local or on Spark."""

    rows: int
    kept: int
    duplicates: int
    rejected: int  # rows that are not articles
    repeated_ids: int  # rows whose id an earlier row has
    relations: dict[str, int]
    oversized_keys: OversizedKeys
    reasons: tuple[str, ...] = ()  # why rows were rejected, the most frequent first
    shards: tuple[Shard, ...] = ()
    cpu_seconds: float = 0.0  # of this process so far, and of all workers

    def row(self) -> dict[str, Any]:
        """The counts as JSON values."""
        names = ("rows", "kept", "duplicates", "rejected", "repeated_ids", "relations")
        counts = {name: getattr(self, name) for name in names}
        return counts | {"oversized_keys": self.oversized_keys._asdict()}


@dataclass(slots=True)
class DedupeSummary:
    """The counts of a dedupe run, which grow row by row."""

    read: int = 0
    repeated_ids: int = 0
    rejected: int = 0
    kept: int = 0
    duplicates: int = 0
    relations: Counter[Relation] = field(default_factory=Counter)
    stories: Counter[str] = field(default_factory=Counter)
    warning: str | None = None  # why a user should confirm the removal

    def count(self, verdict: Verdict) -> None:
        """Count an article."""
        self.relations[verdict.relation] += 1
        self.stories[verdict.story_id or verdict.id] += 1
        if verdict.is_duplicate:
            self.duplicates += 1
        else:
            self.kept += 1

    @property
    def largest_story(self) -> tuple[str, int]:
        """The id of the largest story, and the number of its members."""
        return max(self.stories.items(), key=lambda item: item[1], default=("", 0))

    def check_conserved(self) -> None:
        """Raise where a row has been lost."""
        if not self.conserved:
            raise NearcopyError(f"rows are missing: {self.equation('removed')}; nothing written")

    @property
    def conserved(self) -> bool:
        """Whether every row that was read is kept, a duplicate or rejected."""
        return self.kept + self.duplicates + self.rejected == self.read

    def equation(self, label: str) -> str:
        """The equation that shows that no row was lost; `label` names the duplicates."""
        return (
            f"kept {self.kept:,} + {label} {self.duplicates:,} + rejected {self.rejected:,} "
            f"= read {self.read:,}"
        )

    def row(self, seconds: float, label: str) -> dict[str, Any]:
        """The summary as JSON values."""
        story, size = self.largest_story
        return {
            "read": self.read,
            "kept": self.kept,
            label: self.duplicates,
            "rejected": self.rejected,
            "repeated_ids": self.repeated_ids,
            "stories": len(self.stories),
            "largest_story": {"id": story, "members": size} if story else None,
            "relations": {relation.value: self.relations[relation] for relation in Relation},
            "seconds": round(seconds, 3),
            "rows_per_second": round(self.read / seconds) if seconds else None,
            "conserved": self.conserved,
        }


def removal_warning(
    summary: DedupeSummary, policy: Policy, oversized: Sequence[OversizedGroup] = ()
) -> str | None:
    """Why a user should confirm the removal, None where nothing is unusual."""
    articles = summary.kept + summary.duplicates
    if summary.duplicates > LARGEST_SHARE * articles:
        share = summary.duplicates / articles
        return f"{summary.duplicates:,} of {articles:,} articles are duplicates ({share:.0%})"
    story, size = summary.largest_story
    if size > policy.max_story_size:
        return f"story {story} has {size:,} members"
    worst = max(oversized, key=lambda group: group.size, default=None)
    return f"the story of {worst.kept}: {worst.why}" if worst else None
