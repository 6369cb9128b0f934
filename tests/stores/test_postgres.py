"""The PostgreSQL store: many workers, lost connections, partitions."""

import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from time import perf_counter, sleep

import pytest
from tests.support import servers
from tests.support.racing_workers import race

from nearcopy import Article, Deduper, StoreError
from nearcopy.errors import TransientStoreError
from nearcopy.stores import mask_password, open_store

psycopg = servers.driver("psycopg")
servers.driver("psycopg_pool")

from nearcopy.stores.sql import postgres_partitions as partitions  # noqa: E402
from nearcopy.stores.sql.postgres import LATEST, MIGRATIONS, PostgresDatabase  # noqa: E402

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)
BODY = "the council voted on tuesday to close the old harbour for the whole winter season " * 6


@pytest.fixture
def address(postgres_address) -> str:
    return postgres_address


@pytest.fixture(scope="module")
def locked_server(postgres_server):
    """The server, where one role needs a password and another may not come in."""
    rules = postgres_server.socket / "data" / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text("local all locked scram-sha-256\n" + before)
    reload = "SELECT pg_reload_conf()"
    postgres_server.run("CREATE ROLE locked LOGIN PASSWORD 'right'", "CREATE ROLE asleep", reload)
    servers.waited(
        lambda: not can_connect(postgres_server.address(user="locked")), None, "the lock"
    )
    yield postgres_server
    rules.write_text(before)
    postgres_server.run("DROP ROLE locked", "DROP ROLE asleep", reload)


def can_connect(address: str) -> bool:
    try:
        psycopg.connect(address).close()
    except psycopg.OperationalError:
        return False
    return True


def rows(address: str, statement: str) -> list[tuple]:
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def dated(number: int, name: str | None = None) -> Article:
    """An article like no other number's, of one of seven days."""
    words = " ".join(f"w{number}x{item}" for item in range(60))
    when = NOON + (number % 7) * DAY
    return Article(id=name or str(number), text=words, published=when, seen=NOON)


def backend(deduper: Deduper) -> int:
    """The process of the server that does the step just now."""
    return deduper._store.database._held.info.backend_pid


