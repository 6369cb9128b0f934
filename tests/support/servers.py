"""Servers that tests start for themselves: in a temporary folder, on a unix socket, stopped by pid.

Where a server cannot be had the tests that want it are skipped with the reason; with CI=true that
is a failure.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

USER = "postgres"
STARTED_WITHIN = 120.0  # seconds; after a kill there is much to recover, and machines are busy
DEBIAN = "/usr/lib/postgresql"
SHARED_MEMORY = "/dev/shm"
ENOUGH_BYTES = 4 << 30  # for the data of all servers of a run


class NoServer(Exception):
    """Why there is no server."""


def unavailable(why: object) -> None:
    """Skips the test, or all of a file, or fails it where everything must be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{why}, and CI=true lets nothing be skipped", pytrace=False)
    pytest.skip(str(why), allow_module_level=True)


def driver(name: str) -> ModuleType:
    """The module that tests of a server need."""
    if find_spec(name) is None:
        unavailable(f"{name} is not installed")
    return import_module(name)


@contextmanager
def folder() -> Iterator[Path]:
    """A temporary folder with a short path, as those of sockets must be; in memory if it fits."""
    path = Path(tempfile.mkdtemp(prefix="nearcopy-", dir=_base()))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _base() -> str:
    if not os.access(SHARED_MEMORY, os.W_OK):
        return "/tmp"
    return SHARED_MEMORY if shutil.disk_usage(SHARED_MEMORY).free > ENOUGH_BYTES else "/tmp"


def waited(ready, process: "subprocess.Popen[bytes] | None", what: str) -> None:
    end = time.monotonic() + STARTED_WITHIN
    while not ready():
        if time.monotonic() > end or (process is not None and process.poll() is not None):
            raise NoServer(f"{what} did not start")
        time.sleep(0.02)


def program(name: str) -> str:
    """The path of a program of PostgreSQL: the one in PATH, else the newest that Debian has."""
    path = shutil.which(name) or next(
        iter(sorted(Path(DEBIAN).glob(f"*/bin/{name}"), key=_version, reverse=True)), None
    )
    if path is None:
        raise NoServer(f"{name} of PostgreSQL is not installed")
    return os.path.realpath(path)


def _version(path: Path) -> float:
    with suppress(ValueError):
        return float(path.parts[-3])
    return 0.0


