"""Faults: servers and workers that are killed, connections that are cut, disks that are full.

What was acknowledged is there, none of it twice, and adding it again tells the same.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.support import servers
from tests.support.cut_proxy import CutProxy
from tests.support.synthetic_news import NOON, apart, copied, news

from nearcopy import Article, Deduper, StoreError, Verdict

WHOLE = os.environ.get("NEARCOPY_FAULTS") == "whole"  # as `make faults` has it
KILLS = 200 if WHOLE else 6
ADDS = 10_000 if WHOLE else 252
RESTARTS = 5 if WHOLE else 2
CUT_ADDS = 1000 if WHOLE else 152
AT_ONCE = 25
LEASE_MILLISECONDS = 1500  # of dead workers, for whom the next one waits
DISK_BYTES = 8 << 20
CUT_AFTER = {"postgresql": (200, 1500), "unix": (12, 80)}  # chunks: a few steps
PGSQL = ".s.PGSQL.5432"

Line = list[object]


def told(verdict: Verdict) -> Line:
    """What a worker records of a verdict: all but the kept copy, which may be chosen again."""
    fields = (verdict.id, verdict.relation, verdict.is_duplicate, verdict.rule, verdict.match)
    return [*fields, round(verdict.confidence, 6)]


def add_all(address: str, articles: list[Article], notes: Path, at_once: int) -> None:
    """Add articles; each verdict is noted down once `run` has given it."""
    with notes.open("a", buffering=1) as out, Deduper(address, clock=lambda: NOON) as deduper:
        for start in range(0, len(articles), at_once):
            for verdict in deduper.run(articles[start : start + at_once]):
                out.write(json.dumps(told(verdict)) + "\n")


def acknowledged(notes: Path) -> list[Line]:
    """What was noted down, each article once; a torn last line was not acknowledged."""
    if not notes.exists():
        return []
    whole = notes.read_text().rpartition("\n")[0].splitlines()
    return list({line[0]: line for line in map(json.loads, whole)}.values())


# A worker is forked by a process that has all modules and no threads: killing many is quick.
NURSERY = """
import os, sys
from pathlib import Path
from nearcopy.stores.redis import transactions
from tests.support import synthetic_news
from tests.system.test_faults import LEASE_MILLISECONDS, add_all
transactions.LEASE_MILLISECONDS = LEASE_MILLISECONDS
address, notes, kind, count, at_once = sys.argv[1:]
articles = getattr(synthetic_news, kind)(int(count))
print("ready", flush=True)
for line in sys.stdin:
    pid = os.fork()
    if not pid:
        add_all(address, articles[int(line):], Path(notes), int(at_once))
        os._exit(0)
    print(pid, flush=True)
    print(os.waitpid(pid, 0)[1], flush=True)
