"""Two titles: how similar they are, which words they swap, and what contrasts them."""

from nearcopy.match.titles.contrast import contrast, exchanged, opposite
from nearcopy.match.titles.similarity import (
    SCORES,
    TitleScores,
    digest_similarity,
    scores,
    title_grade,
    tracker_average,
)
from nearcopy.match.titles.substitutions import are_names, side_by_side, swapped

__all__ = [
    "SCORES",
    "TitleScores",
    "are_names",
    "contrast",
    "digest_similarity",
    "exchanged",
    "opposite",
    "scores",
    "side_by_side",
    "swapped",
    "title_grade",
    "tracker_average",
]
