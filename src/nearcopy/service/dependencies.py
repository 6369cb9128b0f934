"""What requests depend on: the service of a worker, and the context of a request."""

import signal
import threading
import time
from dataclasses import dataclass
from types import FrameType
from typing import Annotated, Any

from fastapi import Depends, Query, Request

from nearcopy.deduper.deduper import Deduper
from nearcopy.deduper.statistics import Stats
from nearcopy.service.auth import Authenticator, Caller, Tokens
from nearcopy.service.deduper_pool import Pool, Pools
from nearcopy.service.metrics import Metrics
from nearcopy.service.settings import Settings

# Statistics that took long to compute are cached, so that they take a twentieth of the time.
MAX_CACHE_SECONDS = 15.0
SLOW_SECONDS = 0.1
CACHE_FACTOR = 20  # times as long as they took
MAX_CACHED = 100
PoolName = Annotated[
    str | None,
    Query(
        description="One of several separate sets of articles.",
        max_length=100,
    ),
]


class Service:
    """Settings, pools, tokens and metrics of a worker process; stores are opened on first use."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.pools, self.metrics = settings, Pools(settings), Metrics()
        self.tokens = Tokens(settings.tokens)
        self.authenticator = Authenticator(settings, self.tokens)
        self.stopping = threading.Event()
        # The statistics of a pool and a number of days, after the time when they expire.
        self._cache: dict[tuple[str | None, int | None], tuple[float, Stats]] = {}

    async def stats(self, pool: str | None, days: int | None) -> Stats:
        """The statistics of a pool, which may be some seconds old if they are slow to compute."""
        expires, cached = self._cache.get((pool, days), (0.0, None))
        if cached is not None and time.monotonic() < expires:
            return cached
        reads = self.pools.pool(pool).reads
        stats, spent = await reads.run(lambda deduper: _time_stats(deduper, days))
        ttl = min(CACHE_FACTOR * spent, MAX_CACHE_SECONDS) if spent > SLOW_SECONDS else 0.0
        while len(self._cache) >= MAX_CACHED:
            self._cache.pop(next(iter(self._cache)))
        self._cache[pool, days] = (time.monotonic() + ttl, stats)
        return stats

    def install_signal_handlers(self) -> None:
        """Stop streams on a signal, before the server waits for them to end."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                self._stop_on(number, signal.getsignal(number))

    def _stop_on(self, number: int, previous: Any) -> None:
        def handle(signum: int, frame: FrameType | None) -> None:
            self.stopping.set()
            previous(signum, frame)

        if callable(previous):
            signal.signal(number, handle)


def _time_stats(deduper: Deduper, days: int | None) -> tuple[Stats, float]:
    """The statistics, and the processor time of this thread that they took."""
    start = time.thread_time()
    return deduper.stats(days=days), time.thread_time() - start


@dataclass(frozen=True, slots=True)
class RequestContext:
    """The service, the authorised caller and the pool of a request."""

    service: Service
    caller: Caller
    pool_name: str | None

    @property
    def pool(self) -> Pool:
        return self.service.pools.pool(self.pool_name)

    @property
    def settings(self) -> Settings:
        return self.service.settings

    async def stats(self, days: int | None) -> Stats:
        return await self.service.stats(self.pool_name, days)


def service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _require(scope: str) -> Any:
    async def authorize(request: Request, pool: PoolName = None) -> RequestContext:
        service = service_of(request)
        caller = service.authenticator.authorize(request, scope)
        return RequestContext(service, caller, service.authenticator.choose_pool(caller, pool))

    return Depends(authorize)


ReadAccess = Annotated[RequestContext, _require("read")]
WriteAccess = Annotated[RequestContext, _require("write")]
AdminAccess = Annotated[RequestContext, _require("admin")]
