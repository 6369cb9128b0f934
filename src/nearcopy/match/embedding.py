"""Embedding: how alike two articles are in meaning, by the static vectors of `wordllama`.

An optional measurement that decides nothing alone: figures hardly move it, so "Series A $10M" and
"Series B $50M" are nearly one. The vectors are read from the package's own files and nothing is
downloaded; the package itself is not imported, as it sets up logging for the whole program.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy.errors import MissingExtra, require
from nearcopy.extract.text import strip_html
from nearcopy.models.model import Article

EXTRA = "embed"
WEIGHTS = "weights/l2_supercat_256.safetensors"
TENSOR = "embedding.weight"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
LEAD_WORDS = 200
LEAD_CHARS = 1500
HTML_CHARS = 40_000  # of a page, before its tags are taken out
REMEMBERED = 4096  # vectors, a kilobyte each

Vector = NDArray[np.float32]


class Model(NamedTuple):
    """What vectors are made with."""

    tokenizer: Any
    weights: NDArray[np.float16]


def meanings(pairs: Sequence[tuple[Article, Article] | None]) -> list[float | None]:
    """The cosine of each pair, 0..1; None for no pair, and where one has no words."""
    return [None if pair is None else meaning(*pair) for pair in pairs]


def meaning(a: Article, b: Article) -> float | None:
    """How alike two articles are in meaning, 0..1; None where one has no words."""
    left, right = vector(passage(a)), vector(passage(b))
    if left is None or right is None:
        return None
    return round(min(1.0, max(0.0, float(left @ right))), 4)


def passage(article: Article) -> str:
    """What is embedded of an article: its title and the first words of its text."""
    text = strip_html(article.text[:HTML_CHARS]) if article.html else article.text
    lead = " ".join(text[:LEAD_CHARS].split()[:LEAD_WORDS])
    return f"{article.title[:LEAD_CHARS]}\n{lead}".strip()


@lru_cache(maxsize=REMEMBERED)
def vector(text: str) -> Vector | None:
    """The mean of the vectors of its tokens, of length one; None where there are none."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    tokenizer, weights = model()
    ids = tokenizer.encode(clean, add_special_tokens=False).ids
    if not ids:
        return None
    mean: Vector = weights[ids].astype(np.float32).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / np.float32(length) if length else None


@lru_cache(maxsize=1)
def model() -> Model:
    """The vectors and the tokenizer of the package; an error says what to install."""
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra(
            "wordllama is needed for the measure of meaning and not installed: "
            f"run `pip install 'nearcopy[{EXTRA}]'`, or leave `embed` off in the policy"
        )
    folder = spec.submodule_search_locations[0]
    tokenizers = require("tokenizers", extra=EXTRA)
    safetensors = require("safetensors.numpy", extra=EXTRA)
    try:
        weights = safetensors.load_file(f"{folder}/{WEIGHTS}")[TENSOR]
        tokenizer = tokenizers.Tokenizer.from_file(f"{folder}/{TOKENIZER}")
    except Exception as wrong:
        raise MissingExtra(
            f"wordllama is installed without the vectors that this needs ({wrong}): "
            f"run `pip install --upgrade 'nearcopy[{EXTRA}]'`"
        ) from wrong
    return Model(tokenizer, weights)
