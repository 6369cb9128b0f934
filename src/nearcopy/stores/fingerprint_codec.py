"""What a fingerprint has beside its hashes as JSON, without what is as usual."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from nearcopy.config.units import to_micros
from nearcopy.models import Fingerprint

Defaults = Mapping[str, Any]  # the fields to write, in the order of the format

# Trailing fields that equal these are omitted: those that most articles lack come last.
DETAILS: Defaults = MappingProxyType(
    {
        "recipe": 0,  # that of the store
        "url": None,
        "title": "",
        "gist": 0,  # the title
        "names": (),
        "facts": (),
        "stages": (),
        "details": 0,
        "declared_url": None,
        "tier": None,
        "column": None,
        "refiled": False,
        "block_page": None,
    }
)
TIMES = ("published", "seen")


def encode_details(fingerprint: Fingerprint, defaults: Defaults, recipe_id: str) -> bytes:
    """The fields of a fingerprint that have defaults, as JSON."""
    values = {name: getattr(fingerprint, name) for name in defaults}
    if fingerprint.recipe == recipe_id:
        values["recipe"] = 0
    if fingerprint.gist == fingerprint.title:
        values["gist"] = 0
    for name in TIMES:
        if name in values:
            values[name] = to_micros(values[name])
    for name in reversed([*defaults]):
        if values[name] != defaults[name]:
            break
        del values[name]
    plain = json.dumps([*values.values()], separators=(",", ":"), ensure_ascii=False)
    return plain.encode("utf-8", "surrogatepass")


def decode_details(encoded: bytes, defaults: Defaults, recipe_id: str) -> dict[str, Any]:
    """The fields, as `encode_details` wrote them."""
    stored = json.loads(encoded.decode("utf-8", "surrogatepass"))
    values = {**defaults, **dict(zip(defaults, stored, strict=False))}
    if values["recipe"] == 0:
        values["recipe"] = recipe_id
    if values["gist"] == 0:
        values["gist"] = values["title"]
    return values
