"""What a store in memory states of itself: its recipe, notes, how often terms stand in it."""

from datetime import timedelta

from nearcopy.config import Recipe
from nearcopy.stores.base import Stated
from nearcopy.stores.memory.undo_log import Journal
from nearcopy.stores.recipe_check import mismatch


class MemorySettings:
    """The part of the store that knows of settings."""

    address = "memory://"

    def __init__(self) -> None:
        self._journal = Journal()
        self._kept: dict[str, bytes] = {}
        self._notes: dict[str, str] = {}
        self._recipe: Recipe | None = None
        self._made_for = 0  # the version of the keys

    def bind(self, recipe: Recipe | None, version: int, window: timedelta | None = None) -> Recipe:
        """The recipe of this store, which the first to come decides; another one is refused."""
        del window  # memory never outlives the code
        if self._recipe is None:
            self._recipe, self._made_for = recipe or Recipe(), version
        if recipe is not None and recipe.id != self._recipe.id:
            mine = self._recipe
            raise mismatch("this store", mine.id, mine, recipe, "fill another store")
        return self._recipe

    def stated(self) -> Stated | None:
        """What this store was made with."""
        return None if self._recipe is None else Stated(self._recipe, self._made_for)

    def note(self, name: str) -> str | None:
        """What was noted under a name."""
        return self._notes.get(name)

    def keep_note(self, name: str, text: str | None) -> None:
        """Note something under a name."""
        if text is None:
            self._journal.drop(self._notes, name)
        else:
            self._journal.put(self._notes, name, text)

    def term_counts(self) -> bytes:
        """What was last kept of how often terms stand in the articles."""
        return self._kept.get("term_counts", b"")

    def keep_term_counts(self, counts: bytes) -> None:
        """Keep how often terms stand in the articles, in place of what was kept before."""
        self._journal.put(self._kept, "term_counts", counts)
