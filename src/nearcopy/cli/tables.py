"""Tables that fit the terminal: words stay whole, the least important columns are left out."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Column, Table
from rich.text import Text

from nearcopy.cli.terminal import format_count, note, one_line, show

if TYPE_CHECKING:
    from nearcopy.deduper.feedback import Change

WORD_LENGTHS = (24, 16, 12, 8)  # the longest word that is not broken, tried in this order
BREAKS_ANYWHERE = 12  # characters of a run in a script without spaces
BORDER_WIDTH = 3  # a border and two spaces, for each column


class FittedTable(Table):
    """A table that leaves out columns before it breaks words."""

    optional: Sequence[str] = ()  # the columns that may be left out, the least important first

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The columns that fit, and a line that names those left out."""
        fitted, omitted = self._fit(options.max_width)
        yield from Table.__rich_console__(fitted, console, options)
        if names := ", ".join(name for name in omitted if name):
            yield Text(f"no room for: {names}", "dim")

    def _fit(self, width: int) -> tuple["FittedTable", list[str]]:
        columns, omitted = list(self.columns), list[str]()
        for name in self.optional:
            if _fits(columns, width, WORD_LENGTHS[0]):
                break
            columns = [column for column in columns if _header(column) != name]
            omitted.append(name)
        longest = next((size for size in WORD_LENGTHS if _fits(columns, width, size)), None)
        fitted = copy(self)
        room = _room(columns, width)
        if longest is None or sum(map(_natural_width, columns)) <= room:
            widths: Iterable[int | None] = [None] * len(columns)
        else:
            widths = _column_widths(columns, longest, room)
        fitted.columns = list(map(_resize, range(len(columns)), columns, widths))
        return fitted, omitted


def make_table(
    *columns: str,
    title: str | None = None,
    numbers: Iterable[str] = (),
    optional: Iterable[str] = (),
) -> Table:
    """An empty table; columns in `numbers` are aligned right and never wrapped.

    On a narrow terminal the `optional` columns are left out, the first of them first.
    """
    heading = title and Text(title, "bold")
    table = FittedTable(title=heading, title_justify="left", header_style="bold")
    table.optional = [name for name in optional if name in columns]
    right = frozenset(numbers)
    for name in columns:
        side: Any = "right" if name in right else "left"
        table.add_column(name, justify=side, no_wrap=name in right, overflow="fold")
    return table


def add_row(to: Table, *cells: object, style: str | None = None, last: bool = False) -> None:
    """Add a row; the text of its cells is not read as markup."""
    to.add_row(*map(render_cell, cells), style=style, end_section=last)


def render_cell(value: object) -> RenderableType:
    """A value as it is shown: a float with two digits, None as an empty cell."""
    if isinstance(value, Text):
        return value
    if isinstance(value, float):
        return Text(f"{value:.2f}")
    return Text("" if value is None else one_line(value))


def _resize(index: int, column: Column, width: int | None) -> Column:
    resized = copy(column)
    resized._index = index
    resized.width = width if width is not None else column.width
    return resized


def _fits(columns: Sequence[Column], width: int, longest: int) -> bool:
    return sum(_minimum_width(column, longest) for column in columns) <= _room(columns, width)


def _room(columns: Sequence[Column], width: int) -> int:
    """The characters available to the cells of a row."""
    return width - BORDER_WIDTH * len(columns) - 1


def _column_widths(columns: Sequence[Column], longest: int, room: int) -> list[int]:
    """The widths of the columns; space a column would leave empty is given to the others."""
    natural = list(map(_natural_width, columns))
    shares = _distribute([_minimum_width(column, longest) for column in columns], natural, room)
    used = list(map(_wrapped_width, columns, shares))
    limits = [
        whole if size == share else size
        for whole, size, share in zip(natural, used, shares, strict=True)
    ]
    return _distribute(_distribute(used, limits, room), natural, room)


def _wrapped_width(column: Column, width: int) -> int:
    """The longest line of a column whose texts are wrapped to a width."""
    if column.no_wrap:
        return width
    lines = (line for text in _texts(column) for line in text.splitlines())
    return max((min(_wrap(line, width), width) for line in lines), default=1)


def _wrap(text: str, width: int) -> int:
    """The longest line of a text that is wrapped to a width."""
    longest = current = 0
    for word in text.split():
        size = cell_len(word)
        current = current + 1 + size if current and current + 1 + size <= width else size
        longest = max(longest, current)
    return longest


def _distribute(minima: Sequence[int], maxima: Sequence[int], room: int) -> list[int]:
    """Widths between minimum and maximum that fill the room, the narrowest widened first.

    >>> _distribute([4, 5, 6], [4, 40, 12], 40)
    [4, 24, 12]
    """
    widths = list(minima)
    left = room - sum(widths)
    while left > 0:
        growing = [index for index, width in enumerate(widths) if width < maxima[index]]
        if not growing:
            break
        widths[min(growing, key=lambda index: widths[index])] += 1
        left -= 1
    return widths


def _minimum_width(column: Column, longest: int) -> int:
    """The width a column needs so that no word up to this length is broken."""
    if column.no_wrap:
        return _natural_width(column)
    words = (word for text in _texts(column) for word in text.split())
    return max((min(_unbroken(word), longest) for word in words), default=1)


def _unbroken(word: str) -> int:
    size = cell_len(word)
    return min(size, BREAKS_ANYWHERE) if size > len(word) else size


def _natural_width(column: Column) -> int:
    """The longest line of a column that is not wrapped."""
    lines = (line for text in _texts(column) for line in text.splitlines())
    return max(map(cell_len, lines), default=1)


def _texts(column: Column) -> Iterator[str]:
    yield _header(column)
    yield from map(_text, column._cells)


def _header(column: Column) -> str:
    return _text(column.header)


def _text(cell: Any) -> str:
    return cell.plain if isinstance(cell, Text) else str(cell)


def show_changes(changes: "Sequence[Change]") -> None:
    """Show each article with its story and kept copy, now and before."""
    if changes:
        table = make_table(
            *("article", "story", "copy of", "story before", "copy of before"),
            optional=["copy of before", "story before"],
        )
        for change in changes:
            before = change.story_before, change.duplicate_of_before
            add_row(table, change.id, change.story_id, change.duplicate_of, *before)
        show(table)
    note(f"{format_count(len(changes), 'article')} moved")
