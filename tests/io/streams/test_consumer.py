"""Streams: lines are answered as they come, what cannot be read stops nothing, none is lost."""

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.request import urlopen

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from nearcopy import Article, BadArticle, Deduper, StoreError, StreamError
from nearcopy.cli import app
from nearcopy.io.streams import Counts, Kind, Message, Outcome, consume, metrics
from nearcopy.io.streams import consumer as consuming
from nearcopy.io.streams.consumer import article_of, process_messages
from nearcopy.io.streams.json_lines import LineSplitter, LineStream
from nearcopy.io.streams.messages import Outputs, annotations
from nearcopy.io.streams.metrics import serve_metrics

QUAY = "The harbour council voted to close the old quay after divers found shipworm in its piles. "
PAGE = {"title": "Council closes quay", "text": QUAY * 6, "url": "https://example.org/a/quay"}
CONSUME = [sys.executable, "-m", "nearcopy", "consume"]


def message(values, place="pages/0/1", **more):
    data = values if isinstance(values, bytes) else json.dumps(values).encode()
    return Message(place, data, **more)


def lines_of(*rows):
    return io.BytesIO(b"".join(json.dumps(row).encode() + b"\n" for row in rows))


class Listed:
    """A stream of batches that are listed; what is settled is noted down."""

    def __init__(self, *batches):
        self.batches, self.settled = list(batches), []

    @property
    def ended(self):
        return not self.batches

    def take(self, most, seconds):
        del most, seconds
        return self.batches.pop(0)

    def settle(self, outcomes):
        self.settled += outcomes

    def lag(self):
        return sum(map(len, self.batches))

    def close(self):
        pass


# Reading.


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[1]", "expected an object, got list"),
        (b"null", "expected an object, got NoneType"),
        (b"[" * 100_000, "not JSON"),
        (b'{"id": "a"}', "text, title and url are all empty"),
        (b'{"other": 1}', "neither an id nor a title"),
        (b'{"title": "Tea", "published": "never"}', "published is"),
        (b'{"title": "Tea", "tier": 99999999999}', "tier is too large"),
        (b'{"id": "\\ud800", "title": "Tea"}', "lone surrogate"),
        (b'{"title": ["Tea"]}', "title must be text"),
    ],
)
def test_what_cannot_be_read_says_why(data, why):
    with pytest.raises(BadArticle, match=why):
        article_of(Message("pages/0/1", data))


@given(st.binary(max_size=200))
def test_any_bytes_are_an_article_or_say_why_not(data):
    with suppress(BadArticle):
        assert isinstance(article_of(Message("p", data)), Article)


def test_what_has_an_id_keeps_it_and_what_has_none_is_named_after_its_place():
    assert article_of(message(PAGE | {"id": 17})).id == "17"
    assert article_of(message(PAGE)).id == "pages/0/1"
    assert article_of(message(PAGE | {"id": ""})).id == "pages/0/1"


def test_fields_are_an_article_or_hold_one():
    fields = {b"title": b"Tea dearer", b"url": b"https://example.org/tea"}
    assert article_of(Message("s/1-0", b"", fields=fields)).title == "Tea dearer"
    held = {b"data": b'{"title": "Tea dearer"}'}
    assert article_of(Message("s/1-0", b"", fields=held)).title == "Tea dearer"
    with pytest.raises(BadArticle, match="not UTF-8"):
        article_of(Message("s/1-0", b"", fields={b"title": b"\xff", b"text": b"a"}))


# Judging.


def test_each_message_has_its_outcome_in_order():
    with Deduper() as deduper:
        messages = [message(PAGE | {"id": "a"}), message(b"x"), message(PAGE | {"id": "b"})]
        first, bad, copy = process_messages(deduper, messages)
    assert [outcome.kind for outcome in (first, bad, copy)] == [
        Kind.UNIQUE,
        Kind.DEAD,
        Kind.DUPLICATE,
    ]
    assert copy.verdict.duplicate_of == "a"
    assert "not JSON" in bad.why


def test_the_canonical_address_is_that_of_the_kept_copy():
    with Deduper() as deduper:
        messages = [
            message(PAGE | {"id": "a", "url": "http://www.example.org/a/quay?utm_source=x"}),
            message(PAGE | {"id": "b", "url": "https://mirror.example.net/quay"}),
        ]
        first, copy = process_messages(deduper, messages)
    assert copy.verdict.duplicate_of == "a"
    assert first.canonical_url == copy.canonical_url == "https://example.org/a/quay"


