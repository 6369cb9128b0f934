"""Titles: cleaned of tags and publishers, and the words of stages and recurring columns in them."""

from nearcopy.extract.titles.clean import EMPTY_TITLES, CleanTitle, clean
from nearcopy.extract.titles.stages_and_columns import find_stage_words, recurring_column

__all__ = ["EMPTY_TITLES", "CleanTitle", "clean", "find_stage_words", "recurring_column"]
