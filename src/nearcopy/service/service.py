"""The service: what all requests of a worker share."""

import signal
import threading
import time
from dataclasses import dataclass, field
from types import FrameType
from typing import Annotated, Any

from fastapi import Depends, Query, Request

from nearcopy.deduper import Deduper
from nearcopy.service.metrics import Metrics
from nearcopy.service.pools import Pool, Pools
from nearcopy.service.security import Caller, Gate
from nearcopy.service.settings import Settings
from nearcopy.service.tokens import Tokens
from nearcopy.stats import Stats

FRESH_SECONDS = 15  # that numbers of the store are good for in metrics
PoolName = Annotated[
    str | None,
    Query(
        description="One of several sets of articles that never see each other.",
        max_length=100,
    ),
]


@dataclass(slots=True)
class Service:
    """Settings, stores, tokens and counts of a worker."""

    settings: Settings
    pools: Pools
    tokens: Tokens
    gate: Gate
    metrics: Metrics
    stopping: threading.Event = field(default_factory=threading.Event)
    _numbers: tuple[float, Stats, Stats] | None = None

    async def numbers(self) -> tuple[Stats, Stats]:
        """The numbers of the whole store and of its window, some seconds old at most."""
        if self._numbers is None or time.monotonic() - self._numbers[0] > FRESH_SECONDS:
            days = self.pools.window_days

            def asked(deduper: Deduper) -> tuple[Stats, Stats]:
                return deduper.stats(), deduper.stats(days=days)

            found = await self.pools.pool(self.settings.pool).looks.run(asked)
            self._numbers = (time.monotonic(), *found)
        return self._numbers[1:]

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
