"""The error to raise where a store was filled with another recipe."""

from contextlib import suppress

from nearcopy.config import Recipe
from nearcopy.config.differences import called, differences
from nearcopy.errors import BadRecipe, RecipeMismatch
from nearcopy.stores.rows import recipe_of

REBUILD = "rebuild it with `nearcopy rebuild`"


def mismatch(
    store: str, found: str, stated: Recipe | str, wanted: Recipe, other_way: str = REBUILD
) -> RecipeMismatch:
    """What the store was filled with, what is asked for, what differs, what to do.

    `found` is the id of its recipe; `stated` is that recipe, or what it was kept as.
    """
    return RecipeMismatch(
        f"{store} was filled with recipe {called(found)}, this is {called(wanted.id)}"
        f"{_differing(stated, wanted)}: open it with that recipe, or {other_way}"
    )


def _differing(stated: Recipe | str, wanted: Recipe) -> str:
    with suppress(BadRecipe, ValueError, TypeError, KeyError):  # another version may state others
        there = recipe_of(stated) if isinstance(stated, str) else stated
        told = differences(there, wanted)
        return f" ({told or 'texts were read by another version of nearcopy'})"
    return ""
