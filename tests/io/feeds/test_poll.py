"""Polling feeds: politely, never trusting them; each story is reported once. With a real server."""

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from time import monotonic, sleep

import pytest
from defusedxml import ElementTree
from tests.support.hostile_feeds import MILL, QUAY, feed_server, rss
from typer.testing import CliRunner

from nearcopy.cli import app
from nearcopy.cli.commands import feeds as following
from nearcopy.errors import StreamError
from nearcopy.io.feeds.poll import (
    FeedState,
    HostRateLimiter,
    PollSettings,
    PollState,
    lock_state,
    poll,
    read_state,
    write_state,
)
from nearcopy.io.http_client import Limits

POLITE = PollSettings(limits=Limits(seconds=5, max_bytes=1 << 20, private=True), pause_seconds=0)
ATOM = "{http://www.w3.org/2005/Atom}"
JSON_FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "Json Post",
    "items": [
        {"id": 7, "url": "/j/7", "title": "Tea", "content_html": "<p>Dear.</p>"},
        {"id": "8", "external_url": "javascript:x()", "content_text": "Cheap."},
        {"id": "9", "title": ["no"], "content_text": 5},
        "no item",
    ],
}


@pytest.fixture
def server():
    with feed_server() as started:
        yield started


def polled(server, *paths, known=None):
    return list(poll([server.at(path) for path in paths], known or {}, POLITE))


def read(server, body, kind="application/rss+xml"):
    server.pages["/page"] = (body, kind)
    (feed_poll,) = polled(server, "/page")
    return feed_poll


def titles(found):
    return [article.title for article in found.articles]


# Reading.


def test_entries_are_articles_with_whole_addresses(server):
    feed_poll = read(server, rss("Coast", ("1", "Council closes quay", QUAY)))
    (article,) = feed_poll.articles
    assert article.id == server.at("/page") + "#1"
    assert (article.url, article.source) == (server.at("/Coast/1"), "Coast")
    assert article.published == datetime(2026, 5, 4, 10, tzinfo=UTC)


def test_a_json_feed_is_read_and_what_is_no_item_is_not(server):
    feed_poll = read(server, json.dumps(JSON_FEED).encode(), "application/feed+json")
    assert [(a.id.partition("#")[2], a.url, a.text) for a in feed_poll.articles] == [
        ("7", server.at("/j/7"), "<p>Dear.</p>"),
        ("8", None, "Cheap."),
    ]
    assert "text, title and url are all empty" in feed_poll.problems[0]


@pytest.mark.parametrize(
    ("encoding", "declared", "kind"),
    [
        ("utf-8", "utf-8", "text/xml; charset=iso-8859-1"),
        ("utf-8", "us-ascii", "application/rss+xml"),
        ("iso-8859-1", "iso-8859-1", "application/rss+xml"),
        ("utf-16", "utf-16", "application/rss+xml"),
        ("utf-8-sig", "utf-8", "text/html"),
        ("windows-1252", "nonsense", "application/rss+xml; charset=windows-1252"),
    ],
)
def test_wrongly_encoded_feeds_are_read(server, encoding, declared, kind):
    text = rss("Küste", ("1", "Fähre fährt öfter", QUAY)).decode()
    feed_poll = read(server, text.replace('"utf-8"', f'"{declared}"').encode(encoding), kind)
    assert titles(feed_poll) == ["Fähre fährt öfter"]


BOMB = (
    b'<!DOCTYPE rss [<!ENTITY a "'
    + b"ha" * 500
    + b'">'
    + b"".join(
        b'<!ENTITY %c "%s">' % (98 + place, b"&%c;" % (97 + place) * 10) for place in range(9)
    )
    + b"]>"
)