class TestAddresses:
    def test_the_password_is_not_shown(self, postgres_server):
        address = postgres_server.address(user="nobody") + "&password=hush"
        with pytest.raises(StoreError, match="nobody") as raised:
            Deduper(address)
        assert "hush" not in str(raised.value)
        assert "***" in str(raised.value)

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ("postgresql://me:pw@h/d", "postgresql://me:***@h/d"),
            ("postgresql://me:p@w@h/d", "postgresql://me:***@h/d"),
            ("postgresql://h/d?password=pw&x=1", "postgresql://h/d?password=***&x=1"),
            ("postgresql://me@h/d", "postgresql://me@h/d"),
            ("redis://:pw@h:1/0", "redis://:***@h:1/0"),
            ("sqlite:////a:b@c/seen.db", "sqlite:////a:b@c/seen.db"),
        ],
    )
    def test_addresses_are_shown_without_it(self, given, said):
        assert mask_password(given) == said

    @pytest.mark.parametrize(
        ("bad_address", "found", "said"),
        [
            (
                "postgresql:///x?host=/no/such/folder",
                "is it running",
                "(No such file or directory)",
            ),
            ("postgresql://me@localhost:1/d", "is it running", "(Connection refused)"),
            ("postgresql:///?nonsense=1", "the address cannot be read", "nonsense"),
            ("postgresql://h:x/d", "the port is no number", "Servname"),
        ],
    )
    def test_an_unreachable_server_is_reported_at_once(self, bad_address, found, said):
        start = perf_counter()
        with pytest.raises(StoreError, match=r"^postgresql://") as raised:
            Deduper(bad_address)
        assert perf_counter() - start < 10
        assert found in str(raised.value)
        assert said in str(raised.value)
        assert "\n" not in str(raised.value)

    @pytest.mark.parametrize(
        ("user", "more", "to_do"),
        [
            ("nobody", {}, "no such role: CREATE ROLE makes one with LOGIN"),
            ("asleep", {}, "the role may not log in"),
            ("locked", {}, "a password is required: give it in the address or in ~/.pgpass"),
            ("locked", {"password": "wrong"}, "the password or the role is wrong"),
            ("postgres", {"dbname": "none"}, "no such database: CREATE DATABASE makes one"),
            ("postgres", {"options": "-cnonsense%3D1"}, "the server has no such setting"),
        ],
    )
    def test_a_refused_role_is_told_the_reason_and_advice(self, locked_server, user, more, to_do):
        with pytest.raises(StoreError, match=to_do) as raised:
            Deduper(locked_server.address(user=user, **more))
        said = str(raised.value)
        assert f"no connection as {user!r} to database {more.get('dbname', 'postgres')!r}" in said
        assert f"at {locked_server.socket}, port 5432" in said
        assert said.endswith(")")
        assert "\n" not in said

    def test_a_missing_schema_is_reported_with_advice(self, postgres_server):
        with pytest.raises(StoreError, match="CREATE SCHEMA"):
            Deduper(postgres_server.address(schema="nowhere"))

    def test_a_role_without_privileges_leaves_nothing(self, postgres_server, address):
        name = address.rpartition("%3D")[2]
        with pytest.raises(StoreError, match="CREATE SCHEMA"):
            Deduper(postgres_server.address(user=name, schema="pg_catalog"))
        postgres_server.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC")  # as from version 15 on
        with pytest.raises(StoreError, match="CREATE SCHEMA"):
            Deduper(postgres_server.address(user=name, schema="public"))

    @pytest.mark.parametrize("table", ["migrations (number BIGINT)", "articles (id TEXT)"])
    def test_tables_of_something_else_are_left_alone(self, address, table):
        rows(address, f"CREATE TABLE {table}")
        with pytest.raises(StoreError, match="of something else"):
            Deduper(address)
        tables = rows(
            address, "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        )
        assert tables == [(table.split()[0],)]


def test_articles_are_kept_across_sessions(address):
    with Deduper(address) as today:
        today.add(Article(id="a", text=BODY))
    with Deduper(address) as tomorrow:
        assert tomorrow.add(Article(id="b", text=BODY)).duplicate_of == "a"
        assert tomorrow.story("a").id == tomorrow.story("b").id


def test_the_fingerprints_are_there_to_query(address):
    with Deduper(address) as deduper:
        deduper.add(Article(id="a", text=BODY))
    ((name, simhash, minhash, when),) = rows(address, "SELECT * FROM article_fingerprints")
    assert (name, len(simhash), len(minhash), when.tzinfo is not None) == ("a", 8, 512, True)


@pytest.mark.parametrize("level", ["serializable", "repeatable read", "read uncommitted"])
def test_the_defaults_of_the_role_do_not_matter(postgres_server, address, level):
    name = address.rpartition("%3D")[2]
    postgres_server.run(
        f"ALTER ROLE {name} SET default_transaction_isolation = '{level}'",
        f"ALTER ROLE {name} SET default_transaction_read_only = on",
    )
    with Deduper(address) as one, Deduper(address) as other:
        one.add(Article(id="a", text=BODY))
        assert other.add(Article(id="b", text=BODY)).duplicate_of == "a"
        for item in (one, other):
            with item._store.transaction():
                shown_level = item._store.database.run_native("SHOW transaction_isolation")
            assert shown_level == [("read committed",)]


class TestMigrations:
    def test_the_ledger_lists_the_migrations(self, address):
        Deduper(address).close()
        migrations = rows(address, "SELECT number, name FROM migrations ORDER BY number")
        assert migrations == [m[:2] for m in MIGRATIONS]

    def test_migrating_down_and_up_again(self, address):
        database = PostgresDatabase(address)
        full = set(database.table_names())
        for number in reversed(range(LATEST)):
            assert len(database.migrate(number)) == 1
            assert database.schema_version() == number
        assert database.table_names() == ["migrations"]
        assert len(database.migrate()) == LATEST
        assert set(database.table_names()) == full
        assert database.migrate() == []
        with pytest.raises(StoreError, match="choose one from 0"):
            database.migrate(LATEST + 1)
        database.close()

    def test_migrations_are_numbered_consecutively(self):
        assert all(b.number == a.number + 1 for a, b in pairwise(MIGRATIONS))

    def test_names_of_partitions_and_pools_do_not_collide(self, address):
        with Deduper(address, pool="sport") as sport, Deduper(address, pool="sport_0") as other:
            sport.add(Article(id="a", text=BODY))
            assert not other.add(Article(id="b", text=BODY)).is_duplicate

    def test_a_newer_schema_is_refused(self, address):
        Deduper(address).close()
        rows(address, f"INSERT INTO migrations VALUES ({LATEST + 1}, 'more')")
        with pytest.raises(StoreError, match="update nearcopy"):
            Deduper(address)

    def test_concurrent_opens_create_the_tables_once(self, address):
        failed: list[BaseException] = []

        def opened() -> None:
            try:
                Deduper(address).close()
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=opened) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []


