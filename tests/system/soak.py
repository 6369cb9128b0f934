"""A soak: mixed load on a service whose workers and servers are killed, then a full audit.

`python tests/system/soak.py --minutes 30 sqlite postgres` runs it and prints a report as Markdown.
"""

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
from tests.support import servers
from tests.support.service_client import free_port, wait_for

from nearcopy import Deduper

GROUPS = 1500  # of a text and three near copies; once all are there they come again
NAMES = ("", "-x", "-y", "-z")
OLD = 10  # one group in this many is long out of date, and purged
NOW = datetime.now(UTC).replace(microsecond=0)
LONG_AGO = NOW - timedelta(days=400)
PAGES = ("/", "/stories", "/review", "/api/v1/stats", "/api/v1/stories?order=largest", "/metrics")
FINE = (200, 404)  # an article may not be there yet, or be purged
UP_SECONDS = 300.0  # a busy machine is slow to start a service
KILLED = (*["worker"] * 6, *["server"] * 2, "service")
LONG_SECONDS = 600.0  # workers that run for less are still filling up
GROWN = 1.25  # times as much memory in the last quarter as in the one before is too much


def article(group: int, name: str) -> dict[str, str]:
    """One of the four articles of a group, the same ones every time."""
    words = [f"word{group}of{place}" for place in range(80)]
    if name:
        words[40] = f"said{name}"
    when = LONG_AGO if group % OLD == 0 else NOW
    return {
        "id": f"g{group}{name}",
        "title": f"word{group}of1 word{group}of2 word{group}of3 word{group}of4 word{group}of5",
        "text": " ".join(words),
        "source": f"Outlet {group % 7}{name}",
        "published": when.isoformat(),
    }


