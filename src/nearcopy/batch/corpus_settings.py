"""Settings and summary of a corpus run, local or on Spark."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from nearcopy.batch.shared_keys import OversizedKeys
from nearcopy.config import POLICIES, RECIPES, Policy, Recipe, policy_toml
from nearcopy.config.policy import check_policy
from nearcopy.config.recipe import Features, check_recipe
from nearcopy.errors import BadCorpus
from nearcopy.io.files.rows import GUESSED, Columns
from nearcopy.stores.row_codec import recipe_to_json

Form = Literal["annotations", "clean"]
FORMS: tuple[Form, ...] = ("annotations", "clean")
COLUMN_KEEP_RULES = frozenset({"earliest", "latest", "longest"})  # can be ranked by columns alone


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How rows are read and compared, by default as `dedupe` compares them."""

    recipe: Recipe = RECIPES["default"]
    policy: Policy = POLICIES["default"]
    columns: Columns = GUESSED
    html: bool = False
    boilerplate: str | Path | None = None  # a file of boilerplate lines to strip from texts

    def __post_init__(self) -> None:
        check_recipe(self.recipe)
        check_policy(self.policy)

    @property
    def by_text(self) -> bool:
        """Whether texts alone are compared, in columns, so that rows need not become articles."""
        policy = self.policy
        texts_only = policy.compares == "text" and self.recipe.minhash is not None
        return texts_only and not policy.measures and COLUMN_KEEP_RULES.issuperset(policy.keep)

    @property
    def features(self) -> Features:
        """The features whose overlap is measured."""
        return self.recipe.minhash or self.recipe.simhash or Features()

    @property
    def as_text(self) -> str:
        """All settings as one text, to detect a resumed job with other settings."""
        values = (recipe_to_json(self.recipe), policy_toml(self.policy), self.columns, self.html)
        return "\n".join(value if isinstance(value, str) else repr(value) for value in values)


LISTED = 20  # rejected rows in an error message


def rejection_message(listed: Sequence[str], count: int, rows: int, outcome: str) -> str:
    """Why a job stops at rows that are not articles, with the first of them."""
    more = [f"... and {count - len(listed):,} more"] if count > len(listed) else []
    problem = f"{count:,} of {rows:,} rows are not articles, so {outcome}"
    return "\n".join(
        [f"{problem}: correct them, or set them aside with --rejected FILE", *listed, *more]
    )


def check_form(form: str) -> None:
    """Raise unless the form of the output is one of FORMS."""
    if form not in FORMS:
        raise BadCorpus(f"form is {form!r}: choose one of {', '.join(FORMS)}")


def check_removed(form: str, removed: str | Path | None) -> None:
    """Raise unless the form is known, and removes rows where removed ones are to be written."""
    check_form(form)
    if removed is not None and form != "clean":
        raise BadCorpus("--removed needs --format clean: nothing is removed without it")


class LargestStory(NamedTuple):
    """The id of the largest story, and the number of its members."""

    id: str = ""
    members: int = 0


class Shard(NamedTuple):
    """An output file: its rows, how many of them were written, its size and its checksum."""

    name: str
    rows: int
    written: int
    bytes: int
    checksum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusSummary:
    """The counts of a corpus run, local or on Spark."""

    rows: int
    kept: int
    duplicates: int
    rejected: int  # rows that are not articles
    repeated_ids: int  # rows whose id an earlier row has
    relations: dict[str, int]
    oversized_keys: OversizedKeys
    stories: int
    largest_story: LargestStory
    warning: str | None = None  # why a user should confirm the removal of the duplicates
    reasons: tuple[str, ...] = ()  # why rows were rejected, the most frequent first
    shards: tuple[Shard, ...] = ()
    cpu_seconds: float = 0.0  # of this process so far, and of all workers

    def row(self) -> dict[str, Any]:
        """The counts as JSON values."""
        names = ("rows", "kept", "duplicates", "rejected", "repeated_ids", "relations")
        counts = {name: getattr(self, name) for name in names}
        largest = self.largest_story._asdict() if self.rows else None
        stories = {"stories": self.stories, "largest_story": largest}
        return counts | stories | {"oversized_keys": self.oversized_keys._asdict()}
