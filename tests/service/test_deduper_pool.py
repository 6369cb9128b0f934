"""Lanes: what several ask at the same time is asked of the store at once, and each is answered."""

import asyncio
import logging
from threading import Event

import pytest

from nearcopy import NotStored
from nearcopy.service.deduper_pool import AT_ONCE, Lane
from nearcopy.service.settings import Settings


class Work:
    """Doubles what it is given, and remembers how much came at once."""

    def __init__(self):
        self.asked = []

    def __call__(self, deduper, items):
        assert deduper == "deduper"
        self.asked.append(items)
        if "nothing" in items:
            raise NotStored("nothing is not there: add it first")
        return [item * 2 for item in items]


@pytest.fixture
def lane():
    made = Lane(lambda: "deduper", "test", Settings(max_seconds=5))
    yield made
    made.stop()


def at_once(lane, work, items):
    """The answers to all, asked while the lane is busy."""

    async def asked():
        free = Event()
        busy = asyncio.create_task(lane.run(lambda _: free.wait(5)))
        await asyncio.sleep(0.05)
        waiting = [asyncio.create_task(lane.share(work, item)) for item in items]
        await asyncio.sleep(0.05)
        free.set()
        await busy
        return await asyncio.gather(*waiting, return_exceptions=True)

    return asyncio.run(asked())


def test_what_waits_is_asked_together_and_each_gets_its_own(lane):
    work = Work()
    assert at_once(lane, work, [1, 2, 3]) == [2, 4, 6]
    assert work.asked == [[1, 2, 3]]


def test_no_more_than_a_few_are_asked_together(lane):
    work = Work()
    items = list(range(2 * AT_ONCE + 1))
    assert at_once(lane, work, items) == [item * 2 for item in items]
    assert [len(each) for each in work.asked] == [AT_ONCE, AT_ONCE, 1]


def test_who_is_at_fault_is_told_and_nobody_else(lane):
    one, wrong, other = at_once(lane, Work(), ["a", "nothing", "b"])
    assert (one, other) == ("aa", "bb")
    assert isinstance(wrong, NotStored)


def test_who_has_gone_is_not_asked_for(lane):
    work = Work()

    async def asked():
        free = Event()
        busy = asyncio.create_task(lane.run(lambda _: free.wait(5)))
        gone, stays = (asyncio.create_task(lane.share(work, item)) for item in (1, 2))
        await asyncio.sleep(0.05)
        gone.cancel()
        await asyncio.sleep(0.05)
        free.set()
        await busy
        return await stays

    assert asyncio.run(asked()) == 4
    assert work.asked == [[2]]


def test_where_each_is_logged_each_is_asked_alone(lane, caplog):
    caplog.set_level(logging.DEBUG, "nearcopy")
    work = Work()
    assert at_once(lane, work, [1, 2]) == [2, 4]
    assert work.asked == [[1], [2]]
