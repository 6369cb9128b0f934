"""What is special about the Redis store."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stores.test_contract import fingerprint_strategy
from tests.support import servers
from tests.support.racing_workers import race
from tests.support.synthetic_news import apart

from nearcopy import (
    POLICIES,
    RECIPES,
    Article,
    BadArticle,
    Deduper,
    NotStored,
    Policy,
    RecipeMismatch,
    StoreError,
    fingerprints,
)
from nearcopy.config.units import to_micros
from nearcopy.errors import TransientStoreError
from nearcopy.stores import StoredArticle, open_store
from nearcopy.stores.record_format import Compressor, Reader, Writer
from nearcopy.stores.redis import transactions
from nearcopy.stores.redis.article_headers import (
    ArticleHeader,
    ArticleHeaders,
    pack_headers,
    unpack_headers,
)
from nearcopy.stores.redis.binary_format import (
    pack_strings,
    split_row,
    unpack_strings,
)
from nearcopy.stores.redis.connection import parse_address
from nearcopy.stores.redis.fingerprint_codec import (
    FingerprintCodec,
    Texts,
    decode_article,
    decode_page,
    encode_articles,
    encode_page,
    keys_in,
)
from nearcopy.stores.redis.store import RedisStore, list_pools_at

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
RACERS = 8
RACED = 28  # articles that each of them adds
BODY = "the council voted on tuesday to close the old harbour for the whole winter season " * 6
OTHER = "quite another text than before it was " * 20
PREFIX = "nearcopy:{default}:"


@pytest.fixture
def server(redis_server, redis_address):
    del redis_address  # empties it
    return redis_server


@pytest.fixture
def address(server):
    return server.address


@contextmanager
def running(*settings):
    """A server for one test alone."""
    try:
        with servers.redis(*settings) as started:
            yield started
    except servers.NoServer as why:
        servers.unavailable(why)


@pytest.fixture
def own():
    """One that lasts."""
    with running("--appendonly", "yes", "--appendfsync", "always") as started:
        yield started


def wire(count: int, seed: int = 5) -> list[Article]:
    """Made-up articles, every fifth a near copy, some of them without a date or a text."""
    dice = Random(seed)
    words = [a + b for a in ("ka", "lo", "mi", "ne", "ru", "sa") for b in ("bar", "den", "fol")]
    articles: list[Article] = []
    for number in range(count):
        like = dice.choice(articles) if articles and dice.random() < 0.2 else None
        text = like.text if like else " ".join(dice.choices(words, k=90)) + f" {number}"
        title = like.title if like else " ".join(dice.choices(words, k=7))
        changed = text.replace(dice.choice(words), dice.choice(words), 1)
        articles.append(
            Article(
                id=f"a{number}",
                title=title,
                text=changed if number % 11 else "",
                url=f"https://example.org/{number % 90}",
                source=f"Outlet {number % 7}",
                published=NOON + timedelta(hours=number) if number % 5 else None,
                seen=NOON + timedelta(hours=number),
            )
        )
    return articles


class TestAddresses:
    @pytest.mark.parametrize(
        "address",
        [
            "redis://ann:secret@localhost:1/0",
            "rediss://:secret@localhost:1/0",
            "unix://ann:secret@/nowhere/redis.sock",
        ],
    )
    def test_a_missing_server_is_reported_with_the_address_and_without_the_password(self, address):
        with pytest.raises(StoreError, match="see that the server runs") as raised:
            open_store(address)
        assert ":***@" in str(raised.value)
        assert "secret" not in str(raised.value)

    @pytest.mark.parametrize(
        ("address", "advice"),
        [
            ("redis://", "names no server"),
            ("redis://localhost?keep=some", "choose one of all, fingerprints, sketches"),
            ("redis://localhost?prefix={}", "without braces"),
            ("redis://localhost:1?speed=high", "no option 'speed': take it out of the address"),
            ("redis://localhost:1?db=last", "no address of a Redis server"),
            ("redis://localhost:1/news", "'news' is no database: give its number"),
        ],
    )
    def test_what_is_no_address_says_what_to_give(self, address, advice):
        with pytest.raises(StoreError, match=advice):
            open_store(address)

    def test_a_database_that_the_server_does_not_have_is_reported(self, redis_address):
        with pytest.raises(StoreError, match=r"db=99: the server has no database .* \(DB index is"):
            open_store(f"{redis_address}?db=99")

    def test_a_pool_and_a_prefix_are_one_slot(self):
        parts = parse_address("redis://localhost/2?prefix=news&keep=sketches", "sport")
        assert parts.url == "redis://localhost/2"
        assert parts[2:] == ("news:{sport}:", "sketches")


names = st.text(max_size=9)
whole = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9)
times = st.none() | st.integers(-(1 << 55), 1 << 55)
header_strategy = st.builds(
    ArticleHeader, whole | st.just(""), st.none() | names, times, times, st.integers(0, 9)
)


class TestPacking:
    @given(st.lists(st.none() | st.binary(max_size=300)))
    def test_strings_come_back(self, values):
        assert unpack_strings(pack_strings(values)) == values

    @given(
        st.integers(0, 1 << 64),
        st.none() | st.floats(allow_nan=False),
        st.none() | names,
        st.binary(max_size=200),
    )
    def test_numbers_and_texts_come_back(self, number, real, text, rest):
        out = Writer()
        out.number(number)
        out.real(real)
        out.text(text)
        out.string(rest)
        read = Reader(bytes(out.bytes))
        assert (read.number(), read.real(), read.text(), read.string()) == (
            number,
            real,
            text,
            rest,
        )
        assert not read

    @given(st.binary(max_size=300))
    def test_compressed_records_come_back_and_are_hardly_longer(self, plain):
        compressor = Compressor()
        assert compressor.decompress(compressor.compress(plain)) == plain
        assert len(compressor.compress(plain)) <= len(plain) + 1

    @given(st.lists(fingerprint_strategy, max_size=4), st.none() | st.just([4, 7, 1 << 63]))
    def test_rows_lose_nothing(self, made, keys):
        codec = FingerprintCodec("r1-this")
        own = None if keys is None else np.array(keys, np.uint64)
        packed = [
            (
                codec.encode(fingerprint, own),
                ArticleHeader(
                    fingerprint.id,
                    fingerprint.source,
                    to_micros(fingerprint.published),
                    to_micros(fingerprint.seen),
                    1,
                ),
            )
            for fingerprint in made
        ]
        assert codec.decode(packed) == made
        for row, _ in packed:
            assert (keys is None) == (keys_in(row) is None)
            assert keys is None or keys_in(row).tolist() == keys

    def test_a_profile_of_terms_comes_back(self):
        prints = list(fingerprints(wire(40)))
        codec = FingerprintCodec(prints[0].recipe)
        packed = [
            (
                codec.encode(m, None),
                ArticleHeader(m.id, m.source, to_micros(m.published), to_micros(m.seen), 1),
            )
            for m in prints
        ]
        assert codec.decode(packed) == prints

    @given(st.binary(min_size=1, max_size=400), st.sampled_from([1, 4]))
    def test_the_pieces_of_a_row_are_the_row(self, row, most):
        pieces = split_row(row, most)
        assert b"".join(pieces) == row
        assert len(pieces) <= most

    @given(st.lists(header_strategy, max_size=5))
    def test_headers_come_back(self, headers):
        assert unpack_headers(pack_headers(headers)) == headers

    @given(st.lists(st.tuples(whole, st.text(max_size=50)), min_size=1, max_size=5))
    def test_articles_on_a_page_come_back(self, given_texts):
        articles = [
            Article(id=name, title=text[:5].encode(errors="replace").decode(), text=text, seen=NOON)
            for name, text in given_texts
        ]
        page = encode_page(dict(enumerate(encode_articles(articles), start=3)))
        packed = pack_strings(part for n, piece in page.items() for part in (n.encode(), piece))
        decoded = decode_page(packed)
        assert [
            decode_article(
                decoded[place], ArticleHeader(article.id, None, None, to_micros(article.seen), 1)
            )
            for place, article in enumerate(articles, start=3)
        ] == articles


class TestArticleHeaders:
    def test_what_came_since_the_mark_can_be_taken_back(self):
        headers = ArticleHeaders()
        headers.add([ArticleHeader("a", "x", 1, 2, 1), ArticleHeader("b", None, None, 2, 1)])
        headers.mark()
        headers.remove([1])
        headers.add([ArticleHeader("a", "y", 5, 6, 2), ArticleHeader("c", "x", 5, 6, 2)])
        assert (headers.numbers(["a", "b", "c"]), headers.removed()) == (
            {"a": 3, "b": 2, "c": 4},
            [1],
        )
        headers.roll_back()
        assert headers.numbers(["a", "b", "c"]) == {"a": 1, "b": 2}
        assert (headers.last, headers.get(1)) == (2, ArticleHeader("a", "x", 1, 2, 1))

    def test_what_expired_is_gone_and_the_rest_keeps_its_numbers(self):
        headers = ArticleHeaders(3)
        headers.add([ArticleHeader(name, None, 1, 2, 1) for name in "abc"])
        headers.expire(5)
        assert headers.numbers(["a", "b", "c"]) == {"c": 5}
        assert (headers.first, headers.last, headers.id(4), headers.id(5)) == (5, 5, "", "c")
        headers.expire(99)
        assert (headers.first, headers.last, len(headers)) == (6, 5, 0)


class TestSameAnswers:
    @pytest.mark.parametrize("preset", ["default", "similarity", "crawler", "digest"])
    def test_as_the_store_in_memory(self, address, preset):
        answers = []
        for store in (address, "memory://"):
            with Deduper(store, RECIPES[preset], POLICIES[preset]) as deduper:
                came = list(deduper.run(wire(100)))
                repeated = [deduper.add(article) for article in wire(110)[90:]]
                checked = [deduper.check(article) for article in wire(120, seed=6)[100:]]
                deduper.forget(["a3", "a50", "a51"])
                stories = {s.id: s for s in deduper.stories()}
                stands = list(deduper.verdicts(f"a{n}" for n in range(60, 100)))
                stats = deduper.stats()
                counts = (stats.articles, stats.duplicates, stats.sources, stats.sizes)
            answers.append((came, repeated, checked, stories, stands, counts))
        assert answers[0] == answers[1]

    def test_one_by_one_and_by_several_workers(self, address):
        articles = wire(45)
        with Deduper("memory://") as alone:
            expected = list(map(alone.add, articles))
        workers = [Deduper(address) for _ in range(3)]
        verdicts = [workers[place % 3].add(article) for place, article in enumerate(articles)]
        for worker in workers:
            worker.close()
        assert verdicts == expected

    def test_sketches_find_the_same_duplicates(self, address):
        preset = RECIPES["crawler"], POLICIES["crawler"]
        answers = []
        for store in (f"{address}?keep=sketches", "memory://"):
            with Deduper(store, *preset) as deduper:
                came = list(deduper.run(wire(200)))
                checked = [deduper.check(article) for article in wire(220, seed=6)[200:]]
            answers.append([(v.is_duplicate, v.duplicate_of) for v in [*came, *checked]])
        assert answers[0] == answers[1]

    @pytest.mark.parametrize("keep", ["fingerprints", "sketches"])
    def test_without_texts_an_article_is_what_is_known_of_it(self, address, keep):
        with Deduper(f"{address}?keep={keep}") as deduper:
            deduper.add(Article(id="a", title="A Title Of It", text=BODY, url="https://x.org/1"))
            article = deduper.article("a")
            assert (article.text, article.url) == ("", "https://x.org/1")
            assert article.title == ("a title of it" if keep == "fingerprints" else "")
            assert deduper.check(Article(id="b", text=BODY)).duplicate_of == "a"
            near = deduper.check(Article(id="b", text=BODY + "and of the spring"))
            assert near.duplicate_of == "a"
        with pytest.raises(StoreError, match=f"made with keep={keep}"):
            Deduper(f"{address}?keep=all")
        Deduper(address).close()


class TestOneCall:
    def calls(self, server) -> int:
        commands = server.client().info("commandstats")
        return sum(command["calls"] for name, command in commands.items() if "eval" in name)

    def test_a_check_is_one_call_of_a_script_once_warm(self, server):
        with Deduper(server.address) as deduper:
            list(deduper.run(wire(100)))
        with Deduper(server.address) as deduper, Deduper(server.address) as other:
            articles = [Article(id="x", text=BODY)]
            copy = next(article for article in wire(100) if article.text and article.published)
            articles += [Article(id="y", text=copy.text, published=copy.published)]
            for article in articles:
                deduper.check(article)
            before = self.calls(server)
            for article in articles:
                deduper.check(article)
            assert self.calls(server) == before + len(articles)
            other.add(Article(id="new", text=BODY))
            before = self.calls(server)
            assert deduper.check(articles[0]).duplicate_of == "new"
            assert self.calls(server) <= before + 3  # the text of what is new is read too

    def test_nothing_lists_all_keys(self, server):
        server.client().config_resetstat()
        with Deduper(server.address) as deduper:
            list(deduper.run(wire(60)))
            list(deduper.stories())
            deduper.stats()
            deduper.verify()
            deduper.purge(NOON + timedelta(hours=9))
        used = {name.removeprefix("cmdstat_") for name in server.client().info("commandstats")}
        assert not used & {"keys", "scan", "hscan", "sscan"}

    def test_all_keys_are_under_the_prefix_and_in_one_slot(self, server):
        with Deduper(f"{server.address}?prefix=news") as deduper:
            list(deduper.run(wire(60)))
        keys = {name.decode() for name in server.client().keys("*")}
        assert keys - {"news:pools"}
        assert all(name.startswith("news:{default}:") for name in keys - {"news:pools"})

    def test_a_server_that_forgot_its_scripts_is_given_them_again(self, server):
        with Deduper(server.address) as deduper:
            deduper.add(Article(id="a", text=BODY))
            server.client().script_flush()
            assert deduper.add(Article(id="b", text=BODY)).duplicate_of == "a"


class TestPools:
    def test_pools_never_see_each_other(self, address):
        for pool in ("default", "sport"):
            store = RedisStore(address, pool)
            store.bind(None, 1)
            (fingerprint,) = fingerprints([article := Article(id=f"of {pool}", text=BODY)])
            with store.transaction():
                store.save_articles([StoredArticle(article, fingerprint, np.array([2], np.uint64))])
            assert list(store.ids()) == [f"of {pool}"]
            store.close()
        assert list_pools_at(address) == ["default", "sport"]


class TestExpiry:
    def test_articles_expire_with_the_window(self, server):
        window = Policy(window=timedelta(seconds=1.5))
        with Deduper(server.address, policy=window) as deduper, Deduper(server.address) as other:
            deduper.add(Article(id="a", text=BODY))
            assert deduper.check(Article(id="b", text=BODY)).is_duplicate
            keys = [k for k in server.client().keys(PREFIX + "*") if b":r:" in k or b":t:" in k]
            assert keys
            assert all(0 < server.client().pttl(key) <= 1800 for key in keys)
            time.sleep(1.7)
            assert not deduper.check(Article(id="b", text=BODY)).is_duplicate
            assert list(other._store.ids()) == []
            assert not other.add(Article(id="c", text=BODY)).is_duplicate
            with pytest.raises(NotStored):
                deduper.article("a")
            assert deduper.article("c").text == BODY
            assert all(check.passed for check in deduper.verify())

    def test_what_expired_from_a_story_is_no_member_of_it(self, server):
        window = Policy(window=timedelta(seconds=2))
        with Deduper(server.address, policy=window) as deduper:
            deduper.add(Article(id="a", text=BODY))
            time.sleep(1.2)
            assert deduper.add(Article(id="b", text=BODY)).duplicate_of == "a"
            time.sleep(1.1)
            story = deduper.story("b")
            assert [member.id for member in story.members] == ["b"]
            assert all(check.passed for check in deduper.verify())
            assert deduper.add(Article(id="c", text=BODY)).is_duplicate
            assert list(deduper._store.ids()) == ["b", "c"]

    def test_without_a_window_nothing_expires(self, server):
        with Deduper(server.address, policy=Policy(window=None)) as deduper:
            deduper.add(Article(id="a", text=BODY))
        client = server.client()
        assert {client.ttl(key) for key in client.keys(PREFIX + "*")} == {-1}


class TestWhatGoesWrong:
    def test_a_store_that_was_emptied_is_reported(self, server):
        with Deduper(server.address) as deduper:
            deduper.add(Article(id="a", text=BODY))
            server.client().flushall()
            with pytest.raises(StoreError, match="lost the store"):
                deduper.check(Article(id="b", text=BODY))

    def test_keys_of_something_else_are_left_alone(self, server):
        server.client().set(PREFIX + "meta", "mine")
        with pytest.raises(StoreError, match="give another"):
            Deduper(server.address)
        assert server.client().get(PREFIX + "meta") == b"mine"

    def test_full_memory_is_reported_and_nothing_is_half_written(self):
        with running("--maxmemory", "2mb") as server, Deduper(server.address) as deduper:
            with pytest.raises(StoreError, match="raise maxmemory"):
                list(deduper.run(apart(3000)))
            ids = list(deduper._store.ids())
            assert all(deduper.article(name) for name in ids[-3:])

    def test_a_replica_is_reported(self):
        of_nobody = ("--replicaof", "127.0.0.1", "1", "--replica-serve-stale-data", "yes")
        with (
            running(*of_nobody) as server,
            pytest.raises(StoreError, match="address of the primary"),
        ):
            Deduper(server.address)

    def test_a_missing_password_is_reported(self):
        with running() as server:
            server.client().config_set("requirepass", "hush")
            with pytest.raises(StoreError, match="user and the password"):
                Deduper(server.address)
            with pytest.raises(StoreError) as raised:
                Deduper(f"unix://:wrong@{server.socket}")
            assert "wrong" not in str(raised.value).replace("WRONGPASS", "").replace(
                "wrong number", ""
            )
            Deduper(f"unix://:hush@{server.socket}").close()

    def test_another_recipe_or_version_is_refused(self, address):
        Deduper(address).close()
        with pytest.raises(RecipeMismatch, match="open it with that recipe"):
            Deduper(address, RECIPES["feed"])
        store = RedisStore(address)
        with pytest.raises(RecipeMismatch, match="keys of version"):
            store.bind(None, 999)
        store.close()

    @pytest.mark.parametrize("given_article", [{"id": "b\ud800"}, {"id": "b", "tier": 1 << 63}])
    @pytest.mark.parametrize("keep", ["all", "sketches"])
    def test_what_no_store_can_keep_is_a_bad_article(self, address, given_article, keep):
        with Deduper(f"{address}?keep={keep}") as deduper:
            deduper.add(Article(id="a", text=BODY))
            with pytest.raises(BadArticle, match="no store can keep it"):
                deduper.add(Article(text=BODY, **given_article))
            assert list(deduper._store.ids()) == ["a"]

    def test_eviction_and_no_persistence_are_found(self):
        settings = ("--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru")
        with running(*settings) as server, Deduper(server.address) as deduper:
            checks = {check.name: check for check in deduper.verify()}
        assert not checks["eviction"].passed
        assert "noeviction" in checks["eviction"].detail
        assert checks["durability"].warning
        assert "appendonly is off" in checks["durability"].detail

    def test_a_row_that_is_lost_is_found(self, server):
        with Deduper(server.address) as deduper:
            list(deduper.run(wire(20)))
            server.client().hdel(PREFIX + "r:0", "7")
        with Deduper(server.address) as deduper:
            failed = {check.name for check in deduper.verify() if not check.passed}
        assert "articles" in failed


class TestTransactions:
    def bound(self, address: str) -> RedisStore:
        store = RedisStore(address)
        store.bind(None, 1)
        return store

    def test_an_overtaken_transaction_raises_a_transient_error_and_writes_nothing(
        self, address, monkeypatch
    ):
        monkeypatch.setattr(transactions, "LEASE_MILLISECONDS", 20)
        slow, quick = self.bound(address), self.bound(address)
        with pytest.raises(TransientStoreError), slow.transaction():  # noqa: PT012
            slow.save_term_counts(b"slow")
            time.sleep(0.05)
            with quick.transaction():
                quick.save_term_counts(b"quick")
        assert slow.term_counts() == quick.term_counts() == b"quick"
        with slow.transaction():
            slow.save_term_counts(b"again")
        assert quick.term_counts() == b"again"

    def test_what_a_reader_has_read_does_not_change_under_it(self, address):
        reader, writer = self.bound(address), self.bound(address)
        with writer.transaction():
            writer.save_term_counts(b"one")
        with pytest.raises(TransientStoreError), reader.snapshot():  # noqa: PT012
            assert reader.term_counts() == b"one"
            with writer.transaction():
                writer.save_term_counts(b"two")
            reader.used_story_ids(["s-1"])

    def test_a_reader_that_others_keep_disturbing_is_let_in_at_last(self, address):
        reader, writer = self.bound(address), self.bound(address)
        for _ in range(transactions.CONFLICTS):
            with pytest.raises(TransientStoreError), reader.snapshot():  # noqa: PT012
                reader.term_counts()
                with writer.transaction():
                    writer.save_term_counts(os.urandom(4))
                reader.used_story_ids(["s-1"])
        writer.session.lock_seconds = 0.05
        with reader.snapshot():
            before = reader.term_counts()
            with pytest.raises(StoreError, match="others have been writing"), writer.transaction():
                pass
            assert reader.term_counts() == before
        with writer.transaction():
            pass

    def test_a_transaction_whose_answer_was_lost_is_applied_once(self, address, monkeypatch):
        store = self.bound(address)
        commit, lost = store.session.connection._client.execute_command, []

        def lose_the_answer(*words):
            answer = commit(*words)
            if words[0] == "EVALSHA" and answer == b"ok" and not lost:
                lost.append(words)
                raise store.session.connection._errors.ConnectionError("cut off")
            return answer

        monkeypatch.setattr(store.session.connection._client, "execute_command", lose_the_answer)
        with store.transaction():
            store.add_latencies({(1, "check", 2): 5})
        assert lost
        assert store.latencies(None) == {(1, "check", 2): 5}

    def test_a_transaction_too_large_for_one_call_is_still_atomic(self, address, monkeypatch):
        monkeypatch.setattr("nearcopy.stores.redis.binary_format.STAGED_BYTES", 2000)
        with Deduper(address) as deduper:
            verdicts = list(deduper.run(wire(80)))
        with Deduper("memory://") as memory:
            assert list(memory.run(wire(80))) == verdicts
        with Deduper(address) as deduper:
            assert len(list(deduper._store.ids())) == 80

    def test_a_very_large_transaction_reaches_all_workers(self, address, monkeypatch):
        with Deduper(address) as one, Deduper(address) as other:
            one.add(Article(id="a", text=BODY))
            one.add(Article(id="b", text=BODY))
            assert other.story("b").kept == "a"
            monkeypatch.setattr("nearcopy.stores.redis.record_cache.LISTED_NAMES", 1)
            one.forget(["a"])
            assert [member.id for member in other.story("b").members] == ["b"]

    def test_what_is_replaced_twice_in_a_failed_transaction_is_as_it_was(self, address):
        store = self.bound(address)
        entries = []
        for text in ("one", "two", "three"):
            (fingerprint,) = fingerprints([article := Article(id="a", text=text, seen=NOON)])
            entries.append(StoredArticle(article, fingerprint, np.array([2], np.uint64)))
        with store.transaction():
            store.save_articles(entries[:1])
        with pytest.raises(ValueError), store.transaction():  # noqa: PT011, PT012
            store.save_articles(entries[1:2])
            store.save_articles(entries[2:])
            raise ValueError
        assert store.articles(["a"])["a"].text == "one"
        with store.transaction():
            store.save_articles(entries[1:2])
            store.save_articles(entries[2:])
        fresh = self.bound(address)
        assert [revision.text for revision in fresh.revisions(["a"])["a"]] == ["one", "two"]
        assert fresh.articles(["a"])["a"].text == "three"
        assert all(check.passed for check in fresh.verify())

    def test_what_is_purged_gives_its_memory_back(self, server):
        with Deduper(server.address) as deduper:
            list(deduper.run(wire(260)))
            assert deduper.purge(NOON + timedelta(days=90)) == 260
            assert list(deduper.stories()) == []
        left = {name.decode().removeprefix(PREFIX) for name in server.client().keys(PREFIX + "*")}
        lasting = {"meta", "log", "slots", "kinds", "times", "h:1"}
        assert {name for name in left if not name.startswith("d:")} <= lasting

    def test_what_goes_whole_is_not_read_and_hardly_logged(self, server, monkeypatch):
        read = []
        pages = Texts._read_pages
        monkeypatch.setattr(
            Texts, "_read_pages", lambda mine, some: read.append(set(some)) or pages(mine, some)
        )
        unlike = [
            Article(id=f"s{n}", text=" ".join(f"w{n}x{k}" for k in range(50)), published=NOON)
            for n in range(300)
        ]
        with Deduper(server.address) as one, Deduper(server.address) as other:
            list(one.run(unlike))
            assert len(list(other.stories())) == 300
            read.clear()
            with one._store.transaction():
                assert one._store.drop([f"s{n}" for n in range(200)]) == 200
            assert read == [{3}]  # numbers begin with 1, and the first that stays is 201
            left = sorted(f"s{n}" for n in range(200, 300))
            with Deduper(server.address) as fresh:
                for deduper in (one, other, fresh):
                    assert sorted(story.kept for story in deduper.stories()) == left
                    assert deduper.article("s200") == replace(
                        unlike[200], seen=deduper.article("s200").seen
                    )
                    assert deduper.check(replace(unlike[250], id="x")).duplicate_of == "s250"
                    assert not deduper.check(replace(unlike[150], id="x")).is_duplicate
                    assert all(check.passed for check in deduper.verify())
        client = server.client()
        assert not any(client.exists(f"{PREFIX}{kind}:{n}") for kind in "rt" for n in range(3))
        assert client.hlen(PREFIX + "r:3") == 256 - 201
        assert len(client.lindex(PREFIX + "log", -1)) < 200

    def test_a_worker_far_behind_reads_headers_and_no_window(self, server):
        with Deduper(server.address) as slow, Deduper(server.address) as quick:
            list(slow.run(wire(30)))
            index = slow._store.session.window.cache.index
            quick.add(Article(id="a", text=BODY))
            quick.forget(["a", "a1"])
            quick.add(Article(id="b", text=OTHER))
            server.client().ltrim(PREFIX + "log", -1, -1)
            assert not slow.check(Article(id="x", text=BODY)).is_duplicate
            assert slow.check(Article(id="x", text=OTHER)).duplicate_of == "b"
            assert slow._store.session.window.cache.index is index
            with pytest.raises(NotStored):
                slow.article("a1")

    def test_the_log_stays_short_and_its_end_is_enough(self, server):
        with Deduper(server.address) as one, Deduper(server.address) as other:
            for number in range(12):
                with one._store.transaction():
                    times = {(day, "check" * 9000, 1): 1 for day in range(number, number + 3)}
                    one._store.add_latencies(times)
                    one._store.save_stories([], [], {f"{n} {'s' * 900}": "s-x" for n in range(90)})
                one.add(Article(id=str(number), text=f"{OTHER} word{number} " * 3))
                assert other.article(str(number))
            client = server.client()
            entries = client.lrange(PREFIX + "log", 0, -1)
            assert sum(map(len, entries)) == int(client.hget(PREFIX + "meta", "logged")) < 600_000

    def test_a_server_that_went_back_is_noticed(self, server):
        client = server.client()
        with Deduper(server.address) as one:
            one.add(Article(id="a", text=BODY))
            kept = {key: client.dump(key) for key in client.keys("*")}
            one.add(Article(id="b", text=OTHER))
            client.flushall()  # as one that had not written its last second to the disk
            for key, value in kept.items():
                client.restore(key, 0, value)
            with Deduper(server.address) as other:
                other.add(Article(id="c", text="of the third kind altogether, and more " * 20))
            assert not one.check(Article(id="x", text=OTHER)).is_duplicate
            assert list(one._store.ids()) == ["a", "c"]
            assert one.check(Article(id="x", text=BODY)).duplicate_of == "a"

    @pytest.mark.parametrize("step", ["insert", "add"])
    def test_an_interrupt_leaves_nothing_half_in_memory(self, address, monkeypatch, step):
        with Deduper(address) as deduper:
            deduper.add(Article(id="a", text=OTHER))
            deduper.add(Article(id="b", text=BODY))
        with Deduper(address) as deduper:
            index = deduper._store.session.window.cache.index
            owner = index._index if step == "insert" else index
            work = getattr(owner, step)

            def interrupted(*given):
                work(*given)
                raise KeyboardInterrupt

            with monkeypatch.context() as patch:
                patch.setattr(type(owner), step, lambda _, *given: interrupted(*given))
                with pytest.raises(KeyboardInterrupt):
                    deduper.check(Article(id="c", text=BODY))
            assert deduper.check(Article(id="c", text=BODY)).duplicate_of == "b"
            assert len(deduper._store.session.window.cache.index) == 2

    def test_nothing_of_a_failed_transaction_stays(self, address, monkeypatch):
        with Deduper(address) as one, Deduper(address) as other:
            one.add(Article(id="a", text=OTHER))
            monkeypatch.setattr("nearcopy.deduper.check_and_add.verdict_at_insert", None)
            with pytest.raises(TypeError):
                one.add(Article(id="b", text=BODY))
            monkeypatch.undo()
            with pytest.raises(NotStored):
                one.article("b")
            other.add(Article(id="c", text="of the third kind altogether, and more " * 20))
            assert not one.check(Article(id="d", text=BODY)).is_duplicate
            assert one.add(Article(id="e", text=OTHER)).duplicate_of == "a"
            assert all(check.passed for check in one.verify())


class TestTwoAtOnce:
    def test_each_sees_what_the_other_did(self, address):
        with Deduper(address) as one, Deduper(address) as other:
            one.add(Article(id="a", text=BODY))
            assert other.check(Article(id="b", text=BODY)).duplicate_of == "a"
            other.add(Article(id="c", text=OTHER))
            assert one.check(Article(id="d", text=OTHER)).match == "c"
            other.forget(["a"])
            assert not one.check(Article(id="b", text=BODY)).is_duplicate
            one.add(Article(id="a", text=OTHER))
            assert not other.check(Article(id="b", text=BODY)).is_duplicate
            assert other.article("a").text == OTHER

    def test_feedback_reaches_all_workers(self, address):
        with Deduper(address) as one, Deduper(address) as other:
            one.add(Article(id="a", text=BODY))
            other.add(Article(id="b", text=BODY))
            one.feedback("a", "b", same=False)
            assert [feedback.pair for feedback in other.all_feedback()] == [("a", "b")]
            assert not next(iter(other.verdicts("b"))).is_duplicate
            other.retract_feedback("a", "b")
            assert one.all_feedback() == []
            assert next(iter(one.verdicts("b"))).is_duplicate

    def test_threads_take_turns(self, address):
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


RACER = f"""
from nearcopy import Article, Deduper
from nearcopy.stores.redis import store

