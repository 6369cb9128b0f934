"""Terminal input and output: data on stdout, messages on stderr, one meaning for each exit code.

0 done · 1 an answer of "no" · 2 bad input or usage · 3 stopped by the guard · 130 interrupted
"""

import errno
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import IO, Any, Self, TypeVar

import typer
from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

from nearcopy.errors import NearcopyError, TooManyDuplicates

ANSWER_NO = 1
BAD_INPUT = 2
GUARDED = 3
INTERRUPTED = 130

# What to do about an error of the operating system.
REMEDIES = {
    errno.ENOENT: "is the name right?",
    errno.ENOTDIR: "is the name right?",
    errno.EISDIR: "name a file",
    errno.EACCES: "allow this user to read it, or to write there",
    errno.EPERM: "allow this user to read it, or to write there",
    errno.EROFS: "write elsewhere",
    errno.ENOSPC: "free disk space, or write elsewhere",
    errno.EDQUOT: "free disk space, or write elsewhere",
    errno.ENAMETOOLONG: "give a shorter name",
    errno.EMFILE: "allow more open files, with `ulimit -n`",
}

# Control characters are replaced by U+FFFD, bidirectional overrides are removed.
CONTROL_CHARACTERS: dict[int, str] = {
    **dict.fromkeys((*range(32), *range(127, 160)), "�"),
    **dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), ""),
    ord("\n"): "\n",
    ord("\t"): " ",
}

Item = TypeVar("Item")


class PipeConsole(Console):
    """A console that leaves a closed pipe to `report_errors`."""

    def on_broken_pipe(self) -> None:
        """Raise, where rich would exit with code 1, which means "no" here."""
        raise BrokenPipeError


def make_console(**options: Any) -> Console:
    """A console on the current stdout, without markup."""
    return PipeConsole(highlight=False, markup=False, emoji=False, **options)


def stderr_console() -> Console:
    """A console on the current stderr."""
    return make_console(stderr=True)


