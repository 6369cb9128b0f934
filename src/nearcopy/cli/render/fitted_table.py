"""Tables that fit the terminal: words stay whole, what matters least is left out where it must."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Column, Table
from rich.text import Text

WHOLE = (24, 16, 12, 8)  # characters of the longest word that is not broken, if need be fewer
BREAKS_ANYWHERE = 12  # characters of a run in a script without spaces
AROUND = 3  # a border and two spaces, for each column


class FittingTable(Table):
    """A table that leaves out columns rather than break the words of all."""

    least: Sequence[str] = ()  # the columns that may be left out, the first of them first

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Itself where it fits, else what fits of it, and what was left out."""
        fitted, gone = self._fitted(options.max_width)
        yield from Table.__rich_console__(fitted, console, options)
        if named := ", ".join(name for name in gone if name):
            yield Text(f"no room for: {named}", "dim")

    def _fitted(self, width: int) -> tuple["FittingTable", list[str]]:
        columns, gone = list(self.columns), list[str]()
        for name in self.least:
            if _fit(columns, width, WHOLE[0]):
                break
            columns = [each for each in columns if _header(each) != name]
            gone.append(name)
        longest = next((each for each in WHOLE if _fit(columns, width, each)), None)
        fitted = copy(self)
        room = _room(columns, width)
        if longest is None or sum(map(_natural, columns)) <= room:
            widths: Iterable[int | None] = [None] * len(columns)
        else:
            widths = _used(columns, longest, room)
        fitted.columns = list(map(_placed, range(len(columns)), columns, widths))
        return fitted, gone


def _placed(index: int, column: Column, width: int | None) -> Column:
    placed = copy(column)
    placed._index = index
    placed.width = width if width is not None else column.width
    return placed


def _fit(columns: Sequence[Column], width: int, longest: int) -> bool:
    return sum(_least(each, longest) for each in columns) <= _room(columns, width)


def _room(columns: Sequence[Column], width: int) -> int:
    """The characters that there are for the cells."""
    return width - AROUND * len(columns) - 1


def _used(columns: Sequence[Column], longest: int, room: int) -> list[int]:
    """The widths of the columns; what one would leave empty at the end of its lines is others'."""
    natural = list(map(_natural, columns))
    first = _widths([_least(each, longest) for each in columns], natural, room)
    used = list(map(_wrapped, columns, first))
    most = [
        whole if size == given else size
        for whole, size, given in zip(natural, used, first, strict=True)
    ]
    return _widths(_widths(used, most, room), natural, room)


def _wrapped(column: Column, width: int) -> int:
    """The longest line of a column whose texts are wrapped to a width."""
    if column.no_wrap:
        return width
    lines = (line for text in _texts(column) for line in text.splitlines())
    return max((min(_line(line, width), width) for line in lines), default=1)


def _line(text: str, width: int) -> int:
    """The longest line of a text that is wrapped to a width."""
    longest = now = 0
    for word in text.split():
        size = cell_len(word)
        now = now + 1 + size if now and now + 1 + size <= width else size
        longest = max(longest, now)
    return longest


def _widths(least: Sequence[int], most: Sequence[int], room: int) -> list[int]:
    """Between the least and the most of each, else all alike.

    >>> _widths([4, 5, 6], [4, 40, 12], 40)
    [4, 24, 12]
    """
    widths = list(least)
    left = room - sum(widths)
    while left > 0:
        short = [at for at, width in enumerate(widths) if width < most[at]]
        if not short:
            break
        widths[min(short, key=lambda at: widths[at])] += 1
        left -= 1
    return widths


def _least(column: Column, longest: int) -> int:
    """The characters that a column needs so that no word of this length is broken."""
    if column.no_wrap:
        return _natural(column)
    return max((min(_unbroken(word), longest) for word in _words(column)), default=1)


def _unbroken(word: str) -> int:
    size = cell_len(word)
    return min(size, BREAKS_ANYWHERE) if size > len(word) else size


def _natural(column: Column) -> int:
    """The characters of the longest line of a column."""
    lines = (line for text in _texts(column) for line in text.splitlines())
    return max(map(cell_len, lines), default=1)


def _words(column: Column) -> Iterator[str]:
    for text in _texts(column):
        yield from text.split()


def _texts(column: Column) -> Iterator[str]:
    yield _header(column)
    yield from map(_text, column._cells)


def _header(column: Column) -> str:
    return _text(column.header)


def _text(cell: Any) -> str:
    return cell.plain if isinstance(cell, Text) else str(cell)