@pytest.mark.parametrize(
    "head", [BOMB, BOMB.lower(), b'<!DOCTYPE rss [<!ENTITY j SYSTEM "file:///etc/passwd">]>']
)
def test_entities_of_a_feed_are_not_expanded(server, head):
    start = monotonic()
    body = b"<rss><channel><item><guid>1</guid><title>Tea &j;</title></item></channel></rss>"
    feed_poll = read(server, head + body)
    assert monotonic() - start < 5
    utf16 = read(
        server, (b'<?xml version="1.0" encoding="utf-16"?>' + head + body).decode().encode("utf-16")
    )
    for (title,) in (titles(feed_poll), titles(utf16)):
        assert title in ("Tea", "Tea &j;")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "neither RSS"),
        (b"<html><body>Please log in</body></html>", "neither RSS"),
        (b"\x00\xff" * 500, "neither RSS"),
        (b"<rss><channel>" + b"<a>" * 250_000, "more than 200,000 tags"),
        (b"<rss><channel><item><title>" + b"&" * 250_000, "more than 200,000 tags"),
    ],
)
def test_what_is_no_feed_says_so(server, body, why):
    feed_poll = read(server, body)
    assert (feed_poll.read, feed_poll.articles) == (False, ())
    assert why in feed_poll.problems[0]


@pytest.mark.parametrize(
    "body",
    [
        rss("Cut", ("1", "Tea", MILL))[:-60],
        rss("Odd", ("1", "Tea \x0b & <b>", MILL)),
        b"<rss><channel><item><title>Tea</title><pubDate>never</pubDate>",
        b'{"version": "https://jsonfeed.org/version/1", "items": [{"id": 1, "title": "\\ud800"}]}',
        b'{"version": "https://jsonfeed.org/version/1", "items": ' + b"[" * 50_000,
    ],
)
def test_broken_feeds_raise_nothing(server, body):
    assert read(server, body).read


def test_dates_to_come_are_no_dates(server):
    later = (datetime.now(UTC) + timedelta(days=400)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    body = rss("Late", ("1", "Tea", MILL)).replace(b"Mon, 04 May 2026 10:00:00 GMT", later.encode())
    assert [a.published for a in read(server, body).articles] == [None]


def test_very_many_entries_are_cut_and_it_is_said(server):
    feed_poll = read(server, rss("Many", *((str(n), f"Tea {n}", "x") for n in range(1100))))
    assert len(feed_poll.articles) == 1000
    assert "only the first 1,000" in feed_poll.problems[0]


# Politeness.


def test_what_has_not_changed_is_not_sent_again(server):
    (first,) = polled(server, "/tagged")
    (second,) = polled(server, "/tagged", known={first.feed: first.state})
    assert (len(first.articles), second.articles, second.read) == (1, (), True)
    assert server.asked[1][1]["If-None-Match"] == '"v1"'
    assert server.asked[0][1]["User-Agent"].startswith("nearcopy/")


def test_who_asks_to_be_left_alone_is(server):
    (first,) = polled(server, "/busy")
    assert "answered 429" in first.problems[0]
    (second,) = polled(server, "/busy", known={first.feed: first.state})
    assert "not to be polled until" in second.problems[0]
    assert len(server.asked) == 1


@pytest.mark.parametrize("said", ["", "soon", "-5", "9" * 400, "Mon, 99 May", "\x01"])
def test_an_odd_wish_to_be_left_alone_raises_nothing(server, said):
    server.pages["/odd"] = (b"", "text/plain", 503)
    assert not polled(server, "/odd")[0].read
    from nearcopy.io.feeds.poll import _wait_until
    from nearcopy.io.http_client import Response

    _wait_until(Response("", 503, {"retry-after": said}, b""), datetime.now(UTC))


def test_one_host_is_not_asked_twice_at_once():
    paces, start = HostRateLimiter(0.1), monotonic()
    for host in ("a", "b", "a", "a"):
        paces.wait(host)
    assert 0.19 < monotonic() - start < 2


def test_one_that_fails_stops_no_other(server):
    polls = polled(server, "/broken", "/loop", "/tagged", "/moved")
    assert [feed_poll.read for feed_poll in polls] == [False, False, True, True]
    assert "answered 500" in polls[0].problems[0]
    assert "moved permanently" in polls[3].problems[0]


# Remembering.


def test_what_is_remembered_is_read_again(tmp_path):
    state = PollState(
        feeds={"https://a.example/": FeedState(etag='"1"', seen=("x",), repeats={"b": 2})}
    )
    state = state.with_stories(["x"], datetime(2026, 5, 4, tzinfo=UTC))
    write_state(tmp_path / "m.json", state)
    assert read_state(tmp_path / "m.json") == state
    assert read_state(tmp_path / "none.json") == PollState()
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"version": 9, "feeds": {}, "stories": []}'])
def test_a_memory_that_is_none_is_an_error(tmp_path, data):
    (tmp_path / "m.json").write_bytes(data)
    with pytest.raises(StreamError, match="is no state of feeds"):
        read_state(tmp_path / "m.json")


