"""The presets: named settings, each a recipe and a policy.

To add one, add a row to `PRESETS`.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple

from nearcopy.config.policy import MAY_BE_OFF, Policy
from nearcopy.config.recipe import Features, Recipe
from nearcopy.models import Relation


class Preset(NamedTuple):
    """A named choice of settings."""

    description: str
    recipe: Recipe
    policy: Policy


# The presets of the earlier designs switch off the rules that these did not have.
_RULES_OFF: dict[str, Any] = dict.fromkeys(MAY_BE_OFF - {"max_hamming"})
_PLAIN = Policy(
    **_RULES_OFF,
    min_words=0,
    min_title_words=0,
    like_titles="one",
    facts=False,
    stages=False,
    keep=("earliest",),
)

# A crawler with a frequency table uses weights="tfidf".
PRESETS: Mapping[str, Preset] = {
    "default": Preset(
        "relations with a veto by facts; keeps the best copy",
        Recipe(),
        Policy(),
    ),
    "feed": Preset(
        "a feed reader's store: SimHash of words, titles compared by letters",
        Recipe(simhash=Features("words", 1), weights="once", minhash=None, max_chars=5000),
        replace(_PLAIN, title_ratio=0.9),
    ),
    "tracker": Preset(
        "titles with amounts and names, over a rolling window",
        Recipe(),
        replace(
            _PLAIN,
            max_hamming=None,
            title_token_set=0.88,
            title_partial=0.9,
            title_average=0.82,
            title_and_facts=0.5,
            facts=True,
            names_shared=0.3,
        ),
    ),
    "crawler": Preset(
        "pages by SimHash of 5-word shingles, 30 days",
        Recipe(simhash=Features("words", 5), minhash=None),
        replace(
            _PLAIN,
            window=timedelta(days=30),
            related_max_hamming=9,  # a similarity above 0.85
        ),
    ),
    "digest": Preset(
        "Chinese and English titles, confirmed by content",
        Recipe(simhash=Features("words", 1), weights="once", minhash=None, digest="md5"),
        replace(
            _PLAIN,
            title_mix=0.8,
            title_certain=0.95,
            like_titles="two",
            related_mix=0.6,
            keep=("best",),
        ),
    ),
    "similarity": Preset(
        "SimHash and classic MinHash, 16 bands of 8",
        Recipe(
            hash="fnv1a",
            simhash=Features("words", 1),
            weights="once",
            scheme="classic",
            bands=16,
            rows=8,
        ),
        replace(
            _PLAIN,
            min_words=50,
            near_overlap=0.67,  # where its 16 bands of 8 rows find half
            related_overlap=0.1,
        ),
    ),
    "copies": Preset(
        "texts alone, for whole corpora: half of the 5-word shingles shared",
        Recipe(simhash=None, minhash=Features("words", 5), bands=42, rows=3),
        replace(
            _PLAIN,
            duplicates=frozenset({Relation.SAME_TEXT, Relation.NEAR_TEXT}),
            compares="text",
            window=None,
            near_overlap=0.5,
            max_hamming=None,
            max_story_size=1 << 40,  # a page copied ten thousand times is one story
        ),
    ),
}
RECIPES: Mapping[str, Recipe] = {name: preset.recipe for name, preset in PRESETS.items()}
POLICIES: Mapping[str, Policy] = {name: preset.policy for name, preset in PRESETS.items()}


def recipe_label(recipe: str) -> str:
    """A recipe id, after the names of its presets.

    >>> recipe_label("r1-0"), recipe_label(Recipe().id) == f"default or tracker ({Recipe().id})"
    ('r1-0', True)
    """
    presets = [name for name, preset in RECIPES.items() if preset.id == recipe]
    return f"{' or '.join(presets)} ({recipe})" if presets else recipe
