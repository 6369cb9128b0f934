"""The guard against removing too many articles: when a user should confirm a removal."""

from collections.abc import Sequence

from nearcopy.cluster.duplicate_groups import OversizedGroup
from nearcopy.config import Policy

LARGEST_SHARE = 0.6  # of the articles; removing more than this is rarely intended


def removal_warning(
    duplicates: int,
    kept: int,
    largest_story: tuple[str, int],
    oversized: Sequence[OversizedGroup],
    policy: Policy,
) -> str | None:
    """Why a user should confirm the removal; None where nothing is unusual.

    >>> removal_warning(7, 3, ("s1", 8), [], Policy())
    '7 of 10 articles are duplicates (70%)'
    """
    articles = duplicates + kept
    if duplicates > LARGEST_SHARE * articles:
        share = f"{duplicates / articles:.0%}"
        return f"{duplicates:,} of {articles:,} articles are duplicates ({share})"
    story, size = largest_story
    if size > policy.max_story_size:
        return f"story {story} has {size:,} members"
    worst = max(oversized, key=lambda group: group.size, default=None)
    return f"the story of {worst.kept}: {worst.why}" if worst else None
