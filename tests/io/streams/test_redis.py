"""Redis Streams: each entry is forwarded once, whichever member dies. With a real server."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from time import monotonic, sleep

import pytest
from tests.support import servers
from tests.support.synthetic_news import copied
from typer.testing import CliRunner

from nearcopy import Deduper, StreamError
from nearcopy.cli import app
from nearcopy.io.serializers import dataclass_row
from nearcopy.io.streams import consume
from nearcopy.io.streams import redis as redis_streams
from nearcopy.io.streams.messages import Outputs

servers.driver("redis")
WHOLE = os.environ.get("NEARCOPY_FAULTS") == "whole"
MANY = 50_000 if WHOLE else 1000
LONG = 3600 if WHOLE else 240  # seconds
OUTPUTS = Outputs("new", "copies", "letters")
QUAY = "The harbour council voted to close the old quay after divers found shipworm in its piles. "
PAGE = {"title": "Council closes quay", "text": QUAY * 6, "url": "https://example.org/a/quay"}


def settings(address, consumer="one", **more):
    options = {"stream": "pages", "group": "g", "outputs": OUTPUTS, "claim_seconds": 0.05} | more
    return redis_streams.RedisSettings(address=address, consumer=consumer, **options)


@contextmanager
def member(address, consumer="one", **more):
    stream = redis_streams.RedisStream(settings(address, consumer, **more))
    try:
        yield stream
    finally:
        stream.close()


@pytest.fixture
def client(redis_server, redis_address):
    assert redis_address
    return redis_server.client()


def sent(client, *rows):
    return [client.xadd("pages", {"data": json.dumps(row)}).decode() for row in rows]


def handed(client, stream):
    """The entries of a stream, fields as texts."""
    return [
        {name.decode(): value.decode("utf-8", "replace") for name, value in fields.items()}
        for _, fields in client.xrange(stream)
    ]


def unacknowledged(client):
    return client.xpending("pages", "g")["pending"]


def consumed(address, store, consumer="one", **more):
    with member(address, consumer, **more) as stream, Deduper(store) as deduper:
        return consume(stream, deduper, idle_seconds=0)


def test_entries_go_where_they_belong_with_their_verdict(client, redis_address, sqlite_address):
    sent(client, PAGE | {"id": "a"}, PAGE | {"id": "b"}, [1])
    client.xadd("pages", {"title": "Tea dearer at the auction in the hills", "lang": "en"})
    counts = consumed(redis_address, sqlite_address)
    assert counts.all == 4
    first, tea = handed(client, "new")
    (copy,) = handed(client, "copies")
    (letter,) = handed(client, "letters")
    assert json.loads(first["data"]) == PAGE | {"id": "a"}
    assert (first["nearcopy_id"], first["nearcopy_is_duplicate"]) == ("a", "false")
    assert (copy["nearcopy_duplicate_of"], copy["nearcopy_canonical_url"]) == ("a", PAGE["url"])
    assert tea["title"].startswith("Tea dearer")
    assert tea["nearcopy_id"].startswith("pages/")
    assert letter["data"] == "[1]"
    assert "expected an object" in letter["nearcopy_reason"]
    assert unacknowledged(client) == 0


def test_what_has_nowhere_to_go_is_acknowledged(client, redis_address, sqlite_address):
    sent(client, PAGE | {"id": "a"}, PAGE | {"id": "b"}, [1])
    consumed(redis_address, sqlite_address, outputs=Outputs(None, "copies", None))
    assert len(handed(client, "copies")) == 1
    assert unacknowledged(client) == 0
    assert client.exists("new", "letters") == 0


def test_what_comes_again_is_handed_on_once(client, redis_address, sqlite_address):
    """A member that is slow goes on while another has its entries already."""
    sent(client, PAGE | {"id": "a"}, PAGE | {"id": "b"})
    with (
        member(redis_address, "slow") as slow,
        member(redis_address, "quick") as quick,
        Deduper(sqlite_address) as deduper,
    ):
        messages = slow.take(10, 0.1)
        sleep(0.1)
        consume(quick, deduper, idle_seconds=0)
        slow.settle(redis_outcomes(deduper, messages))
    assert [len(handed(client, name)) for name in ("new", "copies")] == [1, 1]
    assert unacknowledged(client) == 0


def redis_outcomes(deduper, messages):
    from nearcopy.io.streams.consumer import process_messages

    return process_messages(deduper, messages)


def test_entries_of_a_member_that_died_are_claimed(client, redis_address, sqlite_address):
    sent(client, PAGE | {"id": "a"}, PAGE | {"id": "b"})
    with member(redis_address, "dead") as dead:
        assert len(dead.take(10, 0.1)) == 2
    sleep(0.1)
    assert consumed(redis_address, sqlite_address, "other").all == 2
    assert unacknowledged(client) == 0


def test_entries_are_left_to_who_has_them_just_now(client, redis_address, sqlite_address):
    sent(client, PAGE | {"id": "a"})
    with member(redis_address, "busy") as busy:
        busy.take(10, 0.1)
        assert consumed(redis_address, sqlite_address, "other", claim_seconds=60).all == 0


def test_a_member_that_comes_back_goes_on_with_its_own(client, redis_address, sqlite_address):
    sent(client, *(PAGE | {"id": str(number)} for number in range(5)))
    with member(redis_address, "same", claim_seconds=60) as before:
        before.take(3, 0.1)
    counts = consumed(redis_address, sqlite_address, "same", claim_seconds=60)
    assert (counts.all, counts.lag) == (5, 0)


def test_an_entry_that_kills_whoever_has_it_is_a_dead_letter(client, redis_address, sqlite_address):
    """After some deaths entries are given out one by one, so that others do not go with it."""
    sent(client, PAGE | {"id": "a"}, PAGE | {"id": "poison"}, PAGE | {"id": "b"})
    with Deduper(sqlite_address) as deduper:
        for death in range(20):
            if not killed_by_poison(redis_address, deduper, f"m{death}"):
                break
            sleep(0.06)
    (letter,) = handed(client, "letters")
    assert "delivered 6 times" in letter["nearcopy_reason"]
    assert [len(handed(client, name)) for name in ("new", "copies")] == [1, 1]


def test_an_entry_that_kills_a_member_of_a_fixed_name_is_a_dead_letter(
    client, redis_address, sqlite_address
):
    """Restarted it resumes its pending entries, and no other member ever claims them."""
    sent(client, PAGE | {"id": "a"}, PAGE | {"id": "poison"}, PAGE | {"id": "b"})
    deaths = 0
    with Deduper(sqlite_address) as deduper:
        while deaths < 20 and killed_by_poison(redis_address, deduper, "same", claim_seconds=60):
            deaths += 1
    (letter,) = handed(client, "letters")
    assert (deaths, unacknowledged(client)) == (6, 0)
    assert "delivered 6 times" in letter["nearcopy_reason"]
    assert [len(handed(client, name)) for name in ("new", "copies")] == [1, 1]


def killed_by_poison(address, deduper, consumer, **more):
    """Whether a member that goes on until nothing is left had to judge what kills it."""
    with member(address, consumer, **more) as stream:
        while messages := stream.take(10, 0.01):
            if any(b"poison" in entry.fields[b"data"] and not entry.why for entry in messages):
                return True
            stream.settle(redis_outcomes(deduper, messages))
    return False


def given_out(client, consumer, entry, times):
    """The entry is this member's, and was given to it so often, long ago."""
    client.xclaim("pages", "g", consumer, 0, [entry], idle=3_600_000, retrycount=times)


