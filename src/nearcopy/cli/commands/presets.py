"""`nearcopy presets`: the named settings, or one of them as a policy file."""

from collections.abc import Iterable
from typing import Any

import typer

from nearcopy.cli.options import JsonOption, argument
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import show, write_json_lines
from nearcopy.config import Features, Recipe, policy_toml
from nearcopy.config.presets import PRESETS
from nearcopy.config.units import format_duration
from nearcopy.io.policy_choice import known_preset


def presets(
    name: str | None = argument("NAME", "Preset to write as TOML.", default=None),
    as_json: JsonOption = False,
) -> None:
    """List the presets, or write one as a policy file."""
    names = [known_preset(name)] if name else list(PRESETS)
    if as_json:
        write_json_lines(map(_row, names))
    elif name:
        typer.echo(_policy_file(name), nl=False)
    else:
        _show(map(_row, names))


def _row(name: str) -> dict[str, Any]:
    description, recipe, policy = PRESETS[name]
    return {
        "preset": name,
        "about": description,
        "window": format_duration(policy.window),
        "keep": list(policy.keep),
        "duplicates": sorted(policy.duplicates),
        "recipe": recipe.id,
        "fingerprint": _describe_recipe(recipe),
    }


def _show(rows: Iterable[dict[str, Any]]) -> None:
    columns = ("preset", "description", "window", "keeps", "fingerprint")
    table = make_table(*columns, optional=["fingerprint", "keeps"])
    for row in rows:
        keep = ", ".join(row["keep"])
        add_row(table, row["preset"], row["about"], row["window"], keep, row["fingerprint"])
    show(table)


def _policy_file(name: str) -> str:
    description, recipe, policy = PRESETS[name]
    head = f"# {name}: {description}.\n# Recipe {recipe.id}: {_describe_recipe(recipe)}.\n"
    return head + policy_toml(policy, name)


def _describe_recipe(recipe: Recipe) -> str:
    parts = []
    if recipe.simhash:
        features = _describe_features(recipe.simhash)
        parts.append(f"SimHash of {features} ({recipe.weights}, {recipe.hash})")
    if recipe.minhash:
        features, bands = _describe_features(recipe.minhash), f"{recipe.bands} x {recipe.rows}"
        parts.append(f"MinHash of {features} ({recipe.scheme}, {bands})")
    limit = f", the first {recipe.max_chars} characters" if recipe.max_chars else ""
    return " and ".join(parts) + f", {recipe.digest}{limit}"


def _describe_features(features: Features) -> str:
    unit = features.unit.removesuffix("s")
    return features.unit if features.size == 1 else f"{features.size}-{unit} shingles"
