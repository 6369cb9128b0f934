"""Bars on the terminal while work is done."""

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

from nearcopy.cli.terminal import aside, noted

Thing = TypeVar("Thing")
STEP = 64  # rows between two looks at the bar


class RateColumn(ProgressColumn):
    """Rows a second."""

    def render(self, task: Task) -> Text:
        """The rate, once there is one."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "")


class Bars:
    """Bars on stderr while work is done; none where it is no terminal."""

    def __init__(self, *columns: ProgressColumn, quiet: bool = False) -> None:
        console = aside()
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


class Phases(Bars):
    """One bar for each phase of the work, in rows."""

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__(MofNCompleteColumn(), RateColumn(), quiet=quiet)

    def tell(self, message: str) -> None:
        """Notes something in lines of its own, with the bars out of the way."""
        self._bars.stop()
        noted(message)
        self._bars.start()

    def each(
        self, things: Iterable[Thing], phase: str, *, total: int | None = None
    ) -> Iterator[Thing]:
        """The things, while the bar of the phase follows them."""
        task = self._bars.add_task(phase, total=total)
        number = 0
        for number, thing in enumerate(things, start=1):
            if number % STEP == 0:
                self._bars.update(task, completed=number)
            yield thing
        self._bars.update(task, completed=number, total=number)


class Stages(Bars):
    """One bar for each stage, in bytes of what was read."""

    def __init__(self, size: int, *, quiet: bool) -> None:
        share = TextColumn("{task.percentage:>3.0f} %")
        super().__init__(share, TransferSpeedColumn(), quiet=quiet)
        self._size = size
        self._stage, self._task = "", TaskID(0)

    def tell(self, stage: str, done: int, total: int) -> None:
        """Has the bar of the stage follow."""
        if stage != self._stage:
            self._stage, self._task = stage, self._bars.add_task(stage, total=self._size)
        self._bars.update(self._task, completed=self._size * done // max(1, total))