@pytest.mark.parametrize("consumer", ["same", "other"])
def test_an_entry_given_out_often_is_not_taken_with_those_before_it(
    client, redis_address, consumer
):
    entries = sent(client, *(PAGE | {"id": name} for name in "abcd"))
    with member(redis_address, "same") as before:
        before.take(10, 0.1)
    for entry, times in zip(entries, (1, 5, 1, 1), strict=True):
        given_out(client, "same", entry, times)
    with member(redis_address, consumer) as stream:
        token_batches = [[message.token for message in stream.take(10, 0.01)] for _ in range(3)]
    assert token_batches == [entries[:1], entries[1:2], entries[2:]]


def test_a_member_that_comes_back_passes_what_was_removed_meanwhile(client, redis_address):
    entries = sent(client, *(PAGE | {"id": name} for name in "abc"))
    with member(redis_address, "same", claim_seconds=60) as before:
        before.take(10, 0.1)
    client.xdel("pages", *entries[:2])
    with member(redis_address, "same", claim_seconds=60) as stream:
        tokens = [message.token for _ in range(2) for message in stream.take(2, 0.01)]
    assert tokens == entries[2:]
    assert unacknowledged(client) == 1


def test_entries_that_were_removed_meanwhile_are_passed(client, redis_address, sqlite_address):
    removed_entry, _ = sent(client, PAGE | {"id": "a"}, PAGE | {"id": "b"})
    with member(redis_address, "dead") as dead:
        dead.take(10, 0.1)
    client.xdel("pages", removed_entry)
    sleep(0.1)
    assert consumed(redis_address, sqlite_address, "other").all == 1
    assert unacknowledged(client) == 0


