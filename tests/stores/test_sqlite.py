"""The SQLite store: a durable file, shared by several processes."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from time import perf_counter, sleep

import pytest
from tests.support.racing_workers import race

from nearcopy import RECIPES, Article, BadArticle, Deduper, NotStored, RecipeMismatch, StoreError
from nearcopy.stores.row_codec import fingerprint_from_values
from nearcopy.stores.sql.articles import BEFORE
from nearcopy.stores.sql.sqlite import APPLICATION_ID, LATEST, MIGRATIONS, SqliteDatabase, path_of
from nearcopy.stores.sql.window_cache import SqlWindow

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
WHOLE = os.environ.get("NEARCOPY_FAULTS") == "whole"  # as `make faults` sets it
PURGED = 20_000 if WHOLE else 4000
RACERS = 8 if WHOLE else 4
BODY = "the council voted on tuesday to close the old harbour for the whole winter season " * 6


@pytest.fixture
def address(tmp_path) -> str:
    return f"sqlite:///{tmp_path}/seen.db"


def test_articles_are_kept_across_sessions(address):
    with Deduper(address) as today:
        today.add(Article(id="a", text=BODY))
    with Deduper(address) as tomorrow:
        assert tomorrow.add(Article(id="b", text=BODY)).duplicate_of == "a"
        assert tomorrow.story("a").id == tomorrow.story("b").id


def test_a_kept_copy_stays_kept_in_later_runs(address):
    day = timedelta(days=1)
    with Deduper(address) as today:
        today.add(Article(id="a", text=BODY, published=NOON))
    later = [
        Article(id="b", text=BODY, published=NOON + day),
        Article(id="c", text=BODY + BODY[:200], published=NOON + day),
    ]
    for _ in range(2):
        with Deduper(address) as tomorrow:
            list(tomorrow.run(later))
            first, *copies = tomorrow.verdicts(["a", "b", "c"])
            assert (first.is_duplicate, first.rule) == (False, "kept")
            assert [(item.is_duplicate, item.duplicate_of) for item in copies] == [(True, "a")] * 2
            assert tomorrow.story("a").kept == "c"  # the best version, whichever came first
    with Deduper(address) as next_day:
        assert next_day.add(Article(id="d", text=BODY, published=NOON + 2 * day)).is_duplicate
        (last,) = next_day.verdicts(["d"])
        assert (last.duplicate_of, last.relation) == ("a", "same_text")


def test_every_duplicate_names_a_kept_copy_across_runs(address):
    words = [f"word{n}" for n in range(240)]

    def text(start: int, end: int) -> str:
        return " ".join(words[start:end])

    runs = [
        [Article(id="a", text=text(0, 140)), Article(id="b", text=text(30, 150))],
        [Article(id="c", text=text(50, 200))],
        [Article(id="d", text=text(80, 215)), Article(id="e", text=text(60, 190))],
    ]
    kept: set[str] = set()
    for run in runs:
        ids = [item.id for item in run]
        with Deduper(address, clock=lambda: NOON) as deduper:
            list(deduper.run(run))
            ids = list(deduper.verdicts(ids))
        kept |= {item.id for item in ids if not item.is_duplicate}
        assert {item.duplicate_of for item in ids if item.is_duplicate} <= kept
    with Deduper(address) as deduper:
        verdicts = list(deduper.verdicts(list("abcde")))
    assert {item.id for item in verdicts if not item.is_duplicate} == kept


def test_a_store_is_opened_with_its_own_recipe(address):
    with Deduper(address, RECIPES["feed"]):
        pass
    with Deduper(address) as deduper:
        assert deduper.recipe == RECIPES["feed"]
    with pytest.raises(RecipeMismatch, match="was filled with recipe"):
        Deduper(address, RECIPES["default"])


def test_keys_of_another_version_are_refused(address):
    with Deduper(address):
        pass
    execute(address, "UPDATE settings SET value = '0' WHERE name = 'keys'")
    with pytest.raises(RecipeMismatch, match="keys of version 0"):
        Deduper(address)


def execute(address: str, statement: str) -> list[tuple]:
    connection = sqlite3.connect(path_of(address))
    with connection:
        rows = connection.execute(statement).fetchall()
    connection.close()
    return rows


class TestFile:
    @pytest.mark.parametrize(
        ("given", "path"),
        [
            ("sqlite:///seen.db", "seen.db"),
            ("sqlite:///data/seen.db", "data/seen.db"),
            ("sqlite:////var/seen.db", "/var/seen.db"),
        ],
    )
    def test_an_address_names_a_file(self, given, path):
        assert str(path_of(given)) == path

    def test_a_missing_folder_is_named(self, tmp_path):
        with pytest.raises(StoreError, match="there is no folder"):
            Deduper(f"sqlite:///{tmp_path}/no/seen.db")

    def test_a_file_of_something_else_is_left_alone(self, tmp_path, address):
        execute(address, "CREATE TABLE mine (x)")
        before = path_of(address).read_bytes()
        with pytest.raises(StoreError, match="a database of something else"):
            Deduper(address)
        assert path_of(address).read_bytes() == before
        text = tmp_path / "notes.txt"
        text.write_text("no database at all, but long enough to be looked at as one " * 20)
        with pytest.raises(StoreError, match=r"notes\.txt: file is not a database"):
            Deduper(f"sqlite:///{text}")

    def test_a_file_that_another_process_is_creating_is_accepted(self, address, monkeypatch):
        one, articles = SqliteDatabase.one, []

        def make_meanwhile(self, statement, values=()):
            ids = one(self, statement, values)
            if not articles:
                articles.append(True)
                Deduper(address).close()
            return ids

        monkeypatch.setattr(SqliteDatabase, "one", make_meanwhile)
        with Deduper(address) as deduper:
            assert all(check.passed for check in deduper.verify())

    def test_it_is_durable_and_shared(self, address):
        with Deduper(address) as deduper:
            checks = {check.name: check for check in deduper.verify()}
        assert checks["durability"].passed
        assert "wal" in checks["durability"].detail

    def test_removed_articles_leave_no_trace_in_the_file(self, address):
        with Deduper(address) as deduper:
            deduper.add(Article(id="a", title="Zyxomma dragonflies return", text=BODY))
            deduper.forget(["a"])
        assert b"yxomma" not in path_of(address).read_bytes()
        assert execute(address, "SELECT id, deleted FROM articles") == [("a", 1)]

    def test_a_tombstone_has_the_id_and_dates_only(self, address):
        full = Article(
            id="a",
            title="Ferry",
            text=BODY,
            html=True,
            url="https://example.org/1",
            canonical_url="https://example.org/2",
            source="Example",
            published=NOON,
            seen=NOON,
            language="de",
            tier=2,
        )
        with Deduper(address) as deduper:
            deduper.add(full)
            deduper.forget(["a"])
        (row,) = execute(address, "SELECT * FROM articles")
        when = int(NOON.timestamp()) * 1_000_000
        assert [value for value in row if value] == [1, "a", when, when, 1, 1]  # run, deleted

    def test_the_fingerprints_are_there_to_query(self, address):
        with Deduper(address) as deduper:
            deduper.add(Article(id="a", text=BODY))
        ((name, simhash, minhash, when),) = execute(address, "SELECT * FROM article_fingerprints")
        assert (name, len(simhash), len(minhash)) == ("a", 8, 512)
        assert datetime.fromisoformat(when)

    @pytest.mark.parametrize(
        ("where", "index"),
        [
            ("seen BETWEEN 1 AND 2", "articles_seen"),
            ("deleted = 0 AND seen > 1", "articles_deleted_seen"),
            ("published BETWEEN 1 AND 2", "articles_published"),
        ],
    )
    def test_dates_are_indexed(self, address, where, index):
        with Deduper(address):
            pass
        plan = execute(address, f"EXPLAIN QUERY PLAN SELECT url FROM articles WHERE {where}")
        assert index in plan[0][3] or "articles_deleted_seen" in plan[0][3]


class TestMigrations:
    def test_the_ledger_lists_the_migrations(self, address):
        with Deduper(address):
            pass
        rows = execute(address, "SELECT number, name, applied_at FROM migrations")
        assert [(number, name) for number, name, _ in rows] == [m[:2] for m in MIGRATIONS]
        assert all(when.endswith("Z") for *_, when in rows)

    def test_migrating_down_and_up_again(self, address):
        file = SqliteDatabase(address)
        empty = "SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
        full = file.one(empty)
        for number in reversed(range(LATEST)):
            assert len(file.migrate(number)) == 1
            assert file.schema_version() == number
        assert file.one(empty) == (1,)  # the ledger itself
        assert len(file.migrate()) == LATEST
        assert file.one(empty) == full
        assert file.migrate() == []
        file.close()

    def test_migrations_are_numbered_consecutively(self):
        assert all(b.number == a.number + 1 for a, b in pairwise(MIGRATIONS))

    def test_a_newer_file_is_refused(self, address):
        with Deduper(address):
            pass
        execute(address, f"INSERT INTO migrations (number, name) VALUES ({LATEST + 1}, 'more')")
        with pytest.raises(StoreError, match="update nearcopy"):
            Deduper(address)

    def test_an_unknown_schema_version_is_refused(self, address):
        file = SqliteDatabase(address)
        with pytest.raises(StoreError, match="choose one from 0"):
            file.migrate(LATEST + 1)
        file.close()


class TestSpace:
    def many(self, count: int) -> list[Article]:
        return [
            Article(id=str(n), text=" ".join(f"w{n}x{k}" for k in range(400)), published=NOON)
            for n in range(count)
        ]

    def test_a_purge_frees_disk_space(self, address):
        with Deduper(address) as deduper:
            list(deduper.run(self.many(1500)))
            deduper.add(Article(id="new", text=BODY, published=NOON + timedelta(days=3)))
        full = path_of(address).stat().st_size
        with Deduper(address) as deduper:
            assert deduper.purge(NOON + timedelta(days=1)) == 1500
            assert deduper.article("new").text == BODY
        assert path_of(address).stat().st_size < full / 3
        assert execute(address, "SELECT count(*) FROM articles") == [(1,)]

    def test_a_purge_checkpoints_in_small_portions(self, address):
        with Deduper(address) as deduper, Deduper(address) as other:
            list(deduper.run(self.many(600)))
            pages = "PRAGMA wal_autocheckpoint"
            usual = deduper._store.database.one(pages)
            with other._store.transaction():
                other._store.drop([self.many(1)[0].id])
            assert other._store.database.one(pages) < usual
            assert other.purge(NOON + timedelta(days=1)) == 599
            assert other._store.database.one(pages) == usual

    def test_a_file_without_auto_vacuum_keeps_its_size_and_stays_sound(self, address):
        execute(address, "PRAGMA auto_vacuum = NONE")
        execute(address, f"PRAGMA application_id = {APPLICATION_ID}")
        execute(address, "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT)")
        with Deduper(address) as deduper:
            list(deduper.run(self.many(50)))
            assert deduper.purge(NOON + timedelta(days=1)) == 50
            assert all(check.passed for check in deduper.verify())

    def test_a_purge_does_not_starve_writers(self, address):
        with Deduper(address) as one, Deduper(address) as other:
            list(one.run(self.many(600)))
            purging = threading.Thread(target=one.purge, args=(NOON + timedelta(days=1),))
            purging.start()
            added = 0
            while purging.is_alive() and added <= 3:
                other.add(Article(id=f"new{added}", text=BODY, published=NOON + timedelta(days=3)))
                added += 1
            purging.join()
        assert added > 3


def test_articles_removed_by_another_process_are_not_found(address):
    articles = [Article(id=str(n), text=f"{n} " + BODY, published=NOON) for n in range(5)]
    with Deduper(address) as one, Deduper(address) as other:
        list(one.run(articles))
        assert other.check(Article(id="x", text=BODY, published=NOON)).match is not None
        assert one.forget(map(str, range(5))) == 5
        assert other.check(Article(id="x", text=BODY, published=NOON)).match is None
        assert len(other._store.window.cache.index) == 5  # as documented, until it is opened again


def test_the_window_is_loaded_before_the_write_lock_is_taken(address, monkeypatch):
    load, read = SqlWindow.load, []

    def load_while_another_writes(window, partitions):
        if partitions - window.cache.partitions and not read:
            with closing(sqlite3.connect(path_of(address), timeout=0)) as other:
                other.execute("BEGIN IMMEDIATE")
            read.append(len(partitions))
        load(window, partitions)

    with Deduper(address) as one:
        one.add(Article(id="a", text=BODY, published=NOON))
    monkeypatch.setattr(SqlWindow, "load", load_while_another_writes)
    with Deduper(address) as other:
        assert other.add(Article(id="b", text=BODY, published=NOON)).duplicate_of == "a"
    assert read


def test_waiting_for_locks_does_not_shrink_the_batches_of_a_purge(address, monkeypatch):
    begin, transactions = SqliteDatabase._wait_for_lock, []

    def begin_later(file, kind):
        transactions.append(kind)
        sleep(0.1)
        begin(file, kind)

    with Deduper(address) as deduper:
        list(deduper.run(Article(id=str(n), published=NOON) for n in range(600)))
        monkeypatch.setattr(SqliteDatabase, "_wait_for_lock", begin_later)
        assert deduper.purge(NOON + timedelta(days=1)) == 600
    assert len(transactions) < 40


ADDER = """
import sys
from datetime import UTC, datetime
from nearcopy import Article, Deduper