def report_errors(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with errors printed as one line on stderr and turned into exit codes."""

    @wraps(command)
    def run(**values: Any) -> None:
        _open_streams()
        try:
            command(**values)
        except BrokenPipeError:  # the reader closed the pipe, as `head` does
            sys.stdout = None
            raise typer.Exit from None
        except (KeyboardInterrupt, typer.Abort):  # Abort: interrupted at a question
            raise typer.Exit(INTERRUPTED) from None
        except (NearcopyError, OSError, UnicodeError) as error:
            print_error(_format_error(error))
            raise typer.Exit(BAD_INPUT) from error

    return run


def _open_streams() -> None:
    """Open /dev/null in place of standard streams that the parent process closed."""
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _format_error(error: Exception) -> str:
    """The message, after the file name if there is one, with a remedy for common errors."""
    if isinstance(error, UnicodeDecodeError):
        return f"not {error.encoding.upper()}: {error.reason} at {error.start}: write it in UTF-8"
    if not (isinstance(error, OSError) and error.strerror):
        return str(error)
    file = f"{error.filename}: " if error.filename is not None else ""
    remedy = f": {REMEDIES[error.errno]}" if error.errno in REMEDIES else ""
    return f"{file}{error.strerror}{remedy}"


def print_error(message: str) -> None:
    """Print an error message to stderr."""
    stderr_console().print(Text("error: ", "red") + Text(printable(message)), soft_wrap=True)


def note(message: str) -> None:
    """Print a message to stderr."""
    stderr_console().print(Text(printable(message)), soft_wrap=True)


def printable(text: object) -> str:
    """The text without control characters and lone surrogates."""
    return str(text).encode("utf-8", "replace").decode("utf-8").translate(CONTROL_CHARACTERS)


def one_line(text: object) -> str:
    """The printable text with every run of white space turned into one space."""
    return printable(" ".join(str(text).split()))


def json_line(row: Any) -> str:
    """The row as one line of JSON; non-ASCII letters unescaped where UTF-8 can encode them."""
    line = json.dumps(row, ensure_ascii=False)
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(row)
    return line


def write_json_lines(rows: Iterable[Any], to: IO[bytes] | None = None) -> None:
    """Write JSON lines to stdout, or to a file, in UTF-8 whatever the locale."""
    file = to or sys.stdout.buffer
    for row in rows:
        file.write(json_line(row).encode() + b"\n")
    file.flush()


def wants_json_lines(as_json: bool) -> bool:
    """Whether to write data as JSON lines: with --json, or where stdout is no terminal."""
    return as_json or not sys.stdout.isatty()


def show(*renderables: RenderableType) -> None:
    """Print tables and texts to stdout."""
    console = make_console()
    for renderable in renderables:
        console.print(renderable)


def report_summary(
    row: dict[str, Any], table: RenderableType, *, as_json: bool, quiet: bool
) -> None:
    """Write a summary to stderr: a row as JSON, or a table unless it is to be quiet."""
    if as_json:
        sys.stderr.write(json_line(row) + "\n")
    elif not quiet:
        stderr_console().print(table)


def format_count(count: int, noun: str, plural: str | None = None) -> str:
    """The count and the noun in the singular or the plural.

    >>> format_count(1, "article"), format_count(1200, "article"), format_count(2, "box", "boxes")
    ('1 article', '1,200 articles', '2 boxes')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {plural or noun + 's'}"


def confirm(question: str, yes: bool) -> bool:
    """Whether to go on: with --yes, by the user's answer, or because no terminal is attached."""
    return yes or not is_interactive() or typer.confirm(printable(question), err=True)


def confirm_removal(warning: str, yes: bool) -> bool:
    """Whether to remove in spite of a warning: with --yes, or by the user's answer."""
    question = printable(f"{warning}. Remove them?")
    return yes or (is_interactive() and typer.confirm(question, err=True))


@contextmanager
def exit_guarded() -> Iterator[None]:
    """Exit with GUARDED where a removal was not confirmed."""
    try:
        yield
    except TooManyDuplicates as exc:
        print_error(str(exc))
        raise typer.Exit(GUARDED) from None


def warn_of_removal(warning: str | None) -> None:
    """Print the warning where nothing was removed yet."""
    if warning:
        note(f"warning: {warning}: review the duplicates before you remove them")


def is_interactive() -> bool:
    """Whether a user can answer questions."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class StopSignal:
    """Becomes true on the first SIGTERM or SIGINT; the second stops the process at once."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._handlers: dict[int, Any] = {}

    def __call__(self) -> bool:
        return self.signal is not None

    def __enter__(self) -> "StopSignal":
        for number in (signal.SIGTERM, signal.SIGINT):
            self._handlers[number] = signal.signal(number, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.signal = number
        signal.signal(number, self._handlers[number])


UPDATE_ROWS = 64  # rows between two updates of a bar


class RateColumn(ProgressColumn):
    """Rows per second."""

    def render(self, task: Task) -> Text:
        """The rate, as soon as it is known."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "")


class Bars:
    """Progress bars on stderr; hidden where it is no terminal."""

    def __init__(self, *columns: ProgressColumn, quiet: bool = False) -> None:
        console = stderr_console()
        self._bars = Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(),
            *columns,
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def stop(self) -> None:
        """Hide the bars for good, so that a question can be asked."""
        self._bars.stop()


class Phases(Bars):
    """A bar for each phase, which counts rows."""

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__(MofNCompleteColumn(), RateColumn(), quiet=quiet)

    def note(self, message: str) -> None:
        """Print a message, with the bars hidden meanwhile."""
        self._bars.stop()
        note(message)
        self._bars.start()

    def track(
        self, rows: Iterable[Item], phase: str, *, total: int | None = None
    ) -> Iterator[Item]:
        """The rows, which advance the bar of the phase as they are read."""
        task = self._bars.add_task(phase, total=total)
        number = 0
        for number, row in enumerate(rows, start=1):
            if number % UPDATE_ROWS == 0:
                self._bars.update(task, completed=number)
            yield row
        self._bars.update(task, completed=number, total=number)


class Stages(Bars):
    """A bar for each stage, which counts bytes of input."""

    def __init__(self, size: int, *, quiet: bool) -> None:
        share = TextColumn("{task.percentage:>3.0f} %")
        super().__init__(share, TransferSpeedColumn(), quiet=quiet)
        self._size = size
        self._stage, self._task = "", TaskID(0)

    def update(self, stage: str, done: int, total: int) -> None:
        """Advance the bar of the stage."""
        if stage != self._stage:
            self._stage, self._task = stage, self._bars.add_task(stage, total=self._size)
        self._bars.update(self._task, completed=self._size * done // max(1, total))
