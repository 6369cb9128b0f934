"""Stats: what came, what was wrong, and how long it took, counted alike in every store."""

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
    MOST,
    Times,
    added,
    step_of,
    time_of,
    timings,
    timings_by_day,
)
from nearcopy.io.files import read_articles
from nearcopy.io.serializers.story import stats_row
from nearcopy.stores.sqlite import SqliteDatabase, path_of

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
    with Deduper(address, clock=lambda: NOON) as made:
        yield made


@pytest.fixture
def filled(deduper):
    """Two copies and two others, over three days."""
    deduper.add(Article(id="a", text=BODY, source="Port Times", seen=NOON - 2 * DAY))
    deduper.add(Article(id="b", text=f"{BODY} b", source="port times", seen=NOON))
    deduper.add(Article(id="c", text=OTHER, url="https://www.orchard.example/1", seen=NOON))
    deduper.add(Article(id="d", text="Something else.", seen=NOON - DAY))
    return deduper


class TestCounting:
    def test_articles_and_duplicates_are_counted_by_day_and_source(self, filled):
        found = filled.stats()
        assert (found.articles, found.duplicates, found.duplicate_rate) == (4, 1, 0.25)
        assert found.days == {
            date(2026, 5, 2): (1, 0),
            date(2026, 5, 3): (1, 0),
            date(2026, 5, 4): (2, 1),
        }
        assert found.sources == {"port times": (2, 1), "orchard.example": (1, 0), None: (1, 0)}

    def test_relations_and_stories_by_size(self, filled):
        found = filled.stats()
        assert found.relations == {"near_text": 1}
        assert (found.stories, found.sizes) == (3, {1: 2, 2: 1})

    def test_only_the_last_days_where_asked(self, filled):
        found = filled.stats(days=2)
        assert (found.since, found.articles) == (date(2026, 5, 3), 3)
        assert found.sizes == {1: 3}
        assert filled.stats(days=1).articles == 2
        assert filled.stats(days=10**9).articles == 4

    @pytest.mark.parametrize("days", [0, -1, 1.5, True, "3"])
    def test_other_days_are_refused(self, deduper, days):
        with pytest.raises(BadPolicy, match="above zero"):
            deduper.stats(days=days)

    def test_what_is_forgotten_or_replaced_is_counted_no_more(self, filled):
        filled.forget("c")
        filled.add(Article(id="d", text="Something else again.", seen=NOON))
        found = filled.stats()
        assert found.articles == 3
        assert found.sources == {"port times": (2, 1), None: (1, 0)}
        assert all(check.passed for check in filled.verify())

    def test_an_empty_store_has_no_rate(self, deduper):
        found = deduper.stats()
        assert (found.articles, found.duplicate_rate, found.stories) == (0, None, 0)
        assert stats_row(found)["days"] == []

    def test_half_a_surrogate_pair_in_a_source_does_no_harm(self, deduper):
        deduper.add(Article(id="a", text=BODY, source="Port \ud800 Times"))
        assert deduper.stats().articles == 1

    def test_both_stores_count_alike(self, tmp_path):
        made = []
        for address in ("memory://", f"sqlite:///{tmp_path}/seen.db"):
            with Deduper(address, clock=lambda: NOON) as deduper:
                list(deduper.run(read_articles(WIRE)))
                found = stats_row(deduper.stats())
                made.append({k: v for k, v in found.items() if not k.startswith("times")})
        assert made[0] == made[1]
        assert (made[0]["articles"], made[0]["duplicates"], made[0]["stories"]) == (66, 23, 40)


def test_mistakes_that_people_reported_are_counted(filled):
    filled.feedback("a", "b", same=False)
    filled.feedback("a", "c", same=True)
    filled.feedback("c", "d", same=False)
    found = filled.stats(days=1)
    assert (found.told, found.false_alarms, found.misses) == (3, 1, 1)


