"""Guards of every store: another recipe, an incomplete copy, duplicates without a kept copy."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from nearcopy.config import Recipe
from nearcopy.config.presets import recipe_label
from nearcopy.config.recipe import recipe_differences
from nearcopy.errors import BadRecipe, RecipeMismatch, StoreError
from nearcopy.models import Check
from nearcopy.stores.base import Store
from nearcopy.stores.retry import retry_transient
from nearcopy.stores.row_codec import recipe_from_json

REBUILD = "rebuild it with `nearcopy rebuild`"
INCOMPLETE = "filling"  # the note of a store that is being filled from another one
MAX_EXAMPLES = 5


def recipe_mismatch(
    store: str, recipe_id: str, stored: Recipe | str, requested: Recipe, remedy: str = REBUILD
) -> RecipeMismatch:
    """The error to raise where a store was filled with another recipe.

    `recipe_id` is the id of its recipe; `stored` is that recipe, or its JSON.
    """
    return RecipeMismatch(
        f"{store} was filled with recipe {recipe_label(recipe_id)}, this is "
        f"{recipe_label(requested.id)}{_differences(stored, requested)}: "
        f"open it with that recipe, or {remedy}"
    )


def _differences(stored: Recipe | str, requested: Recipe) -> str:
    with suppress(BadRecipe, ValueError, TypeError, KeyError):  # another version has other fields
        recipe = recipe_from_json(stored) if isinstance(stored, str) else stored
        differing = recipe_differences(recipe, requested)
        return f" ({differing or 'texts were read by another version of nearcopy'})"
    return ""


@retry_transient
def mark_incomplete(target: Store, source: str) -> bool:
    """Mark an empty store as being filled; False if it is in use already.

    A store that the same source has begun to fill is resumed; one of another source is refused.
    """
    with target.transaction():
        note = target.note(INCOMPLETE)
        if note is not None and note != source:
            raise StoreError(
                f"{target.address} is an incomplete {note}: finish that first, or give another "
                "store"
            )
        if note is None and not _is_empty(target):
            return False
        target.set_note(INCOMPLETE, source)
        return True


def _is_empty(store: Store) -> bool:
    contents = (
        store.ids(),
        store.story_ids(),
        store.all_feedback(),
        store.actions(limit=1),
        store.redirects(),
        store.latencies(None),
    )
    return not any(next(iter(rows), None) for rows in contents)


@retry_transient
def clear_incomplete_mark(target: Store) -> None:
    """Mark a store as complete."""
    with target.transaction():
        target.set_note(INCOMPLETE, None)


def refuse_incomplete(store: Store) -> None:
    """Raise StoreError for a store that is not completely filled yet."""
    note = retry_transient(store.note)(INCOMPLETE)
    if note is not None:
        raise StoreError(
            f"{store.address} is an incomplete {note}: run that command again to resume it"
        )


def check_members(
    members: Mapping[str, tuple[str, str | None]], is_expired: Callable[[str], bool]
) -> Check:
    """Whether each duplicate names a kept copy of its own story, unless that has expired.

    Members are given by id with their story and what they are a duplicate of.
    """
    duplicates = [(name, story, kept) for name, (story, kept) in members.items() if kept]
    orphans = [
        name
        for name, story, kept in duplicates
        if members.get(kept) != (story, None) and not is_expired(kept)
    ]
    return check_duplicates(len(duplicates), orphans)


def check_duplicates(count: int, orphans: Sequence[str]) -> Check:
    """Whether each duplicate names a kept copy of its own story; `orphans` do not."""
    detail = f"{count:,} copies, {len(orphans):,} of none that is kept in their story"
    examples = ", ".join(map(repr, sorted(orphans)[:MAX_EXAMPLES]))
    advice = f": {examples}; cluster the stories again with `nearcopy recluster`" if orphans else ""
    return Check("copies", not orphans, detail + advice)
