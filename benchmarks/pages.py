"""The service's pages over a large store filled by adding, one view after another."""

import http.client
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import newswire
from context import QUICK, Context
from nearcopy import Deduper
from results import Measurement
from service import DAYS, SMALL, Amounts, Running, command, running

VIEWS = 5
# Each view is of another number of days, so that what was counted for the last is not shown again.
PAGES = {
    "overview": ("the overview", "/?days={}"),
    "stories": ("the newest stories", "/stories"),
    "largest": ("the largest stories", "/stories?order=largest"),
    "words": ("stories with a word in a title", "/stories?text=minister"),
    "story": ("the largest story", "/stories/s-{}"),
    "review": ("pairs to review", "/review"),
    "stats": ("the numbers of the store", "/api/v1/stats?days={}"),
    "metrics": ("metrics", "/metrics"),
}


def pages(context: Context) -> Iterator[Measurement]:
    """How long each page takes."""
    amounts = SMALL if context.sizes == QUICK else Amounts()
    path = context.folder / "told.db"
    context.say(f"pages: adding {amounts.stored:,} articles")
    add(path, amounts.stored)
    with running(command(amounts._replace(workers=1), path), "/readyz") as service:
        largest = _largest(service)
        for name, (title, address) in PAGES.items():
            context.say(f"pages: {title}")
            names = [largest] * VIEWS if name == "story" else list(range(20, 20 + VIEWS))
            middle, details = _viewed(service, [address.format(key) for key in names])
            work = f"{title}, {amounts.stored:,} stored, median of {VIEWS}"
            bar = context.sized_bar("<=", 300)
            yield Measurement(f"service/{name}", work, "ms", middle, bar=bar, details=details)


def add(path: Path, count: int) -> None:
    """Add articles of the last days, so that there are stories."""
    with Deduper(f"sqlite:///{path}") as deduper:
        for _ in deduper.run(newswire.wire(count, DAYS, until=datetime.now(UTC), name="told")):
            pass


def _viewed(service: Running, addresses: list[str]) -> tuple[float, dict[str, float]]:
    """The median time of the views, and what else is worth knowing of them."""
    start = service.cpu_seconds()
    times = [_milliseconds(service, address) for address in addresses]
    spent = 1000 * (service.cpu_seconds() - start) / len(addresses)
    return median(times), {"first": times[0], "processor_ms_each": spent}


def _milliseconds(service: Running, address: str) -> float:
    start = time.perf_counter()
    _view(service, address)
    return 1000 * (time.perf_counter() - start)


def _largest(service: Running) -> str:
    """The largest story, without the beginning that all names have."""
    page = _view(service, "/stories?order=largest").decode()
    return page.split('href="/stories/s-', 1)[1].partition('"')[0]


def _view(service: Running, address: str) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
    connection.request("GET", address, headers={"accept": "text/html"})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200, f"{address}: {answer.status}"
    return body
