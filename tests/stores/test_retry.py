"""Retry of transactions that failed for a transient reason."""

from itertools import pairwise

import pytest

from nearcopy import Article, Deduper, StoreError
from nearcopy.errors import TransientStoreError
from nearcopy.stores import retry
from nearcopy.stores.retry import retry_transient


@pytest.fixture
def pauses(monkeypatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr(retry, "sleep", slept.append)
    return slept


def failing(times: int, error: type[Exception] = TransientStoreError):
    calls = []

    @retry_transient
    def transaction(answer: str) -> str:
        calls.append(answer)
        if len(calls) <= times:
            raise error("the connection is gone")
        return answer

    return transaction, calls


def test_a_successful_transaction_runs_once(pauses):
    transaction, calls = failing(0)
    assert transaction("done") == "done"
    assert (len(calls), pauses) == (1, [])


def test_a_failed_transaction_is_retried_with_backoff(pauses):
    transaction, calls = failing(retry.MAX_ATTEMPTS - 1)
    assert transaction("done") == "done"
    assert len(calls) == retry.MAX_ATTEMPTS
    assert all(later > sooner * 0.9 for sooner, later in pairwise(pauses))
    assert sum(pauses) < retry.MAX_SECONDS


@pytest.mark.usefixtures("pauses")
def test_after_the_last_attempt_the_error_has_advice():
    transaction, calls = failing(100)
    with pytest.raises(StoreError, match=r"gone \(tried 8 times\): look at the server") as raised:
        transaction("done")
    assert not isinstance(raised.value, TransientStoreError)
    assert len(calls) == retry.MAX_ATTEMPTS


@pytest.mark.usefixtures("pauses")
def test_retries_end_after_a_minute(monkeypatch):
    time = iter(range(0, 10_000, 25))
    monkeypatch.setattr(retry, "monotonic", lambda: next(time))
    transaction, calls = failing(100)
    with pytest.raises(StoreError, match="tried 3 times"):
        transaction("done")
    assert len(calls) == 3


@pytest.mark.usefixtures("pauses")
def test_other_errors_are_not_retried():
    transaction, calls = failing(1, StoreError)
    with pytest.raises(StoreError):
        transaction("done")
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
def test_every_method_of_a_deduper_is_retried(pauses, monkeypatch, call):
    with Deduper() as deduper:
        list(deduper.run([Article(id="a", text="one"), Article(id="b", text="two")]))
        for kind in ("snapshot", "transaction"):
            fail_first(monkeypatch, deduper._store, kind)
        call(deduper)
    assert pauses


def fail_first(monkeypatch, store, kind: str) -> None:
    real, failed = getattr(store, kind), []

    def failing():
        if not failed:
            failed.append(True)
            raise TransientStoreError("lost")
        return real()

    monkeypatch.setattr(store, kind, failing)


def test_latencies_are_counted_once_though_the_transaction_is_retried(pauses, monkeypatch):
    with Deduper() as deduper:
        deduper.check(Article(id="a", text="one"))
        real, failed = deduper._store.save_articles, []

        def failing(entries):
            if not failed:
                failed.append(True)
                raise TransientStoreError("lost")
            real(entries)

        monkeypatch.setattr(deduper._store, "save_articles", failing)
        deduper.add(Article(id="a", text="one"))
        deduper.add(Article(id="b", text="two"))
        timed = deduper.stats().times
    assert failed
    assert pauses
    assert {work: latency.times for work, latency in timed.items()} == {"check": 1, "add": 2}
