"""Facts of a title: amounts, dates, versions, scores and names, found by rules in many languages.

`parser` applies the rules in order; `dates`, `quantities` and `versions_and_names` hold them. The
words they look for are in `word_lists.toml` and `currencies.toml`. `chinese_titles` adds the
numbers written in Chinese characters, and `describe` puts a fact into words.
"""

from nearcopy.extract.facts.chinese_titles import add_chinese_facts
from nearcopy.extract.facts.describe import describe_fact
from nearcopy.extract.facts.parser import (
    LONGEST_TITLE,
    MOST_FACTS,
    Facts,
    TitleFacts,
    read_facts,
    read_titles,
)

__all__ = [
    "LONGEST_TITLE",
    "MOST_FACTS",
    "Facts",
    "TitleFacts",
    "add_chinese_facts",
    "describe_fact",
    "read_facts",
    "read_titles",
]
