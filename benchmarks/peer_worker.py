"""The peers' side: runs in their interpreter, takes tasks as JSON lines, times itself.

A request names a command and its arguments; the answer is one line. `prepare` loads a job (its
input is made ready outside any clock), `choose` finds the quickest way of each of its works,
`run` times one round, `answer` stores what the work found so that results can be compared.
"""

import gc
import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any

from timing import fastest, timed

PACKAGES = {
    "gaoya": "gaoya",
    "rensa": "rensa",
    "datasketch": "datasketch",
    "xxhash": "xxhash",
    "numpy": "numpy",
}

# A job is a set of works ("insert", "query"), each with one or more ways of doing it.
Job = dict[str, dict[str, Callable[[], Any]]]
jobs: dict[str, Job] = {}


def versions() -> dict[str, str]:
    """The version of each peer that imports here."""
    installed = {}
    for package, module in PACKAGES.items():
        try:
            import_module(module)
            installed[package] = version(package)
        except ImportError:
            continue
    return installed


def prepare(module: str, job: str, **inputs: Any) -> list[str]:
    """Make a job ready; the names of its works."""
    gc.disable()
    jobs[job] = getattr(import_module(module), job)(**inputs)
    gc.freeze()  # millions of objects, which no later collection need look at
    gc.enable()
    return list(jobs[job])


def choose(job: str, work: str) -> str:
    """The quickest way to do the work."""
    return fastest(jobs[job][work])


def run(job: str, work: str, way: str) -> tuple[float, float]:
    """One timed round."""
    return timed(jobs[job][work][way])


def answer(job: str, work: str, way: str, path: str) -> None:
    """Do the work once and store what it found."""
    import numpy as np
    from peer_indexes import arrays

    np.savez(path, **arrays(jobs[job][work][way]()))


def measure(module: str, function: str, **inputs: Any) -> Any:
    """What a function of a peers' module measures by itself."""
    return getattr(import_module(module), function)(**inputs)


def drop(job: str) -> None:
    """Free what a job holds."""
    del jobs[job]
    gc.unfreeze()


COMMANDS: dict[str, Callable[..., Any]] = {
    command.__name__: command for command in (versions, prepare, choose, run, answer, measure, drop)
}


def main() -> None:
    """Answer requests until there are no more; what the peers print goes to stderr."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = {"done": COMMANDS[request.pop("do")](**request)}
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    main()
