"""Kafka: nothing is lost and no second original forwarded, whatever happens to brokers and members.

The cluster is librdkafka's mock of one, over TCP; see kafka_mock.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager, suppress
from itertools import count
from time import monotonic, sleep
from urllib.request import urlopen

import pytest
from tests.support import kafka_mock, servers
from tests.support.synthetic_news import copied, news
from typer.testing import CliRunner

from nearcopy import Deduper, StreamError
from nearcopy.cli import app
from nearcopy.io.serializers import dataclass_row
from nearcopy.io.streams import Counts, consume
from nearcopy.io.streams.consumer import process_messages
from nearcopy.io.streams.messages import Outputs

kafka = servers.driver("confluent_kafka")
WHOLE = os.environ.get("NEARCOPY_FAULTS") == "whole"
MANY = 50_000 if WHOLE else 2000
QUAY = "The harbour council voted to close the old quay after divers found shipworm in its piles. "
PAGE = {"title": "Council closes quay", "text": QUAY * 6, "url": "https://example.org/a/quay"}
GROUPS = count()
# When the group changes, the mock waits nearly as long as a session lasts.
SOON = {"session.timeout.ms": "2000", "heartbeat.interval.ms": "200"}
AT_ONCE = 400  # lines of a topic that are read at once


# Kinds of requests and errors, as the protocol numbers them.
OFFSET_COMMIT, END_TXN, TXN_OFFSET_COMMIT = 8, 26, 28
LOADING, ILLEGAL_GENERATION, FENCED = 14, 22, 90
mocked = pytest.mark.skipif(
    kafka_mock.REAL is not None, reason="these brokers are not ours to disturb"
)


class Topics:
    """The topics of a test, and a group for it."""

    def __init__(self, cluster, partitions=kafka_mock.PARTITIONS):
        self.cluster, self.brokers = cluster, cluster.brokers
        names = ("pages", "new", "copies", "letters")
        self.pages, *out = (cluster.topic(name, partitions) for name in names)
        self.outputs = Outputs(*out)
        self.group = f"g-{os.getpid()}-{next(GROUPS)}"

    def settings(self, **more):
        from nearcopy.io.streams.kafka import KafkaSettings

        defaults = {"brokers": self.brokers, "topics": (self.pages,), "group": self.group}
        more["more"] = SOON | more.get("more", {})
        return KafkaSettings(**{**defaults, "outputs": self.outputs, **more})

    @contextmanager
    def member(self, **more):
        from nearcopy.io.streams.kafka import KafkaStream

        stream = KafkaStream(self.settings(**more))
        try:
            yield stream
        finally:
            stream.close()

    def consumed(self, store, many, **more):
        """The counts, once there are this many messages."""
        counts = Counts()
        with self.member(**more) as stream, Deduper(store) as deduper:
            enough = lambda: counts.all >= many  # noqa: E731
            return consume(stream, deduper, stopping=enough, idle_seconds=20, counts=counts)

    def send(self, *rows, keyed=False, **more):
        """Send messages; those with keys are spread evenly."""
        producer = kafka.Producer({"bootstrap.servers": self.brokers, "log_level": 0})
        for row in rows:
            data = row if isinstance(row, bytes) or row is None else json.dumps(row).encode()
            key = {"key": row["id"]} if keyed else {}
            producer.produce(self.pages, data, **key, **more)
            producer.poll(0)
        assert producer.flush(60) == 0

    def handed(self, topic, least=0, seconds=30):
        """All messages of a topic, once there are this many."""
        reader = kafka.Consumer(
            {
                "bootstrap.servers": self.brokers,
                "group.id": f"reader-{next(GROUPS)}",
                "auto.offset.reset": "earliest",
                "enable.partition.eof": True,
                "log_level": 0,
            }
        )
        partitions = reader.list_topics(topic, timeout=20).topics[topic].partitions
        reader.assign([kafka.TopicPartition(topic, partition, 0) for partition in partitions])
        messages, ends, end = [], set(), monotonic() + seconds
        while (len(ends) < len(partitions) or len(messages) < least) and monotonic() < end:
            for message in reader.consume(AT_ONCE, 0.2):
                ends |= {message.partition()} if message.error() else set()
                messages += [] if message.error() else [message]
        reader.close()
        return messages

    def first(self, topic):
        """The first offset that is there; the mock keeps some megabytes of a partition."""
        reader = kafka.Consumer({"bootstrap.servers": self.brokers, "group.id": self.group})
        partitions = reader.list_topics(topic, timeout=20).topics[topic].partitions
        topic_partitions = [kafka.TopicPartition(topic, partition) for partition in partitions]
        offset = max(
            reader.get_watermark_offsets(partition, timeout=20)[0] for partition in topic_partitions
        )
        reader.close()
        return offset

    def committed(self):
        reader = kafka.Consumer({"bootstrap.servers": self.brokers, "group.id": self.group})
        partitions = reader.list_topics(self.pages, timeout=20).topics[self.pages].partitions
        topic_partitions = [kafka.TopicPartition(self.pages, partition) for partition in partitions]
        offset_total = sum(
            max(0, partition.offset) for partition in reader.committed(topic_partitions, timeout=20)
        )
        reader.close()
        return offset_total


@pytest.fixture(scope="module")
def cluster():
    with kafka_mock.cluster() as started:
        yield started


@pytest.fixture
def topics(cluster):
    return Topics(cluster, partitions=1)


def headers(message):
    return {name: value.decode() for name, value in message.headers()}


def test_messages_go_where_they_belong_with_their_verdict(topics, sqlite_address):
    topics.send(PAGE | {"id": "a"}, key=b"k", headers=[("trace", b"7"), ("nearcopy_id", b"old")])
    topics.send(PAGE | {"id": "b"}, b"{", None)
    assert topics.consumed(sqlite_address, 4).all == 4
    (first,), (copy,) = topics.handed(topics.outputs.unique), topics.handed(topics.outputs[1])
    bad, empty = topics.handed(topics.outputs.dead_letters)
    assert json.loads(first.value()) == PAGE | {"id": "a"}
    assert (first.key(), headers(first)["trace"], headers(first)["nearcopy_id"]) == (b"k", "7", "a")
    assert [name for name, _ in first.headers()].count("nearcopy_id") == 1
    assert headers(copy)["nearcopy_duplicate_of"] == "a"
    assert headers(copy)["nearcopy_canonical_url"] == PAGE["url"]
    assert bad.value() == b"{"
    assert "not JSON" in headers(bad)["nearcopy_reason"]
    assert headers(bad)["nearcopy_place"] == f"{topics.pages}/0/2"
    assert "empty" in headers(empty)["nearcopy_reason"]
    assert topics.committed() == 4


def test_a_group_goes_on_where_it_was(topics, sqlite_address):
    topics.send(PAGE | {"id": "a"})
    topics.consumed(sqlite_address, 1)
    topics.send(PAGE | {"id": "b"})
    assert topics.consumed(sqlite_address, 1).all == 1


def test_what_was_not_settled_comes_again_and_is_judged_the_same(topics, sqlite_address):
    topics.send(*(PAGE | {"id": name} for name in "abc"))
    with Deduper(sqlite_address) as deduper:
        with topics.member() as stream:
            before = process_messages(deduper, taken(stream, 3))
        with topics.member() as stream:
            after = process_messages(deduper, taken(stream, 3))
    assert [outcome.verdict for outcome in after] == [outcome.verdict for outcome in before]
    assert all(outcome.repeated for outcome in after)
    assert topics.committed() == 0


def taken(stream, many, seconds=20):
    messages, end = [], monotonic() + seconds
    while len(messages) < many and monotonic() < end:
        messages += stream.take(many - len(messages), 0.2)
    return messages


def test_lag_falls_to_nothing(topics, sqlite_address):
    topics.send(*(PAGE | {"id": str(number)} for number in range(20)))
    with topics.member() as stream, Deduper(sqlite_address) as deduper:
        stream.settle(process_messages(deduper, taken(stream, 5)))
        assert stream.lag() == 15
        counts = consume(stream, deduper, idle_seconds=1)
    assert counts.lag == 0


def test_a_transaction_hands_on_and_commits(topics, sqlite_address):
    topics.send(*(PAGE | {"id": name} for name in "abc"), b"x")
    assert topics.consumed(sqlite_address, 4, transactional_id="t-one").all == 4
    assert [len(topics.handed(topic)) for topic in topics.outputs] == [1, 2, 1]
    if not topics.cluster.mock:  # the mock takes the offsets of a transaction and forgets them
        assert topics.committed() == 4


@mocked
def test_a_commit_is_tried_again(topics, sqlite_address):
    topics.send(PAGE | {"id": "a"})
    topics.cluster.errors(OFFSET_COMMIT, LOADING, LOADING)
    topics.consumed(sqlite_address, 1)
    assert topics.committed() == 1


@mocked
def test_a_commit_that_came_too_late_leaves_the_messages_to_others(topics, sqlite_address):
    topics.send(PAGE | {"id": "a"})
    topics.cluster.errors(OFFSET_COMMIT, ILLEGAL_GENERATION)
    topics.consumed(sqlite_address, 1)
    assert topics.committed() == 0
    assert topics.consumed(sqlite_address, 1).repeated == 1
    assert topics.committed() == 1
    assert [headers(message)["nearcopy_id"] for message in topics.handed(topics.outputs[0])] == [
        "a"
    ] * 2


@mocked
def test_a_transaction_that_is_given_up_is_done_again(topics, sqlite_address):
    topics.send(*(PAGE | {"id": name} for name in "abc"))
    topics.cluster.errors(TXN_OFFSET_COMMIT, ILLEGAL_GENERATION)
    counts = topics.consumed(sqlite_address, 6, transactional_id="t-given-up")
    assert (counts.all, counts.repeated) == (6, 3)


@mocked
def test_a_member_whose_transactional_id_another_took_ends(topics, sqlite_address):
    topics.send(PAGE | {"id": "a"})
    topics.cluster.errors(END_TXN, FENCED)
    with pytest.raises(StreamError, match="fenced"):
        topics.consumed(sqlite_address, 1, transactional_id="t-fenced")


@pytest.mark.faults
@mocked
def test_brokers_that_are_all_away_are_waited_for(topics, sqlite_address):
    topics.send(*(PAGE | {"id": name} for name in "abc"))
    with topics.member() as stream, Deduper(sqlite_address) as deduper:
        outcomes = process_messages(deduper, taken(stream, 3))
        for broker in (1, 2, 3):
            topics.cluster.down(broker)
        back = threading.Timer(2, lambda: [topics.cluster.up(broker) for broker in (1, 2, 3)])
        back.start()
        stream.settle(outcomes)
        back.join()
        topics.send(PAGE | {"id": "d"})
        end = monotonic() + 60
        while topics.committed() < 4 and monotonic() < end:
            consume(stream, deduper, idle_seconds=0.5)
    new, copies = (
        {headers(message)["nearcopy_id"] for message in topics.handed(topic)}
        for topic in topics.outputs[:2]
    )
    assert (new, copies) == ({"a"}, {"b", "c", "d"})


@pytest.mark.parametrize("transactional_id", [None, "t-large"])
def test_what_no_topic_takes_is_told_of_in_a_letter(topics, sqlite_address, transactional_id):
    large = PAGE | {"id": "large", "text": "word " * 1000}
    topics.send(large, {"id": "tea", "title": "Tea dearer at the auction in the hills"})
    more = {"message.max.bytes": "2000"}
    topics.consumed(sqlite_address, 2, transactional_id=transactional_id, more=more)
    (letter,) = topics.handed(topics.outputs.dead_letters)
    assert not letter.value()
    assert "cannot be forwarded" in headers(letter)["nearcopy_reason"]
    assert len(topics.handed(topics.outputs.unique)) == 1
    if not (topics.cluster.mock and transactional_id):
        assert topics.committed() == 2


def test_without_dead_letters_what_no_topic_takes_stops_it(topics, sqlite_address):
    topics.send(PAGE | {"id": "large", "text": "word " * 1000})
    outputs = topics.outputs._replace(dead_letters=None)
    with pytest.raises(StreamError, match="cannot be forwarded"):
        topics.consumed(sqlite_address, 1, outputs=outputs, more={"message.max.bytes": "2000"})
    assert topics.committed() == 0


@pytest.mark.faults
def test_two_members_share_the_partitions_and_one_takes_over(cluster, sqlite_address):
    topics = Topics(cluster)
    topics.send(*(PAGE | {"id": str(number)} for number in range(200)))
    with topics.member() as one, Deduper(sqlite_address) as deduper:
        one.settle(process_messages(deduper, taken(one, 50)))
        with topics.member() as two:
            seen, end = Counter(), monotonic() + 60
            while seen.total() < 150 and monotonic() < end:
                for name, stream in (("one", one), ("two", two)):
                    outcomes = process_messages(deduper, stream.take(10, 0.1))
                    stream.settle(outcomes)
                    seen[name] += len([outcome for outcome in outcomes if not outcome.repeated])
            while len(two._consumer.assignment()) != 4 and monotonic() < end:
                one.take(1, 0.1)
                two.take(1, 0.1)
            assert len(one._consumer.assignment()) == 4
        topics.send(*(PAGE | {"id": f"late{number}"} for number in range(40)))
        late = consume(one, deduper, idle_seconds=5)
    assert late.all - late.repeated >= 40
    ids = [
        headers(message)["nearcopy_id"]
        for topic in topics.outputs
        for message in topics.handed(topic)
    ]
    expected_ids = {*map(str, range(200)), *(f"late{number}" for number in range(40))}
    assert set(ids) == expected_ids
    assert len(topics.handed(topics.outputs.unique)) == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"brokers": "127.0.0.1:1"}, "no broker answers"),
        ({"topics": ("nothing-here",)}, "no topic nothing-here"),
        ({"more": {"no.such.setting": "1"}}, "no.such.setting"),
    ],
)
def test_what_cannot_be_opened_is_said(topics, monkeypatch, more, said):
    from nearcopy.io.streams import kafka as ours

    monkeypatch.setattr(ours, "CONNECT_SECONDS", 3.0)
    with pytest.raises(StreamError, match=said), topics.member(**more):
        pass


def test_nothing_is_handed_on_to_where_it_came_from(topics):
    with pytest.raises(StreamError, match="is also read"):
        topics.settings(outputs=Outputs(topics.pages))


# The command, and what can happen to it.


def words(topics, store, *more):
    unique, duplicates, letters = topics.outputs
    return [
        *("consume", "--brokers", topics.brokers, "--topic", topics.pages, "--store", store),
        *("--group", topics.group, "--unique-topic", unique, "--duplicates-topic", duplicates),
        *("--dead-letter-topic", letters, *more),
    ]


def test_the_command_consumes_topics(topics, sqlite_address, tmp_path):
    topics.send(PAGE | {"id": "a"}, PAGE | {"id": "b"}, b"x")
    config = tmp_path / "kafka.properties"
    config.write_text("# sooner\n\nsession.timeout.ms = 3000\n")
    more = ("--idle", "4s", "--json", "--kafka-config", str(config))
    done = CliRunner().invoke(app, words(topics, sqlite_address, *more))
    assert done.exit_code == 0, done.output
    first, copy, error = map(json.loads, done.stdout.splitlines())
    assert (first["id"], copy["duplicate_of"]) == ("a", "a")
    assert error["place"] == f"{topics.pages}/0/2"
    assert "3 messages: 1 new, 1 duplicate, 1 unreadable" in done.stderr


def test_a_config_that_cannot_be_read_is_said(topics, sqlite_address, tmp_path):
    config = tmp_path / "kafka.properties"
    config.write_text("session.timeout.ms\n")
    done = CliRunner().invoke(app, words(topics, sqlite_address, "--kafka-config", str(config)))
    assert done.exit_code == 2
    assert "line 1: write name=value" in done.stderr


def started(topics, store, *more):
    command = [sys.executable, "-m", "nearcopy", *words(topics, store, *more)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


@contextmanager
def ended(members):
    """Whatever happens, none of these processes stays."""
    try:
        yield members
    finally:
        for process in members:
            with suppress(ProcessLookupError):
                process.kill()
            process.communicate(timeout=60)


def waited(done, seconds=120):
    end = monotonic() + seconds
    while not done():
        assert monotonic() < end
        sleep(0.2)


def test_a_signal_stops_it_when_the_batch_is_settled(topics, sqlite_address):
    topics.send(*map(dataclass_row, news(300)))
    with ended([started(topics, sqlite_address, "--batch", "20", "--metrics", "0")]) as (process,):
        port = process.stderr.readline().split()[-1]
        waited(lambda: topics.committed() > 0)
        with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            metrics = answer.read().decode()
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
    assert "nearcopy_stream_lag " in metrics
    handed = sum(len(topics.handed(topic)) for topic in topics.outputs)
    assert handed == topics.committed()
    assert f"{handed} messages" in said


def originals(topics, articles):
    """The ids handed on as new, where none is lost and each has one verdict."""
    topics_of_all = (topics.pages, *topics.outputs)
    assert not any(map(topics.first, topics_of_all)), "the mock forgot some"
    new, copies, letters = (
        {headers(message)["nearcopy_id"] for message in topics.handed(topic, seconds=300)}
        for topic in topics.outputs
    )
    assert not letters
    assert new | copies == {article.id for article in articles}, "some are lost"
    assert not new & copies, "some were judged otherwise when they came again"
    return new


@pytest.mark.faults
@mocked
def test_killed_members_and_brokers_lose_nothing_and_make_no_second_original(cluster, tmp_path):
    topics, store = Topics(cluster, max(8, MANY // 2500)), f"sqlite:///{tmp_path}/seen.db"
    articles = copied(MANY)
    topics.send(*map(dataclass_row, articles), keyed=True)
    assert not topics.first(topics.pages), "the mock forgot some"
    config = tmp_path / "kafka.properties"
    config.write_text("session.timeout.ms=4000\nheartbeat.interval.ms=300\n")
    more = ("--batch", "100", "--quiet", "--kafka-config", str(config))
    with ended([started(topics, store, *more) for _ in range(2)]) as members:
        for share, broker in ((0.1, 1), (0.4, 2)):
            waited(lambda share=share: topics.committed() > share * MANY, 1200)
            members[0].kill()  # in the middle of a batch, most likely
            members[0].communicate(timeout=60)
            cluster.down(broker)
            sleep(1)
            members[0] = started(topics, store, *more, "--metrics", "0")
            sleep(1)
            cluster.up(broker)
            members[0].stderr.readline()  # where its metrics are: it has begun
        waited(lambda: topics.committed() >= MANY, 3600 if WHOLE else 240)
        for process in members:
            process.send_signal(signal.SIGTERM)
        for process in members:
            _, said = process.communicate(timeout=60)
            assert process.returncode == 0, said
    new = originals(topics, articles)
    assert Counter(name.partition("-")[0] for name in new) == dict.fromkeys(
        (article.id for article in articles if "-" not in article.id), 1
    )
    with Deduper(store) as deduper:
        unique_ids = {verdict.id for verdict in deduper.run(articles) if not verdict.is_duplicate}
    assert unique_ids == new