when, batch = datetime(2026, 12, 1, tzinfo=UTC), 0
with Deduper(sys.argv[1]) as deduper:
    while True:
        texts = (" ".join(f"a{batch}n{n}x{k}" for k in range(25)) for n in range(500))
        made = [Article(id=f"a{batch}-{n}", text=t, published=when) for n, t in enumerate(texts)]
        for _ in deduper.run(made):
            pass
        batch += 1
        print(batch, flush=True)
"""


def test_writers_do_not_starve_a_purge(address):
    old = [
        Article(id=str(n), text=" ".join(f"w{n}x{k}" for k in range(25)), published=NOON)
        for n in range(PURGED)
    ]
    with Deduper(address) as deduper:
        list(deduper.run(old))
        words = [sys.executable, "-c", ADDER, address]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as adder:
            try:
                adder.stdout.readline()
                start = perf_counter()
                assert deduper.purge(NOON + timedelta(days=1)) == PURGED
                assert perf_counter() - start < 60
                assert adder.poll() is None
            finally:
                adder.kill()


def test_sequence_numbers_are_not_reused_after_a_purge(address):
    with Deduper(address) as deduper:
        deduper.add(Article(id="a", text=BODY))
        deduper.add(Article(id="b", text=BODY))
        deduper.forget(["b"])
        deduper.purge(NOON + timedelta(days=9999))
    with Deduper(address) as deduper:
        deduper.add(Article(id="c", text=BODY))
        assert deduper._store.sequence_numbers(["c"]) == {"c": 3}


def test_keys_that_follow_from_the_fingerprint_are_not_stored(address):
    copies = [Article(id=name, title=f"Title of {name}", text=BODY, seen=NOON) for name in "abc"]
    with Deduper(address) as deduper:
        list(deduper.run(copies[:2]))
        given = deduper._session.fingerprint(copies[:2])
        stored = deduper._store.keys(["a", "b"])
        assert all((stored[item.article.id] == item.keys).all() for item in given)
    assert execute(address, "SELECT count(*), count(keys) FROM fingerprints") == [(2, 0)]
    with Deduper(address) as deduper:
        assert deduper.check(copies[2]).duplicate_of == "a"


def test_damage_fails_the_checks(address):
    with Deduper(address) as deduper:
        deduper.add(Article(id="a", text=BODY))
        deduper.add(Article(id="b", text=BODY))
    execute(address, "DROP INDEX articles_published")
    execute(address, "UPDATE fingerprints SET day_partition = 9 WHERE number = 1")
    execute(address, "DELETE FROM arrivals WHERE number = 2")
    with Deduper(address) as deduper:
        failed = {check.name for check in deduper.verify() if not check.passed}
    assert failed == {"indexes", "articles", "window"}


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE members SET duplicate_of = 'nobody' WHERE duplicate_of IS NOT NULL",
        "UPDATE members SET duplicate_of = 'b' WHERE duplicate_of IS NULL",
        "UPDATE members SET story = 's-other' WHERE duplicate_of IS NOT NULL",
        "DELETE FROM members WHERE duplicate_of IS NULL",
    ],
    ids=["of nobody", "of a copy", "of another story", "of what is in no story"],
)
def test_a_duplicate_without_a_kept_copy_is_repaired_by_clustering_again(address, damage):
    with Deduper(address) as deduper:
        for name in ("a", "b"):
            deduper.add(Article(id=name, text=BODY))
        assert all(check.passed for check in deduper.verify())
    execute(address, damage)
    with Deduper(address) as deduper:
        (failed,) = [check for check in deduper.verify() if not check.passed]
        assert failed.name == "copies"
        assert "nearcopy recluster" in failed.detail
        deduper.recluster()
        assert all(check.passed for check in deduper.verify())


def test_a_failed_transaction_leaves_nothing(address, monkeypatch):
    with Deduper(address) as deduper:
        deduper.add(Article(id="a", text=BODY))
        monkeypatch.setattr("nearcopy.deduper.check_and_add.verdict_at_insert", None)
        with pytest.raises(TypeError):
            deduper.add(Article(id="b", text=BODY))
        monkeypatch.undo()
        with pytest.raises(NotStored):
            deduper.article("b")
        assert deduper.add(Article(id="c", text=BODY)).duplicate_of == "a"
        assert all(check.passed for check in deduper.verify())


@pytest.mark.parametrize("given", [{"id": "b\ud800"}, {"id": "b", "tier": 1 << 63}])
def test_values_that_no_store_can_keep_are_bad_articles(address, given):
    with Deduper(address) as deduper:
        deduper.add(Article(id="a", text=BODY))
        with pytest.raises(BadArticle, match="no store can keep it"):
            deduper.add(Article(text=BODY, **given))
        assert [story.kept for story in deduper.stories()] == ["a"]


@pytest.mark.parametrize("method", ["insert", "add"])
def test_an_interrupt_leaves_no_partial_cache(address, monkeypatch, method):
    with Deduper(address) as deduper:
        deduper.add(Article(id="a", text="quite another text than before it was " * 20))
        deduper.add(Article(id="b", text=BODY))
    with Deduper(address) as deduper:
        index = deduper._store.window.cache.index
        owner = index._index if method == "insert" else index
        work = getattr(owner, method)

        def interrupted(*args):
            work(*args)
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(type(owner), method, lambda _, *args: interrupted(*args))
            with pytest.raises(KeyboardInterrupt):
                deduper.check(Article(id="c", text=BODY))
        assert deduper.check(Article(id="c", text=BODY)).duplicate_of == "b"
        assert len(deduper._store.window.cache.index) == 2


class TestConcurrency:
    def test_each_sees_the_changes_of_the_other(self, address):
        with Deduper(address) as one, Deduper(address) as other:
            one.add(Article(id="a", text=BODY))
            assert other.check(Article(id="b", text=BODY)).duplicate_of == "a"
            other.add(Article(id="c", text="something else altogether " * 20))
            assert one.check(Article(id="d", text="something else altogether " * 20)).match == "c"
            other.forget(["a"])
            assert not one.check(Article(id="b", text=BODY)).is_duplicate
            one.add(Article(id="a", text="quite another text than before it was " * 20))
            assert not other.check(Article(id="b", text=BODY)).is_duplicate

    def test_a_removal_by_another_invalidates_nothing_else(self, address, monkeypatch):
        copy = Article(id="x", text=BODY)
        read: list[str] = []

        def noted(values):
            read.append(values["id"])
            return fingerprint_from_values(values)

        with Deduper(address) as one, Deduper(address) as other:
            other.add(Article(id="a", text=BODY))
            other.add(Article(id="b", text=BODY))
            assert one.check(copy).duplicate_of == "a"
            monkeypatch.setattr("nearcopy.stores.sql.fingerprints.fingerprint_from_values", noted)
            other.forget(["a"])
            read.clear()
            assert [one.check(copy).duplicate_of for _ in range(2)] == ["b", "b"]
            assert read == []

    def test_an_article_removed_by_a_failed_transaction_is_found_again(self, address, monkeypatch):
        with Deduper(address) as one:
            one.add(Article(id="a", text=BODY))
            monkeypatch.setattr("nearcopy.deduper.check_and_add.verdict_at_insert", None)
            with pytest.raises(TypeError):  # after another took the place of "a" and was looked for
                one.add(Article(id="a", text="quite another text than before it was " * 20))
            monkeypatch.undo()
            assert one.check(Article(id="b", text=BODY)).duplicate_of == "a"

    def test_articles_removed_by_another_do_not_count_towards_the_limit(self, address, monkeypatch):
        monkeypatch.setattr("nearcopy.match.candidate_index.MAX_PAIRS", 0)
        monkeypatch.setattr("nearcopy.match.candidate_index.MIN_CANDIDATES", 4)
        with Deduper(address) as one, Deduper(address) as other:
            for n in range(8):
                other.add(Article(id="a", text=BODY))
                verdict = one.check(Article(id="b", text=BODY))
                assert (n, verdict.duplicate_of, verdict.flags) == (n, "a", ())

    @pytest.mark.parametrize("statement", BEFORE)
    def test_ids_before_use_an_index_and_no_sort(self, address, statement):
        with Deduper(address):
            (plan,) = execute(address, f"EXPLAIN QUERY PLAN {statement.replace('?', '0')}")
        assert "USING INDEX" in plan[3]
        assert "<?" in plan[3]  # up to the date

    def test_an_article_replaced_meanwhile_is_not_purged(self, address, monkeypatch):
        old = Article(id="a", text=BODY, published=NOON - timedelta(days=30))
        new = Article(id="a", text=BODY, published=NOON)
        with Deduper(address) as one, Deduper(address) as other:
            one.add(old)
            older = one._store.ids_before

            def add_after_looking(before: datetime) -> Iterator[str]:
                ids = list(older(before))
                other.add(new)
                return iter(ids)

            monkeypatch.setattr(one._store, "ids_before", add_after_looking)
            assert one.purge(NOON - timedelta(days=1)) == 0
            assert one.article("a").published == NOON

    def test_a_failed_transaction_hides_no_articles_of_others(self, address, monkeypatch):
        with Deduper(address) as one, Deduper(address) as other:
            one.add(Article(id="a", text="quite another text than before it was " * 20))
            monkeypatch.setattr("nearcopy.deduper.check_and_add.verdict_at_insert", None)
            with pytest.raises(TypeError):
                one.add(Article(id="b", text=BODY))
            monkeypatch.undo()
            other.add(Article(id="c", text=BODY))  # takes the number that was given back
            assert one.check(Article(id="d", text=BODY)).match == "c"

    def test_of_several_threads_exactly_one_is_first(self, address):
        with Deduper(address) as deduper:
            verdicts = []

            def add(name: str) -> None:
                verdicts.append(deduper.add(Article(id=name, text=BODY)))

            threads = [threading.Thread(target=add, args=(str(n),)) for n in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert sum(not verdict.is_duplicate for verdict in verdicts) == 1


RACER = """
from nearcopy import Article, Deduper
from nearcopy.stores.sql import sqlite