class TestTimes:
    def test_checks_and_adds_are_timed(self, filled):
        filled.check(Article(id="x", text=BODY))
        filled.verify()
        found = filled.stats()
        assert {work: each.times for work, each in found.times.items()} == {"add": 4, "check": 1}
        timing = found.times["add"]
        assert timedelta(0) < timing.median <= timing.p95 <= timing.p99 < timedelta(minutes=1)
        assert found.times_by_day == {NOON.date(): found.times}

    def test_a_batch_counts_for_each_of_its_articles(self, deduper):
        list(deduper.run(Article(id=str(n), text=f"{OTHER} {n}") for n in range(20)))
        assert deduper.stats().times["add"].times == 20

    def test_checks_are_written_with_the_next_add_or_at_the_end(self, tmp_path):
        address = f"sqlite:///{tmp_path}/seen.db"
        with Deduper(address) as deduper, Deduper(address) as other:
            deduper.check(Article(id="x", text=BODY))
            assert other.stats().times == {}
            deduper.add(Article(id="a", text=BODY))
            assert other.stats().times["check"].times == 1
            deduper.check(Article(id="x", text=BODY))
        with Deduper(address) as later:
            counted = {work: each.times for work, each in later.stats().times.items()}
        assert counted == {"add": 1, "check": 2}

    def test_who_closes_does_not_wait_for_who_writes(self, tmp_path):
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

    def test_closing_twice_is_closing(self, deduper):
        deduper.check(Article(id="x", text=BODY))
        deduper.close()
        deduper.close()

    def test_purging_drops_the_times_of_days_before(self, tmp_path):
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
    def test_a_step_is_no_shorter_than_its_time_and_hardly_longer(self, seconds):
        known = time_of(step_of(seconds)).total_seconds()
        assert seconds - 1e-6 <= known <= seconds * 1.1 + 1e-6

    @pytest.mark.parametrize("seconds", [0.0, -1.0, 1e-12, 1e300])
    def test_any_time_has_a_step(self, seconds):
        assert 0 <= step_of(seconds) <= 320

    @given(st.lists(st.floats(1e-5, 10), min_size=1, max_size=50))
    def test_half_took_at_most_the_median(self, seconds):
        times = Times()
        for each in seconds:
            times.count(NOON.date(), "check", each)
        timing = timings(times.counts)["check"]
        longest = timing.median.total_seconds() + 1e-6
        assert sum(each <= longest for each in seconds) * 2 >= len(seconds)
        assert max(seconds) <= timing.p99.total_seconds() + 1e-6

    def test_what_is_held_is_bounded_and_the_last_days_stay(self):
        times = Times()
        for day in range(400):
            for step in range(60):
                times.count(NOON.date() + day * DAY, "check", 1e-5 * 1.1**step)
        assert len(times.counts) <= MOST
        last = max(day for day, _, _ in times.counts)
        assert {last - n for n in range(KEPT_DAYS)} <= {day for day, _, _ in times.counts}

    def test_a_check_that_is_done_waits_for_nobody(self):
        with Deduper() as deduper, deduper._lock:  # as who writes holds it
            done = threading.Thread(target=deduper._timed, args=("check", perf_counter()))
            done.start()
            done.join(30)
            assert not done.is_alive()
            assert sum(deduper._times.counts.values()) == 1

    def test_counts_are_added_and_told_by_day(self):
        one, other = {(1, "add", 8): 2, (2, "add", 8): 1}, {(2, "add", 8): 4}
        assert added(one, other) == {(1, "add", 8): 2, (2, "add", 8): 5}
        found = timings_by_day(added(one, other))
        assert [each["add"].times for each in found.values()] == [2, 5]


def test_a_store_from_before_is_counted_after_migrating(tmp_path):
    address = f"sqlite:///{tmp_path}/seen.db"
    with Deduper(address, clock=lambda: NOON) as deduper:
        list(deduper.run(read_articles(WIRE)))
        deduper.forget("en-33")
        before = stats_row(deduper.stats())
    file = SqliteDatabase(address)
    file.migrate(5)
    file.close()
    with Deduper(address, clock=lambda: NOON) as deduper:
        after = stats_row(deduper.stats())
        assert all(check.passed for check in deduper.verify())
    assert after | {"times": {}, "times_by_day": []} == before | {"times": {}, "times_by_day": []}
