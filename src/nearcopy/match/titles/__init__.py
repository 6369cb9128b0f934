"""Two titles: how similar they are, and what keeps them apart."""

from nearcopy.match.titles.antonyms import exchanged, opposite
from nearcopy.match.titles.same_event_model import title_news
from nearcopy.match.titles.similarity import (
    SCORES,
    TitleScores,
    digest_similarity,
    scores,
    tracker_average,
)
from nearcopy.match.titles.similarity_model import title_grade
from nearcopy.match.titles.stages import contrast
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
    "title_news",
    "tracker_average",
]
