"""What a rule finds in a title, before its surroundings are known."""

from collections.abc import Callable, Iterator
from typing import NamedTuple


class Finding(NamedTuple):
    """A fact without its neighbours. One of no kind is cut out and forgotten: a live counter."""

    kind: str
    value: str
    amount: float | None
    about: str
    start: int
    end: int


Finder = Callable[[str], Iterator[Finding]]


class Rule(NamedTuple):
    """What finds one kind of fact, and the words without which there is none to find."""

    triggers: frozenset[str]
    find: Finder
    figured: bool = True  # whether it takes a figure, too
