"""The service: what all requests of a worker share."""

import signal
import threading
import time
from dataclasses import dataclass, field
from types import FrameType
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Query, Request

from nearcopy.deduper.deduper import Deduper
from nearcopy.deduper.stats import Stats
from nearcopy.service.auth import Caller, Gate
from nearcopy.service.deduper_pool import Pool, Pools
from nearcopy.service.metrics import Metrics
from nearcopy.service.settings import Settings
from nearcopy.service.tokens import Tokens

FRESH_SECONDS = 15.0  # that numbers of the store are good for at most
LONG_SECONDS = 0.1  # where counting them takes longer, they are kept
TIMES_AS_LONG = 20  # as it takes: so counting is a twentieth of what is done at most
MOST_COUNTED = 100
PoolName = Annotated[
    str | None,
    Query(
        description="One of several sets of articles that never see each other.",
        max_length=100,
    ),
]


class Counted(NamedTuple):
    """Numbers of a store, and how long they are good for."""

    until: float
    stats: Stats


@dataclass(slots=True)
class Service:
    """Settings, stores, tokens and counts of a worker."""

    settings: Settings
    pools: Pools
    tokens: Tokens
    gate: Gate
    metrics: Metrics
    stopping: threading.Event = field(default_factory=threading.Event)
    _counted: dict[tuple[str | None, int | None], Counted] = field(default_factory=dict)

    async def stats(self, pool: str | None, days: int | None) -> Stats:
        """The numbers of a pool; where counting takes long they may be some seconds old."""
        known = self._counted.get((pool, days))
        if known is not None and time.monotonic() < known.until:
            return known.stats
        found, spent = await self.pools.pool(pool).looks.run(lambda each: _timed(each, days))
        kept = min(TIMES_AS_LONG * spent, FRESH_SECONDS) if spent > LONG_SECONDS else 0.0
        while len(self._counted) >= MOST_COUNTED:
            self._counted.pop(next(iter(self._counted)))
        self._counted[pool, days] = Counted(time.monotonic() + kept, found)
        return found

    def heed_signals(self) -> None:
        """Tell streams that the service stops, before the server waits for them to end."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                self._heed(number, signal.getsignal(number))

    def _heed(self, number: int, before: Any) -> None:
        def heard(given: int, frame: FrameType | None) -> None:
            self.stopping.set()
            if callable(before):
                before(given, frame)

        if callable(before):
            signal.signal(number, heard)


def _timed(deduper: Deduper, days: int | None) -> tuple[Stats, float]:
    """The numbers, and the processor time that they took: others are not to blame."""
    start = time.thread_time()
    return deduper.stats(days=days), time.thread_time() - start


def made(settings: Settings) -> Service:
    """The service with these settings; nothing is opened yet."""
    tokens = Tokens(settings.tokens)
    return Service(settings, Pools(settings), tokens, Gate(settings, tokens), Metrics())


@dataclass(frozen=True, slots=True)
class Asked:
    """A request by somebody who may make it, of a pool that they may see."""

    service: Service
    caller: Caller
    name: str | None  # of the pool

    @property
    def pool(self) -> Pool:
        """The pool that is asked."""
        return self.service.pools.pool(self.name)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.service.settings

    async def stats(self, days: int | None) -> Stats:
        """The numbers of the pool."""
        return await self.service.stats(self.name, days)


def service_of(request: Request) -> Service:
    """The service that a request is made of."""
    found: Service = request.app.state.service
    return found


def _asks(scope: str) -> Any:
    async def asked(request: Request, pool: PoolName = None) -> Asked:
        service = service_of(request)
        caller = service.gate.admit(request, scope)
        return Asked(service, caller, service.gate.pool(caller, pool))

    return Depends(asked)


Reading = Annotated[Asked, _asks("read")]
Writing = Annotated[Asked, _asks("write")]
Administering = Annotated[Asked, _asks("admin")]
