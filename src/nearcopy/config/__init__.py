"""Recipes say how fingerprints are made, policies where lines are drawn; presets name both."""

from nearcopy.config.policy import KEEP, LEAST_BITS, POLICIES, Keep, Policy, Scoring, checked_policy
from nearcopy.config.policy_file import policy_toml, read_policy
from nearcopy.config.recipe import (
    RECIPES,
    SLOTS,
    TEXT_VERSION,
    DigestName,
    Features,
    FrequencyTable,
    HashName,
    Recipe,
    Scheme,
    Unit,
    Weights,
    checked_recipe,
    lsh_probability,
)
from nearcopy.config.units import span

__all__ = [
    "KEEP",
    "LEAST_BITS",
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
    "Unit",
    "Weights",
    "checked_policy",
    "checked_recipe",
    "lsh_probability",
    "policy_toml",
    "read_policy",
    "span",
]