def work(address, name, wait_for_start, say):
    texts = [" ".join(f"word{{n}}of{{m}}" for m in range(80)) for n in range({RACED})]
    articles = [
        Article(id=f"{{n}}-{{name}}", text=f"{{text}} said {{name}}")
        for n, text in enumerate(texts)
    ]
    with Deduper(address) as deduper:
        wait_for_start()
        for start in range(0, len(articles), 7):
            for verdict in deduper.run(articles[start : start + 7]):
                say(verdict.id, verdict.is_duplicate, verdict.duplicate_of)
"""


def test_of_eight_processes_exactly_one_is_first(address):
    lines = race(RACER, address, [str(number) for number in range(RACERS)]).lines
    assert len(lines) == RACERS * RACED
    originals = sorted(int(name.split("-")[0]) for name, copy, _ in lines if copy == "False")
    assert originals == list(range(RACED))
    with Deduper(address) as deduper:
        assert sorted(len(story.members) for story in deduper.stories()) == [RACERS] * RACED
        assert all(check.passed for check in deduper.verify())


STEADY = """
import sys
from nearcopy import Article, Deduper
from nearcopy.stores.redis import transactions
transactions.LEASE_MILLISECONDS = int(sys.argv[3])
with Deduper(sys.argv[1]) as deduper:
    for number in range(int(sys.argv[2]), 100000):
        deduper.add(Article(id=str(number), text=f"report{number} " * 60))
        print(number, flush=True)
