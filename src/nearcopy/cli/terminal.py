"""What commands do alike: data on stdout, the rest on stderr, exit codes that mean one thing.

0 done · 1 an answer of "no" · 2 bad input or usage · 3 stopped by the brake · 130 interrupted
"""

import errno
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from types import FrameType
from typing import IO, Any, ParamSpec, TypeVar

import typer
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from nearcopy.cli.render.fitted_table import FittingTable
from nearcopy.errors import NearcopyError

ANSWER_NO = 1
BAD_INPUT = 2
BRAKED = 3
INTERRUPTED = 130

TO_DO = {
    errno.ENOENT: "is the name right?",
    errno.ENOTDIR: "is the name right?",
    errno.EISDIR: "name a file",
    errno.EACCES: "allow this user to read it, or to write there",
    errno.EPERM: "allow this user to read it, or to write there",
    errno.EROFS: "write elsewhere",
    errno.ENOSPC: "make room, or write elsewhere",
    errno.EDQUOT: "make room, or write elsewhere",
    errno.ENAMETOOLONG: "give a shorter name",
    errno.EMFILE: "allow more open files, with `ulimit -n`",
}

# Control characters are shown as such; marks that turn the direction of what follows are left out.
OBEYED: dict[int, str] = {
    **dict.fromkeys((*range(32), *range(127, 160)), "�"),
    **dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), ""),
    ord("\n"): "\n",
    ord("\t"): " ",
}

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Screen(Console):
    """A console that leaves it to `reported` to see that nobody reads on."""

    def on_broken_pipe(self) -> None:
        """Raises, where the console would end with the code for "no"."""
        raise BrokenPipeError


def screen(**options: Any) -> Console:
    """Where tables go: stdout, as it is now."""
    return Screen(highlight=False, markup=False, emoji=False, **options)


def aside() -> Console:
    """Where everything goes that is not data: stderr, as it is now."""
    return screen(stderr=True)


def reported(command: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The command, with errors told in one line on stderr and turned into exit codes."""

    @wraps(command)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        _open_streams()
        try:
            return command(*args, **kwargs)
        except BrokenPipeError:  # who reads us has seen enough
            sys.stdout = None
            raise typer.Exit from None
        except (KeyboardInterrupt, typer.Abort):  # the latter where a question was interrupted
            raise typer.Exit(INTERRUPTED) from None
        except (NearcopyError, OSError, UnicodeError) as wrong:
            failed(_told(wrong))
            raise typer.Exit(BAD_INPUT) from wrong

    return run


def _open_streams() -> None:
    """Opens to nowhere what was closed before we began: nobody wants to read it, or to write."""
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _told(wrong: Exception) -> str:
    """What went wrong, the file first where there is one, and what to do where that is known."""
    if isinstance(wrong, UnicodeDecodeError):
        return f"not {wrong.encoding.upper()}: {wrong.reason} at {wrong.start}: write it in UTF-8"
    if not (isinstance(wrong, OSError) and wrong.strerror):
        return str(wrong)
    where = f"{wrong.filename}: " if wrong.filename is not None else ""
    to_do = f": {TO_DO[wrong.errno]}" if wrong.errno in TO_DO else ""
    return f"{where}{wrong.strerror}{to_do}"


def failed(message: str) -> None:
    """Tells on stderr what went wrong."""
    aside().print(Text("error: ", "red") + Text(printable(message)), soft_wrap=True)


def noted(message: str) -> None:
    """Tells on stderr what is worth knowing."""
    aside().print(Text(printable(message)), soft_wrap=True)


def printable(text: object) -> str:
    """The text without what a terminal would obey or could not show."""
    return str(text).encode("utf-8", "replace").decode("utf-8").translate(OBEYED)


def in_a_line(text: object) -> str:
    """The text in one line: a run of spaces, tabs and line breaks is one space."""
    return printable(" ".join(str(text).split()))


def json_line(row: Any) -> str:
    """The row as JSON in one line, of letters where UTF-8 has them, else escaped."""
    line = json.dumps(row, ensure_ascii=False)
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(row)
    return line


def write_lines(rows: Iterable[Any], to: IO[bytes] | None = None) -> None:
    """Writes JSON lines to stdout, or to a file, in UTF-8 whatever the locale says."""
    file = to or sys.stdout.buffer
    for row in rows:
        file.write(json_line(row).encode() + b"\n")
    file.flush()


def as_lines(asked: bool) -> bool:
    """Whether a command that writes data does so as JSON lines: where asked, and off a terminal."""
    return asked or not sys.stdout.isatty()


def table(
    *columns: str,
    title: str | None = None,
    numbers: Iterable[str] = (),
    least: Iterable[str] = (),
) -> Table:
    """An empty table; the columns that are `numbers` stand to the right and never break.

    Where the terminal is too narrow, those that matter `least` are left out, the first of them
    first.
    """
    above = title and Text(title, "bold")
    made = FittingTable(title=above, title_justify="left", header_style="bold")
    made.least = [each for each in least if each in columns]
    right = frozenset(numbers)
    for name in columns:
        side: Any = "right" if name in right else "left"
        made.add_column(name, justify=side, no_wrap=name in right, overflow="fold")
    return made


def add_row(to: Table, *cells: object, style: str | None = None, last: bool = False) -> None:
    """Adds a row whose cells are shown as they are: nothing in them is read as markup."""
    to.add_row(*map(cell, cells), style=style, end_section=last)


def cell(value: object) -> RenderableType:
    """What stands in a cell: texts as they are, shares with two digits, nothing for None."""
    if isinstance(value, Text):
        return value
    if isinstance(value, float):
        return Text(f"{value:.2f}")
    return Text("" if value is None else in_a_line(value))


def show(*what: RenderableType) -> None:
    """Prints tables and texts to stdout."""
    console = screen()
    for each in what:
        console.print(each)


def counted(count: int, what: str) -> str:
    """So many of them, in words that agree.

    >>> counted(1, "article"), counted(1200, "article")
    ('1 article', '1,200 articles')
    """
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def agreed(question: str, yes: bool) -> bool:
    """Whether to go on: by `--yes`, or asked on the terminal; where nobody can answer, it is yes.

    Scripts have no terminal and mean what they say.
    """
    return yes or not can_ask() or typer.confirm(printable(question), err=True)


def can_ask() -> bool:
    """Whether somebody is there to answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class StopSignal:
    """Whether a signal said to stop; a second one stops at once."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._before: dict[int, Any] = {}

    def __call__(self) -> bool:
        return self.signal is not None

    def __enter__(self) -> "StopSignal":
        for number in (signal.SIGTERM, signal.SIGINT):
            self._before[number] = signal.signal(number, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.signal = number
        signal.signal(number, self._before[number])
