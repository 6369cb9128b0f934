"""The guard against removing too many articles."""

import pytest

from nearcopy import Policy
from nearcopy.batch.removal_guard import removal_warning
from nearcopy.cluster.duplicate_groups import OversizedGroup

POLICY = Policy()
OVERSIZED = OversizedGroup(900, "a1", 400, "500 of 900 copies are kept apart")


@pytest.mark.parametrize(
    ("duplicates", "kept", "size", "oversized", "warning"),
    [
        (6, 4, 7, [], None),
        (7, 3, 8, [], "7 of 10 articles are duplicates (70%)"),
        (0, 0, 0, [], None),
        (
            1,
            5,
            POLICY.max_story_size + 1,
            [],
            f"story s1 has {POLICY.max_story_size + 1:,} members",
        ),
        (1, 5, 2, [OVERSIZED], "the story of a1: 500 of 900 copies are kept apart"),
    ],
)
def test_unusual_removals_are_to_be_confirmed(duplicates, kept, size, oversized, warning):
    assert removal_warning(duplicates, kept, ("s1", size), oversized, POLICY) == warning
