"""The Deduper: has this been published before, where, and how do we know?

What it does is in five modules: looking, adding, telling, people, upkeep; `opened` has what they
share.
"""

from nearcopy.deduper.add import Adding
from nearcopy.deduper.check import BATCH
from nearcopy.deduper.retention import Upkeep
from nearcopy.deduper.user_actions import People

__all__ = ["BATCH", "Deduper"]


class Deduper(Adding, People, Upkeep):
    """Articles in a store, and what they are to each other.

    >>> from nearcopy import Article
    >>> with Deduper() as deduper:
    ...     first = deduper.add(Article(id="a", url="https://example.org/news/1", text="Hello."))
    ...     again = deduper.add(Article(id="b", url="http://www.example.org/news/1", text="Hello."))
    >>> first.is_duplicate, again.is_duplicate, again.duplicate_of, again.relation.value
    (False, True, 'a', 'same_url')
    """
