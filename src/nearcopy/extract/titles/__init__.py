"""Titles: cleaned of tags and publishers, and the words of stages and recurring columns in them."""

from nearcopy.extract.titles.clean import EMPTY_TITLES, CleanTitle, clean
from nearcopy.extract.titles.recurring_columns import recurring_column
from nearcopy.extract.titles.stage_words import find_stage_words

__all__ = ["EMPTY_TITLES", "CleanTitle", "clean", "find_stage_words", "recurring_column"]