def test_entries_that_a_feed_still_has_are_not_forgotten(monkeypatch):
    monkeypatch.setattr("nearcopy.io.feeds.poll.MAX_SEEN", 3)
    state = FeedState().with_seen(["a", "b", "c"]).with_seen(["a", "d"])
    assert state.seen == ("c", "a", "d")


# The command.


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*words):
        arguments = ["feeds", *words, "--store", "seen.db", "--allow-private", "--pause", "0s"]
        return CliRunner().invoke(app, arguments)

    return invoke


def lines(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def two(server):
    """Two feeds that have one story in common."""
    server.pages["/one"] = (rss("Coast Post", ("1", "Council closes quay", QUAY * 5)),)
    second = [("8", "Council closes quay", QUAY * 5), ("9", "Mill sold for a coin", MILL * 5)]
    server.pages["/two"] = (rss("Radio Bay", *second),)
    return server.at("/one"), server.at("/two")


def test_a_story_is_told_once_with_who_else_has_it(run, two, server):
    first = run(*two)
    assert first.exit_code == 0, first.output
    assert "Council closes quay\n    Coast Post · " in first.stdout
    assert first.stdout.count("Council closes quay") == 1
    assert "also in Radio Bay" in first.stdout
    assert "3 new entries: 2 new stories" in first.stderr
    assert run(*two).stdout == ""
    later = ("2", "Mill sold for a coin", MILL * 5)
    server.pages["/one"] = (rss("Coast Post", ("1", "Council closes quay", QUAY * 5), later),)
    second_run = run(*two)
    assert (second_run.stdout, "1 new entry: 0 new stories" in second_run.stderr) == ("", True)


TEA = ("1", "Tea dearer", "The price of tea rose at the morning auction.")
COFFEE = ("2", "Coffee cheaper", "The price of coffee fell at the morning auction.")


def test_a_report_in_other_words_is_told_by_its_title(run, server):
    server.pages["/one"], server.pages["/two"] = (rss("Post", TEA),), (rss("Radio", COFFEE),)
    output = run(server.at("/one"), server.at("/two")).stdout
    assert "Tea dearer" in output
    assert "Coffee cheaper" in output


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_what_is_hardly_the_same_news_as_a_story_is_told_later_too(run, server, more):
    server.pages["/one"], server.pages["/two"] = (rss("Post", TEA),), (rss("Radio", COFFEE),)
    assert "Tea dearer" in run(server.at("/one")).stdout
    output = run(server.at("/one"), server.at("/two"), *more).stdout
    assert "Coffee cheaper" in output
    assert "Tea dearer" not in output


def test_stories_as_json(run, two):
    stories = lines(run(*two, "--json"))
    (quay,) = [story for story in stories if story["also_in"]]
    assert quay["also_in"][0]["source"] == "Radio Bay"
    assert quay["also_in"][0]["relation"] == "same_text"


def test_what_was_not_told_before_the_end_is_told_the_next_time(run, two, monkeypatch):
    def cut(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(following, "_write_stories", cut)
        assert run(*two).exit_code == 130
    assert len(lines(run(*two, "--json"))) == 2


def test_a_dry_run_tells_and_leaves_nothing(run, two, tmp_path):
    assert len(lines(run(*two, "--dry-run", "--json", "--atom", "a.xml"))) == 2
    assert list(tmp_path.iterdir()) == []
    run(two[0])
    before = {path.name for path in tmp_path.iterdir()}
    assert [story["title"] for story in lines(run(*two, "--dry-run", "--json"))] == [
        "Mill sold for a coin"
    ]
    assert {path.name for path in tmp_path.iterdir()} == before
    assert len(lines(run(*two, "--json"))) == 1


def test_an_opml_file_names_the_feeds(run, two, tmp_path):
    outlines = "".join(f'<outline text="x" xmlUrl="{address}"/>' for address in two)
    (tmp_path / "subs.opml").write_text(f"<opml version='2.0'><body>{outlines}</body></opml>")
    assert len(lines(run("subs.opml", two[0], "--json"))) == 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["missing.opml"], "No such file"),
        (["file:///etc/passwd"], "give an http or https URL"),
        (["http://127.0.0.1:1/", "--every", "1s"], "at least 60s"),
        (["http://127.0.0.1:1/", "--every", "10m", "--once"], "give one of them"),
        (["http://127.0.0.1:1/"], "no feed could be read"),
    ],
)
def test_what_cannot_be_done_says_why(run, words, why):
    result = run(*words)
    assert (result.exit_code, why in result.stderr) == (2, True), result.stderr


