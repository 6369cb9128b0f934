"""Worker processes that begin at the same moment, for tests of races.

They are forked by one process that has imported everything, so that starting many is quick.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

FORK = """
import os as _os, sys as _sys, traceback as _traceback

def _say(*words):
    _os.write(1, " ".join(map(str, words)).encode() + b"\\n")  # at once: lines do not mix

def _wait_for_start():
    _say("ready")
    _os.read(0, 1)

_pids = []
for _name in _sys.argv[2:]:
    _pids.append(_os.fork())
    if not _pids[-1]:
        try:
            work(_sys.argv[1], _name, _wait_for_start, _say)
            _os._exit(0)
        except BaseException:
            _traceback.print_exc()
            _sys.stderr.flush()
            _os._exit(1)
_failed = 0
for _ in _pids:
    if _os.wait()[1]:
        _failed = 1
        _say("failed")  # else the test would wait for a worker that ended before it was ready
_sys.exit(_failed)
"""


class Race(NamedTuple):
    """The words of each line that a worker printed, in any order, and its stderr."""

    lines: list[list[str]]
    errors: str


def race(
    program: str, address: str, names: list[str], meanwhile: Callable[[], None] | None = None
) -> Race:
    """Run `work(address, name, wait_for_start, say)` of a program, a process for each name.

    A worker calls `wait_for_start` once it is prepared; it returns when all workers are. `say`
    passes a line of words to the test. `meanwhile` is called after the start. All workers must end
    without an exception.
    """
    with subprocess.Popen(
        [sys.executable, "-c", program + FORK, address, *names],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
    ) as process:
        for _ in names:
            assert process.stdout.readline() == "ready\n"
        process.stdin.write("s" * len(names))
        process.stdin.flush()
        if meanwhile is not None:
            meanwhile()
        output, errors = process.communicate()
    assert process.returncode == 0, errors
    return Race([line.split() for line in output.splitlines()], errors)
