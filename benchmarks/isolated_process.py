"""Measurements in a new process: memory, and hostile input.

`run_isolated("case", size=3)` runs `case(size=3)` of this file in a new interpreter.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

import corpora
from context import Context
from nearcopy import Recipe, kernels
from results import Measurement

# name: (how it is made of a size, the size, whether it is HTML)
HOSTILE: dict[str, tuple[Callable[[int], str], int, bool]] = {
    "one character": (lambda size: "a" * size, 50_000_000, False),
    "one-letter words": (lambda size: "a b c d e " * (size // 5), 1_000_000, False),
    "nested HTML": (lambda size: "<div>" * size + "text" + "</div>" * size, 100_000, True),
    "U+FDFA": (lambda size: "\ufdfa" * size, 5_000_000, False),
    "combining marks": (lambda size: "a" + "\u0301" * size, 5_000_000, False),
}
STEPS = (1, 2, 4)


def run_isolated(case: str, **given: Any) -> Any:
    """The result of a function of this file in a new process."""
    command = [sys.executable, __file__, case, json.dumps(given)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def hostile(context: Context) -> Iterator[Measurement]:
    """Time a character and memory for the worst texts, at a quarter, a half and all of a size."""
    for name, (_, size, _) in HOSTILE.items():
        sizes = [max(5, int(context.sizes.hostile * size * step / STEPS[-1])) for step in STEPS]
        context.say(f"hostile: {name} x {sizes[-1]:,}")
        steps = [_quickest(name, step) for step in sizes]
        first, last = steps[0]["nanoseconds"], steps[-1]["nanoseconds"]
        yield Measurement(
            f"hostile/{name}",
            f"{name} x {sizes[-1]:,}",
            "ns/character",
            last,
            note=f"{last / first:.2f} times that of a quarter as long; "
            f"peak memory {steps[-1]['memory']:.1f} times the text's bytes",
            details={"sizes": sizes, "steps": steps},
        )


def memory_per_thread(context: Context) -> Iterator[Measurement]:
    """How much more memory each further thread takes."""
    count = context.sizes.articles
    peaks = {
        threads: run_isolated("sketching", count=count, threads=threads)["peak"]
        for threads in (1, 4)
    }
    yield Measurement(
        "threads/memory",
        "memory for each further thread",
        "MB",
        (peaks[4] - peaks[1]) / 3 / 1e6,
        details={"peak_bytes": {str(threads): peak for threads, peak in peaks.items()}},
    )


def hostile_text(name: str, size: int) -> dict[str, float]:
    """Nanoseconds a character, and peak memory over the bytes of the text."""
    make, _, html = HOSTILE[name]
    kernels.sketch(["warm"], Recipe())
    text = make(size)
    before = _peak_from_here()
    start = time.process_time()
    kernels.sketch([text], Recipe(), html=[html])
    seconds = time.process_time() - start
    grown = _peak() - before
    return {"nanoseconds": 1e9 * seconds / len(text), "memory": grown / len(text.encode())}


def sketching(count: int, threads: int) -> dict[str, int]:
    """The bytes the process grows by at most while it sketches news."""
    texts = corpora.english(count).texts
    kernels.sketch(["warm"], Recipe())
    before = _peak_from_here()
    kernels.sketch(texts, Recipe(), threads=threads)
    return {"peak": _peak() - before}


def _quickest(name: str, size: int) -> dict[str, float]:
    """The least of three processes, so that every size is met with cold memory."""
    tries = [run_isolated("hostile_text", name=name, size=size) for _ in range(3)]
    return min(tries, key=lambda found: found["nanoseconds"])


def _peak_from_here() -> int:
    """The memory the process has now, from which its peak is counted from now on."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return _peak()
    return _resident()


def _resident() -> int:
    return _status("VmRSS")


def _peak() -> int:
    try:
        return _status("VmHWM")
    except (OSError, StopIteration):
        return getrusage(RUSAGE_SELF).ru_maxrss * 1024


def _status(field: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith(field)))


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](**json.loads(sys.argv[2]))))
