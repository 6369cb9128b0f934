"""Near-duplicate detection and de-duplication for news and web articles."""

from nearcopy.config import POLICIES, RECIPES, Features, FrequencyTable, Policy, Recipe, Scoring
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import (
    BadArticle,
    BadFeedback,
    BadPolicy,
    BadRecipe,
    MissingExtra,
    NearcopyError,
    NotStored,
    RecipeMismatch,
    SlowKernels,
    StoreError,
    StreamError,
    WebError,
)
from nearcopy.extract.text import normalised, strip_html, words, words_in_place
from nearcopy.fingerprint.fingerprint import fingerprints, frequency_table
from nearcopy.io.dataframes import dedupe
from nearcopy.kernels.result_types import Passage
from nearcopy.match.compare import (
    Overlap,
    compare,
    estimated_overlap,
    hamming_distance,
    overlap,
    passages,
)
from nearcopy.match.decide import decide
from nearcopy.match.explain import Explanation, explain
from nearcopy.models.feedback import Feedback
from nearcopy.models.model import (
    Article,
    Decision,
    Evidence,
    Fact,
    Fingerprint,
    Match,
    Relation,
    Story,
    Verdict,
)

__version__ = "0.1.0"

__all__ = [
    "POLICIES",
    "RECIPES",
    "Article",
    "BadArticle",
    "BadFeedback",
    "BadPolicy",
    "BadRecipe",
    "Decision",
    "Deduper",
    "Evidence",
    "Explanation",
    "Fact",
    "Features",
    "Feedback",
    "Fingerprint",
    "FrequencyTable",
    "Match",
    "MissingExtra",
    "NearcopyError",
    "NotStored",
    "Overlap",
    "Passage",
    "Policy",
    "Recipe",
    "RecipeMismatch",
    "Relation",
    "Scoring",
    "SlowKernels",
    "StoreError",
    "Story",
    "StreamError",
    "Verdict",
    "WebError",
    "compare",
    "decide",
    "dedupe",
    "estimated_overlap",
    "explain",
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
