"""Statistics: counts, mistakes and latencies, the same in every store."""

import sqlite3
import threading
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Article, BadPolicy, Deduper
from nearcopy.deduper.statistics import (
    KEPT_DAYS,
    MAX_COUNTS,
    LatencyHistogram,
    add_counts,
    bucket_of,
    summarize,
    summarize_by_day,
    upper_bound,
)
from nearcopy.io.files import read_articles
from nearcopy.io.serializers import stats_row
from nearcopy.stores.sql.sqlite import path_of

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)
BODY = (
    "The harbour council voted on Tuesday to close the old ferry terminal for the winter while "
    "repair crews replace the planks along the eastern pier and test every lamp between the two "
    "lighthouses before the storms arrive next month, said the mayor, who promised that all boats "
    "would be moved inland without charge to their owners."
)
OTHER = (
    "Growers in the upper valley expect the earliest apple harvest for thirty years after a mild "
    "March and a warm April, though a late frost could still take a third of the blossom, the "
    "orchard union warned, asking members to keep their sprinklers ready and report damage."
)
WIRE = Path(__file__).parents[2] / "examples" / "wire.jsonl"


@pytest.fixture(params=["memory", "sqlite"])
def deduper(request, tmp_path):
    address = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/seen.db"
    with Deduper(address, clock=lambda: NOON) as rows:
        yield rows


@pytest.fixture
def filled(deduper):
    """Two copies and two others, over three days."""
    deduper.add(Article(id="a", text=BODY, source="Port Times", seen=NOON - 2 * DAY))
    deduper.add(Article(id="b", text=f"{BODY} b", source="port times", seen=NOON))
    deduper.add(Article(id="c", text=OTHER, url="https://www.orchard.example/1", seen=NOON))
    deduper.add(Article(id="d", text="Something else.", seen=NOON - DAY))
    return deduper


class TestCounts:
    def test_articles_and_duplicates_are_counted_by_day_and_source(self, filled):
        stats = filled.stats()
        assert (stats.articles, stats.duplicates, stats.duplicate_rate) == (4, 1, 0.25)
        assert stats.days == {
            date(2026, 5, 2): (1, 0),
            date(2026, 5, 3): (1, 0),
            date(2026, 5, 4): (2, 1),
        }
        assert stats.sources == {"port times": (2, 1), "orchard.example": (1, 0), None: (1, 0)}

    def test_relations_and_stories_by_size(self, filled):
        stats = filled.stats()
        assert stats.relations == {"near_text": 1}
        assert (stats.stories, stats.sizes) == (3, {1: 2, 2: 1})

    def test_only_the_last_days_are_counted(self, filled):
        stats = filled.stats(days=2)
        assert (stats.since, stats.articles) == (date(2026, 5, 3), 3)
        assert stats.sizes == {1: 3}
        assert filled.stats(days=1).articles == 2
        assert filled.stats(days=10**9).articles == 4

    @pytest.mark.parametrize("days", [0, -1, 1.5, True, "3"])
    def test_other_days_are_refused(self, deduper, days):
        with pytest.raises(BadPolicy, match="above zero"):
            deduper.stats(days=days)

    def test_forgotten_and_replaced_articles_do_not_count(self, filled):
        filled.forget("c")
        filled.add(Article(id="d", text="Something else again.", seen=NOON))
        stats = filled.stats()
        assert stats.articles == 3
        assert stats.sources == {"port times": (2, 1), None: (1, 0)}
        assert all(check.passed for check in filled.verify())

    def test_an_empty_store_has_no_rate(self, deduper):
        stats = deduper.stats()
        assert (stats.articles, stats.duplicate_rate, stats.stories) == (0, None, 0)
        assert stats_row(stats)["days"] == []

    def test_half_a_surrogate_pair_in_a_source_does_no_harm(self, deduper):
        deduper.add(Article(id="a", text=BODY, source="Port \ud800 Times"))
        assert deduper.stats().articles == 1

    def test_every_store_has_the_same_counts(self, tmp_path):
        rows = []
        for address in ("memory://", f"sqlite:///{tmp_path}/seen.db"):
            with Deduper(address, clock=lambda: NOON) as deduper:
                list(deduper.run(read_articles(WIRE)))
                stats = stats_row(deduper.stats())
                rows.append({k: v for k, v in stats.items() if not k.startswith("times")})
        assert rows[0] == rows[1]
        assert (rows[0]["articles"], rows[0]["duplicates"], rows[0]["stories"]) == (66, 23, 40)


def test_mistakes_by_feedback_are_counted(filled):
    filled.feedback("a", "b", same=False)
    filled.feedback("a", "c", same=True)
    filled.feedback("c", "d", same=False)
    stats = filled.stats(days=1)
    assert (stats.feedback, stats.false_alarms, stats.misses) == (3, 1, 1)


