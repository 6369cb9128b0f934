"""The result of a rule, and the rule itself."""

from collections.abc import Callable, Iterator
from typing import NamedTuple


class Finding(NamedTuple):
    """A fact without its neighbours. One without a kind is cut out and dropped: a live counter."""

    kind: str
    value: str
    amount: float | None
    about: str
    start: int
    end: int


Finder = Callable[[str], Iterator[Finding]]


class Rule(NamedTuple):
    """A finder of one kind of fact, and its triggers: without one of them it finds nothing."""

    triggers: frozenset[str]
    find: Finder
    needs_digit: bool = True
