"""Recipes: how fingerprints are made. Changing one makes other fingerprints, so it has an id."""

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, get_args

from nearcopy.errors import BadRecipe

# What the folding table, the markup rules and the kernels' definitions amount to. A change in any
# of them that changes a fingerprint needs a new number here, and so makes new recipe ids.
TEXT_VERSION = 2

Unit = Literal["words", "characters"]
HashName = Literal["murmur3", "xxh3", "fnv1a"]
Weights = Literal["once", "frequency", "tfidf"]
Scheme = Literal["one-permutation", "classic"]
DigestName = Literal["xxh3-128", "md5"]

SLOTS = 128
LARGEST_FEATURE = 64


def _one_of(name: str, value: object, choices: Any) -> None:
    allowed = get_args(choices)
    if value not in allowed:
        listed = ", ".join(repr(choice) for choice in allowed)
        raise BadRecipe(f"{name} is {value!r}: choose one of {listed}")


def _between(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise BadRecipe(f"{name} is {value!r}: give a whole number from {low} to {high}")


@dataclass(frozen=True, slots=True)
class Features:
    """What of a text is hashed: runs of `size` words (shingles) or characters (k-grams)."""

    unit: Unit = "words"
    size: int = 3

    def __post_init__(self) -> None:
        _one_of("unit", self.unit, Unit)
        _between("features size", self.size, 1, LARGEST_FEATURE)


@dataclass(frozen=True, slots=True)
class FrequencyTable:
    """How much each feature weighs, frozen: the rarer in `documents`, the more.

    `known` are ascending 64-bit hashes and `weights` 32-bit integers (256 times the natural
    logarithm of the inverse document frequency), both as little-endian bytes. It serves only
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
        """The table for how many of the documents hold each feature."""
        if documents < 1 or any(not 0 < count <= documents for count in counts.values()):
            raise BadRecipe(
                f"document counts must lie between 1 and the number of documents, {documents}"
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
    """256 times the idf, and never nothing."""
    return max(1, round(256 * math.log((documents + 1) / (count + 1))))


def _features(name: str, value: object) -> None:
    if value is not None and not isinstance(value, Features):
        raise BadRecipe(f'{name} is {value!r}: give Features("words", 3), or None to leave it out')


@dataclass(frozen=True)
class Recipe:
    """How fingerprints are made. Two fingerprints compare only when their recipes are one.

    >>> Recipe().id == Recipe(bands=32, rows=4).id
    True
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
        _one_of("hash", self.hash, HashName)
        _one_of("weights", self.weights, Weights)
        _one_of("scheme", self.scheme, Scheme)
        _one_of("digest", self.digest, DigestName)
        for name in ("simhash", "minhash"):
            _features(name, getattr(self, name))
        _between("bands", self.bands, 1, SLOTS)
        _between("rows", self.rows, 1, SLOTS)
        if self.bands * self.rows > SLOTS:
            raise BadRecipe(
                f"{self.bands} bands of {self.rows} rows need {self.bands * self.rows} values, "
                f"a signature has {SLOTS}: take fewer bands or rows"
            )
        if self.max_chars is not None:
            _between("max_chars", self.max_chars, 1, 1 << 40)
        self._check_frequencies()

    def _check_frequencies(self) -> None:
        table = self.frequencies
        if (self.weights == "tfidf") != isinstance(table, FrequencyTable):
            raise BadRecipe(
                'weights="tfidf" and a frequency table go together: '
                "make one with nearcopy.frequency_table(articles, recipe)"
            )
        if table is not None and (table.hash, table.features) != (self.hash, self.simhash):
            raise BadRecipe(
                f"the frequency table counts {table.features} by {table.hash}, this recipe has "
                f"{self.simhash} by {self.hash}: count again with this recipe"
            )

    @cached_property
    def id(self) -> str:
        """The same for the same recipe on every machine, and for no other."""
        return "r1-" + sha256(json.dumps(self._named(), sort_keys=True).encode()).hexdigest()[:16]

    def _named(self) -> dict[str, Any]:
        named: dict[str, Any] = {"text": TEXT_VERSION}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Features):
                value = [value.unit, value.size]
            elif isinstance(value, FrequencyTable):
                content = value.known + value.weights
                value = [value.documents, value.unknown_weight, sha256(content).hexdigest()]
            named[field.name] = value
        return named


# The recipes of the presets. A crawler's weights become "tfidf" once it has a frequency table.
RECIPES: Mapping[str, Recipe] = {
    "default": Recipe(),
    "feed": Recipe(simhash=Features("words", 1), weights="once", minhash=None, max_chars=5000),
    "tracker": Recipe(),
    "crawler": Recipe(simhash=Features("words", 5), minhash=None),
    "digest": Recipe(simhash=Features("words", 1), weights="once", minhash=None, digest="md5"),
    "similarity": Recipe(
        hash="fnv1a",
        simhash=Features("words", 1),
        weights="once",
        scheme="classic",
        bands=16,
        rows=8,
    ),
    "copies": Recipe(simhash=None, minhash=Features("words", 5), bands=42, rows=3),
}


def checked_recipe(recipe: Recipe | None) -> Recipe | None:
    """The recipe, if any; anything else is an error that says what to give."""
    if recipe is not None and not isinstance(recipe, Recipe):
        raise BadRecipe(
            f"recipe must be a Recipe, got {type(recipe).__name__}: "
            "take one of nearcopy.RECIPES, or make one"
        )
    return recipe


def lsh_probability(overlap: float, bands: int, rows: int) -> float:
    """How likely two texts with this overlap (Jaccard) share at least one band.

    >>> [round(lsh_probability(0.5, b, r), 2) for b, r in ((16, 8), (32, 4))]
    [0.06, 0.87]
    """
    return float(1 - (1 - overlap**rows) ** bands)
