"""Titles: cleaned, brought to a normal form, scored, told apart, and looked up among many."""

from nearcopy.titles.cleaning import CleanTitle, clean
from nearcopy.titles.normal import normal, normals

__all__ = ["CleanTitle", "clean", "normal", "normals"]
