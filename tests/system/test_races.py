"""Races: many workers push the same articles and near copies of them at once."""

import os
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace

from tests.support.racing_workers import race
from tests.support.synthetic_news import apart, near_copies, news

from nearcopy import Deduper
from nearcopy.deduper.session import Session

WHOLE = os.environ.get("NEARCOPY_FAULTS") == "whole"  # as `make faults` sets it
ARTICLES = 500 if WHOLE else 40
WORKERS = 8 if WHOLE else 4
SHARED = 5  # every fifth article is the same for all workers, with the same id

RACER = """
from nearcopy import Deduper
from tests.system.test_races import pushed

def work(address, name, wait_for_start, say):
    with Deduper(address) as deduper:
        wait_for_start()
        for line in pushed(deduper, name):
            say(*line)
"""


def pushed(deduper: Deduper, worker: str) -> list[tuple[str, bool, str | None]]:
    """All articles as this worker has them, pushed some at a time: its id, whether it is a copy."""
    mine = [
        article if not number % SHARED else near_copies(article, worker)
        for number, article in enumerate(apart(ARTICLES))
    ]
    said = []
    for start in range(0, len(mine), 7):
        for verdict in deduper.run(mine[start : start + 7]):
            said.append((verdict.id, verdict.is_duplicate, verdict.duplicate_of))
    return said


def raced(address: str) -> list[tuple[str, bool, str | None]]:
    """The verdicts that all workers got, each a process."""
    lines, errors = race(RACER, address, [f"w{number}" for number in range(WORKERS)])
    assert errors == ""
    return [(name, copy == "True", None if of == "None" else of) for name, copy, of in lines]


def raced_by_threads(deduper: Deduper) -> list[tuple[str, bool, str | None]]:
    """The same in one process, with one Deduper."""
    said: list[tuple[str, bool, str | None]] = []
    line = threading.Barrier(WORKERS)

    def race(name: str) -> None:
        line.wait()
        said.extend(pushed(deduper, name))

    threads = [threading.Thread(target=race, args=(f"w{n}",)) for n in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return said


def assert_one_original_each(said: list[tuple[str, bool, str | None]], deduper: Deduper) -> None:
    """No error, no lost article, one original of each and all its copies with it."""
    assert len(said) == WORKERS * ARTICLES
    alone = {str(number) for number in range(0, ARTICLES, SHARED)}
    assert not any(copy for name, copy, _ in said if name in alone)  # never a copy of itself
    varied = [(name.partition("-")[0], copy) for name, copy, _ in said if name not in alone]
    firsts = Counter(number for number, copy in varied if not copy)
    assert firsts == {str(number): 1 for number in range(ARTICLES) if number % SHARED}
    stories = [sorted(member.id for member in story.members) for story in deduper.stories()]
    expected = [
        sorted({name if name in alone else f"{name}-w{n}" for n in range(WORKERS)})
        for name in map(str, range(ARTICLES))
    ]
    assert sorted(stories) == sorted(expected)
    assert [check for check in deduper.verify() if not check.passed] == []


def test_of_many_processes_one_brings_the_original(lasting_address):
    said = raced(lasting_address)
    with Deduper(lasting_address) as deduper:
        assert_one_original_each(said, deduper)


def test_of_many_threads_too(memory_address):
    with Deduper(memory_address) as deduper:
        assert_one_original_each(raced_by_threads(deduper), deduper)


class InterruptedSession(Session):
    """A session in which another worker writes before each transaction."""

    def interrupt(self) -> None:
        """The writes of the other worker, between the query and the transaction."""

    @contextmanager
    def insert_transaction(self):
        self.interrupt()
        with super().insert_transaction():
            self.contended = 1  # query before the next transaction, too
            yield


def test_articles_inserted_between_query_and_transaction_are_matched(
    lasting_address, memory_address, monkeypatch
):
    articles = news(200, seed=5)
    first, later, own = articles[:60], articles[60:120], articles[120:]
    changed = [replace(a, text=later[place].text) for place, a in enumerate(first[:10])]
    forgotten = [article.id for article in first[10:20]]

    def write(deduper: Deduper) -> None:
        list(deduper.run([*changed, *later]))
        deduper.forget(forgotten)

    def outlines(deduper: Deduper) -> list[tuple[str, ...]]:
        return [(v.id, v.relation, v.match, v.duplicate_of) for v in deduper.run(own)]

    with Deduper(memory_address) as deduper:
        list(deduper.run(first))
        write(deduper)
        expected = outlines(deduper)
    with Deduper(lasting_address) as other:
        monkeypatch.setattr("nearcopy.deduper.deduper.Session", InterruptedSession)
        with Deduper(lasting_address) as interrupted:
            list(interrupted.run(first))
            interrupted._session.interrupt = lambda: write(other)
            assert interrupted._session.contended == 1
            assert outlines(interrupted) == expected
