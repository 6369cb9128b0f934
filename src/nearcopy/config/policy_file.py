"""Policy files in TOML: parsed, and written with a comment on every setting.

`preset = "feed"` names the base; other lines are fields of Policy. Durations are written "14d",
"off" switches a rule off, and `window = "all"` means no window.
"""

import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from datetime import timedelta
from importlib.resources import files
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from nearcopy.config.policy import MAY_BE_OFF, Policy, Scoring
from nearcopy.config.presets import POLICIES
from nearcopy.config.units import format_duration, parse_duration, parse_window
from nearcopy.errors import BadPolicy
from nearcopy.models import Relation

OFF = "off"
TYPES = {field.name: field.type for field in fields(Policy)}
LISTS = frozenset({"duplicates", "keep", "source_rank"})
DURATIONS = {"window": parse_window, "title_window": parse_duration}
# What each setting means, by heading; the former names of settings, for the error message.
_SETTINGS = tomllib.loads(files(__package__).joinpath("policy_meanings.toml").read_text("utf-8"))
POLICY_FIELDS: dict[str, dict[str, str]] = _SETTINGS["policy"]
SCORING_FIELDS: dict[str, str] = _SETTINGS["scoring"]
RENAMED: dict[str, str] = _SETTINGS["renamed"]


def read_policy(text: str, base: str = "default") -> Policy:
    """The policy that a TOML file describes, over its preset, else over `base`.

    >>> read_policy('preset = "feed"\\nwindow = "36h"\\nmax_hamming = "off"').window
    datetime.timedelta(days=1, seconds=43200)
    """
    table = _parse_toml(text)
    preset = POLICIES[_check_preset(table.pop("preset", base))]
    settings = {name: _parse_value(name, value, preset) for name, value in table.items()}
    return replace(preset, **settings)


def preset_of(text: str) -> str | None:
    """The preset that a policy file names, None where it names none."""
    table = _parse_toml(text)
    return _check_preset(table["preset"]) if "preset" in table else None


def policy_toml(policy: Policy, base: str = "default") -> str:
    """The policy as a file to edit; settings as in preset `base` are commented out.

    >>> print(policy_toml(POLICIES["feed"]).splitlines()[3])
    preset = "default"
    """
    return "\n".join(_lines(policy, base)) + "\n"


def suggest(name: object, choices: Iterable[str]) -> str:
    """A hint at the choice that `name` misspells or abbreviates; empty without one.

    >>> suggest("widow", ["window"])
    ' (did you mean window?)'
    >>> suggest("newest", ["latest", "longest"])  # other words, however many letters they share
    ''
    """
    typed, names = str(name)[:60], list(choices)
    max_edits = max(1, len(typed) // 3)
    closest = process.extractOne(typed, names, scorer=OSA.distance, score_cutoff=max_edits)
    completions = (choice for choice in names if len(typed) > 2 and choice.startswith(typed))
    suggestion = closest[0] if closest else next(completions, None)
    return f" (did you mean {suggestion}?)" if suggestion else ""


def _parse_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise BadPolicy("the policy is nested too deeply") from None
    except ValueError as error:
        raise BadPolicy(
            f"the policy is not TOML: {error}; `nearcopy presets default` prints an example"
        ) from None


def _check_preset(name: object) -> str:
    if not isinstance(name, str) or name not in POLICIES:
        raise BadPolicy(
            f"preset is {name!r:.60}{suggest(name, POLICIES)}: choose one of {', '.join(POLICIES)}"
        )
    return name


def _parse_value(name: str, value: Any, preset: Policy) -> Any:
    """The value as the field of Policy holds it."""
    if name in RENAMED:
        raise BadPolicy(f"{name} was renamed: write {RENAMED[name]}")
    if name not in TYPES:
        raise BadPolicy(
            f"a policy has no {name!r:.60}{suggest(name, TYPES)}: "
            "`nearcopy presets default` prints all settings"
        )
    if name == "scoring":
        return _parse_scoring(value, preset.scoring)
    if name in DURATIONS:
        return _parse_duration(name, value)
    if name in MAY_BE_OFF and value == OFF:
        return None
    return _parse_list(name, value) if name in LISTS else value


def _parse_duration(name: str, value: object) -> timedelta | None:
    if not isinstance(value, str):
        raise BadPolicy(f'{name} is {value!r:.60}: write a duration such as "14d" or "36h"')
    try:
        return DURATIONS[name](value)
    except BadPolicy as error:
        raise BadPolicy(f"{name}: {error}") from None


def _parse_list(name: str, value: object) -> tuple[str, ...]:
    """The strings of a list, or the only one."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(item, str) for item in names):
        raise BadPolicy(f'{name} is {value!r:.60}: give a list of names, ["...", "..."]')
    if name == "duplicates":
        for relation in names:
            if relation not in list(Relation):
                raise BadPolicy(
                    f"duplicates contains {relation!r:.60}{suggest(relation, Relation)}: "
                    f"choose from {', '.join(Relation)}"
                )
    return tuple(names)


def _parse_scoring(table: object, preset: Scoring) -> Scoring:
    if not isinstance(table, dict):
        raise BadPolicy(f"scoring is {table!r:.60}: make it a table, [scoring]")
    choices = [field.name for field in fields(Scoring)]
    for name in table:
        if name not in choices:
            hint = ": write it above [scoring]" if name in TYPES else suggest(name, choices)
            raise BadPolicy(f"scoring has no {name!r:.60}{hint}")
    points: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in table.items()}
    return replace(preset, **points)


# Writing: the fields in order, under their headings, each with its meaning.


def _lines(policy: Policy, base: str) -> Iterator[str]:
    preset = POLICIES[_check_preset(base)]
    yield "# A policy: the thresholds of decisions. Thresholds are minimums, max_... are maximums;"
    yield f'# "{OFF}" switches a rule off. Lines that begin with # are those of the preset.'
    yield ""
    yield f'preset = "{base}"'
    for heading, meanings in POLICY_FIELDS.items():
        yield f"\n# {heading}"
        for name, meaning in meanings.items():
            yield _line(name, getattr(policy, name), getattr(preset, name), meaning)
    yield "\n# The points of a copy, for keep = best.\n[scoring]"
    for name, meaning in SCORING_FIELDS.items():
        points, default = getattr(policy.scoring, name), getattr(preset.scoring, name)
        yield _line(name, points, default, meaning)


def _line(name: str, value: Any, default: Any, meaning: str) -> str:
    mark = "# " if value == default else ""
    text = _format_toml(format_duration(value) if name in DURATIONS else value)
    return f"{mark}{name} = {text}  # {meaning}"


def _format_toml(value: object) -> str:
    if value is None:
        return f'"{OFF}"'
    if isinstance(value, frozenset):
        value = tuple(relation for relation in Relation if relation in value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_format_toml, value))}]"
    return _quote(value) if isinstance(value, str) else json.dumps(value)


def _quote(text: str) -> str:
    """A TOML string; lone surrogates, which TOML cannot hold, are replaced."""
    encodable = str(text).encode("utf-8", "replace").decode("utf-8")
    return json.dumps(encodable, ensure_ascii=False).replace("\x7f", "\\u007f")
