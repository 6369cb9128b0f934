"""What was asked for: files, settings, and where the work is done."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Literal

from nearcopy.batch.local.durable import checksum
from nearcopy.batch.local.inputs import PART, Input, Unit, units_of
from nearcopy.config import Policy, Recipe, policy_toml
from nearcopy.config.recipe import Features
from nearcopy.io.files.column_names import Columns
from nearcopy.io.files.read import GUESSED
from nearcopy.stores.row_codec import recipe_json

Form = Literal["annotations", "clean"]
FORMS: tuple[Form, ...] = ("annotations", "clean")
VERSION = 1  # of what stands in the folder of the work
LEAST_MEMORY = 256 << 20
COLUMN_KEEP_RULES = frozenset({"earliest", "latest", "longest"})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How rows are read, and how they are judged."""

    recipe: Recipe
    policy: Policy
    columns: Columns = GUESSED
    html: bool = False
    without: Path | None = None  # a file of lines that are left out of texts

    @property
    def by_text(self) -> bool:
        """Whether all there is to judge by are texts, so that rows need not become articles."""
        quick = COLUMN_KEEP_RULES.issuperset(self.policy.keep)
        return self.policy.compares == "text" and self.recipe.minhash is not None and quick

    @property
    def features(self) -> Features:
        """What texts are compared by."""
        return self.recipe.minhash or self.recipe.simhash or Features()

    @property
    def as_text(self) -> str:
        """All settings as one text."""
        return "\n".join(
            [
                recipe_json(self.recipe),
                policy_toml(self.policy),
                repr(self.columns),
                repr(self.html),
            ]
        )


@dataclass(frozen=True, kw_only=True)
class Job(Settings):
    """A corpus, how it is judged, and where it goes."""

    inputs: tuple[Input, ...]
    output: Path
    work: Path
    form: Form = "annotations"
    memory: int = 4 << 30  # bytes that all processes together may take, about
    jobs: int = 1
    rejected: Path | None = None
    part: int = PART
    sample: float | None = None  # a share of the rows, which are all there is then

    @cached_property
    def units(self) -> list[Unit]:
        """The parts of the inputs, in order."""
        return units_of(self.inputs, self.part, self.sample)

    @property
    def share(self) -> int:
        """The memory, in bytes, that one of the processes may fill with what it works on."""
        return max(LEAST_MEMORY, self.memory // 2) // max(1, self.jobs)

    def folder(self, name: str) -> Path:
        """A folder of the work."""
        return self.work / name

    @property
    def identity(self) -> dict[str, object]:
        """What must be the same for work that was begun to be gone on with."""
        inputs = [
            [source.path, source.size, source.changed, source.against] for source in self.inputs
        ]
        settings = self.as_text.encode("utf-8", "surrogatepass")
        return {
            "version": VERSION,
            "inputs": inputs,
            "settings": sha256(settings).hexdigest(),
            "part": self.part,
            "form": self.form,
            "sample": self.sample,
            "without": None if self.without is None else checksum(self.without),
        }
