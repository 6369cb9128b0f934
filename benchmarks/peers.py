"""The peers: an environment of their own in benchmarks/.peers, and a worker that runs in it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from timing import Contender, Timing

HERE = Path(__file__).resolve().parent
ENVIRONMENT = HERE / ".peers"
PYTHON = ENVIRONMENT / "bin" / "python"

PINS = {
    "numpy": "2.4.6",
    "xxhash": "4.1.0",
    "gaoya": "0.2.2",
    "rensa": "0.5.0",
    "datasketch": "2.0.0",
}

# text-dedup asks for Spark, TensorFlow and more that its MinHash does not import: what it does, in
# an environment of its own.
TEXT_DEDUP = HERE / ".peers-text-dedup"
TEXT_DEDUP_PINS = {
    "text-dedup": "0.4.0",
    "datasets": "5.2.0",
    "numpy": "2.4.6",
    "scipy": "1.17.1",
    "xxhash": "4.1.0",
    "regex": "2026.11.9",
    "ftfy": "6.3.1",
    "wcwidth": "0.9.4",
    "bitarray": "3.12.3",
    "zstandard": "0.25.0",
    "psutil": "7.2.2",
    "click": "8.5.1",
    "click-option-group": "0.5.9",
    "rich": "13.9.4",
    "markdown-it-py": "4.3.0",
    "mdurl": "0.1.2",
    "pygments": "2.21.0",
    "pyarrow": "26.0.1",
    "pandas": "3.1.1",
    "python-dateutil": "4.0.0",
    "tzdata": "2026.6",
    "dill": "0.4.1",
    "multiprocess": "0.70.19",
    "fsspec": "2026.9.0",
    "filelock": "4.2.10",
    "huggingface-hub": "2.4.0",
    "hf-xet": "1.8.0",
    "httpx2": "2.16.0",
    "httpcore2": "2.16.0",
    "h11": "0.16.0",
    "anyio": "4.16.0",
    "idna": "3.20",
    "truststore": "0.10.5",
    "packaging": "26.3",
    "pyyaml": "6.0.3",
    "tqdm": "4.70.1",
    "typing-extensions": "4.16.0",
}

ONE_THREAD = {
    "RAYON_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class PeerError(Exception):
    """A peer could not do its part: its message."""


class Worker:
    """A process in the peers' environment that runs and times tasks."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [PYTHON, HERE / "peer_worker.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD,
            text=True,
        )
        self.versions: dict[str, str] = self.ask("versions")

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()

    def ask(self, command: str, **given: Any) -> Any:
        """What the worker answers to a command."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"do": command, **given}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        reply = json.loads(line) if line else {"error": "the worker ended"}
        if "error" in reply:
            raise PeerError(f"{command} {given.get('job', '')}: {reply['error']}")
        return reply["done"]

    def contender(self, name: str, job: str, work: str) -> tuple[Contender, str]:
        """A prepared work done by its quickest way, and the name of that way."""
        way = self.ask("choose", job=job, work=work)
        return Contender(name, lambda: Timing(*self.ask("run", job=job, work=work, way=way))), way


def install(say: Callable[[str], None]) -> str | None:
    """Make the environment where it is not there yet; why not, when that failed."""
    return _environment(ENVIRONMENT, PINS, say)


def install_text_dedup(say: Callable[[str], None]) -> str | None:
    """The same of text-dedup, which is of use as a whole only."""
    return _environment(TEXT_DEDUP, TEXT_DEDUP_PINS, say, "--no-deps", whole=True)


def _environment(
    folder: Path,
    wanted: dict[str, str],
    say: Callable[[str], None],
    *flags: str,
    whole: bool = False,
) -> str | None:
    stamp = folder / "pins.json"
    if stamp.exists() and json.loads(stamp.read_text(encoding="utf-8")) == wanted:
        return None
    pins = [f"{name}=={version}" for name, version in wanted.items()]
    say(f"making {folder} with {', '.join(pins)} (once)")
    try:
        _run(sys.executable, "-m", "venv", "--clear", str(folder))
    except PeerError as failed:
        return str(failed)
    batches = [pins] if whole else [[pin] for pin in pins]
    missing = [pins for pins in batches if not _installed(folder, [*flags, *pins], say)]
    if len(missing) == len(batches):
        return "nothing could be installed from the package index"
    if not missing:
        stamp.write_text(json.dumps(wanted), encoding="utf-8")
    return None


def _installed(folder: Path, pins: Sequence[str], say: Callable[[str], None]) -> bool:
    python = str(folder / "bin" / "python")
    quietly = ("--quiet", "--retries", "1", "--only-binary", ":all:")
    try:
        _run(python, "-m", "pip", "install", *quietly, *pins)
    except PeerError as failed:
        say(f"without {pins[-1]}: {failed}")
        return False
    return True


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason given"]
        raise PeerError(f"{command[0]} {' '.join(command[1:4])}: {last[0]}")
