"""Settings: recipes of fingerprints, policies of decisions, their presets, files and units."""

from nearcopy.config.policy import KEEP, Keep, Policy, Scoring, check_policy
from nearcopy.config.policy_file import policy_toml, read_policy
from nearcopy.config.presets import POLICIES, RECIPES
from nearcopy.config.recipe import (
    SLOTS,
    TEXT_VERSION,
    DigestName,
    Features,
    FrequencyTable,
    HashName,
    Recipe,
    Scheme,
    Weights,
    check_recipe,
    lsh_probability,
)
from nearcopy.config.units import parse_duration

__all__ = [
    "KEEP",
    "POLICIES",
    "RECIPES",
    "SLOTS",
    "TEXT_VERSION",
    "DigestName",
    "Features",
    "FrequencyTable",
    "HashName",
    "Keep",
    "Policy",
    "Recipe",
    "Scheme",
    "Scoring",
    "Weights",
    "check_policy",
    "check_recipe",
    "lsh_probability",
    "parse_duration",
    "policy_toml",
    "read_policy",
]
