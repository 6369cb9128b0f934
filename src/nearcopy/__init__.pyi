"""The public names, and where each is defined."""

from .config import POLICIES, RECIPES, Features, Policy, Recipe, Scoring
from .deduper.deduper import Deduper
from .errors import (
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
from .fingerprint.fingerprint import fingerprints, frequency_table
from .io.dataframes import dedupe
from .match.compare import compare, overlap, passages
from .match.decide import decide
from .match.explain import Explanation, explain
from .models import (
    Article,
    Decision,
    Evidence,
    Fingerprint,
    Match,
    Relation,
    Story,
    Verdict,
)
from .models.feedback import Feedback

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
    "Features",
    "Feedback",
    "Fingerprint",
    "Match",
    "MissingExtra",
    "NearcopyError",
    "NotStored",
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
    "explain",
    "fingerprints",
    "frequency_table",
    "overlap",
    "passages",
]

__version__: str