def test_the_own_network_is_not_asked_unless_allowed(two, server, tmp_path):
    result = CliRunner().invoke(app, ["feeds", *two, "--store", str(tmp_path / "seen.db")])
    assert (result.exit_code, server.asked) == (2, [])
    assert "not on the public internet" in result.stderr


def test_an_atom_feed_is_clean(run, server):
    server.pages["/odd"] = (
        rss("Od\x0bd &amp; &lt;i&gt;", ("1", "Quay &amp; &lt;b&gt;mill&lt;/b&gt;", QUAY * 3)),
    )
    server.pages["/two"] = (rss("Radio", ("8", "Quay closed", QUAY * 3)),)
    assert run(server.at("/odd"), server.at("/two"), "--atom", "new.xml").exit_code == 0
    with open("new.xml", "rb") as file:
        data = file.read()
    (entry,) = ElementTree.fromstring(data).findall(f"{ATOM}entry")
    assert b"bad()" not in data
    assert entry.find(f"{ATOM}summary").text.startswith("The harbour council")
    assert {link.get("rel") for link in entry.findall(f"{ATOM}link")} == {"alternate", "related"}
    assert entry.find(f"{ATOM}id").text.startswith("urn:nearcopy:story:")
    run(server.at("/odd"), "--atom", "new.xml")
    with open("new.xml", "rb") as file:
        assert len(ElementTree.fromstring(file.read()).findall(f"{ATOM}entry")) == 1


def test_a_report_says_which_feeds_repeat_which(run, two, tmp_path):
    run(*two, "--report", "report.opml")
    body = ElementTree.parse(tmp_path / "report.opml").find("body")
    repeats_by_source = {
        outline.get("text"): [under.get("text") for under in outline] for outline in body
    }
    assert repeats_by_source == {"Coast Post": [], "Radio Bay": ["1 of 2 repeat Coast Post"]}
    assert [outline.get("xmlUrl") for outline in body] == list(two)


def test_two_polls_with_one_memory_do_not_run_at_once(run, two, tmp_path):
    with lock_state(tmp_path / "seen.db.feeds.json"):
        assert "another poll is running" in run(*two).stderr


def test_it_polls_again_until_it_is_told_to_stop(two, server, tmp_path):
    program = (
        "from nearcopy.cli import app\nfrom nearcopy.cli.commands import feeds\n"
        "feeds.LEAST_SECONDS = 0.1\napp()\n"
    )
    words = ["feeds", *two, "--store", tmp_path / "seen.db", "--every", "0.2s", "--allow-private"]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words, "--pause", "0s", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as process:
        end = monotonic() + 60
        while len(server.asked) < 6 and monotonic() < end:
            sleep(0.05)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, len(out.splitlines())) == (0, 2)
    assert len(server.asked) >= 6
