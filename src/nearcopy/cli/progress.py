"""Progress bars on stderr."""

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self, TypeVar

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

from nearcopy.cli.terminal import note, stderr_console

Item = TypeVar("Item")
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