def test_damage_fails_the_checks(address):
    with Deduper(address) as deduper:
        deduper.add(Article(id="a", text=BODY))
        deduper.add(Article(id="b", text=BODY))
    rows(address, "DROP INDEX articles_published")
    rows(address, "UPDATE fingerprints SET day_partition = 9 WHERE number = 1")
    rows(address, "DELETE FROM arrivals WHERE number = 2")
    with Deduper(address) as deduper:
        failed = {check.name for check in deduper.verify() if not check.passed}
    assert failed == {"indexes", "articles", "window"}


class TestLostConnections:
    @pytest.fixture
    def own_server(self):
        """A server that the test may kill."""
        try:
            with servers.postgres() as server:
                yield server
        except servers.NoServer as why:
            servers.unavailable(why)

    def test_an_interrupted_transaction_is_retried(self, postgres_server, address, monkeypatch):
        with Deduper(address) as deduper:
            deduper.add(Article(id="a", text=BODY))
            save, cut = deduper._store.save_articles, []

            def cut_off(entries):
                save(entries)
                if not cut:
                    cut.append(backend(deduper))
                    postgres_server.run(f"SELECT pg_terminate_backend({cut[0]}, 5000)")

            monkeypatch.setattr(deduper._store, "save_articles", cut_off)
            assert deduper.add(Article(id="b", text=BODY)).duplicate_of == "a"
            assert len(cut) == 1
            assert [len(story.members) for story in deduper.stories()] == [2]
            assert all(check.passed for check in deduper.verify())

    @pytest.mark.parametrize("others", [0, 1])
    def test_a_commit_that_a_crash_lost_is_retried(self, own_server, monkeypatch, others):
        """Whether or not another transaction was given its number after the crash."""
        address = own_server.fresh()
        with Deduper(address) as deduper, Deduper(address) as other:
            deduper.add(Article(id="a", text=BODY))
            other.check(Article(id="a", text=BODY))
            commit, crashes = PostgresDatabase._commit, []

            def crash(database, connection):
                if not crashes and database is deduper._store.database:
                    crashes.append(connection)
                    own_server.kill()
                    own_server.start()
                    for number in range(others):
                        other.add(Article(id=f"other {number}", text="Another text altogether."))
                commit(database, connection)

            monkeypatch.setattr(PostgresDatabase, "_commit", crash)
            assert deduper.add(Article(id="b", text=BODY)).duplicate_of == "a"
            assert len(crashes) == 1
            assert deduper.article("b").text == BODY
            assert deduper.stats().articles == 2 + others

    @pytest.fixture
    def read(self, monkeypatch) -> list[int]:
        """The numbers of all articles whose keys are read in a stream, as they are read."""
        numbers: list[int] = []
        stream = PostgresDatabase.stream_in

        def counted(database, statement, values, *last):
            for row in stream(database, statement, values, *last):
                if "FROM fingerprints" in statement:
                    numbers.append(row[0])
                yield row

        monkeypatch.setattr(PostgresDatabase, "stream_in", counted)
        return numbers

    @pytest.fixture
    def filled(self, address) -> str:
        with Deduper(address) as deduper:
            list(deduper.run(dated(number) for number in range(140)))
        return address

    def test_a_retried_transaction_loads_nothing_again(
        self, postgres_server, filled, read, monkeypatch
    ):
        with Deduper(filled) as deduper, Deduper(filled) as other:
            assert deduper.check(dated(3, "copy")).match == "3"
            assert len(read) == len(set(read)) == 140
            save, cuts = deduper._store.save_articles, []

            def cut_off(entries):
                save(entries)
                if len(cuts) < 5:
                    cuts.append(backend(deduper))
                    postgres_server.run(f"SELECT pg_terminate_backend({cuts[-1]}, 5000)")

            monkeypatch.setattr(deduper._store, "save_articles", cut_off)
            assert deduper.add(dated(5, "copy of 5")).match == "5"
            assert (len(cuts), len(read)) == (5, 140)
            cuts.clear()
            assert other.add(dated(200)).match is None  # under the next number
            read.clear()
            assert deduper.add(dated(200, "copy of 200")).match == "200"
            assert (len(cuts), read) == (5, [])
            assert all(check.passed for check in deduper.verify())

    def test_articles_of_a_failed_transaction_are_not_found(
        self, postgres_server, filled, monkeypatch
    ):
        with Deduper(filled) as deduper:
            save = deduper._store.save_articles

            def cut_off(entries):
                save(entries)
                postgres_server.run(f"SELECT pg_terminate_backend({backend(deduper)}, 5000)")

            monkeypatch.setattr(deduper._store, "save_articles", cut_off)
            with pytest.raises(StoreError, match="tried 8 times"):
                deduper.add(dated(5, "5"))  # which takes the place of 5 each time
            with pytest.raises(StoreError, match="tried 8 times"):
                deduper.add(dated(300, "lost"))
            assert deduper.check(dated(300, "copy")).match is None
            assert deduper.check(dated(5, "copy")).match == "5"
            monkeypatch.setattr(deduper._store, "save_articles", save)
            assert deduper.add(dated(301)).match is None
            assert deduper.check(dated(300, "copy")).match is None
            assert deduper.check(dated(301, "copy")).match == "301"

    # A cursor of the server cannot be closed where the connection is gone.
    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    def test_loaded_partitions_survive_a_lost_connection(
        self, postgres_server, filled, read, monkeypatch
    ):
        with Deduper(filled) as deduper:
            load, cuts = deduper._store.window.load_batch, []

            def cut_off(days):
                load(days)
                if len(cuts) < 3 and len(read) > 40 * len(cuts):
                    cuts.append(backend(deduper))
                    postgres_server.run(f"SELECT pg_terminate_backend({cuts[-1]}, 5000)")

            monkeypatch.setattr(deduper._store.window, "load_batch", cut_off)
            assert deduper.check(dated(3, "copy")).match == "3"
            assert len(cuts) == 3
            assert len(read) == len(set(read)) == 140

    def test_everything_is_loaded_again_after_a_server_restart(self, filled, read):
        with Deduper(filled) as deduper:
            assert deduper.check(dated(3, "copy")).match == "3"
            deduper._store.database._server_start = "yesterday"
            with pytest.raises(StoreError), deduper._store.snapshot():
                deduper._store.database.run_native("SELECT 1 / 0")
            assert deduper.check(dated(3, "copy")).match == "3"
            assert sorted(read) == sorted(2 * list(set(read)))

    def test_a_closed_idle_connection_is_replaced(self, postgres_server, address):
        with Deduper(address) as deduper:
            deduper.add(Article(id="a", text=BODY))
            terminate_connections(postgres_server, address)
            assert deduper.check(Article(id="b", text=BODY)).duplicate_of == "a"
            terminate_connections(postgres_server, address)
            assert deduper.add(Article(id="b", text=BODY)).duplicate_of == "a"

    @pytest.mark.parametrize("lasts", [True, False])
    def test_after_a_connection_lost_at_commit_the_server_is_asked(
        self, postgres_server, address, monkeypatch, lasts
    ):
        with Deduper(address) as deduper:
            deduper.add(Article(id="a", text=BODY))
            cut: list[int] = []

            class Cut:
                """A connection that is lost just before or just after the commit."""

                def __init__(self, connection) -> None:
                    self._connection = connection

                def __getattr__(self, name):
                    return getattr(self._connection, name)

                def execute(self, statement, *values):
                    if statement.endswith("COMMIT\n") and not cut:
                        cut.append(self._connection.info.backend_pid)
                        if lasts:
                            self._connection.execute(statement)
                        postgres_server.run(f"SELECT pg_terminate_backend({cut[0]}, 5000)")
                    return self._connection.execute(statement, *values)

            commit = PostgresDatabase._commit
            monkeypatch.setattr(
                PostgresDatabase,
                "_commit",
                lambda self, connection: commit(self, Cut(connection)),
            )
            tries = []
            real = deduper._store.save_articles
            monkeypatch.setattr(
                deduper._store, "save_articles", lambda entries: (tries.append(1), real(entries))
            )
            assert deduper.add(Article(id="b", text=BODY)).duplicate_of == "a"
            assert len(tries) == (1 if lasts else 2)
            assert rows(address, "SELECT count(*) FROM articles") == [(2,)]
            assert all(check.passed for check in deduper.verify())

    def test_a_serialization_failure_may_be_retried(self, address):
        store = open_store(address)
        store.bind(None, 1)
        with pytest.raises(TransientStoreError), store.transaction():
            store.database.run_native(
                "DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END $$"
            )
        with store.transaction():  # and all is well again
            store.add_latencies({(1, "add", 1): 1})
        store.close()


