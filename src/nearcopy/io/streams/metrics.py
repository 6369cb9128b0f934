"""Counts of a stream, and their export as Prometheus metrics."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from nearcopy.errors import StreamError, require
from nearcopy.io.streams.messages import Kind, Outcome


@dataclass
class Counts:
    """Messages by outcome, the time spent, and the lag."""

    kinds: Counter[Kind] = field(default_factory=Counter)
    repeated: int = 0
    batches: int = 0
    busy_seconds: float = 0.0
    store_errors: int = 0
    lag: int | None = None

    @property
    def all(self) -> int:
        """All messages that were acknowledged."""
        return self.kinds.total()

    def count(self, outcomes: Sequence[Outcome], seconds: float, lag: int | None) -> None:
        """Count a batch that was acknowledged."""
        self.kinds.update(outcome.kind for outcome in outcomes)
        self.repeated += sum(outcome.repeated for outcome in outcomes)
        self.batches += 1
        self.busy_seconds += seconds
        self.lag = lag


HOST = "127.0.0.1"
MOST_PORT = 65_535


@contextmanager
def serve_metrics(where: str, counts: Counts) -> Iterator[int]:
    """Serve the counts; the port. `where` is a port, or a host and a port."""
    client = require("prometheus_client", extra="serve")
    registry = client.CollectorRegistry()
    registry.register(Collector(counts))
    host, port = _host_and_port(where)
    try:
        server, thread = client.start_http_server(port, addr=host, registry=registry)
    except OSError as exc:
        raise StreamError(f"metrics cannot be served at {where}: {exc.strerror}") from exc
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Collector:
    """Collects the counts for Prometheus."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    def collect(self) -> Iterable[object]:
        """The metrics."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        messages = CounterMetricFamily(
            "nearcopy_stream_messages", "Messages by outcome.", labels=["outcome"]
        )
        for kind in Kind:
            messages.add_metric([kind.value], self._counts.kinds[kind])
        yield messages
        for name, (means, attribute) in NUMBERS.items():
            yield CounterMetricFamily(name, means, value=getattr(self._counts, attribute))
        if self._counts.lag is not None:
            yield GaugeMetricFamily(
                "nearcopy_stream_lag", "Waiting messages.", value=self._counts.lag
            )


NUMBERS = {  # what each counts, and the attribute of `Counts`
    "nearcopy_stream_again": ("Messages that were delivered before.", "repeated"),
    "nearcopy_stream_batches": ("Batches acknowledged.", "batches"),
    "nearcopy_stream_busy_seconds": (
        "Seconds from taking messages to acknowledging them.",
        "busy_seconds",
    ),
    "nearcopy_stream_store_errors": ("Store errors.", "store_errors"),
}


def _host_and_port(where: str) -> tuple[str, int]:
    host, _, port = where.rpartition(":")
    if not port.isascii() or not port.isdigit() or int(port[:6]) > MOST_PORT:
        raise StreamError(f"metrics at {where!r:.60}: give a port, or host:port")
    return host.strip("[]") or HOST, int(port)
