"""Recipe and policy by the name of a preset or the path of a policy file."""

from dataclasses import replace
from pathlib import Path

from nearcopy.config.field_docs import KEEP_RULES
from nearcopy.config.policy import KEEP, POLICIES, Keep, Policy
from nearcopy.config.policy_file import nearest, preset_of, read_policy
from nearcopy.config.recipe import RECIPES, Recipe
from nearcopy.config.units import window as window_of
from nearcopy.errors import BadPolicy


def settings(
    preset: str | None = None,
    policy: Path | None = None,
    window: str | None = None,
    keep: str | None = None,
) -> tuple[Recipe | None, Policy]:
    """The recipe (None: whatever the store has) and the policy that the options ask for."""
    name, judged = _policy(preset, policy)
    if window is not None:
        judged = replace(judged, window=window_of(window))
    if keep is not None:
        judged = replace(judged, keep=keep_rules(keep))
    return RECIPES[name] if name else None, judged


def _policy(preset: str | None, file: Path | None) -> tuple[str | None, Policy]:
    """The one preset that is named, on the command line or in the file, and the policy."""
    asked = known_preset(preset) if preset else None
    if file is None:
        return asked, POLICIES[asked or "default"]
    try:
        text = file.read_text(encoding="utf-8-sig")
        named, judged = preset_of(text), read_policy(text, asked or "default")
    except UnicodeDecodeError as wrong:
        raise BadPolicy(f"{file} is not UTF-8: {wrong.reason}: write it in UTF-8") from None
    except BadPolicy as wrong:
        raise BadPolicy(f"{file}: {wrong}") from None
    if asked and named and asked != named:
        raise BadPolicy(
            f"--preset says {asked} and {file} is made for {named}: name one of the two"
        )
    return asked or named, judged


def known_preset(name: str) -> str:
    """The name, where there is such a preset."""
    if name not in POLICIES:
        raise BadPolicy(
            f"no preset {name!r}{nearest(name, POLICIES)}: choose one of {', '.join(POLICIES)}"
        )
    return name


def keep_rules(text: str) -> tuple[Keep, ...]:
    """The rules of a list with commas."""
    rules = tuple(rule.strip() for rule in text.split(",") if rule.strip())
    for rule in rules:
        if rule not in KEEP:
            hint = nearest(rule, KEEP)
            raise BadPolicy(f"--keep {rule!r:.60}{hint}: give one or more of {KEEP_RULES}")
    if not rules:
        raise BadPolicy(f"--keep names no rule: give one or more of {KEEP_RULES}")
    return rules  # type: ignore[return-value]  # each is one of KEEP
