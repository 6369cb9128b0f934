"""The settings of an SQL store: its recipe, notes, counters of runs and removals."""

from datetime import timedelta

from nearcopy.config import Recipe
from nearcopy.errors import RecipeMismatch
from nearcopy.stores.base import StoreSettings
from nearcopy.stores.integrity import recipe_mismatch
from nearcopy.stores.row_codec import recipe_from_json, recipe_to_json
from nearcopy.stores.sql.database import Database

COLUMNS = ("name", "value")
NOTE_PREFIX = "note "  # of the names of notes among the settings
INCREMENT = """
INSERT INTO settings VALUES (?, ?) ON CONFLICT (name)
DO UPDATE SET value = CAST(CAST(settings.value AS BIGINT) + CAST(excluded.value AS BIGINT) AS TEXT)
RETURNING value
"""


class SqlSettings:
    """Settings by name."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._run: int | None = None

    def bind(self, recipe: Recipe | None, version: int, window: timedelta | None = None) -> Recipe:
        del window  # nothing expires
        with self._database.transaction(writes=False):
            settings = self._read()
        if not settings:
            with self._database.transaction(writes=True):
                settings = self._read() or self._create(recipe or Recipe(), version)
        address = self._database.address
        if recipe is not None and recipe.id != settings["recipe"]:
            stored = settings["recipe_json"]
            raise recipe_mismatch(f"store {address}", settings["recipe"], stored, recipe)
        if settings["keys"] != str(version):
            raise RecipeMismatch(
                f"store {address} was filled with keys of version {settings['keys']}, this "
                f"nearcopy makes version {version}: rebuild it with `nearcopy rebuild`"
            )
        return recipe or recipe_from_json(settings["recipe_json"])

    def settings(self) -> StoreSettings | None:
        settings = self._read()
        if not settings:
            return None
        return StoreSettings(recipe_from_json(settings["recipe_json"]), int(settings["keys"]))

    def note(self, name: str) -> str | None:
        return self._get(NOTE_PREFIX + name)

    def set_note(self, name: str, text: str | None) -> None:
        if text is None:
            self._database.run("DELETE FROM settings WHERE name = ?", (NOTE_PREFIX + name,))
        else:
            self._set({NOTE_PREFIX + name: text})

    def increment(self, name: str, by: int = 1) -> int:
        """Add to a counter; its new value."""
        (value,) = self._database.one(INCREMENT, (name, str(by)))
        return int(value)

    def run_count(self) -> int:
        return int(self._get("runs") or 0)

    def raise_run_count(self, count: int) -> None:
        """Have at least so many runs."""
        if count > self.run_count():
            self._set({"runs": str(count)})

    def current_run(self) -> int:
        """The number of this run, which begins with the first article that it adds."""
        if self._run is None:
            self._run = self.increment("runs")
        return self._run

    def forget_run(self) -> None:
        """Take the number of this run again, after the transaction that took it failed."""
        self._run = None

    def _read(self) -> dict[str, str]:
        settings: dict[str, str] = dict(self._database.run("SELECT name, value FROM settings"))
        return settings if "recipe" in settings else {}

    def _create(self, recipe: Recipe, version: int) -> dict[str, str]:
        settings = {
            "recipe": recipe.id,
            "recipe_json": recipe_to_json(recipe),
            "keys": str(version),
        }
        self._set(settings)
        return settings

    def _get(self, name: str) -> str | None:
        row = self._database.one("SELECT value FROM settings WHERE name = ?", (name,))
        return row and str(row[0])

    def _set(self, settings: dict[str, str]) -> None:
        self._database.replace("settings", COLUMNS, list(settings.items()), key=("name",))
