"""What is counted while a stream is consumed."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from nearcopy.errors import StreamError, require
from nearcopy.io.streams.messages import Kind, Outcome


@dataclass
class Counts:
    """Messages by what came of them, the seconds it took, and how many wait."""

    kinds: Counter[Kind] = field(default_factory=Counter)
    repeated: int = 0
    batches: int = 0
    busy_seconds: float = 0.0
    store_errors: int = 0
    lag: int | None = None

    @property
    def all(self) -> int:
        """All messages that were settled."""
        return self.kinds.total()

    def count(self, outcomes: Sequence[Outcome], seconds: float, lag: int | None) -> None:
        """Count a batch that is settled."""
        self.kinds.update(outcome.kind for outcome in outcomes)
        self.repeated += sum(outcome.repeated for outcome in outcomes)
        self.batches += 1
        self.busy_seconds += seconds
        self.lag = lag


HOST = "127.0.0.1"
MOST_PORT = 65_535


@contextmanager
def serve_metrics(where: str, counts: Counts) -> Iterator[int]:
    """The port at which the counts are served; `where` is a port, or a host and a port."""
    client = require("prometheus_client", extra="serve")
    registry = client.CollectorRegistry()
    registry.register(Collector(counts))
    host, port = _place(where)
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
    """What is counted, whenever somebody asks."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    def collect(self) -> Iterable[object]:
        """The metrics; rates are made from them where they are read."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        messages = CounterMetricFamily(
            "nearcopy_stream_messages", "Messages by what came of them.", labels=["outcome"]
        )
        for kind in Kind:
            messages.add_metric([kind.value], self._counts.kinds[kind])
        yield messages
        for name, (means, number) in NUMBERS.items():
            yield CounterMetricFamily(name, means, value=number(self._counts))
        if self._counts.lag is not None:
            yield GaugeMetricFamily(
                "nearcopy_stream_lag", "Messages that wait.", value=self._counts.lag
            )


NUMBERS: dict[str, tuple[str, Callable[[Counts], float]]] = {
    "nearcopy_stream_again": ("Messages that came before.", lambda counts: counts.repeated),
    "nearcopy_stream_batches": ("Batches settled.", lambda counts: counts.batches),
    "nearcopy_stream_busy_seconds": (
        "Seconds from having messages to having settled them.",
        lambda counts: counts.busy_seconds,
    ),
    "nearcopy_stream_store_errors": (
        "Times that the store could not be used.",
        lambda counts: counts.store_errors,
    ),
}


def _place(where: str) -> tuple[str, int]:
    host, _, port = where.rpartition(":")
    if not port.isascii() or not port.isdigit() or int(port[:6]) > MOST_PORT:
        raise StreamError(f"metrics at {where!r:.60}: give a port, or a host and a port, as :9100")
    return host.strip("[]") or HOST, int(port)
