"""Two titles: how similar they are, which words they swap, and what contrasts them."""

from nearcopy.match.titles.contrast import find_contrast, find_exchange, find_opposite
from nearcopy.match.titles.similarity import (
    SCORES,
    TitleScores,
    digest_similarity,
    title_grade,
    title_scores,
    tracker_average,
)
from nearcopy.match.titles.substitutions import are_name_swaps, find_swaps, format_swap

__all__ = [
    "SCORES",
    "TitleScores",
    "are_name_swaps",
    "digest_similarity",
    "find_contrast",
    "find_exchange",
    "find_opposite",
    "find_swaps",
    "format_swap",
    "title_grade",
    "title_scores",
    "tracker_average",
]