class Postgres:
    """A running PostgreSQL server; addresses name a role and a schema of it."""

    def __init__(self, socket: Path, *settings: str) -> None:
        self.socket, self._data = socket, socket / "data"
        self._settings = settings
        self._schemas = 0
        self._superuser: Any = None  # a connection, once one is needed
        self.start()

    def start(self) -> None:
        """Start it, and wait until it is ready.

        After a kill it may end at once, as something is left of the one before for a moment.
        """
        end = time.monotonic() + STARTED_WITHIN
        while True:
            self._launch()
            try:
                return waited(lambda: _ready(self._data), self.process, "PostgreSQL")
            except NoServer:
                if self.process.poll() is None or time.monotonic() > end:
                    raise
            time.sleep(0.5)

    def _launch(self) -> None:
        settings = [
            "listen_addresses=",
            f"unix_socket_directories={self.socket}",
            "max_connections=60",
            *self._settings,
        ]
        words = [word for setting in settings for word in ("-c", setting)]
        with (self.socket / "log").open("ab") as out:
            self.process = subprocess.Popen(
                [*_as_user(), program("postgres"), "-D", self._data, *words],
                stdout=out,
                stderr=out,
                cwd="/",
            )

    def kill(self) -> None:
        """End it and all that it started without a chance to say anything."""
        self._close_superuser()
        first = int((self._data / "postmaster.pid").read_text().split()[0])
        for pid in [first, *_children(first)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(60)
        (self._data / "postmaster.pid").unlink(missing_ok=True)  # else it seems to be ready

    def stop(self) -> None:
        """End it at once; nothing is to stay."""
        self._close_superuser()
        pid = self._data / "postmaster.pid"
        if pid.exists():
            os.kill(int(pid.read_text().split()[0]), signal.SIGQUIT)
        self.process.wait(60)

    def _close_superuser(self) -> None:
        if self._superuser is not None:
            self._superuser.close()

    def address(self, *, user: str = USER, schema: str | None = None, **more: str) -> str:
        """The address of a schema, for a role."""
        options = {"host": str(self.socket), "user": user, **more}
        if schema is not None:
            options["options"] = f"-csearch_path%3D{schema}"
        return "postgresql:///postgres?" + "&".join(f"{k}={v}" for k, v in options.items())

    def run(self, *statements: str) -> list[tuple]:
        """The rows of the last statement, as the superuser."""
        import psycopg

        if self._superuser is None or self._superuser.closed:
            self._superuser = psycopg.connect(self.address(), autocommit=True)
        for statement in statements:
            cursor = self._superuser.execute(statement)
        return cursor.fetchall() if cursor.description else []

    def fresh(self) -> str:
        """The address of an empty schema, for a role that owns this schema and nothing else.

        It stays until the server goes: dropping one takes as long as a quick test.
        """
        self._schemas += 1
        name = f"n{self._schemas}"
        self.run(f"CREATE ROLE {name} LOGIN", f"CREATE SCHEMA {name} AUTHORIZATION {name}")
        return self.address(user=name, schema=name)


@contextmanager
def postgres(*settings: str) -> Iterator[Postgres]:
    """A PostgreSQL server of its own; `settings` as "name=value"."""
    if find_spec("psycopg") is None:
        raise NoServer("psycopg is not installed")
    initdb = program("initdb")
    with folder() as place:
        if os.geteuid() == 0:
            try:
                shutil.chown(place, USER)
            except LookupError:
                raise NoServer(f"there is no user {USER} to run PostgreSQL as") from None
        words = ["-D", place / "data", "-A", "trust", "-U", USER, "-E", "UTF8", "--no-sync"]
        completed = subprocess.run(
            [*_as_user(), initdb, *words], capture_output=True, text=True, cwd="/"
        )
        if completed.returncode:
            raise NoServer(f"initdb failed: {completed.stderr.strip()[-300:]}")
        started = Postgres(place, *settings)
        try:
            yield started
        finally:
            started.stop()


def _as_user() -> list[str]:
    """PostgreSQL does not run as root."""
    return ["runuser", "-u", USER, "--"] if os.geteuid() == 0 else []


def _children(pid: int) -> list[int]:
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def _ready(data: Path) -> bool:
    with suppress(OSError, IndexError):
        return (data / "postmaster.pid").read_text().splitlines()[7].strip() == "ready"
    return False


class Redis:
    """A Redis server, that can be stopped and started again."""

    def __init__(self, place: Path, *settings: str) -> None:
        self.place, self._settings = place, settings
        self.socket = place / "redis.sock"
        self.address = f"unix://{self.socket}"
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = ["--port", "0", "--unixsocket", self.socket, "--save", "", "--dir", self.place]
        self.process = subprocess.Popen(
            [redis_program(), *words, *self._settings],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        waited(self._answers, self.process, "Redis")

    def _answers(self) -> bool:
        from redis import exceptions

        try:
            return bool(self.client().ping())
        except (exceptions.BusyLoadingError, exceptions.ConnectionError):
            return False

    def client(self):
        """A client of the driver's own."""
        from redis import Redis

        return Redis(unix_socket_path=str(self.socket))

    def kill(self) -> None:
        """End it without a chance to say anything."""
        self.process.kill()
        self.process.wait(60)


def redis_program() -> str:
    """The server to run: the one that REDIS_SERVER names, or the one that is installed."""
    path = os.environ.get("REDIS_SERVER") or shutil.which("redis-server")
    path = path or shutil.which("valkey-server")
    if path is None:
        raise NoServer("redis-server is not installed")
    return path


@contextmanager
def redis(*settings: str) -> Iterator[Redis]:
    """A Redis server of its own."""
    if find_spec("redis") is None:
        raise NoServer("redis is not installed")
    with folder() as place:
        started = Redis(place, *settings)
        try:
            yield started
        finally:
            started.process.terminate()
            started.process.wait(60)