text = "the council voted on tuesday to close the old harbour for the whole winter season " * 6

def work(address, name, wait_for_start, say):
    with Deduper(address) as deduper:
        wait_for_start()
        for story in range(25):
            words = f"story{story} {text} " + f"word{story} " * 60
            verdict = deduper.add(Article(id=f"{story}-{name}", text=words))
            say(story, verdict.is_duplicate, verdict.duplicate_of)
"""


def test_of_many_processes_exactly_one_is_first(address):
    lines = race(RACER, address, [str(number) for number in range(RACERS)]).lines
    assert len(lines) == RACERS * 25
    originals = sorted(int(story) for story, duplicate, _ in lines if duplicate == "False")
    assert originals == list(range(25))
    with Deduper(address) as deduper:
        stories = list(deduper.stories())
        assert sorted(len(story.members) for story in stories) == [RACERS] * 25
        assert all(check.passed for check in deduper.verify())


STEADY = """
import sys
from nearcopy import Article, Deduper
with Deduper(sys.argv[1]) as deduper:
    for number in range(100000):
        deduper.add(Article(id=str(number), text=f"report{number} " * 60))
        print(number, flush=True)
"""


def test_answered_articles_survive_a_kill(address):
    process = subprocess.Popen(
        [sys.executable, "-c", STEADY, address], stdout=subprocess.PIPE, text=True
    )
    last = -1
    for line in process.stdout:
        last = int(line)
        if last >= 40:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.stdout.close()
    process.wait()
    with Deduper(address) as deduper:
        assert all(deduper.article(str(number)) for number in range(last + 1))
        assert all(check.passed for check in deduper.verify())


def test_articles_outside_the_window_are_not_loaded(address):
    old = [
        Article(id=f"old{n}", text=f"report{n} " * 60, published=NOON - timedelta(days=400))
        for n in range(50)
    ]
    with Deduper(address) as deduper:
        list(deduper.run(old))
        deduper.add(Article(id="new", text=BODY, published=NOON))
    with Deduper(address) as deduper:
        deduper.check(Article(id="x", text=BODY, published=NOON))
        assert len(deduper._store.window.cache.index) == 1
