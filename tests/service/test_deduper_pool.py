"""Deduper threads: calls that wait together run as one batch, and each gets its own result."""

import asyncio
import logging
from threading import Event

import pytest

from nearcopy import NotStored
from nearcopy.service.deduper_pool import MAX_BATCH, DeduperThread
from nearcopy.service.settings import Settings


class Work:
    """Doubles the items, and records the batches."""

    def __init__(self):
        self.batches = []

    def __call__(self, deduper, items):
        assert deduper == "deduper"
        self.batches.append(items)
        if "nothing" in items:
            raise NotStored("nothing is not stored: add it first")
        return [item * 2 for item in items]


@pytest.fixture
def thread():
    thread = DeduperThread(lambda: "deduper", "test", Settings(max_seconds=5))
    yield thread
    thread.stop()


def run_together(thread, work, items):
    """The results for all items, submitted while the thread is busy."""

    async def run():
        free = Event()
        busy = asyncio.create_task(thread.run(lambda _: free.wait(5)))
        await asyncio.sleep(0.05)
        waiting = [asyncio.create_task(thread.run_batched(work, item)) for item in items]
        await asyncio.sleep(0.05)
        free.set()
        await busy
        return await asyncio.gather(*waiting, return_exceptions=True)

    return asyncio.run(run())


def test_waiting_items_run_as_one_batch_and_each_gets_its_own_result(thread):
    work = Work()
    assert run_together(thread, work, [1, 2, 3]) == [2, 4, 6]
    assert work.batches == [[1, 2, 3]]


def test_a_batch_is_limited(thread):
    work = Work()
    items = list(range(2 * MAX_BATCH + 1))
    assert run_together(thread, work, items) == [item * 2 for item in items]
    assert [len(batch) for batch in work.batches] == [MAX_BATCH, MAX_BATCH, 1]


def test_only_the_item_at_fault_gets_the_error(thread):
    one, error, other = run_together(thread, Work(), ["a", "nothing", "b"])
    assert (one, other) == ("aa", "bb")
    assert isinstance(error, NotStored)


def test_cancelled_items_are_not_run(thread):
    work = Work()

    async def run():
        free = Event()
        busy = asyncio.create_task(thread.run(lambda _: free.wait(5)))
        cancelled, pending = (
            asyncio.create_task(thread.run_batched(work, item)) for item in (1, 2)
        )
        await asyncio.sleep(0.05)
        cancelled.cancel()
        await asyncio.sleep(0.05)
        free.set()
        await busy
        return await pending

    assert asyncio.run(run()) == 4
    assert work.batches == [[2]]


def test_at_log_level_debug_items_run_one_by_one(thread, caplog):
    caplog.set_level(logging.DEBUG, "nearcopy")
    work = Work()
    assert run_together(thread, work, [1, 2]) == [2, 4]
    assert work.batches == [[1], [2]]
