"""What an SQL store states of itself: its recipe, how often terms stand in it, its runs."""

from datetime import timedelta

from nearcopy.config import Recipe
from nearcopy.errors import RecipeMismatch
from nearcopy.stores.base import Stated
from nearcopy.stores.recipe_check import mismatch
from nearcopy.stores.row_codec import recipe_json, recipe_of
from nearcopy.stores.sql.database import Database

SETTING = ("name", "value")
NOTE = "note "  # before the names of notes among the settings


class SqlSettings:
    """The part of the store that knows of settings."""

    address: str
    _database: Database
    _run: int | None = None
    _term_counts: bytes | None = None  # None: not read

    def bind(self, recipe: Recipe | None, version: int, window: timedelta | None = None) -> Recipe:
        """The recipe of this store, which the first to come decides; another one is refused."""
        del window  # nothing expires
        with self._database.step(writes=False):
            settings = self._stated()
        if not settings:
            with self._database.step(writes=True):
                settings = self._stated() or self._state(recipe or Recipe(), version)
        if recipe is not None and recipe.id != settings["recipe"]:
            raise mismatch(
                f"store {self.address}", settings["recipe"], settings["recipe_json"], recipe
            )
        if settings["keys"] != str(version):
            raise RecipeMismatch(
                f"store {self.address} was filled with keys of version {settings['keys']}, this "
                f"nearcopy makes version {version}: rebuild it with `nearcopy rebuild`"
            )
        return recipe or recipe_of(settings["recipe_json"])

    def stated(self) -> Stated | None:
        """What this store was made with."""
        settings = self._stated()
        return (
            Stated(recipe_of(settings["recipe_json"]), int(settings["keys"])) if settings else None
        )

    def note(self, name: str) -> str | None:
        """What was noted under a name."""
        row = self._database.one("SELECT value FROM settings WHERE name = ?", (NOTE + name,))
        return row and str(row[0])

    def keep_note(self, name: str, text: str | None) -> None:
        """Note something under a name."""
        if text is None:
            self._database.run("DELETE FROM settings WHERE name = ?", (NOTE + name,))
        else:
            self._database.replace("settings", SETTING, [(NOTE + name, text)], key=("name",))

    def _stated(self) -> dict[str, str]:
        settings: dict[str, str] = dict(self._database.run("SELECT name, value FROM settings"))
        return settings if "recipe" in settings else {}

    def _state(self, recipe: Recipe, version: int) -> dict[str, str]:
        stated = {"recipe": recipe.id, "recipe_json": recipe_json(recipe), "keys": str(version)}
        self._database.replace("settings", SETTING, list(stated.items()), key=("name",))
        return stated

    def term_counts(self) -> bytes:
        """What was last kept of how often terms stand in the articles."""
        if self._term_counts is None:
            row = self._database.one("SELECT value FROM blobs WHERE name = 'term_counts'")
            self._term_counts = bytes(row[0]) if row else b""
        return self._term_counts

    def keep_term_counts(self, counts: bytes) -> None:
        """Keep how often terms stand in the articles, in place of what was kept before."""
        self._database.replace("blobs", SETTING, [("term_counts", counts)], key=("name",))
        self._term_counts = counts

    def _this_run(self) -> int:
        """The number of this run, which the first article that it adds begins."""
        if self._run is None:
            self._run = self._count("runs")
        return self._run

    def _had_runs(self, count: int) -> None:
        """There were at least so many runs."""
        if count > self.runs_so_far():
            self._database.replace("settings", SETTING, [("runs", str(count))], key=("name",))

    def _count(self, name: str) -> int:
        """One more under this name; how many there are now."""
        (value,) = self._database.one(
            "INSERT INTO settings VALUES (?, '1') ON CONFLICT (name)"
            " DO UPDATE SET value = CAST(CAST(settings.value AS BIGINT) + 1 AS TEXT)"
            " RETURNING value",
            (name,),
        )
        return int(value)

    def runs_so_far(self) -> int:
        """How many runs there were."""
        row = self._database.one("SELECT value FROM settings WHERE name = 'runs'")
        return int(row[0]) if row else 0
