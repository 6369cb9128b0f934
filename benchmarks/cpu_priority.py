"""Real-time CPU priority for what is measured.

On a shared machine a check would wait for a processor, as would the server that it queries. Linux
only, as root.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NICE = -15
AGAIN_SECONDS = 0.05  # new processes, as those of a PostgreSQL server, are looked for


@contextmanager
def ahead() -> Iterator[None]:
    """This process and all that it has started, or starts, go first."""
    with suppress(OSError):
        os.setsid()  # Linux shares out processors by session before it looks at anything else
    done = threading.Event()
    thread = threading.Thread(target=_raise_priority, args=(done,))
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        _place(os.getpid(), 0)


def _raise_priority(done: threading.Event) -> None:
    placed: dict[int, str] = {}  # by process, the session it was found in
    while not done.wait(AGAIN_SECONDS):
        for pid in _started_by(os.getpid()):
            with suppress(OSError):
                group = Path(f"/proc/{pid}/autogroup").read_text().split()[0]
                if placed.get(pid) != group:
                    _place(pid, NICE)
                    placed[pid] = group


def _place(pid: int, nice: int) -> None:
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, nice)
        Path(f"/proc/{pid}/autogroup").write_text(str(nice), encoding="ascii")


def _started_by(pid: int) -> Iterator[int]:
    """The process and all below it."""
    yield pid
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in thread.read_text(encoding="ascii").split():
                yield from _started_by(int(child))
