"""One title: cleaned, normalised, and the words in it that name a stage or a recurring column."""

from nearcopy.extract.text import normal, normals
from nearcopy.extract.titles.clean import MARKS, CleanTitle, clean
from nearcopy.extract.titles.recurring_columns import recurring
from nearcopy.extract.titles.stage_words import stages

__all__ = ["MARKS", "CleanTitle", "clean", "normal", "normals", "recurring", "stages"]
