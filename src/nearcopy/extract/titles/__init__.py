"""One title: cleaned, normalised, and the words in it that name a stage or a recurring column."""

from nearcopy.extract.titles.clean import CleanTitle, clean
from nearcopy.extract.titles.newsroom_tags import MARKS
from nearcopy.extract.titles.normalize import normal, normals
from nearcopy.extract.titles.recurring_columns import recurring
from nearcopy.extract.titles.stage_words import stages

__all__ = ["MARKS", "CleanTitle", "clean", "normal", "normals", "recurring", "stages"]
