"""The service under load: similar articles, checks and batches, beside a route of a constant."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import newswire
import process_usage
from context import QUICK, Context
from load_generator import Loaded, Request, loaded
from nearcopy import Article, Recipe, fingerprints
from nearcopy.fingerprint.blocking_keys import blocking_keys
from nearcopy.stores import StoredArticle, open_store
from results import Measurement

DAYS = 14.0
BULK = 2048
WAIT_SECONDS = 120
STREAMS = {1: "one stream", 2: "two streams at once"}
NDJSON = "application/x-ndjson"


class Amounts(NamedTuple):
    """How much is done."""

    stored: int = 200_000
    a_second: int = 200
    seconds: int = 60
    added: int = 10_000
    workers: int = 2


SMALL = Amounts(stored=1000, a_second=50, seconds=1, added=600, workers=1)


def service(context: Context) -> Iterator[Measurement]:
    """All measurements of the service."""
    amounts = SMALL if context.sizes == QUICK else Amounts()
    path = context.folder / "service.db"
    context.say(f"service: filing {amounts.stored:,} articles")
    fill(path, amounts.stored)
    yield from measured(context, amounts, path)


def measured(context: Context, amounts: Amounts, path: Path) -> Iterator[Measurement]:
    """The measurements, of a store that is filled."""
    stored = list(islice(newswire.wire(amounts.stored, DAYS, name="new"), 2000))
    questions = newswire.questions(2000, 2.0, stored)
    with running(_bare_command(amounts), "/constant") as bare:
        context.say("service: a route of a constant")
        yield _time("bare", "a route that returns a constant", _ask(bare, amounts, _constant))
    with running(command(amounts, path), "/readyz") as service:
        for name, title, request in (
            ("similar", "what is similar to an article", _similar(amounts)),
            ("check", "a check", _check(questions)),
        ):
            context.say(f"service: {title}")
            _ask(service, amounts._replace(seconds=min(5, amounts.seconds)), request)  # both warm
            outcome = _ask(service, amounts, request)
            bar = context.sized_bar("<=", 50)
            yield _time(name, f"{title}, {amounts.stored:,} stored", outcome, bar=bar)
            yield Measurement(
                f"service/{name} errors", f"{title}: errors", "errors", float(outcome.load.errors)
            )
        for streams, name in STREAMS.items():
            context.say(f"service: new articles in {name}")
            yield _added(context, amounts, service, streams)


def fill(path: Path, count: int) -> None:
    """File articles without a look at what they are to each other, which would take longer."""
    store = open_store(f"sqlite:///{path}")
    store.bind(Recipe(), _keys_version())
    wire = newswire.wire(count, DAYS, name="new")
    while batch := list(islice(wire, BULK)):
        prints = list(fingerprints(batch))
        entries = list(map(StoredArticle, batch, prints, blocking_keys(prints, Recipe())))
        with store.transaction():
            store.save_articles(entries)
    store.close()


def _keys_version() -> int:
    from nearcopy.fingerprint.blocking_keys import VERSION

    return VERSION


class Running(NamedTuple):
    """A service that runs."""

    port: int
    process: int

    def cpu_seconds(self) -> float:
        """The processor time that its processes have used so far."""
        ticks = os.sysconf("SC_CLK_TCK")
        return sum(map(_ticks, [self.process, *_children(self.process)])) / ticks


def _ticks(process: int) -> int:
    stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(stat[11]) + int(stat[12])


def _children(process: int) -> list[int]:
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8")
    return [int(pid) for pid in children.split()]


class Asked(NamedTuple):
    """How a service bore a load."""

    load: Loaded
    cpu_seconds: float
    others_seconds: float  # of everybody else meanwhile: of two cores they may have had most


def _ask(service: Running, amounts: Amounts, request: Callable[[int], Request]) -> Asked:
    before, busy, own = service.cpu_seconds(), _busy_seconds(), time.process_time()
    load = loaded(service.port, request, amounts.a_second, amounts.seconds)
    spent = service.cpu_seconds() - before
    other_seconds = _busy_seconds() - busy - spent - (time.process_time() - own)
    return Asked(load, spent, max(0.0, other_seconds))


def _busy_seconds() -> float:
    """The processor time that all of this machine has used so far."""
    user, nice, system, *_ = Path("/proc/stat").read_text(encoding="utf-8").split()[1:]
    return (int(user) + int(nice) + int(system)) / os.sysconf("SC_CLK_TCK")


def _constant(_: int) -> Request:
    return Request("GET", "/constant")


def _similar(amounts: Amounts) -> Callable[[int], Request]:
    def request(number: int) -> Request:
        name = f"new-{number * 7919 % amounts.stored}"
        return Request("GET", f"/api/v1/articles/{name}/similar?limit=10")

    return request


def _check(asked: list[Article]) -> Callable[[int], Request]:
    bodies = [_line(article) for article in asked]
    return lambda number: Request("POST", "/api/v1/check", bodies[number % len(bodies)])


def _line(article: Article) -> bytes:
    values = {name: getattr(article, name) for name in article.__dataclass_fields__}
    return json.dumps(values, default=_written).encode()


def _written(value: Any) -> str:
    assert isinstance(value, datetime)
    return value.isoformat()


def _time(name: str, title: str, found: Asked, **given: Any) -> Measurement:
    times, errors = found.load
    at = {f"p{p}": float(np.percentile(times, p)) for p in (50, 95, 99)}
    per_request = 1000 * found.cpu_seconds / len(times)
    details = at | {"requests": len(times), "errors": errors, "processor_ms_each": per_request}
    details["others_had_seconds"] = found.others_seconds
    work = f"{title}, at a steady rate, p99"
    return Measurement(f"service/{name}", work, "ms", at["p99"], details=details, **given)


def _added(context: Context, amounts: Amounts, service: Running, streams: int) -> Measurement:
    """Articles a second, sent as lines and answered line by line."""
    per_stream = amounts.added // streams
    names = [f"more{streams}-{place}" for place in range(streams)]
    bodies = [b"\n".join(map(_line, newswire.wire(per_stream, 1.0, name=name))) for name in names]
    with ThreadPoolExecutor(streams) as together:
        start, before = time.perf_counter(), service.cpu_seconds()
        answers = list(together.map(lambda body: _streamed(service.port, body), bodies))
        took = time.perf_counter() - start
    assert answers == [per_stream] * streams
    title = f"{amounts.added:,} new articles in {STREAMS[streams]}, {amounts.stored:,} stored"
    spent = service.cpu_seconds() - before
    details = {"processor_ms_each": 1000 * spent / amounts.added, "processor_share": spent / took}
    return Measurement(
        f"service/add {streams}" if streams > 1 else "service/add",
        title,
        "articles/s",
        amounts.added / took,
        bar=context.sized_bar(">=", 1000),
        details=details,
    )


def _streamed(port: int, body: bytes) -> int:
    """How many answers come for what is sent in a stream."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("POST", "/api/v1/articles", body, {"content-type": NDJSON})
    answers = connection.getresponse().read().splitlines()
    connection.close()
    return len(answers)


def command(amounts: Amounts, path: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "nearcopy", "serve", "--store", str(path)),
        *("--tokens", f"{path}.tokens", "--workers", str(amounts.workers)),
        *("--log-level", "warning", "--max-at-once", "1000"),
    ]


def _bare_command(amounts: Amounts) -> list[str]:
    return [
        *(sys.executable, "-m", "uvicorn", "bare_route:app", "--no-access-log"),
        *("--log-level", "warning", "--workers", str(amounts.workers)),
    ]


@contextmanager
def running(command: list[str], path: str) -> Iterator[Running]:
    """A service, until it is left."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [*command, "--port", str(port)], cwd=process_usage.HERE, env={**os.environ}
    )
    try:
        _wait_for(port, path)
        yield Running(port, process.pid)
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int, path: str) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", path)
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(0.2)
    raise process_usage.ProcessError(f"nothing answers at port {port}")
