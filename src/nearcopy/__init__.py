"""Near-duplicate detection and de-duplication for news and web articles."""

from nearcopy.compare import Overlap, estimated_overlap, hamming_distance, overlap, passages
from nearcopy.config import RECIPES, Features, FrequencyTable, Recipe
from nearcopy.errors import BadArticle, BadRecipe, MissingExtra, NearcopyError, SlowKernels
from nearcopy.fingerprint import fingerprints, frequency_table
from nearcopy.kernels.results import Passage
from nearcopy.model import Article, Fingerprint
from nearcopy.text import normalised, strip_html, words, words_in_place

__version__ = "0.1.0"

__all__ = [
    "RECIPES",
    "Article",
    "BadArticle",
    "BadRecipe",
    "Features",
    "Fingerprint",
    "FrequencyTable",
    "MissingExtra",
    "NearcopyError",
    "Overlap",
    "Passage",
    "Recipe",
    "SlowKernels",
    "estimated_overlap",
    "fingerprints",
    "frequency_table",
    "hamming_distance",
    "normalised",
    "overlap",
    "passages",
    "strip_html",
    "words",
    "words_in_place",
]
