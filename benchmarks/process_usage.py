"""Run time and peak memory of commands, each in its own process.

The memory that a system reports of an ended process is never less than that of the one which
started it, so a small process stands between: this file, run as a script. Standard library only.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent


class ProcessError(Exception):
    """A command that failed: its last message."""


class Run(NamedTuple):
    """What a command took, its children included; memory is that of the largest of them."""

    wall: float
    cpu: float
    peak_bytes: int
    output: str


def run(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> Run:
    """A command run to its end."""
    between = [sys.executable, "-S", __file__, *map(str, command)]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        done = subprocess.run(
            between,
            stdout=subprocess.PIPE,
            stderr=said,
            env={**os.environ, **(environment or {})},
            text=True,
            check=False,
        )
        said.seek(0)
        last = said.read().strip().splitlines()[-1:]
    if done.returncode:
        raise ProcessError(f"{Path(command[0]).name} {command[1]}: {''.join(last)}")
    output, _, measured = done.stdout.rstrip("\n").rpartition("\n")
    return Run(*json.loads(measured), output)


def case(script: str, name: str, given: Mapping[str, Any]) -> tuple[Any, Run]:
    """What a function of a script here answers in a new process, and what that took."""
    done = run([sys.executable, HERE / script, name, json.dumps(given)])
    return json.loads(done.output.splitlines()[-1]), done


def resident() -> int:
    """The bytes of memory that this process has now."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith("VmRSS")))


def answer(cases: Mapping[str, Any]) -> None:
    """Print what the function asked for on the command line answers: the other side of `case`."""
    print(json.dumps(cases[sys.argv[1]](**json.loads(sys.argv[2]))))


def main() -> int:
    """Run the command given, then say what it took."""
    start = time.perf_counter()
    process = subprocess.Popen(sys.argv[1:])
    _, status, used = os.wait4(process.pid, 0)
    took = time.perf_counter() - start
    print(json.dumps([took, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]))
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
