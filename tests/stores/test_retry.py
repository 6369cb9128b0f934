"""Steps that a store lost are done again, a few times."""

from itertools import pairwise

import pytest

from nearcopy import Article, Deduper, StoreError
from nearcopy.errors import TryAgain
from nearcopy.stores import retry
from nearcopy.stores.retry import retry_transient


@pytest.fixture
def pauses(monkeypatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr(retry, "sleep", slept.append)
    return slept


def losing(times: int, error: type[Exception] = TryAgain):
    calls = []

    @retry_transient
    def step(answer: str) -> str:
        calls.append(answer)
        if len(calls) <= times:
            raise error("the connection is gone")
        return answer

    return step, calls


def test_a_step_that_succeeds_is_done_once(pauses):
    step, calls = losing(0)
    assert step("done") == "done"
    assert (len(calls), pauses) == (1, [])


def test_a_lost_step_is_done_again_after_ever_longer_pauses(pauses):
    step, calls = losing(retry.MAX_ATTEMPTS - 1)
    assert step("done") == "done"
    assert len(calls) == retry.MAX_ATTEMPTS
    assert all(later > sooner * 0.9 for sooner, later in pairwise(pauses))
    assert sum(pauses) < retry.MAX_SECONDS


@pytest.mark.usefixtures("pauses")
def test_after_a_few_times_the_error_says_what_to_do():
    step, calls = losing(100)
    with pytest.raises(StoreError, match=r"gone \(tried 8 times\): look at the server") as raised:
        step("done")
    assert not isinstance(raised.value, TryAgain)
    assert len(calls) == retry.MAX_ATTEMPTS


@pytest.mark.usefixtures("pauses")
def test_nor_does_it_go_on_for_more_than_a_minute(monkeypatch):
    time = iter(range(0, 10_000, 25))
    monkeypatch.setattr(retry, "monotonic", lambda: next(time))
    step, calls = losing(100)
    with pytest.raises(StoreError, match="tried 3 times"):
        step("done")
    assert len(calls) == 3


@pytest.mark.usefixtures("pauses")
def test_other_errors_are_no_reason_to_try_again():
    step, calls = losing(1, StoreError)
    with pytest.raises(StoreError):
        step("done")
    assert len(calls) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda d: d.check(Article(id="x", text="one")),
        lambda d: d.add(Article(id="x", text="one")),
        lambda d: list(d.run([Article(id="x", text="one")])),
        lambda d: list(d.verdicts(["a"])),
        lambda d: d.similar("a"),
        lambda d: d.explain("a", "b"),
        lambda d: d.article("a"),
        lambda d: d.revisions("a"),
        lambda d: list(d.stories()),
        lambda d: d.story("a"),
        lambda d: d.spread("a"),
        lambda d: d.feedback("a", "b", same=True),
        lambda d: d.all_feedback(),
        lambda d: d.examples(),
        lambda d: d.forget(["a"]),
        lambda d: d.stats(),
        lambda d: d.verify(),
        lambda d: d.learn(),
        lambda d: d.recluster(),
    ],
)
def test_whatever_is_asked_of_a_deduper_is_tried_again(pauses, monkeypatch, call):
    with Deduper() as deduper:
        list(deduper.run([Article(id="a", text="one"), Article(id="b", text="two")]))
        for kind in ("snapshot", "transaction"):
            lose_first(monkeypatch, deduper._store, kind)
        call(deduper)
    assert pauses


def lose_first(monkeypatch, store, kind: str) -> None:
    real, lost = getattr(store, kind), []

    def losing():
        if not lost:
            lost.append(True)
            raise TryAgain("lost")
        return real()

    monkeypatch.setattr(store, kind, losing)


def test_times_are_counted_once_though_the_step_that_brought_them_was_lost(pauses, monkeypatch):
    with Deduper() as deduper:
        deduper.check(Article(id="a", text="one"))
        real, lost = deduper._store.save_articles, []

        def losing(entries):
            if not lost:
                lost.append(True)
                raise TryAgain("lost")
            real(entries)

        monkeypatch.setattr(deduper._store, "save_articles", losing)
        deduper.add(Article(id="a", text="one"))
        deduper.add(Article(id="b", text="two"))
        timed = deduper.stats().times
    assert lost
    assert pauses
    assert {work: each.times for work, each in timed.items()} == {"check": 1, "add": 2}