class TestLatencies:
    def test_checks_and_adds_have_latencies(self, filled):
        filled.check(Article(id="x", text=BODY))
        filled.verify()
        stats = filled.stats()
        assert {operation: value.times for operation, value in stats.times.items()} == {
            "add": 4,
            "check": 1,
        }
        latency = stats.times["add"]
        assert timedelta(0) < latency.median <= latency.p95 <= latency.p99 < timedelta(minutes=1)
        assert stats.times_by_day == {NOON.date(): stats.times}

    def test_a_batch_counts_for_each_of_its_articles(self, deduper):
        list(deduper.run(Article(id=str(n), text=f"{OTHER} {n}") for n in range(20)))
        assert deduper.stats().times["add"].times == 20

    def test_latencies_of_checks_are_saved_with_the_next_add_or_on_close(self, tmp_path):
        address = f"sqlite:///{tmp_path}/seen.db"
        with Deduper(address) as deduper, Deduper(address) as other:
            deduper.check(Article(id="x", text=BODY))
            assert other.stats().times == {}
            deduper.add(Article(id="a", text=BODY))
            assert other.stats().times["check"].times == 1
            deduper.check(Article(id="x", text=BODY))
        with Deduper(address) as later:
            counts = {operation: value.times for operation, value in later.stats().times.items()}
        assert counts == {"add": 1, "check": 2}

    def test_close_does_not_wait_for_a_writer(self, tmp_path):
        address = f"sqlite:///{tmp_path}/seen.db"
        deduper = Deduper(address)
        deduper.check(Article(id="x", text=BODY))
        writer = sqlite3.connect(path_of(address), isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        start = perf_counter()
        deduper.close()
        assert perf_counter() - start < 10
        writer.execute("ROLLBACK")
        writer.close()
        with Deduper(address) as later:
            assert later.stats().times == {}

    def test_close_may_be_called_twice(self, deduper):
        deduper.check(Article(id="x", text=BODY))
        deduper.close()
        deduper.close()

    def test_purge_drops_the_latencies_of_earlier_days(self, tmp_path):
        address, today = f"sqlite:///{tmp_path}/seen.db", [NOON - 9 * DAY]
        with Deduper(address, clock=lambda: today[0]) as deduper:
            deduper.add(Article(id="a", text=BODY))
            today[0] = NOON
            deduper.add(Article(id="b", text=OTHER))
            deduper.add(Article(id="c", text=f"{OTHER} c"))
            deduper.purge(NOON - DAY)
            assert list(deduper.stats().times_by_day) == [NOON.date()]
            assert deduper.stats().articles == 2

    @given(st.floats(1e-6, 1e5))
    def test_the_bound_of_a_bucket_is_no_shorter_than_the_latency_and_hardly_longer(self, seconds):
        bound = upper_bound(bucket_of(seconds)).total_seconds()
        assert seconds - 1e-6 <= bound <= seconds * 1.1 + 1e-6

    @pytest.mark.parametrize("seconds", [0.0, -1.0, 1e-12, 1e300])
    def test_any_latency_has_a_bucket(self, seconds):
        assert 0 <= bucket_of(seconds) <= 320

    @given(st.lists(st.floats(1e-5, 10), min_size=1, max_size=50))
    def test_half_took_at_most_the_median(self, seconds):
        histogram = LatencyHistogram()
        for value in seconds:
            histogram.record(NOON.date(), "check", value)
        latency = summarize(histogram.counts)["check"]
        longest = latency.median.total_seconds() + 1e-6
        assert sum(value <= longest for value in seconds) * 2 >= len(seconds)
        assert max(seconds) <= latency.p99.total_seconds() + 1e-6

    def test_the_histogram_is_bounded_and_keeps_the_last_days(self):
        histogram = LatencyHistogram()
        for day in range(400):
            for step in range(60):
                histogram.record(NOON.date() + day * DAY, "check", 1e-5 * 1.1**step)
        assert len(histogram.counts) <= MAX_COUNTS
        last = max(day for day, _, _ in histogram.counts)
        assert {last - n for n in range(KEPT_DAYS)} <= {day for day, _, _ in histogram.counts}

    def test_recording_a_latency_does_not_wait_for_a_writer(self):
        with Deduper() as deduper, deduper._session.lock:  # as a writer holds it
            thread = threading.Thread(
                target=deduper._session.record_latency, args=("check", perf_counter())
            )
            thread.start()
            thread.join(30)
            assert not thread.is_alive()
            assert sum(deduper._session.latencies.counts.values()) == 1

    def test_counts_are_added_and_summarized_by_day(self):
        one, other = {(1, "add", 8): 2, (2, "add", 8): 1}, {(2, "add", 8): 4}
        assert add_counts(one, other) == {(1, "add", 8): 2, (2, "add", 8): 5}
        stats = summarize_by_day(add_counts(one, other))
        assert [value["add"].times for value in stats.values()] == [2, 5]