def test_what_comes_again_has_the_same_verdict_and_says_so():
    with Deduper() as deduper:
        messages = [message(PAGE | {"id": "a"}), message(PAGE | {"id": "b"})]
        before = process_messages(deduper, messages)
        after = process_messages(deduper, messages)
    assert [outcome.verdict for outcome in after] == [outcome.verdict for outcome in before]
    assert [outcome.repeated for outcome in before + after] == [False, False, True, True]


def test_what_comes_twice_in_a_batch_is_judged_as_once():
    with Deduper() as deduper:
        one, other = process_messages(deduper, [message(PAGE | {"id": "a"})] * 2)
    assert one.verdict == other.verdict
    assert (one.repeated, other.repeated) == (False, True)


def test_a_change_under_the_same_id_is_not_the_same_again():
    with Deduper() as deduper:
        process_messages(deduper, [message(PAGE | {"id": "a"})])
        (changed,) = process_messages(
            deduper, [message(PAGE | {"id": "a", "title": "Council sells quay"})]
        )
    assert not changed.repeated


def test_two_places_of_one_page_are_two_articles():
    """Without ids of their own, a page that is crawled twice is a copy of itself."""
    with Deduper() as deduper:
        one, other = process_messages(deduper, [message(PAGE), message(PAGE, "pages/0/2")])
    assert (one.kind, other.kind) == (Kind.UNIQUE, Kind.DUPLICATE)
    assert other.verdict.duplicate_of == "pages/0/1"


def test_one_that_cannot_be_added_does_not_hold_up_the_others(monkeypatch):
    from nearcopy.deduper.check_and_add import add_batch as real

    def failing(self, batch, **more):
        if any(article.id == "poison" for article in batch):
            raise ZeroDivisionError("by a fault of ours")
        return real(self, batch, **more)

    monkeypatch.setattr("nearcopy.deduper.check_and_add.add_batch", failing)
    with Deduper() as deduper:
        messages = [message(PAGE | {"id": name}) for name in ("a", "poison", "b")]
        first, bad, copy = process_messages(deduper, messages)
    assert (first.kind, bad.kind, copy.kind) == (Kind.UNIQUE, Kind.DEAD, Kind.DUPLICATE)
    assert "by a fault of ours" in bad.why


def test_marks_say_what_is_known_and_no_more():
    with Deduper() as deduper:
        new, bad = process_messages(
            deduper, [message(PAGE | {"id": "a"}), message(b"x", "pages/0/2")]
        )
    assert annotations(new) == {
        "nearcopy_id": "a",
        "nearcopy_relation": "distinct",
        "nearcopy_is_duplicate": "false",
        "nearcopy_story_id": new.verdict.story_id,
        "nearcopy_confidence": "1.0000",
        "nearcopy_rule": "nothing-in-common",
        "nearcopy_canonical_url": "https://example.org/a/quay",
        "nearcopy_place": "pages/0/1",
    }
    assert annotations(bad) == {"nearcopy_reason": bad.why, "nearcopy_place": "pages/0/2"}


def test_each_kind_has_its_output():
    outputs = [Outputs("u", "d", "l").of(kind) for kind in (Kind.UNIQUE, Kind.DUPLICATE, Kind.DEAD)]
    assert outputs == ["u", "d", "l"]


# Consuming.


def test_batches_are_settled_one_after_another_and_counted():
    stream = Listed([message(PAGE | {"id": "a"})], [message(b"x"), message(PAGE | {"id": "b"})])
    with Deduper() as deduper:
        counts = consume(stream, deduper)
    assert [outcome.kind for outcome in stream.settled] == [Kind.UNIQUE, Kind.DEAD, Kind.DUPLICATE]
    assert (counts.all, counts.batches, counts.lag) == (3, 2, 0)
    assert counts.kinds == {Kind.UNIQUE: 1, Kind.DUPLICATE: 1, Kind.DEAD: 1}


def test_nothing_is_settled_before_the_store_and_the_sinks_have_it():
    class Failing:
        def write(self, outcomes):
            raise OSError(f"the disk is full at {len(outcomes)}")

    stream = Listed([message(PAGE | {"id": "a"})])
    with Deduper() as deduper:
        with pytest.raises(OSError, match="full"):
            consume(stream, deduper, sinks=[Failing()])
        assert deduper.article("a").title == PAGE["title"]
    assert stream.settled == []


