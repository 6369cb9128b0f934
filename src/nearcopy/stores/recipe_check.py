"""The error to raise where a store was filled with another recipe."""

from contextlib import suppress

from nearcopy.config import Recipe
from nearcopy.config.recipe_diff import called, differences
from nearcopy.errors import BadRecipe, RecipeMismatch
from nearcopy.stores.row_codec import recipe_of

REBUILD = "rebuild it with `nearcopy rebuild`"


def mismatch(
    store: str, recipe_id: str, stated: Recipe | str, requested: Recipe, other_way: str = REBUILD
) -> RecipeMismatch:
    """What the store was filled with, what is asked for, what differs, what to do.

    `recipe_id` is the id of its recipe; `stated` is that recipe, or what it was kept as.
    """
    return RecipeMismatch(
        f"{store} was filled with recipe {called(recipe_id)}, this is {called(requested.id)}"
        f"{_differing(stated, requested)}: open it with that recipe, or {other_way}"
    )


def _differing(stated: Recipe | str, requested: Recipe) -> str:
    with suppress(BadRecipe, ValueError, TypeError, KeyError):  # another version may state others
        recipe = recipe_of(stated) if isinstance(stated, str) else stated
        differing = differences(recipe, requested)
        return f" ({differing or 'texts were read by another version of nearcopy'})"
    return ""
