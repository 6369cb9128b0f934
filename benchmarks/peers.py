"""The peers: an environment of their own in benchmarks/.peers, and a worker that runs in it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from timing import Contender, Timing

HERE = Path(__file__).resolve().parent
ENVIRONMENT = HERE / ".peers"
PYTHON = ENVIRONMENT / "bin" / "python"
STAMP = ENVIRONMENT / "pins.json"

PINS = {
    "numpy": "2.4.6",
    "xxhash": "4.1.0",
    "gaoya": "0.2.2",
    "rensa": "0.5.0",
    "datasketch": "2.0.0",
    "faiss-cpu": "1.15.1",
}

ONE_THREAD = {
    "RAYON_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class PeerError(Exception):
    """A peer could not do its part: what it said."""


class Worker:
    """A process in the peers' environment that does and times what it is told."""

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
    if STAMP.exists() and json.loads(STAMP.read_text(encoding="utf-8")) == PINS:
        return None
    pins = [f"{name}=={version}" for name, version in PINS.items()]
    say(f"making {ENVIRONMENT} with {', '.join(pins)} (once)")
    try:
        _run(sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT))
    except PeerError as failed:
        return str(failed)
    missing = [pin for pin in pins if not _installed(pin, say)]
    if len(missing) == len(pins):
        return "nothing could be installed from the package index"
    if not missing:
        STAMP.write_text(json.dumps(PINS), encoding="utf-8")
    return None


def _installed(pin: str, say: Callable[[str], None]) -> bool:
    try:
        _run(
            str(PYTHON),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--retries",
            "1",
            "--only-binary",
            ":all:",
            pin,
        )
    except PeerError as failed:
        say(f"without {pin}: {failed}")
        return False
    return True


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason given"]
        raise PeerError(f"{command[0]} {' '.join(command[1:4])}: {last[0]}")
