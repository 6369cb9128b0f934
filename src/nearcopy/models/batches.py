"""Iterables in batches, and the progress of those that take long."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Protocol, TypeVar

Item = TypeVar("Item")


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in lists of `size`, the last one shorter: `itertools.batched` of Python 3.12.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


class Progress(Protocol):
    """Reports how far a phase of the work is, such as a progress bar."""

    def __call__(
        self, rows: Iterable[Item], phase: str, *, total: int | None = None
    ) -> Iterator[Item]:
        """The rows, one by one."""


def no_progress(rows: Iterable[Item], phase: str, *, total: int | None = None) -> Iterator[Item]:
    """The rows, without a report."""
    del phase, total
    return iter(rows)
