"""Titles: cleaned, brought to a normal form, scored, told apart, and looked up among many."""

from nearcopy.titles.cleaning import CleanTitle, clean
from nearcopy.titles.columns import recurring
from nearcopy.titles.contrasts import contrast, stages
from nearcopy.titles.index import TitleIndex, TitleMatch, title_keys
from nearcopy.titles.marks import MARKS
from nearcopy.titles.normal import normal, normals
from nearcopy.titles.scores import SCORES, TitleScores, digest_similarity, scores, tracker_average
from nearcopy.titles.swaps import is_other, is_rare, swapped

__all__ = [
    "MARKS",
    "SCORES",
    "CleanTitle",
    "TitleIndex",
    "TitleMatch",
    "TitleScores",
    "clean",
    "contrast",
    "digest_similarity",
    "is_other",
    "is_rare",
    "normal",
    "normals",
    "recurring",
    "scores",
    "stages",
    "swapped",
    "title_keys",
    "tracker_average",
]
