"""Recipes: how fingerprints are computed. Only those of one recipe id are comparable."""

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, get_args

from nearcopy.errors import BadRecipe

# The version of the folding table, the markup rules and the kernels' definitions. Increase it with
# every change to them that changes a fingerprint; it is part of the recipe id.
TEXT_VERSION = 2

Unit = Literal["words", "characters"]
HashName = Literal["murmur3", "xxh3", "fnv1a"]
Weights = Literal["once", "frequency", "tfidf"]
Scheme = Literal["one-permutation", "classic"]
DigestName = Literal["xxh3-128", "md5"]

SLOTS = 128
MAX_FEATURE_SIZE = 64


def _check_choice(name: str, value: object, choices: Any) -> None:
    allowed = get_args(choices)
    if value not in allowed:
        listed = ", ".join(repr(choice) for choice in allowed)
        raise BadRecipe(f"{name} is {value!r}: choose one of {listed}")


def _check_integer(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise BadRecipe(f"{name} is {value!r}: give an integer from {low} to {high}")


@dataclass(frozen=True, slots=True)
class Features:
    """What of a text is hashed: runs of `size` words (shingles) or characters (k-grams)."""

    unit: Unit = "words"
    size: int = 3

    def __post_init__(self) -> None:
        _check_choice("unit", self.unit, Unit)
        _check_integer("features size", self.size, 1, MAX_FEATURE_SIZE)


@dataclass(frozen=True, slots=True)
class FrequencyTable:
    """The weight of each feature: the rarer in `documents`, the higher.

    `known` holds ascending 64-bit hashes and `weights` 32-bit integers (256 times the natural
    logarithm of the inverse document frequency), both as little-endian bytes. A table fits only
    recipes of the same hash and features.
    """

    hash: HashName
    features: Features
    documents: int
    known: bytes
    weights: bytes
    unknown_weight: int

    @classmethod
    def from_counts(
        cls,
        hash: HashName,  # noqa: A002
        features: Features,
        documents: int,
        counts: Mapping[int, int],
    ) -> "FrequencyTable":
        """The table of document counts: in how many of the documents each feature occurs."""
        if documents < 1 or any(not 0 < count <= documents for count in counts.values()):
            raise BadRecipe(
                f"document counts must be between 1 and the number of documents, {documents}"
            )
        ascending = sorted(counts)
        return cls(
            hash,
            features,
            documents,
            struct.pack(f"<{len(ascending)}Q", *ascending),
            struct.pack(f"<{len(ascending)}I", *(_weight(documents, counts[f]) for f in ascending)),
            _weight(documents, 0),
        )


def _weight(documents: int, count: int) -> int:
    """256 times the inverse document frequency, at least 1."""
    return max(1, round(256 * math.log((documents + 1) / (count + 1))))


@dataclass(frozen=True)
class Recipe:
    """How fingerprints are computed. Fingerprints compare only within one recipe.

    >>> Recipe().id == Recipe(bands=32, rows=4).id
    True

    Args:
        hash: The hash function of the features.
        simhash: The features of the SimHash; None for no SimHash.
        weights: The weight of a feature in the SimHash: once, by frequency, or by tf-idf.
        minhash: The features of the MinHash; None for no MinHash.
        scheme: One-permutation hashing, or the classic MinHash with 128 permutations.
        bands: The LSH bands of the MinHash.
        rows: The rows of each band.
        digest: The digest of the normalised text.
        max_chars: Characters of a text that are read; None for all.
        frequencies: The weights of tf-idf.
    """

    hash: HashName = "murmur3"
    simhash: Features | None = Features("words", 3)
    weights: Weights = "frequency"
    minhash: Features | None = Features("words", 3)
    scheme: Scheme = "one-permutation"
    bands: int = 32
    rows: int = 4
    digest: DigestName = "xxh3-128"
    max_chars: int | None = None
    frequencies: FrequencyTable | None = None

    def __post_init__(self) -> None:
        _check_choice("hash", self.hash, HashName)
        _check_choice("weights", self.weights, Weights)
        _check_choice("scheme", self.scheme, Scheme)
        _check_choice("digest", self.digest, DigestName)
        for name, value in (("simhash", self.simhash), ("minhash", self.minhash)):
            if value is not None and not isinstance(value, Features):
                raise BadRecipe(
                    f'{name} is {value!r}: give Features("words", 3), or None to leave it out'
                )
        _check_integer("bands", self.bands, 1, SLOTS)
        _check_integer("rows", self.rows, 1, SLOTS)
        if self.bands * self.rows > SLOTS:
            raise BadRecipe(
                f"{self.bands} bands of {self.rows} rows need {self.bands * self.rows} values, "
                f"a signature has {SLOTS}: use fewer bands or rows"
            )
        if self.max_chars is not None:
            _check_integer("max_chars", self.max_chars, 1, 1 << 40)
        self._check_frequencies()

    def _check_frequencies(self) -> None:
        table = self.frequencies
        if (self.weights == "tfidf") != isinstance(table, FrequencyTable):
            raise BadRecipe(
                'weights="tfidf" needs a frequency table, and only tfidf does: '
                "compute one with nearcopy.frequency_table(articles, recipe)"
            )
        if table is not None and (table.hash, table.features) != (self.hash, self.simhash):
            raise BadRecipe(
                f"the frequency table counts {table.features} by {table.hash}, this recipe has "
                f"{self.simhash} by {self.hash}: count again with this recipe"
            )

    @cached_property
    def id(self) -> str:
        """A hash of all settings, the same on every machine."""
        return "r1-" + sha256(json.dumps(self._named(), sort_keys=True).encode()).hexdigest()[:16]

    def _named(self) -> dict[str, Any]:
        settings: dict[str, Any] = {"text": TEXT_VERSION}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Features):
                value = [value.unit, value.size]
            elif isinstance(value, FrequencyTable):
                content = value.known + value.weights
                value = [value.documents, value.unknown_weight, sha256(content).hexdigest()]
            settings[field.name] = value
        return settings


def check_recipe(recipe: Recipe | None) -> Recipe | None:
    """The recipe, or None; anything else raises BadRecipe."""
    if recipe is not None and not isinstance(recipe, Recipe):
        raise BadRecipe(
            f"recipe must be a Recipe, got {type(recipe).__name__}: "
            "take one of nearcopy.RECIPES, or construct one"
        )
    return recipe


def lsh_probability(overlap: float, bands: int, rows: int) -> float:
    """The probability that two texts with this Jaccard overlap share an LSH band.

    >>> [round(lsh_probability(0.5, b, r), 2) for b, r in ((16, 8), (32, 4))]
    [0.06, 0.87]
    """
    return float(1 - (1 - overlap**rows) ** bands)


def recipe_differences(there: Recipe, here: Recipe) -> str:
    """The settings in which two recipes differ; empty for equal ones.

    >>> recipe_differences(Recipe(), Recipe(simhash=Features("words", 5), minhash=None))
    'simhash is 3 words there and 5 words here, minhash is 3 words there and off here'
    """
    names = (f.name for f in fields(Recipe) if getattr(there, f.name) != getattr(here, f.name))
    return ", ".join(
        f"{name} is {_format_setting(getattr(there, name))} there "
        f"and {_format_setting(getattr(here, name))} here"
        for name in names
    )


def _format_setting(value: object) -> str:
    if isinstance(value, Features):
        return f"{value.size} {value.unit.removesuffix('s') if value.size == 1 else value.unit}"
    if isinstance(value, FrequencyTable):
        return f"counted in {value.documents} articles"
    return "off" if value is None else str(value)
