"""Policies as TOML: read, and written with what each line means.

`preset = "feed"` names the base; other lines are fields of Policy by their names. Spans are
written "14d", a rule is switched off with "off", and `window = "all"` means no window.
"""

import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from nearcopy.config.field_docs import MEANINGS, SCORING
from nearcopy.config.policy import POLICIES, Policy, Scoring
from nearcopy.config.units import span, window, written
from nearcopy.errors import BadPolicy
from nearcopy.models.model import Relation

OFF = "off"
TYPES = {field.name: field.type for field in fields(Policy)}
LISTS = frozenset({"duplicates", "keep", "source_rank"})
SPANS = {"window": window, "title_days": span}
MAY_BE_OFF = frozenset(name for name, kind in TYPES.items() if kind in (float | None, int | None))


def read_policy(text: str, base: str = "default") -> Policy:
    """The policy that a TOML file describes, over its preset, else over `base`.

    >>> read_policy('preset = "feed"\\nwindow = "36h"\\nnear_bits = "off"').window
    datetime.timedelta(days=1, seconds=43200)
    """
    table = _parsed(text)
    start = POLICIES[_known_preset(table.pop("preset", base))]
    given = {name: _value(name, value, start) for name, value in table.items()}
    return replace(start, **given)


def preset_of(text: str) -> str | None:
    """The preset that a policy file names, None where it names none."""
    table = _parsed(text)
    return _known_preset(table["preset"]) if "preset" in table else None


def policy_toml(policy: Policy, base: str = "default") -> str:
    """The policy as a file to edit: what differs from `base`, and as comments what does not.

    >>> print(policy_toml(POLICIES["feed"]).splitlines()[3])
    preset = "default"
    """
    return "\n".join(_lines(policy, base)) + "\n"


def nearest(name: object, known: Iterable[str]) -> str:
    """A hint at the name that is misspelt, one letter in three at most, or cut short; or nothing.

    >>> nearest("widow", ["window"])
    ' (did you mean window?)'
    >>> nearest("newest", ["latest", "longest"])  # other words, however many letters they share
    ''
    """
    given, names = str(name)[:60], list(known)
    most = max(1, len(given) // 3)
    close = process.extractOne(given, names, scorer=OSA.distance, score_cutoff=most)
    begun = (each for each in names if len(given) > 2 and each.startswith(given))
    meant = close[0] if close else next(begun, None)
    return f" (did you mean {meant}?)" if meant else ""


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise BadPolicy("the policy is nested too deeply to be one") from None
    except ValueError as wrong:
        raise BadPolicy(
            f"the policy is not TOML: {wrong}; `nearcopy presets default` shows how one is written"
        ) from None


def _known_preset(name: object) -> str:
    if not isinstance(name, str) or name not in POLICIES:
        raise BadPolicy(
            f"preset is {name!r:.60}{nearest(name, POLICIES)}: choose one of {', '.join(POLICIES)}"
        )
    return name


def _value(name: str, value: Any, start: Policy) -> Any:
    """A field's value as Policy has it."""
    if name not in TYPES:
        raise BadPolicy(
            f"a policy has no {name!r:.60}{nearest(name, TYPES)}: "
            "`nearcopy presets default` shows what it has"
        )
    if name == "scoring":
        return _scoring(value, start.scoring)
    if name in SPANS:
        return _span(name, value)
    if name in MAY_BE_OFF and value == OFF:
        return None
    return _listed(name, value) if name in LISTS else value


def _span(name: str, value: object) -> timedelta | None:
    if not isinstance(value, str):
        raise BadPolicy(f'{name} is {value!r:.60}: write a span of time such as "14d" or "36h"')
    try:
        return SPANS[name](value)
    except BadPolicy as wrong:
        raise BadPolicy(f"{name}: {wrong}") from None


def _listed(name: str, value: object) -> tuple[str, ...]:
    """The names in a list, or the only one."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise BadPolicy(f'{name} is {value!r:.60}: give a list of names, ["...", "..."]')
    if name == "duplicates":
        for each in listed:
            if each not in list(Relation):
                raise BadPolicy(
                    f"duplicates holds {each!r:.60}{nearest(each, Relation)}: "
                    f"choose from {', '.join(Relation)}"
                )
    return tuple(listed)


def _scoring(table: object, start: Scoring) -> Scoring:
    if not isinstance(table, dict):
        raise BadPolicy(f"scoring is {table!r:.60}: make it a table, [scoring]")
    known = [field.name for field in fields(Scoring)]
    for name in table:
        if name not in known:
            above = ": write it above [scoring]" if name in TYPES else nearest(name, known)
            raise BadPolicy(f"scoring has no {name!r:.60}{above}")
    given: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in table.items()}
    return replace(start, **given)


# Writing: the fields in their order, each under its heading and beside its meaning.


def _lines(policy: Policy, base: str) -> Iterator[str]:
    start = POLICIES[_known_preset(base)]
    yield "# A policy: where lines are drawn. Every threshold is a least value, higher is stricter,"
    yield f'# "{OFF}" switches its rule off. Lines that begin with # are as the preset has them.'
    yield ""
    yield f'preset = "{base}"'
    for heading, meanings in MEANINGS.items():
        yield f"\n# {heading}"
        for name, meaning in meanings.items():
            yield _line(name, getattr(policy, name), getattr(start, name), meaning)
    yield "\n# The points there are for each virtue of a copy, for keep = best.\n[scoring]"
    for name, meaning in SCORING.items():
        ours, theirs = getattr(policy.scoring, name), getattr(start.scoring, name)
        yield _line(name, ours, theirs, meaning)


def _line(name: str, value: Any, other: Any, meaning: str) -> str:
    mark = "# " if value == other else ""
    shown = _written(written(value) if name in SPANS else value)
    return f"{mark}{name} = {shown}  # {meaning}"


def _written(value: object) -> str:
    """The value as TOML has it."""
    if value is None:
        return f'"{OFF}"'
    if isinstance(value, frozenset):
        value = tuple(relation for relation in Relation if relation in value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    """A TOML string; halves of surrogate pairs have no place in one and are replaced."""
    whole = str(text).encode("utf-8", "replace").decode("utf-8")
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
