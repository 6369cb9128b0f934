"""`nearcopy presets`: the named settings, and one of them as a file to edit."""

from typing import Annotated, Any

import typer

from nearcopy.cli.options import JsonOption
from nearcopy.cli.terminal import add_row, reported, show, table, write_lines
from nearcopy.config import POLICIES, RECIPES, Features, Recipe, policy_toml
from nearcopy.config.units import written
from nearcopy.io.settings import known_preset

PRESETS = {
    "default": "relations with a veto by facts; keeps the best copy",
    "feed": "a feed reader's store: SimHash of words, titles letter by letter",
    "tracker": "titles with amounts and names, over a rolling window",
    "crawler": "pages by SimHash of 5-word shingles, 30 days",
    "digest": "Chinese and English titles, confirmed by content",
    "similarity": "SimHash and classic MinHash, 16 bands of 8",
    "copies": "texts alone, for whole corpora: half of the 5-word runs shared",
}


@reported
def presets(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One of them: written as TOML.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the presets, or write one as a policy file to edit."""
    chosen = [known_preset(name)] if name else list(POLICIES)
    if as_json:
        write_lines(map(_row, chosen))
    elif name:
        typer.echo(_file(name), nl=False)
    else:
        _show([_row(each) for each in chosen])


def _row(name: str) -> dict[str, Any]:
    policy, recipe = POLICIES[name], RECIPES[name]
    return {
        "preset": name,
        "about": PRESETS[name],
        "window": written(policy.window),
        "keep": list(policy.keep),
        "duplicates": sorted(policy.duplicates),
        "recipe": recipe.id,
        "made_of": _made_of(recipe),
    }


def _show(rows: list[dict[str, Any]]) -> None:
    shown = table(
        "preset", "what it is", "window", "keeps", "fingerprint", least=["fingerprint", "keeps"]
    )
    for row in rows:
        keep = ", ".join(row["keep"])
        add_row(shown, row["preset"], row["about"], row["window"], keep, row["made_of"])
    show(shown)


def _file(name: str) -> str:
    recipe = RECIPES[name]
    head = f"# {name}: {PRESETS[name]}.\n# Its recipe, {recipe.id}: {_made_of(recipe)}.\n"
    return head + policy_toml(POLICIES[name], name)


def _made_of(recipe: Recipe) -> str:
    """The recipe in one line."""
    parts = []
    if recipe.simhash:
        parts.append(f"SimHash of {_features(recipe.simhash)} ({recipe.weights}, {recipe.hash})")
    if recipe.minhash:
        bands = f"{recipe.bands} x {recipe.rows}"
        parts.append(f"MinHash of {_features(recipe.minhash)} ({recipe.scheme}, {bands})")
    limit = f", the first {recipe.max_chars} characters" if recipe.max_chars else ""
    return " and ".join(parts) + f", {recipe.digest}{limit}"


def _features(features: Features) -> str:
    one = features.unit.removesuffix("s")
    return features.unit if features.size == 1 else f"{features.size}-{one} shingles"