def test_a_member_without_a_name_of_its_own_leaves_the_group(client, redis_address):
    for leave, names in ((True, []), (False, [b"one"])):
        with member(redis_address, leave=leave) as stream:
            stream.take(1, 0.01)
        assert [consumer["name"] for consumer in client.xinfo_consumers("pages", "g")] == names


def test_lag_counts_what_is_not_acknowledged(client, redis_address):
    sent(client, *(PAGE | {"id": str(number)} for number in range(5)))
    with member(redis_address) as stream:
        assert stream.lag() in (5, None)
        stream.take(2, 0.1)
        assert stream.lag() in (5, None)


def test_streams_written_to_stay_short(client, redis_address, sqlite_address):
    sent(client, *([number] for number in range(1000)))
    consumed(redis_address, sqlite_address, max_length=100)
    assert 100 <= client.xlen("letters") < 400


def test_very_many_fields_are_a_dead_letter(client, redis_address, sqlite_address):
    client.xadd("pages", {f"f{number}": "x" for number in range(9000)})
    consumed(redis_address, sqlite_address)
    assert "more than 1000 fields" in handed(client, "letters")[0]["nearcopy_reason"]


def test_a_group_that_is_lost_is_made_anew(client, redis_address, sqlite_address):
    with member(redis_address) as stream, Deduper(sqlite_address) as deduper:
        consume(stream, deduper, idle_seconds=0)
        client.flushall()
        sent(client, PAGE | {"id": "a"})
        assert consume(stream, deduper, idle_seconds=0.5).all == 1


def test_nothing_is_handed_on_to_where_it_came_from(redis_address):
    with pytest.raises(StreamError, match="is also read"):
        settings(redis_address, outputs=Outputs("pages"))


def test_a_key_that_is_no_stream_is_said(client, redis_address):
    client.set("pages", "x")
    with pytest.raises(StreamError, match="WRONGTYPE"), member(redis_address):
        pass


def test_an_output_that_is_no_stream_loses_nothing(client, redis_address, sqlite_address):
    client.set("new", "x")
    sent(client, PAGE | {"id": "a"})
    with pytest.raises(StreamError, match="WRONGTYPE"):
        consumed(redis_address, sqlite_address)
    client.delete("new")
    assert consumed(redis_address, sqlite_address).all == 1
    assert len(handed(client, "new")) == 1


def test_a_server_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setattr(redis_streams, "RETRY_SECONDS", 0)
    with pytest.raises(StreamError, match="nowhere"), member("unix:///tmp/nowhere.sock"):
        pass