"""

LEASE = 2_000  # milliseconds for which a killed worker may still hold the lock


def steady(address: str, first: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", STEADY, address, str(first), str(LEASE)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def test_what_was_answered_survives_kills_of_workers(address):
    last = -1
    for _ in range(3):
        process = steady(address, last + 1)
        target = last + 20
        for line in process.stdout:
            last = int(line)
            if last >= target:
                os.kill(process.pid, signal.SIGKILL)
                break
        process.stdout.close()
        process.wait()
        with Deduper(address) as deduper:  # waits for a lease that a dead worker may have
            deduper.add(Article(id="probe", text=BODY))
            deduper.forget("probe")
            assert all(deduper.article(str(number)) for number in range(last + 1))
            assert all(check.passed for check in deduper.verify())


def test_a_server_may_be_restarted_under_a_worker(own):
    process = steady(own.address, 0)
    last = -1
    for line in process.stdout:
        last = int(line)
        if last == 15:
            own.kill()
            own.start()
        if last >= 40:
            break
    os.kill(process.pid, signal.SIGKILL)
    process.stdout.close()
    process.wait()
    assert last >= 40
    with Deduper(own.address) as deduper:
        assert all(deduper.article(str(number)) for number in range(last + 1))
        assert all(check.passed for check in deduper.verify())