@dataclass
class Soak:
    """A service under load and under kills, and what it has acknowledged."""

    address: str
    folder: Path
    seconds: float
    server: servers.Postgres | None = None
    port: int = field(default_factory=free_port)
    acknowledged: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    resident: list[tuple[float, int]] = field(default_factory=list)  # seconds, bytes of a worker
    wrong: list[str] = field(default_factory=list)
    process: "subprocess.Popen[bytes] | None" = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> None:
        """All of it; `wrong` says what does not hold in the end."""
        self._start()
        self._began = time.monotonic()
        self._end = self._began + self.seconds
        work = (self._add, self._add, self._check, self._look, self._say, self._purge, self._watch)
        threads = [
            threading.Thread(target=self._guarded, args=(task, seed))
            for seed, task in enumerate(work)
        ]
        for thread in threads:
            thread.start()
        try:
            self._kill_now_and_then(random.Random(99))
        finally:
            for thread in threads:
                thread.join()
            self._stop()
        self._audit()

    @property
    def _going(self) -> bool:
        return time.monotonic() < self._end

    def _guarded(self, work: Callable[[random.Random], None], seed: int) -> None:
        try:
            work(random.Random(seed))
        except Exception as wrong:
            self.wrong.append(f"{work.__name__}: {wrong!r}")
            raise

    # The load.

    def _asked(self, method: str, path: str, **given: object) -> httpx.Response | None:
        """The answer; None where there is none for now, as somebody was killed."""
        what = f"{method} {re.sub('/g[0-9]+', '/...', path.split('?')[0])}"
        try:
            url = f"http://127.0.0.1:{self.port}{path}"
            answer = httpx.request(method, url, timeout=60, **given)  # type: ignore[arg-type]
        except httpx.HTTPError:
            answer = None
        with self._lock:
            lost = answer is None or answer.status_code in (503, 504)
            self.counts[f"{what}: {'lost' if lost else 'answered'}"] += 1
            if answer is not None and answer.status_code not in (*FINE, 503, 504):
                self.wrong.append(f"{what}: {answer.status_code} {answer.text[:200]}")
        if lost:
            time.sleep(0.2)
            return None
        return answer

    def _add(self, dice: random.Random) -> None:
        while self._going:
            groups = dice.sample(range(GROUPS), k=dice.randrange(1, 12))
            batch = [article(group, dice.choice(NAMES)) for group in groups]
            answer = self._asked("POST", "/api/v1/articles", json=batch)
            if answer is not None and answer.status_code == 200:
                ids = [verdict["id"] for verdict in answer.json()["verdicts"]]
                with self._lock:
                    self.acknowledged.update(ids)
                if ids != [row["id"] for row in batch]:
                    self.wrong.append(f"{batch} was answered with {ids}")

    def _check(self, dice: random.Random) -> None:
        while self._going:
            query = article(dice.randrange(GROUPS), dice.choice(NAMES)) | {"id": "asked"}
            self._asked("POST", "/api/v1/check", json=query)
            time.sleep(0.02)

    def _look(self, dice: random.Random) -> None:
        while self._going:
            self._asked("GET", dice.choice(PAGES))
            self._asked("GET", f"/api/v1/articles/g{dice.randrange(GROUPS)}/similar")
            time.sleep(0.1)

    def _say(self, dice: random.Random) -> None:
        while self._going:
            group = dice.randrange(GROUPS)
            a, b = (f"g{group}{name}" for name in dice.sample(NAMES, k=2))
            said = self._asked("POST", "/api/v1/feedback", json={"a": a, "b": b, "same": True})
            if said is not None and said.status_code == 200 and dice.random() < 0.5:
                self._asked("DELETE", f"/api/v1/feedback?a={a}&b={b}")
            time.sleep(0.3)

    def _purge(self, dice: random.Random) -> None:
        while self._going:
            time.sleep(dice.uniform(2, max(2.0, self.seconds / 20)))
            before = (NOW - timedelta(days=300)).date().isoformat()
            words = ["purge", "--store", self.address, "--before", before, "--yes"]
            done = subprocess.run(
                [sys.executable, "-m", "nearcopy", *words], capture_output=True, text=True
            )
            self.counts[f"purge: {'done' if done.returncode == 0 else 'lost'}"] += 1

    def _watch(self, _: random.Random) -> None:
        while self._going:
            for pid in self._workers()[:1]:  # the one that is killed more seldom
                with suppress(OSError, IndexError):
                    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
                    self.resident.append((time.monotonic() - self._began, pages * 4096))
            time.sleep(1)

    # The kills.

    def _kill_now_and_then(self, dice: random.Random) -> None:
        pause = min(20.0, self.seconds / 6)
        while self._going:
            time.sleep(dice.uniform(pause / 2, pause))
            kind = dice.choice(KILLED)
            if kind == "server" and self.server is not None:
                self.server.kill()
                self.server.start()
            elif kind == "service" and self.process is not None:
                family = [self.process.pid, *self._workers()]
                for pid in family:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                self.process.wait(60)
                self._start()
            elif self._workers():
                with suppress(ProcessLookupError):
                    os.kill(self._workers()[-1], signal.SIGKILL)  # the younger one
                kind = "worker"
            self.counts[f"kill -9 of a {kind}"] += 1

    def _workers(self) -> list[int]:
        """The processes that answer, but not the one that looks after semaphores."""
        if self.process is None:
            return []
        pid = self.process.pid
        with suppress(OSError):
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            lines = {int(child): Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
            return [child for child, line in lines.items() if b"resource_tracker" not in line]
        return []

    def _start(self) -> None:
        words = ["serve", "--port", str(self.port), "--workers", "2", "--store", self.address]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "nearcopy", *words],
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )
        wait_for(f"http://127.0.0.1:{self.port}", UP_SECONDS)

    def _stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(60)

    # The audit.

    def _audit(self) -> None:
        recent = {f"g{group}{name}" for group in range(GROUPS) if group % OLD for name in NAMES}
        with Deduper(self.address, clock=lambda: NOW) as deduper:
            self.wrong += [f"{c.name}: {c.detail}" for c in deduper.verify() if not c.passed]
            members = [member.id for story in deduper.stories() for member in story.members]
            self.counts["articles in the end"] = len(members)
            if len(members) != len(set(members)):
                self.wrong.append("an article is in two stories")
            lost = (self.acknowledged & recent) - set(members)
            if lost:
                self.wrong.append(f"{len(lost)} acknowledged articles are missing: {min(lost)}")
            self._audit_groups(deduper, set(members) & recent)
        self._audit_memory()

    def _audit_groups(self, deduper: Deduper, there: set[str]) -> None:
        kept: Counter[str] = Counter()
        for verdict in deduper.verdicts(sorted(there)):
            kept[verdict.id.partition("-")[0]] += not verdict.is_duplicate
        bad = [group for group, originals in kept.items() if originals != 1]
        self.counts["groups with one original"] = len(kept) - len(bad)
        if bad:
            self.wrong.append(f"{len(bad)} groups have not one original: {bad[0]}")

    def _audit_memory(self) -> None:
        third, last = (self._memory(quarter) for quarter in (2, 3))
        if self.seconds >= LONG_SECONDS and third and last and last > GROWN * third:
            self.wrong.append(f"workers grew from {third >> 20} to {last >> 20} MB")

    def _memory(self, quarter: int) -> int:
        """The median size of a worker in a quarter of the time, in bytes."""
        start, end = (self.seconds * boundary / 4 for boundary in (quarter, quarter + 1))
        sizes = [size for when, size in self.resident if start <= when < end]
        return int(statistics.median(sizes)) if sizes else 0

    def report(self) -> str:
        """What was done and what came of it, as Markdown."""
        rows = [f"| {name} | {count:,} |" for name, count in sorted(self.counts.items())]
        sizes = ", ".join(f"{self._memory(quarter) >> 20}" for quarter in range(4))
        failures = (
            "\n".join(f"- {failure}" for failure in self.wrong) or "Nothing was found to be wrong."
        )
        return "\n".join(
            [
                f"{self.seconds / 60:.0f} minutes, {len(self.acknowledged):,} articles "
                f"acknowledged; a worker took {sizes} MB in the four quarters of the time.",
                "",
                "| what | times |",
                "|---|---:|",
                *rows,
                "",
                failures,
            ]
        )


@contextmanager
def opened(kind: str, folder: Path) -> Iterator[tuple[str, servers.Postgres | None]]:
    """The address of an empty store, and its server where it has one."""
    with ExitStack() as stack:
        if kind == "postgres":
            server = stack.enter_context(servers.postgres())
            yield server.fresh(), server
        else:
            yield f"sqlite:///{folder}/seen.db", None


def soaked(kind: str, folder: Path, seconds: float) -> Soak:
    """A soak that has ended."""
    with opened(kind, folder) as (address, server):
        soak = Soak(address, folder, seconds, server)
        soak.run()
        return soak


def main() -> None:
    """Runs it and prints what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("kinds", nargs="*", default=["sqlite", "postgres"])
    arguments = parser.parse_args()
    failures = []
    for kind in arguments.kinds:
        with servers.folder() as folder:
            soak = soaked(kind, folder, arguments.minutes * 60)
            print(f"## {kind}\n\n{soak.report()}\n", flush=True)
            failures += soak.wrong
    print(json.dumps({"wrong": len(failures)}), file=sys.stderr)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
