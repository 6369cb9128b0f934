"""Recipe and policy by the name of a preset, or from a policy file."""

from dataclasses import replace
from pathlib import Path

from nearcopy.config.policy import KEEP, KEEP_RULES, Keep, Policy
from nearcopy.config.policy_file import preset_of, read_policy, suggest
from nearcopy.config.presets import POLICIES, RECIPES
from nearcopy.config.recipe import Recipe
from nearcopy.config.units import parse_window as window_of
from nearcopy.errors import BadPolicy


def settings(
    preset: str | None = None,
    policy: Path | None = None,
    window: str | None = None,
    keep: str | None = None,
) -> tuple[Recipe | None, Policy]:
    """The recipe (None: that of the store) and the policy that the options choose."""
    name, chosen_policy = _policy(preset, policy)
    if window is not None:
        chosen_policy = replace(chosen_policy, window=window_of(window))
    if keep is not None:
        chosen_policy = replace(chosen_policy, keep=keep_rules(keep))
    return RECIPES[name] if name else None, chosen_policy


def _policy(preset: str | None, file: Path | None) -> tuple[str | None, Policy]:
    """The one preset that is named, on the command line or in the file, and the policy."""
    chosen = known_preset(preset) if preset else None
    if file is None:
        return chosen, POLICIES[chosen or "default"]
    try:
        text = file.read_text(encoding="utf-8-sig")
        named, chosen_policy = preset_of(text), read_policy(text, chosen or "default")
    except UnicodeDecodeError as exc:
        raise BadPolicy(f"{file} is not UTF-8: {exc.reason}: write it in UTF-8") from None
    except BadPolicy as exc:
        raise BadPolicy(f"{file}: {exc}") from None
    if chosen and named and chosen != named:
        raise BadPolicy(f"--preset is {chosen}, but {file} is made for {named}: name one of them")
    return chosen or named, chosen_policy


def known_preset(name: str) -> str:
    """The name, where there is such a preset."""
    if name not in POLICIES:
        raise BadPolicy(
            f"no preset {name!r}{suggest(name, POLICIES)}: choose one of {', '.join(POLICIES)}"
        )
    return name


def keep_rules(text: str) -> tuple[Keep, ...]:
    """The rules of a comma-separated list."""
    rules = tuple(rule.strip() for rule in text.split(",") if rule.strip())
    for rule in rules:
        if rule not in KEEP:
            hint = suggest(rule, KEEP)
            raise BadPolicy(f"--keep {rule!r:.60}{hint}: give one or more of {KEEP_RULES}")
    if not rules:
        raise BadPolicy(f"--keep names no rule: give one or more of {KEEP_RULES}")
    return rules  # type: ignore[return-value]  # each is one of KEEP
