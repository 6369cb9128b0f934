"""Titles: cleaned, brought to a normal form, scored, told apart, and looked up among many."""

from nearcopy.titles.cleaning import CleanTitle, clean
from nearcopy.titles.columns import recurring
from nearcopy.titles.contrasts import contrast, stages
from nearcopy.titles.grade import title_grade
from nearcopy.titles.index import TitleIndex, TitleMatch, title_keys
from nearcopy.titles.marks import MARKS
from nearcopy.titles.news import title_news
from nearcopy.titles.normal import normal, normals
from nearcopy.titles.opposites import exchanged, opposite
from nearcopy.titles.scores import SCORES, TitleScores, digest_similarity, scores, tracker_average
from nearcopy.titles.swaps import are_names, side_by_side, swapped

__all__ = [
    "MARKS",
    "SCORES",
    "CleanTitle",
    "TitleIndex",
    "TitleMatch",
    "TitleScores",
    "are_names",
    "clean",
    "contrast",
    "digest_similarity",
    "exchanged",
    "normal",
    "normals",
    "opposite",
    "recurring",
    "scores",
    "side_by_side",
    "stages",
    "swapped",
    "title_grade",
    "title_keys",
    "title_news",
    "tracker_average",
]
