"""The public names, and where each is defined; `nearcopy` has them as its own."""

from nearcopy.config import POLICIES, RECIPES, Features, Policy, Recipe, Scoring
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
from nearcopy.fingerprint.fingerprint import fingerprints, frequency_table
from nearcopy.io.dataframes import dedupe
from nearcopy.match.compare import compare, overlap, passages
from nearcopy.match.decide import decide
from nearcopy.match.explain import Explanation, explain
from nearcopy.models import (
    Article,
    Decision,
    Evidence,
    Fingerprint,
    Match,
    Relation,
    Story,
    Verdict,
)
from nearcopy.models.feedback import Feedback

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