def terminate_connections(postgres_server, address: str) -> None:
    name = address.rpartition("%3D")[2]
    postgres_server.run(
        f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '{name}'"
    )


def test_a_lock_timeout_is_reported(address):
    with Deduper(address) as one, Deduper(address) as other:
        other._store.database.timeout = 0.3
        with one._store.transaction(), pytest.raises(StoreError, match="somebody else") as raised:
            other.add(Article(id="a", text=BODY))
        assert not isinstance(raised.value, TransientStoreError)
        assert other.check(Article(id="a", text=BODY)).match is None  # readers do not wait


def test_readers_do_not_wait_for_writers(address):
    with Deduper(address) as one, Deduper(address) as other:
        one.add(Article(id="a", text=BODY))
        with one._store.transaction():
            one._store.remove(["a"])
            assert other.check(Article(id="b", text=BODY)).duplicate_of == "a"
        assert not other.check(Article(id="b", text=BODY)).is_duplicate


class TestPartitions:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch):
        monkeypatch.setattr(partitions, "PARTITION_SIZE", 10)

    def partition_numbers(self, address: str, table: str) -> list[int]:
        query = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = "
        partitions = rows(address, f"{query}'{table}'::regclass")
        return sorted(int(name.strip('"').rpartition("#")[2]) for (name,) in partitions)

    def articles(self, count: int, first: int = 0) -> list[Article]:
        return [
            Article(id=str(n), text=f"{BODY} report{n // 3} " * 2, published=NOON + n * DAY / 10)
            for n in range(first, first + count)
        ]

    def test_partitions_are_created_as_articles_are_added(self, address):
        with Deduper(address) as deduper:
            list(deduper.run(self.articles(25)))
            for table in partitions.PARTITIONED_TABLES:
                assert self.partition_numbers(address, table) == [0, 1, 2]
            deduper.add(Article(id="5", text="something else altogether " * 20))
            assert len(list(deduper.verdicts([str(n) for n in range(25)]))) == 25
            assert all(check.passed for check in deduper.verify())

    def test_a_purge_drops_empty_partitions(self, address):
        with Deduper(address) as deduper, Deduper(address) as other:
            list(deduper.run(self.articles(35)))
            assert other.check(Article(id="x", text=BODY, published=NOON)).match is not None
            assert deduper.purge(NOON + 2.5 * DAY) == 25
            for table in partitions.PARTITIONED_TABLES:
                assert self.partition_numbers(address, table) == [2, 3]
            assert rows(address, "SELECT count(*), sum(deleted) FROM articles") == [(10, 0)]
            for item in (deduper, other):
                kept = item.check(Article(id="x", text=f"{BODY} report9 " * 2, published=NOON))
                assert kept.match in {"27", "28", "29"}
                assert all(check.passed for check in item.verify())
            list(deduper.run(self.articles(10, first=40)))
            assert self.partition_numbers(address, "articles") == [2, 3, 4]

    def test_tombstones_are_kept_until_a_purge(self, address):
        with Deduper(address) as deduper:
            list(deduper.run(self.articles(25)))
            deduper.forget([str(n) for n in range(20)])
            assert rows(address, "SELECT count(*), sum(deleted) FROM articles") == [(25, 20)]
            deduper.purge(NOON + 0.5 * DAY)
            assert rows(address, "SELECT count(*), sum(deleted) FROM articles") == [(20, 15)]

    def test_a_long_reader_is_not_interrupted(self, address):
        with Deduper(address) as deduper, Deduper(address) as other:
            list(deduper.run(self.articles(35)))
            with other._store.snapshot():
                other._store.articles(["30"])
                start = perf_counter()
                deduper.purge(NOON + 2.5 * DAY)
                assert perf_counter() - start < 20
            assert 0 in self.partition_numbers(address, "articles")
            deduper.purge(NOON + 2.5 * DAY)  # the next one waits for no lock
            assert self.partition_numbers(address, "articles") == [2, 3]

    def test_a_purge_waits_for_a_short_reader(self, address):
        with Deduper(address) as deduper, Deduper(address) as other:
            list(deduper.run(self.articles(35)))
            reading = threading.Event()

            def read() -> None:
                with other._store.snapshot():
                    other._store.articles(["30"])
                    reading.set()
                    sleep(0.3)

            reader = threading.Thread(target=read)
            reader.start()
            reading.wait()
            deduper.purge(NOON + 2.5 * DAY)
            reader.join()
            assert self.partition_numbers(address, "articles") == [2, 3]

    def test_a_detached_partition_is_dropped_by_the_next_purge(self, address):
        with Deduper(address) as deduper:
            list(deduper.run(self.articles(35)))
            rows(address, 'ALTER TABLE articles DETACH PARTITION "articles#0"')
            for table in partitions.PARTITIONED_TABLES[:-1]:
                rows(address, f'DROP TABLE "{table}#0"')
            for table in ("article_ids", "arrivals", "members"):
                rows(address, f"DELETE FROM {table} WHERE number < 10")
            deduper.purge(NOON)
            assert rows(address, "SELECT to_regclass('\"articles#0\"')") == [(None,)]
            assert self.partition_numbers(address, "articles") == [1, 2, 3]

    def test_each_pool_has_its_own_partitions(self, address):
        with Deduper(address, pool="a-b") as pool, Deduper(address) as main:
            list(pool.run(self.articles(35)))
            list(main.run(self.articles(35)))
            pool.purge(NOON + 2.5 * DAY)
            assert self.partition_numbers(address, '"articles@a-b"') == [2, 3]
            assert self.partition_numbers(address, "articles") == [0, 1, 2, 3]
            assert len(list(pool.stories())) < len(list(main.stories()))
            assert all(check.passed for item in (pool, main) for check in item.verify())


