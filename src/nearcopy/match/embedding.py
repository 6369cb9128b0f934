"""The embedding cosine: similarity in meaning by the static embeddings of `wordllama`.

An optional measurement that no rule reads: figures hardly change it, so "Series A $10M" and
"Series B $50M" are nearly equal. The embeddings are loaded from the files of the installed package;
the package itself is not imported, as it configures logging for the whole program.
"""

from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearcopy.errors import MissingExtra, require
from nearcopy.extract.text import plain_text
from nearcopy.models import Article

EXTRA = "embed"
WEIGHTS = "weights/l2_supercat_256.safetensors"
TENSOR = "embedding.weight"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
LEAD_WORDS = 200
LEAD_CHARS = 1500
HTML_CHARS = 40_000  # of a page, before its tags are removed
CACHED = 4096  # vectors, a kilobyte each

Vector = NDArray[np.float32]


def embedding_cosine(a: Article, b: Article) -> float | None:
    """The cosine of two articles, 0..1; None where one has no words."""
    left, right = vector(passage(a)), vector(passage(b))
    if left is None or right is None:
        return None
    return round(min(1.0, max(0.0, float(left @ right))), 4)


def passage(article: Article) -> str:
    """The title and the first words of the text, which are embedded."""
    text = plain_text(article.text[:HTML_CHARS], html=article.html)
    lead = " ".join(text[:LEAD_CHARS].split()[:LEAD_WORDS])
    return f"{article.title[:LEAD_CHARS]}\n{lead}".strip()


@lru_cache(maxsize=CACHED)
def vector(text: str) -> Vector | None:
    """The mean of the token embeddings, normalised; None without tokens."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    tokenizer, weights = model()
    ids = tokenizer.encode(clean, add_special_tokens=False).ids
    if not ids:
        return None
    mean: Vector = weights[ids].astype(np.float32).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / np.float32(length) if length else None


@lru_cache(maxsize=1)
def model() -> tuple[Any, NDArray[np.float16]]:
    """The tokenizer of the installed package, and the embedding of each token."""
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra(
            "the embedding cosine needs wordllama, which is not installed: "
            f"run `pip install 'nearcopy[{EXTRA}]'`, or leave `embed` off in the policy"
        )
    folder = spec.submodule_search_locations[0]
    tokenizers = require("tokenizers", extra=EXTRA)
    safetensors = require("safetensors.numpy", extra=EXTRA)
    try:
        weights = safetensors.load_file(f"{folder}/{WEIGHTS}")[TENSOR]
        tokenizer = tokenizers.Tokenizer.from_file(f"{folder}/{TOKENIZER}")
    except Exception as error:
        raise MissingExtra(
            f"wordllama is installed without its embeddings ({error}): "
            f"run `pip install --upgrade 'nearcopy[{EXTRA}]'`"
        ) from error
    return tokenizer, weights