def test_it_stops_between_batches():
    stream = Listed([message(PAGE | {"id": "a"})], [message(PAGE | {"id": "b"})])
    with Deduper() as deduper:
        consume(stream, deduper, stopping=lambda: bool(stream.settled))
    assert len(stream.settled) == 1


def test_it_ends_when_nothing_came_for_long():
    stream = Listed([], [], [], [message(PAGE)])
    with Deduper() as deduper:
        assert consume(stream, deduper, idle_seconds=0).all == 0


def test_a_store_that_cannot_be_used_is_tried_again(monkeypatch):
    failures = iter([StoreError("away"), StoreError("still away")])
    monkeypatch.setattr(consuming, "FIRST_PAUSE", 0.001)

    def sometimes(deduper, messages):
        for failure in failures:
            raise failure
        return process_messages(deduper, messages)

    monkeypatch.setattr(consuming, "process_messages", sometimes)
    stream = Listed([message(PAGE | {"id": "a"})])
    with Deduper() as deduper:
        counts = consume(stream, deduper)
    assert (counts.store_errors, len(stream.settled)) == (2, 1)


def test_a_store_that_stays_away_is_an_error_and_nothing_is_settled(monkeypatch):
    def never(*_):
        raise StoreError("away")

    monkeypatch.setattr(consuming, "process_messages", never)
    monkeypatch.setattr(consuming, "RETRY_SECONDS", 0.0)
    stream = Listed([message(PAGE | {"id": "a"})])
    with Deduper() as deduper, pytest.raises(StoreError, match="away"):
        consume(stream, deduper)
    assert stream.settled == []


# Lines.


@given(st.lists(st.binary(max_size=30)), st.lists(st.integers(1, 9)))
def test_lines_do_not_depend_on_the_pieces_they_come_in(lines, sizes):
    data, splitter, split_lines = b"\n".join(lines), LineSplitter(20), []
    for size in sizes:
        split_lines += splitter.feed(data[:size])
        data = data[size:]
    split_lines += [*splitter.feed(data), *splitter.end()]
    whole = LineSplitter(20)
    assert split_lines == [*whole.feed(b"\n".join(lines)), *whole.end()]


def test_lines_are_messages_and_blank_ones_none():
    stream = LineStream(io.BytesIO(b'{"a": 1}\n\n \n{"b": 2}'), "file", print)
    messages = stream.take(10, 0)
    assert [(line.place, line.data, line.token) for line in messages] == [
        ("file:1", b'{"a": 1}', 1),
        ("file:4", b'{"b": 2}', 4),
    ]
    assert stream.ended


def test_no_more_lines_are_taken_than_asked_for():
    stream = LineStream(lines_of(*range(10)), "file", print)
    assert [len(stream.take(4, 0)) for _ in range(3)] == [4, 4, 2]
    assert stream.ended


