"""The Dedupers of a worker process, each called by a thread of its own.

A pool has three of them on the same store: one checks, one adds, one reads lists and statistics.
So no kind of request waits for another. A store in memory has one Deduper for all three.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from datetime import timedelta
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NotStored
from nearcopy.models import Article
from nearcopy.service.problems import Problem
from nearcopy.service.settings import Settings
from nearcopy.stores import list_pools, mask_password

Item = TypeVar("Item")
Result = TypeVar("Result")
BatchCall = Callable[[Deduper, list[Item]], list[Result]]  # a result for each item, in order
MAX_BATCH = 16  # a query for more takes twice as long
MAX_POOLS = 16  # per worker: each keeps the keys of its window in memory
MEMORY = "memory:"
ROLES = CHECKS, ADDS, READS = ("checks", "adds", "reads")
WARM_UP_ID = "nearcopy-warming"
DEFAULT_TIMEOUT = 0.0
log = logging.getLogger("nearcopy")


class DeduperThread:
    """A Deduper and the only thread that calls it."""

    def __init__(self, deduper: Callable[[], Deduper], name: str, settings: Settings) -> None:
        self._deduper, self._timeout = deduper, float(settings.max_seconds)
        self._address = mask_password(settings.address)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._queues: dict[Any, deque[tuple[Any, Future[Any]]]] = {}

    async def run(
        self, call: Callable[[Deduper], Result], *, timeout: float | None = DEFAULT_TIMEOUT
    ) -> Result:
        """The result of the call; a problem after the timeout."""
        timeout = self._timeout if timeout == DEFAULT_TIMEOUT else timeout
        future = self._thread.submit(copy_context().run, lambda: call(self._deduper()))
        return await self._result(future, timeout)

    async def run_batched(self, call: BatchCall[Item, Result], item: Item) -> Result:
        """The result for this item; items that wait for the same call are passed together.

        A query for many takes little longer than for one. At log level debug they are passed one
        by one, so that each log line has the id of its request.
        """
        if log.isEnabledFor(logging.DEBUG):
            return await self.run(lambda deduper: call(deduper, [item])[0])
        future: Future[Result] = Future()
        self._queues.setdefault(call, deque()).append((item, future))
        self._thread.submit(self._run_queue, call)
        return await self._result(future, self._timeout)

    def _run_queue(self, call: BatchCall[Any, Any]) -> None:
        """Run the first items of a queue, which an earlier run may have emptied."""
        queue = self._queues[call]
        batch = [queue.popleft() for _ in range(min(len(queue), MAX_BATCH))]
        running = [pair for pair in batch if pair[1].set_running_or_notify_cancel()]
        if running:
            self._run_batch(call, running)

    def _run_batch(self, call: BatchCall[Any, Any], batch: list[tuple[Any, Future[Any]]]) -> None:
        try:
            results = call(self._deduper(), [item for item, _ in batch])
        except Exception as error:
            if len(batch) == 1:
                batch[0][1].set_exception(error)
                return
            for pair in batch:  # only the item at fault gets the error
                self._run_batch(call, [pair])
            return
        for (_, future), result in zip(batch, results, strict=True):
            future.set_result(result)

    async def _result(self, future: Future[Result], timeout: float | None) -> Result:
        try:
            async with asyncio.timeout(timeout):
                return await asyncio.wrap_future(future)
        except NotStored as error:  # clients need not know the address of the store
            raise NotStored(str(error).replace(self._address, "the store")) from None
        except TimeoutError:
            detail = (
                f"no result within {timeout:g} seconds: try again later; articles may have been "
                "added meanwhile, and adding them again changes nothing"
            )
            raise Problem(503, detail) from None

    def stop(self) -> None:
        """Finish what has been submitted, and take no more."""
        self._thread.shutdown(wait=True)


class Pool:
    """One set of articles: its Dedupers, opened on first use, and their threads."""

    def __init__(self, settings: Settings, open_deduper: Callable[[str], Deduper]) -> None:
        self._shared = settings.address.startswith(MEMORY)
        self._open = open_deduper
        self._locks = {role: Lock() for role in ROLES}
        self.dedupers: dict[str, Deduper] = {}
        self.checks, self.adds, self.reads = (
            DeduperThread(partial(self._deduper, role), f"nearcopy-{role}", settings)
            for role in ROLES
        )

    def _deduper(self, role: str) -> Deduper:
        key = CHECKS if self._shared else role
        with self._locks[key]:
            if key not in self.dedupers:
                self.dedupers[key] = self._open(role)
            return self.dedupers[key]

    def close(self) -> None:
        for thread in (self.adds, self.checks, self.reads):
            thread.stop()
        for deduper in self.dedupers.values():
            deduper.close()


class Pools:
    """The pools of a worker process, opened on first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.recipe, self.policy = settings.recipe_and_policy()
        self._lock = Lock()
        self._pools: dict[str | None, Pool] = {}
        self.ready = False

    def pool(self, name: str | None) -> Pool:
        with self._lock:
            if name not in self._pools:
                self._evict_unopened()
                self._pools[name] = Pool(self._settings, partial(self._open_deduper, name))
            return self._pools[name]

    def _evict_unopened(self) -> None:
        """Drop pools that could not be opened; requests that hold one keep it."""
        if len(self._pools) >= MAX_POOLS:
            pools = self._pools.items()
            self._pools = {name: pool for name, pool in pools if pool.dedupers}
        if len(self._pools) >= MAX_POOLS:
            raise Problem(503, f"{MAX_POOLS} pools are open, the most per worker: start more")

    def _open_deduper(self, pool: str | None, role: str) -> Deduper:
        """A Deduper; only adding creates a pool."""
        address = self._settings.address
        persistent = pool is not None and not address.startswith(MEMORY)
        if role != ADDS and persistent and pool not in list_pools(address):
            raise NotStored(f"no pool {pool}: adding an article to it creates it")
        return Deduper(address, self.recipe, self.policy, pool=pool)

    async def warm(self) -> None:
        """Load the window into memory, so that the first requests need not wait for it."""
        pool = self.pool(self._settings.pool)
        try:
            await asyncio.gather(
                pool.checks.run(_load_window, timeout=None),
                pool.reads.run(lambda deduper: deduper.recipe, timeout=None),
            )
        except NotStored:  # the pool does not exist yet: create it
            await pool.adds.run(lambda deduper: deduper.recipe, timeout=None)
        self.ready = True
        await pool.adds.run(_load_window, timeout=None)

    @property
    def window_days(self) -> int | None:
        """The days of the window, rounded up; None: unlimited."""
        window = self.policy.window
        return None if window is None else -(-window // timedelta(days=1))

    def close(self) -> None:
        """Finish what has been submitted, and close the stores."""
        with self._lock:
            pools, self._pools = list(self._pools.values()), {}
        for pool in pools:
            pool.close()


def _load_window(deduper: Deduper) -> None:
    """Run the queries of a check and of a similarity search once."""
    deduper.check(Article(id=WARM_UP_ID, title="This title only warms up the cache"))
    for story in deduper.find_stories(limit=1).stories:
        deduper.similar(story.kept, limit=1)
