"""Pools: the Dedupers of a worker, each asked by one thread in the order things come.

Who adds does not hold up who checks, nor does who lists: each of the three has a Deduper of its own
on the same store. A store in memory has one for all.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from nearcopy.config import Recipe
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NotStored
from nearcopy.models.model import Article
from nearcopy.service.problems import Problem
from nearcopy.service.settings import Settings
from nearcopy.stores import pools_at
from nearcopy.stores.addresses import shown

Item = TypeVar("Item")
Result = TypeVar("Result")
Shared = Callable[[Deduper, list[Item]], list[Result]]  # a result for each, in order
AT_ONCE = 16  # asked of the store together: a look for more takes as long as two
log = logging.getLogger("nearcopy")
MEMORY = "memory:"
WAYS = ("checks", "adds", "looks")
ALL = "all"  # of them, to a store in memory
MOST_POOLS = 16  # in one worker: each has the keys of its window in memory
WARMING = "nearcopy-warming"
OWN = 0.0  # as long as the lane says


class Lane:
    """A Deduper, and the one thread that asks it."""

    def __init__(self, opened: Callable[[], Deduper], name: str, settings: Settings) -> None:
        self._opened, self._seconds = opened, float(settings.max_seconds)
        self._address = shown(settings.address)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._waiting: dict[Any, deque[tuple[Any, Future[Any]]]] = {}

    async def run(
        self, work: Callable[[Deduper], Result], *, seconds: float | None = OWN
    ) -> Result:
        """What the work gives; a problem where it has to wait for too long."""
        patience = self._seconds if seconds == OWN else seconds
        future = self._thread.submit(copy_context().run, lambda: work(self._opened()))
        return await self._answer(future, patience)

    async def share(self, work: Shared[Item, Result], item: Item) -> Result:
        """What the work gives for this; what others ask of it meanwhile is asked at once.

        A look at the store for many takes little longer than for one. Where each is to be logged
        with the request that it is of, they are asked one by one.
        """
        if log.isEnabledFor(logging.DEBUG):
            return await self.run(lambda deduper: work(deduper, [item])[0])
        future: Future[Result] = Future()
        self._waiting.setdefault(work, deque()).append((item, future))
        self._thread.submit(self._take, work)
        return await self._answer(future, self._seconds)

    def _take(self, work: Shared[Any, Any]) -> None:
        """Answer some of those that wait, the first of them first; others may have been before."""
        waiting = self._waiting[work]
        some = [waiting.popleft() for _ in range(min(len(waiting), AT_ONCE))]
        asked = [each for each in some if each[1].set_running_or_notify_cancel()]
        if asked:
            self._settle(work, asked)

    def _settle(self, work: Shared[Any, Any], asked: list[tuple[Any, Future[Any]]]) -> None:
        try:
            found = work(self._opened(), [item for item, _ in asked])
        except Exception as wrong:  # one may be at fault: it has to be told, and no other
            if len(asked) == 1:
                asked[0][1].set_exception(wrong)
                return
            for each in asked:
                self._settle(work, [each])
            return
        for (_, future), result in zip(asked, found, strict=True):
            future.set_result(result)

    async def _answer(self, future: Future[Result], patience: float | None) -> Result:
        try:
            async with asyncio.timeout(patience):
                return await asyncio.wrap_future(future)
        except NotStored as wrong:  # where the store is, is nobody's business
            raise NotStored(str(wrong).replace(self._address, "the store")) from None
        except TimeoutError:
            detail = (
                f"this took longer than {patience:g} seconds: try again later; what was to be "
                "added may be there by then, and adding it again changes nothing"
            )
            raise Problem(503, detail) from None

    def stop(self) -> None:
        """Finish what has begun, and take no more."""
        self._thread.shutdown(wait=True)


@dataclass(frozen=True, slots=True)
class Opened:
    """The Dedupers of a pool that are open, by the way they are for."""

    pool: str | None
    dedupers: dict[str, Deduper] = field(default_factory=dict)
    locks: dict[str, Lock] = field(default_factory=lambda: {way: Lock() for way in (*WAYS, ALL)})


@dataclass(frozen=True, slots=True)
class Pool:
    """One set of articles, and the three ways to it."""

    opened: Opened
    checks: Lane  # checking, and what is similar: quick
    adds: Lane
    looks: Lane  # lists, numbers and comparisons


class Pools:
    """The pools of a worker, opened when first asked for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.recipe, self.policy = settings.judging()
        self._lock = Lock()
        self._pools: dict[str | None, Pool] = {}
        self.ready = False

    def pool(self, name: str | None) -> Pool:
        """The pool of this name."""
        with self._lock:
            if name not in self._pools:
                self._make_room()
                opened = Opened(name)
                self._pools[name] = Pool(opened, *(self._lane(opened, way) for way in WAYS))
            return self._pools[name]

    def _make_room(self) -> None:
        """Let go of pools that could not be opened; whoever is still at one of them has it."""
        if len(self._pools) >= MOST_POOLS:
            pools = self._pools.items()
            self._pools = {name: pool for name, pool in pools if pool.opened.dedupers}
        if len(self._pools) >= MOST_POOLS:
            raise Problem(503, f"{MOST_POOLS} pools are open already: start more services")

    def _lane(self, opened: Opened, way: str) -> Lane:
        return Lane(partial(self._deduper, opened, way), f"nearcopy-{way}", self._settings)

    def _deduper(self, opened: Opened, way: str) -> Deduper:
        """The Deduper of a lane, opened in its thread."""
        key = ALL if self._settings.address.startswith(MEMORY) else way
        with opened.locks[key]:
            if key not in opened.dedupers:
                opened.dedupers[key] = self._opened(opened.pool, way)
            return opened.dedupers[key]

    def _opened(self, pool: str | None, way: str) -> Deduper:
        """A Deduper; who only asks makes no pool."""
        address = self._settings.address
        lasting = pool is not None and not address.startswith(MEMORY)
        if way != "adds" and lasting and pool not in pools_at(address):
            raise NotStored(f"no pool {pool}: it is made when something is added to it")
        return Deduper(address, self.recipe, self.policy, pool=pool)

    async def warm(self) -> None:
        """Read the window, so that the first who ask need not wait for it; nor those who add."""
        pool = self.pool(self._settings.pool)
        try:
            await asyncio.gather(
                pool.checks.run(_read_windows, seconds=None),
                pool.looks.run(_recipe, seconds=None),
            )
        except NotStored:  # there is no window yet; who adds makes the pool
            await pool.adds.run(_recipe, seconds=None)
        self.ready = True
        await pool.adds.run(_read_windows, seconds=None)

    @property
    def window_days(self) -> int | None:
        """The days of the window, rounded up."""
        window = self.policy.window
        return None if window is None else -(-window // timedelta(days=1))

    def close(self) -> None:
        """Finish what has begun, and let go of the stores."""
        with self._lock:
            pools, self._pools = list(self._pools.values()), {}
        for pool in pools:
            for lane in (pool.adds, pool.checks, pool.looks):
                lane.stop()
            for deduper in pool.opened.dedupers.values():
                deduper.close()


def _recipe(deduper: Deduper) -> Recipe:
    return deduper.recipe


def _read_windows(deduper: Deduper) -> None:
    """Have in memory what articles of now are compared with, and the one that came last."""
    deduper.check(Article(id=WARMING, title="What is looked at here is of no account"))
    for story in deduper.find_stories(limit=1).stories:
        deduper.similar(story.kept, limit=1)