def started(*words, **more):
    return subprocess.Popen(
        [*CONSUME, "-", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **more,
    )


def test_each_line_is_answered_before_the_next_one_comes(tmp_path):
    with started("--store", str(tmp_path / "seen.db")) as process:
        answers = []
        for name in "abc":
            process.stdin.write(json.dumps(PAGE | {"id": name}).encode() + b"\n")
            process.stdin.flush()
            answers.append(json.loads(process.stdout.readline()))
        process.stdin.write(b"{\n")
        process.stdin.flush()
        error = json.loads(process.stdout.readline())
        _, said = process.communicate(timeout=30)
    assert [answer["duplicate_of"] for answer in answers] == [None, "a", "a"]
    assert answers[1]["canonical_url"] == PAGE["url"]
    assert error["line"] == 4
    assert "not JSON" in error["error"]
    assert process.returncode == 0
    assert b"4 messages: 1 new, 2 duplicates, 1 unreadable" in said


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_it_when_what_came_is_answered(tmp_path, number, code):
    with started("--store", str(tmp_path / "seen.db")) as process:
        process.stdin.write(json.dumps(PAGE | {"id": "a"}).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == "a"
        os.kill(process.pid, number)
        _, said = process.communicate(timeout=30)
    assert process.returncode == code, said
    assert b"1 message: 1 new" in said
    with Deduper(f"sqlite:///{tmp_path}/seen.db") as deduper:
        assert deduper.article("a")


def filtered(store, rows):
    stdin = "".join(json.dumps(row) + "\n" for row in rows)
    words = ["consume", "-", "--store", str(store), "--new-only"]
    done = CliRunner().invoke(app, words, input=stdin)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_as_a_filter_it_lets_new_articles_pass_once(tmp_path):
    tea = {"title": "Tea dearer at the morning auction in the hills", "n": [1, None]}
    rows = [PAGE | {"id": "a"}, PAGE | {"id": "b"}, tea, tea, [1]]
    passed, said = filtered(tmp_path / "seen.db", rows)
    assert passed == [PAGE | {"id": "a"}, tea]
    assert "cannot be read: expected an object" in said
    assert filtered(tmp_path / "seen.db", rows)[0] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "which stream?"),
        (["-", "--brokers", "localhost:1"], "which stream?"),
        (["-", "--unique-topic", "new"], "lines are answered on stdout"),
        (["--brokers", "localhost:1"], "which topic?"),
        (["--redis-stream", "pages"], "where is the stream?"),
        (["-", "--idle", "soon"], "is not a duration"),
        (["-", "--metrics", "here"], "give a port"),
    ],
)
def test_what_is_asked_wrongly_is_said(words, said, tmp_path):
    done = CliRunner().invoke(app, ["consume", *words, "--store", str(tmp_path / "seen.db")])
    assert done.exit_code == 2
    assert said in done.stderr


def test_streams_that_acknowledge_need_a_store_that_lasts():
    words = ["--redis-stream", "pages", "--redis", "redis://localhost:1", "--store", "memory://"]
    done = CliRunner().invoke(app, ["consume", *words])
    assert done.exit_code == 2
    assert "give a persistent store" in done.stderr


# Metrics.


def test_metrics_are_served_while_it_runs():
    counts = Counts()
    outcome = Outcome(message(b"x"), why="not JSON")
    with serve_metrics("0", counts) as port:
        counts.count([outcome, replace(outcome, repeated=True)], 0.5, 7)
        with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            text = answer.read().decode()
    assert 'nearcopy_stream_messages_total{outcome="dead_letter"} 2.0' in text
    assert "nearcopy_stream_lag 7.0" in text
    assert "nearcopy_stream_again_total 1.0" in text
    assert "nearcopy_stream_busy_seconds_total 0.5" in text


@pytest.mark.parametrize("where", ["", "x", "host:", "99999", "host:99999999", "-1", "١"])
def test_no_metrics_where_there_is_no_port(where):
    with pytest.raises(StreamError, match="give a port"), serve_metrics(where, Counts()):
        pass


def test_a_port_that_is_taken_is_said():
    with (
        serve_metrics("0", Counts()) as port,
        pytest.raises(StreamError, match="in use"),
        serve_metrics(str(port), Counts()),
    ):
        pass


# The page on streams.

PAGE_ON_STREAMS = (Path(__file__).parents[3] / "docs" / "streams.md").read_text(encoding="utf-8")
COMMAND = re.compile(r"nearcopy (consume|feeds|mcp) ((?:\\\n|[^|>\n])+)")
SHOWN = [
    command
    for command in COMMAND.findall(PAGE_ON_STREAMS)
    if "--" in command[1] and "`" not in command[1]
]


@pytest.mark.parametrize(("name", "words"), SHOWN)
def test_commands_on_the_page_have_the_options_they_name(name, words):
    command = typer.main.get_command(app).commands[name]
    assert command.make_context(name, shlex.split(words.replace("\\\n", " ")))


def test_all_that_is_put_beside_a_message_is_on_the_page():
    with Deduper() as deduper:
        messages = [message(PAGE | {"id": "a"}), message(PAGE | {"id": "b"}), message(b"x")]
        process_messages(deduper, messages[:2])
        names = [
            name for outcome in process_messages(deduper, messages) for name in annotations(outcome)
        ]
    assert len(set(names)) == 12
    assert all(f"`{name}`" in PAGE_ON_STREAMS for name in names)


def test_all_metrics_are_on_the_page():
    names = re.findall(r'"(nearcopy_stream_\w+)"', Path(metrics.__file__).read_text())
    assert names
    assert all(name in PAGE_ON_STREAMS for name in names)
