"""Facts of a title: figures, dates, rounds and names."""

from nearcopy.extract.facts.chinese_titles import reread
from nearcopy.extract.facts.describe import sentence
from nearcopy.extract.facts.parser import LONGEST_TITLE, MOST_FACTS, Facts, Stated, read, stated

__all__ = [
    "LONGEST_TITLE",
    "MOST_FACTS",
    "Facts",
    "Stated",
    "read",
    "reread",
    "sentence",
    "stated",
]
