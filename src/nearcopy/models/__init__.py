"""The nouns of the package: frozen values that every other room uses.

Article and Fingerprint; Evidence, Decision, Edge, Verdict, Match and Story; Feedback and
StoryAction. They are validated on construction and know nothing of measuring, deciding or storing.
"""

from nearcopy.models.article import Article, Fact, Fingerprint, ordered
from nearcopy.models.decision import (
    COPIES,
    MAIN_MEASUREMENTS,
    MEASUREMENTS,
    RELATION_RANK,
    Check,
    Decision,
    Edge,
    Evidence,
    FactPair,
    Match,
    Member,
    Relation,
    Story,
    StoryLink,
    Verdict,
)

__all__ = [
    "COPIES",
    "MAIN_MEASUREMENTS",
    "MEASUREMENTS",
    "RELATION_RANK",
    "Article",
    "Check",
    "Decision",
    "Edge",
    "Evidence",
    "Fact",
    "FactPair",
    "Fingerprint",
    "Match",
    "Member",
    "Relation",
    "Story",
    "StoryLink",
    "Verdict",
    "ordered",
]