RACER = """
from nearcopy import Article, Deduper
from nearcopy.stores.sql import postgres as database
from nearcopy.stores.sql import postgres_connections as connections

text = "the council voted on tuesday to close the old harbour for the whole winter season " * 6

def work(address, name, wait_for_start, say):
    with Deduper(address) as deduper:
        wait_for_start()
        for story in range(10):
            words = f"story{story} {text} " + f"word{story} " * 60
            verdict = deduper.add(Article(id=f"{story}-{name}", text=words))
            say(story, verdict.is_duplicate, verdict.duplicate_of)
"""


def test_exactly_one_process_is_first_despite_lost_connections(postgres_server, address):
    def lose_connections() -> None:
        for _ in range(3):
            sleep(0.2)
            terminate_connections(postgres_server, address)

    lines = race(RACER, address, [str(number) for number in range(6)], lose_connections).lines
    assert len(lines) == 6 * 10
    originals = sorted(int(story) for story, duplicate, _ in lines if duplicate == "False")
    assert originals == list(range(10))
    with Deduper(address) as deduper:
        assert sorted(len(story.members) for story in deduper.stories()) == [6] * 10
        assert all(check.passed for check in deduper.verify())


def worker(program: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


STEADY = """
import sys
from nearcopy import Article, Deduper
with Deduper(sys.argv[1]) as deduper:
    for number in range(100000):
        deduper.add(Article(id=str(number), text=f"report{number} " * 60))
        print(number, flush=True)
"""


def test_answered_articles_survive_a_kill(address):
    process = worker(STEADY, address)
    last = -1
    for line in process.stdout:
        last = int(line)
        if last >= 20:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.stdout.close()
    process.stdin.close()
    process.wait()
    with Deduper(address) as deduper:
        assert all(deduper.article(str(number)) for number in range(last + 1))
        assert all(check.passed for check in deduper.verify())


def test_stores_of_several_threads_share_connections(address):
    verdicts = []

    def add(name: str) -> None:
        with Deduper(address) as deduper:
            verdicts.append(deduper.add(Article(id=name, text=BODY)))

    threads = [threading.Thread(target=add, args=(str(n),)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(not verdict.is_duplicate for verdict in verdicts) == 1


def test_articles_outside_the_window_are_not_loaded(address):
    old = [
        Article(id=f"old{n}", text=f"report{n} " * 60, published=NOON - 400 * DAY)
        for n in range(20)
    ]
    with Deduper(address) as deduper:
        list(deduper.run(old))
        deduper.add(Article(id="new", text=BODY, published=NOON))
    with Deduper(address) as deduper:
        deduper.check(Article(id="x", text=BODY, published=NOON))
        assert len(deduper._store.window.cache.index) == 1