def test_the_command_consumes_the_stream_of_its_store(client, redis_address):
    sent(client, PAGE | {"id": "a"}, PAGE | {"id": "b"}, [1])
    words = ["--redis-stream", "pages", "--store", redis_address, "--idle", "1s", "--json"]
    done = CliRunner().invoke(app, ["consume", *words, "--unique-stream", "new"])
    assert done.exit_code == 0, done.output
    first, copy, error = map(json.loads, done.stdout.splitlines())
    assert (first["id"], copy["duplicate_of"]) == ("a", "a")
    assert "expected an object" in error["error"]
    assert "3 messages: 1 new, 1 duplicate, 1 unreadable" in done.stderr
    assert len(handed(client, "new")) == 1
    assert client.xinfo_consumers("pages", "nearcopy") == []


# A server, and members, that are killed.


def test_a_server_that_is_killed_is_waited_for(sqlite_address):
    """What it acknowledged is on its disk; what it was about to do is done again."""
    with servers.redis("--appendonly", "yes", "--appendfsync", "always") as server:
        client = server.client()
        sent(client, *(PAGE | {"id": str(number)} for number in range(30)))
        with member(server.address, claim_seconds=60) as stream, Deduper(sqlite_address) as deduper:
            outcomes = redis_outcomes(deduper, stream.take(10, 1))
            server.kill()
            back = threading.Timer(1, server.start)
            back.start()
            stream.settle(outcomes)
            back.join()
            consume(stream, deduper, idle_seconds=0.5)
        ids = [entry["nearcopy_id"] for name in ("new", "copies") for entry in handed(client, name)]
        assert sorted(ids, key=int) == [str(number) for number in range(30)]
        client.close()


def started(address, store, name):
    words = ["--redis-stream", "pages", "--redis", address, "--store", store, "--consumer", name]
    more = ["--unique-stream", "new", "--duplicates-stream", "copies", "--group", "g"]
    last = ["--claim-after", "1s", "--batch", "50", "--quiet", "--metrics", "0"]
    command = [sys.executable, "-m", "nearcopy", "consume", *words, *more, *last]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def waited(done, seconds=120):
    end = monotonic() + seconds
    while not done():
        assert monotonic() < end
        sleep(0.05)


def test_killed_members_lose_nothing_and_hand_on_nothing_twice(client, redis_address, tmp_path):
    articles, store = copied(MANY), f"sqlite:///{tmp_path}/seen.db"
    sent(client, *map(dataclass_row, articles))
    members = [started(redis_address, store, name) for name in ("one", "two")]
    try:
        for share in (0.2, 0.5):
            waited(
                lambda share=share: client.xlen("new") + client.xlen("copies") > share * MANY, LONG
            )
            members[0].kill()
            members[0].communicate(timeout=60)
            members.append(started(redis_address, store, f"more{share}"))
            members.pop(0)
        waited(lambda: client.xlen("new") + client.xlen("copies") >= MANY, LONG)
        for process in members:
            process.stderr.readline()  # where its metrics are: it has begun
        for process in members:
            process.send_signal(signal.SIGTERM)
        assert [process.wait(60) for process in members] == [0, 0]
    finally:
        for process in members:
            with suppress(ProcessLookupError):
                process.kill()
            process.communicate(timeout=60)
    unique = [entry["nearcopy_id"] for entry in handed(client, "new")]
    copies = [entry["nearcopy_id"] for entry in handed(client, "copies")]
    assert sorted(unique + copies) == sorted(article.id for article in articles)
    texts = sorted(article.id for article in articles if "-" not in article.id)
    assert sorted(name.partition("-")[0] for name in unique) == texts, "one original of each text"
    with Deduper(store) as deduper:
        unique_ids = {verdict.id for verdict in deduper.run(articles) if not verdict.is_duplicate}
    assert unique_ids == set(unique)