"""


class Nursery:
    """Starts workers that add articles, one after the other."""

    def __init__(self, address: str, notes: Path, kind: str, count: int, at_once: int) -> None:
        words = [address, str(notes), kind, str(count), str(at_once)]
        self.notes = notes
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        assert self._said() == "ready"

    def _said(self) -> str:
        return self._process.stdout.readline().strip()

    def start(self, first: int) -> int:
        """The process of a worker that adds from there on."""
        self._process.stdin.write(f"{first}\n")
        self._process.stdin.flush()
        return int(self._said())

    def ended(self) -> int:
        """How the worker ended, once it has: 0 where all is added."""
        return int(self._said())

    def close(self) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(60)


@contextmanager
def nursery(address: str, notes: Path, kind: str, count: int, at_once: int) -> Iterator[Nursery]:
    """Workers that add this many made-up articles of a kind, several at once."""
    workers = Nursery(address, notes, kind, count, at_once)
    try:
        yield workers
    finally:
        workers.close()


def waited_for(notes: Path, more_than: int, seconds: float = 60.0) -> None:
    end = monotonic() + seconds
    while notes.stat().st_size <= more_than if notes.exists() else True:
        assert monotonic() < end, "the worker did nothing"
        sleep(0.002)


def assert_kept(address: str, articles: list[Article], lines: list[Line]) -> None:
    """All that was acknowledged is there, none twice, and adding it again gives the same."""
    with Deduper(address, clock=lambda: NOON) as deduper:
        assert [check for check in deduper.verify() if not check.passed] == []
        members = [member.id for story in deduper.stories() for member in story.members]
        assert len(members) == len(set(members))
        assert {line[0] for line in lines} <= set(members)
        by_id = {article.id: article for article in articles}
        verdicts = list(deduper.run(by_id[str(line[0])] for line in lines))
        assert [json.loads(json.dumps(told(verdict))) for verdict in verdicts] == lines
        assert deduper.stats().articles == len(members)


def as_in_memory(articles: list[Article], at_once: int) -> list[Line]:
    """The verdicts of all if nothing goes wrong."""
    with Deduper(clock=lambda: NOON) as deduper:
        lines = []
        for start in range(0, len(articles), at_once):
            lines += map(told, deduper.run(articles[start : start + at_once]))
    return json.loads(json.dumps(lines))


def test_workers_may_be_killed_at_any_point(lasting_address, tmp_path):
    articles, dice, notes = news(KILLS * 12), random.Random(5), tmp_path / "notes"
    with nursery(lasting_address, notes, "news", len(articles), 1) as workers:
        for _ in range(KILLS):
            done = len(acknowledged(notes))
            worker = workers.start(done)
            if dice.random() < 0.8:  # else it is killed while it opens the store
                waited_for(notes, notes.stat().st_size if notes.exists() else -1)
            sleep(dice.uniform(0, 0.1))
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
            workers.ended()
        assert_kept(lasting_address, articles, acknowledged(notes))
        workers.start(len(acknowledged(notes)))
        assert workers.ended() == 0
    assert_kept(lasting_address, articles, acknowledged(notes))
    assert acknowledged(notes) == as_in_memory(articles, 1)


@pytest.fixture(params=["postgres", "redis"])
def own_server(request) -> Iterator[servers.Postgres | servers.Redis]:
    """A server that a test may kill, and that keeps what it answered."""
    try:
        if request.param == "postgres":
            with servers.postgres() as started:
                yield started
        else:
            with servers.redis("--appendonly", "yes", "--appendfsync", "always") as started:
                yield started
    except servers.NoServer as why:
        servers.unavailable(why)


def address_on(server: servers.Postgres | servers.Redis) -> str:
    return server.fresh() if isinstance(server, servers.Postgres) else server.address


def test_a_server_may_be_killed_while_a_worker_adds(own_server, tmp_path):
    articles, notes, address = copied(ADDS), tmp_path / "notes", address_on(own_server)
    with nursery(address, notes, "copied", ADDS, AT_ONCE) as workers:
        workers.start(0)
        for part in range(1, RESTARTS + 1):
            target = part * ADDS // (RESTARTS + 1)
            while len(acknowledged(notes)) < target:
                sleep(0.05)
            own_server.kill()
            sleep(0.3)
            own_server.start()
        assert workers.ended() == 0  # it noticed nothing but the time
    assert len(acknowledged(notes)) == ADDS
    assert_kept(address, articles, acknowledged(notes))


def test_a_server_that_stays_away_is_reported_in_time(own_server, monkeypatch):
    from nearcopy.stores.redis import connection as redis_link
    from nearcopy.stores.sql import postgres as postgres_database
    from nearcopy.stores.sql import postgres_connections

    monkeypatch.setattr(redis_link, "RETRY_SECONDS", 1.0)
    monkeypatch.setattr(postgres_database, "WAIT_SECONDS", 1.0)
    monkeypatch.setattr(postgres_connections, "WAIT_SECONDS", 1.0)
    first, second, third = apart(3)
    with Deduper(address_on(own_server)) as deduper:
        deduper.add(first)
        own_server.kill()
        start = monotonic()
        with pytest.raises(StoreError, match="server"):
            deduper.add(second)
        with pytest.raises(StoreError, match="server"):
            deduper.check(second)
        assert monotonic() - start < 30
        own_server.start()
        assert not deduper.add(third).is_duplicate
        assert deduper.article(first.id).text == first.text


@pytest.fixture(params=["postgres", "redis"])
def cut_address(request) -> Iterator[tuple[str, CutProxy]]:
    """The address of an empty store behind a proxy that cuts connections."""
    address = request.getfixturevalue(f"{request.param}_address")
    server = request.getfixturevalue(f"{request.param}_server")
    with servers.folder() as place:
        if request.param == "postgres":  # an address names the folder of the socket
            proxy = CutProxy(place / PGSQL, server.socket / PGSQL)
            behind = address.replace(str(server.socket), str(place))
        else:
            proxy = CutProxy(place / "redis.sock", server.socket)
            behind = address.replace(str(server.socket), str(place / "redis.sock"))
        try:
            yield behind, proxy
        finally:
            proxy.close()


# A cursor of the server cannot be closed where the connection is gone.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_connections_may_be_cut_within_a_transaction(cut_address):
    address, proxy = cut_address
    articles = copied(CUT_ADDS, seed=3)
    lines: list[Line] = []
    with Deduper(address, clock=lambda: NOON) as deduper:
        proxy.cut_after(*CUT_AFTER[address.partition(":")[0]])
        for article in articles:
            lines.append(json.loads(json.dumps(told(deduper.add(article)))))
        proxy.cut_after(None)
    assert proxy.cuts >= 3
    assert lines == as_in_memory(articles, 1)
    assert_kept(address, articles, lines)


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A disk of a few megabytes, in memory."""
    place = tmp_path / "disk"
    place.mkdir()
    if shutil.which("mount") is None or os.geteuid() != 0:
        servers.unavailable("only root can mount a small disk")
    words = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(place)]
    completed = subprocess.run(words, capture_output=True, text=True)
    if completed.returncode:
        servers.unavailable(f"a small disk cannot be mounted: {completed.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def add_until_full(deduper: Deduper, articles: list[Article], lines: list[Line]) -> None:
    for start in range(0, len(articles), AT_ONCE):
        lines += map(told, deduper.run(articles[start : start + AT_ONCE]))


def test_a_full_disk_is_reported_and_loses_nothing(small_disk):
    address, filler = f"sqlite:///{small_disk}/seen.db", small_disk / "filler"
    filler.write_bytes(bytes(DISK_BYTES // 2))
    articles, lines = news(4000, seed=4), list[Line]()
    with Deduper(address, clock=lambda: NOON) as deduper:
        with pytest.raises(StoreError, match="make room on the disk"):
            add_until_full(deduper, articles, lines)
        assert len(lines) >= AT_ONCE
        assert deduper.check(articles[0]) is not None  # reading needs no room
        with pytest.raises(StoreError, match="make room on the disk"):
            add_until_full(deduper, articles[len(lines) :], [])
        filler.unlink()
        more = articles[len(lines) : len(lines) + 4 * AT_ONCE]
        lines += map(told, deduper.run(more))
    assert_kept(address, articles, json.loads(json.dumps(lines)))
