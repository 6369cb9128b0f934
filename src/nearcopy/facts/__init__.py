"""Facts of a title: figures, dates, rounds and names; and what two titles' facts say together."""

from nearcopy.facts.clash import Comparison, compare, names_shared
from nearcopy.facts.read import LONGEST_TITLE, MOST_FACTS, Facts, Stated, read, stated
from nearcopy.facts.unspaced import reread
from nearcopy.facts.words import sentence

__all__ = [
    "LONGEST_TITLE",
    "MOST_FACTS",
    "Comparison",
    "Facts",
    "Stated",
    "compare",
    "names_shared",
    "read",
    "reread",
    "sentence",
    "stated",
]
