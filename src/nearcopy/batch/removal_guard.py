"""The guard against removing too many articles: when a user should confirm a removal."""

from collections.abc import Callable, Sequence

from nearcopy.cluster.duplicate_groups import OversizedGroup
from nearcopy.config import Policy
from nearcopy.errors import TooManyDuplicates

Confirm = Callable[[str], bool]  # asks whether to remove, in spite of a warning

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


def refuse(_: str) -> bool:
    """Confirm nothing: where nobody can be asked."""
    return False


def guard_removal(warning: str | None, confirm: Confirm, state: str) -> None:
    """Raise before duplicates are removed where there is a warning that nobody confirms.

    `state` says what was written.
    """
    if warning is not None and not confirm(warning):
        raise TooManyDuplicates(f"{warning}: {state}; confirm the removal with --yes")
