"""Settings of a batch job, shared by the local and the Spark pipeline."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nearcopy.config import POLICIES, RECIPES, Policy, Recipe, policy_toml
from nearcopy.config.policy import check_policy
from nearcopy.config.recipe import Features, check_recipe
from nearcopy.errors import BadCorpus
from nearcopy.io.files.column_names import Columns
from nearcopy.io.files.read import GUESSED
from nearcopy.stores.row_codec import recipe_to_json

Form = Literal["annotations", "clean"]
FORMS: tuple[Form, ...] = ("annotations", "clean")
COLUMN_KEEP_RULES = frozenset({"earliest", "latest", "longest"})  # can be ranked by columns alone


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How rows are read and compared; recipe and policy are those of the preset "copies"."""

    recipe: Recipe = RECIPES["copies"]
    policy: Policy = POLICIES["copies"]
    columns: Columns = GUESSED
    html: bool = False
    boilerplate: str | Path | None = None  # a file of boilerplate lines to strip from texts

    def __post_init__(self) -> None:
        check_recipe(self.recipe)
        check_policy(self.policy)

    @property
    def by_text(self) -> bool:
        """Whether texts alone are compared, in columns, so that rows need not become articles."""
        ranked_by_columns = COLUMN_KEEP_RULES.issuperset(self.policy.keep)
        texts_only = self.policy.compares == "text" and self.recipe.minhash is not None
        return texts_only and ranked_by_columns

    @property
    def features(self) -> Features:
        """The features whose overlap is measured."""
        return self.recipe.minhash or self.recipe.simhash or Features()

    @property
    def as_text(self) -> str:
        """All settings as one text, to detect a resumed job with other settings."""
        values = (recipe_to_json(self.recipe), policy_toml(self.policy), self.columns, self.html)
        return "\n".join(value if isinstance(value, str) else repr(value) for value in values)


def check_form(form: str) -> None:
    """Raise unless the form of the output is one of FORMS."""
    if form not in FORMS:
        raise BadCorpus(f"form is {form!r}: choose one of {', '.join(FORMS)}")
