"""Every limit from both sides: what is just within goes through, one more does not."""

import asyncio
import json
import re
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from tests.support.hostile_feeds import feed_server, rss

from nearcopy import (
    Article,
    BadArticle,
    BadPolicy,
    Deduper,
    NearcopyError,
    StoreError,
    WebError,
)
from nearcopy.extract.facts import LONGEST_TITLE, MOST_FACTS
from nearcopy.extract.facts import read_facts as facts_of
from nearcopy.extract.urls import canonical
from nearcopy.extract.urls.canonical import DEEPEST
from nearcopy.extract.urls.parts import LONGEST as LONGEST_HOST
from nearcopy.io.feeds import atom as writing
from nearcopy.io.feeds import parse
from nearcopy.io.feeds import poll as polling
from nearcopy.io.feeds.parse import list_feeds
from nearcopy.io.feeds.poll import FeedState, PollSettings, PollState, poll
from nearcopy.io.files import dates as times
from nearcopy.io.files.dates import read_time
from nearcopy.io.http_client import LONGEST_URL, Limits, Request, fetch
from nearcopy.io.streams.consumer import LARGEST_TIER, check_storable
from nearcopy.io.streams.json_lines import LineSplitter
from nearcopy.service import auth, deduper_pool, middleware, problems, request_bodies
from nearcopy.service.app import make_app
from nearcopy.service.auth import Tokens
from nearcopy.service.deduper_pool import Pools
from nearcopy.service.log_format import choose_request_id
from nearcopy.service.middleware import RateLimiter
from nearcopy.service.problems import Problem
from nearcopy.service.request_bodies import read_upload
from nearcopy.service.settings import BOUNDS, Settings
from nearcopy.stores import validate_pool

JSON = {"content-type": "application/json"}


# --- The service ---------------------------------------------------------------------------------


class Asked:
    """A service without a server, to ask of."""

    def __init__(self, settings: Settings) -> None:
        self.app = make_app(settings)
        self.loop = asyncio.new_event_loop()

    def __call__(self, method: str, path: str, **more) -> httpx.Response:
        return self.loop.run_until_complete(self._asked(method, path, **more))

    async def _asked(self, method: str, path: str, **more) -> httpx.Response:
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, **more)

    def close(self) -> None:
        self.app.state.service.pools.close()
        self.loop.close()


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("limits")
    return Settings(store="memory://", tokens=f"{folder}/tokens.db", tuned=f"{folder}/tuned.toml")


@pytest.fixture(scope="module")
def service(settings):
    """A service with narrow limits."""
    service = Asked(replace(settings, max_body_bytes=2000, max_batch=3, max_text_chars=500))
    yield service
    service.close()


def check(service, content: str) -> int:
    return service("POST", "/api/v1/check", content=content, headers=JSON).status_code


@pytest.mark.parametrize(("size", "status"), [(2000, 200), (2001, 413)])
def test_bytes_of_a_body(service, size, status):
    body = json.dumps({"title": "Tide", "url": "https://coast.example/a", "text": "x"})
    assert check(service, body + " " * (size - len(body))) == status


@pytest.mark.parametrize(("size", "status"), [(2000, 200), (2001, 413)])
def test_bytes_of_a_body_of_no_stated_length(service, size, status):
    body = b'{"title": "Tide"}'

    async def pieces():
        yield body
        yield b" " * (size - len(body))

    answer = service("POST", "/api/v1/check", content=pieces(), headers=JSON)
    assert answer.status_code == status


@pytest.mark.parametrize(("length", "status"), [("9" * 18, 413), ("9" * 19, 400), ("x", 400)])
def test_what_is_said_of_the_length_of_a_body(service, length, status):
    headers = JSON | {"content-length": length}
    answer = service("POST", "/api/v1/check", content=b"{}", headers=headers)
    assert answer.status_code == status


@pytest.mark.parametrize(("size", "whole"), [(2000, True), (2001, False)])
def test_bytes_of_a_line_of_a_stream(service, size, whole):
    line = '{"title": "Tide"}'
    headers = {"content-type": "application/x-ndjson"}
    content = line + " " * (size - len(line)) + "\n"
    answer = service("POST", "/api/v1/articles", content=content, headers=headers)
    assert ("error" not in answer.json()) == whole


@pytest.mark.parametrize(("count", "status"), [(3, 200), (4, 413)])
def test_articles_of_a_body(service, count, status):
    assert check(service, json.dumps([{"title": f"Tide {n}"} for n in range(count)])) == status


@pytest.mark.parametrize(("size", "status"), [(500, 200), (501, 422)])
@pytest.mark.parametrize(
    "part", ["id", "title", "text", "url", "canonical_url", "source", "language"]
)
def test_characters_of_a_field(service, part, size, status):
    assert check(service, json.dumps({"title": "Tide", part: "x" * size})) == status


@pytest.mark.parametrize(("depth", "status"), [(100, 200), (101, 400)])
def test_depth_of_a_body(service, depth, status):
    inner = "[" * (depth - 1) + "]" * (depth - 1)
    assert check(service, f'{{"title": "Tide", "x": {inner}}}') == status


@pytest.mark.parametrize(("size", "told"), [(64, True), (65, False)])
def test_characters_of_the_id_of_a_request(service, size, told):
    request_id = "r" * size
    answer = service("GET", "/api/v1/session", headers={"x-request-id": request_id})
    assert (answer.headers["x-request-id"] == request_id) == told
    assert (choose_request_id(request_id) == request_id) == told


@pytest.mark.parametrize(
    ("count", "listed"), [(problems.MAX_ERRORS, 20), (problems.MAX_ERRORS + 1, 20)]
)
def test_errors_that_are_listed(settings, count, listed):
    service = Asked(settings)
    answer = service("POST", "/api/v1/check", json=[5] * count)
    service.close()
    assert len(answer.json()["errors"]) == listed
    assert f"{count - 1} more are invalid" in answer.json()["detail"]


@pytest.mark.parametrize(("count", "told"), [(50, "Answer: choose from"), (51, "50 fields")])
def test_fields_of_a_form(service, count, told):
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = service("POST", "/review", content="&".join(["a=b"] * count), headers=headers)
    assert answer.status_code == 422
    assert told in answer.text


def bounded_parameters(document) -> list[tuple[str, str, dict, dict]]:
    """Every parameter of the API that has a bound: method, path, parameter, bounds."""
    parameters = []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", ()):
                kinds = parameter["schema"].get("anyOf", [parameter["schema"]])
                bounds = {k: v for kind in kinds for k, v in kind.items() if k in BOUND}
                parameters += [(method, path, parameter, bounds)] if bounds else []
    return parameters


BEYOND = re.compile(r"should (?:have|be (?:less|greater))")
BOUND = {
    "maximum": lambda bound: (bound, bound + 1),
    "minimum": lambda bound: (bound, bound - 1),
    "maxLength": lambda bound: ("x" * bound, "x" * (bound + 1)),
    "minLength": lambda bound: ("x" * bound, "x" * (bound - 1)),
}


def test_every_parameter_that_has_bounds(settings):
    """All that the document of the API says has a least or a most, whatever it is."""
    service = Asked(settings)
    parameters = bounded_parameters(service("GET", "/openapi.json").json())
    assert len(parameters) > 20
    for method, path, parameter, bounds in parameters:
        for kind, bound in bounds.items():
            within, beyond = BOUND[kind](bound)
            assert not refused(service, method, path, parameter, within), (path, parameter["name"])
            assert refused(service, method, path, parameter, beyond), (path, parameter["name"])
    service.close()


def refused(asked: Asked, method: str, path: str, parameter: dict, value) -> bool:
    """Whether the answer says that this parameter is beyond what it may be."""
    name, query = parameter["name"], {"a": "x", "b": "y"}
    if parameter["in"] == "path":
        path = path.replace(f"{{{name}}}", str(value))
    else:
        query[name] = value
    answer = asked(method, path.replace("{id}", "x").replace("{number}", "1"), params=query)
    said = (
        {error["field"] for error in answer.json().get("errors", ())} if answer.content else set()
    )
    return answer.status_code == 422 and name in said and bool(BEYOND.search(answer.text))


@pytest.mark.parametrize(("size", "status"), [(10_000, 404), (10_001, 422)])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("feedback", {"a": "x", "b": "y", "same": True}),
        ("actions", {"kind": "merge", "article": "x", "other": "y"}),
    ],
)
def test_characters_of_a_note(settings, path, body, size, status):
    service = Asked(settings)
    answer = service("POST", f"/api/v1/{path}", json={**body, "note": "n" * size})
    service.close()
    assert answer.status_code == status, answer.text


def test_requests_at_once(settings):
    """While this many are under way, one more is refused; then it is not."""

    async def app(scope, _, send):
        started.append(scope)
        await go_on.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def asked() -> list[int]:
        narrow = make_app(replace(settings, max_at_once=2)).state.service
        limited = middleware.RequestLimits(
            app, replace(settings, max_at_once=2), narrow.authenticator
        )
        transport = httpx.ASGITransport(limited)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            waiting = [asyncio.create_task(client.get("/x")) for _ in range(2)]
            while len(started) < 2:
                await asyncio.sleep(0)
            third = await client.get("/x")
            go_on.set()
            return [third.status_code, *[(await task).status_code for task in waiting],
                    (await client.get("/x")).status_code]  # fmt: skip

    started, go_on = [], asyncio.Event()
    assert asyncio.run(asked()) == [429, 200, 200, 200]


def test_requests_of_a_second():
    rates = RateLimiter(3)
    assert [rates.wait("a", 1.0) > 0 for _ in range(4)] == [False, False, False, True]
    assert not any(RateLimiter(0).wait("a", 1.0) for _ in range(99))


def test_callers_whose_rates_are_remembered(monkeypatch):
    monkeypatch.setattr(middleware, "MAX_CALLERS", 2)
    rates = RateLimiter(1)
    assert [rates.wait(caller, 1.0) for caller in "ab"] == [0, 0]
    assert rates.wait("a", 1.0) > 0  # two are remembered
    rates.wait("c", 1.0)
    assert rates.wait("b", 1.0) == 0  # of three the one that asked first is not


def test_pools_of_a_worker(settings):
    opened = Pools(settings)
    for number in range(deduper_pool.MAX_POOLS):
        opened.pool(f"pool-{number}").dedupers["reads"] = Deduper()
    opened.pool("pool-0")
    with pytest.raises(Problem, match="16 pools are open, the most per worker"):
        opened.pool("one-more")
    opened.close()


@pytest.mark.parametrize(("name", "bounds"), BOUNDS.items())
def test_numbers_that_are_settings(name, bounds):
    for within in bounds:
        assert getattr(Settings(**{name: within}), name) == within
    for beyond in (bounds[0] - 1, bounds[1] + 1):
        with pytest.raises(BadPolicy, match=f"{name} is {beyond}: give a number from"):
            Settings(**{name: beyond})


def test_characters_of_the_name_of_a_token(tmp_path):
    tokens = Tokens(tmp_path / "tokens.db")
    tokens.add("n" * auth.MAX_NAME, ("read",))
    for name in ("n" * (auth.MAX_NAME + 1), ""):
        with pytest.raises(BadPolicy, match="give a name of up to 200 characters"):
            tokens.add(name, ("read",))
    tokens.close()


def test_characters_of_the_name_of_a_pool():
    assert validate_pool("p" * 32) == "p" * 32
    for name in ("p" * 33, ""):
        with pytest.raises(StoreError, match="give up to 32 of a-z"):
            validate_pool(name)


def test_bytes_of_a_feed_that_is_sent(settings, monkeypatch):
    feed = rss("Coast", ("1", "Tide", "High."))
    monkeypatch.setattr(request_bodies, "MAX_FEED_BYTES", len(feed))
    assert len(read_upload(feed, "feed", settings, unique_ids=True)) == 1
    monkeypatch.setattr(request_bodies, "MAX_FEED_BYTES", len(feed) - 1)
    with pytest.raises(Problem, match="a feed may have"):
        read_upload(feed, "feed", settings, unique_ids=True)


# --- What is read of an article ------------------------------------------------------------------


@pytest.mark.parametrize("tier", [LARGEST_TIER - 1, 1 - LARGEST_TIER])
def test_a_tier(tier):
    check_storable(Article(id="a", title="Tide", tier=tier))
    with pytest.raises(BadArticle, match="tier is too large"):
        check_storable(Article(id="a", title="Tide", tier=tier + (1 if tier > 0 else -1)))


def test_characters_of_a_time():
    written = "2026-05-04T10:00:00Z"
    assert read_time(" " * 99 + written) is not None  # around it, blanks count for nothing
    long = "Mon, 04 May 2026 10:00:00 +0000 (" + "x" * 30 + ")"
    assert len(long) == times.LONGEST
    assert read_time(long) == read_time(written)
    with pytest.raises(BadArticle):
        read_time(long.replace("(", "(x"))


def test_characters_of_a_title_that_are_read_for_facts():
    tail = " 7 cows"
    within = "x" * (LONGEST_TITLE - len(tail)) + tail
    assert [fact.value for fact in facts_of(within).facts if fact.kind == "count"] == ["7"]
    assert not facts_of("x" * (LONGEST_TITLE - 1) + tail).figures


@pytest.mark.parametrize("count", [MOST_FACTS - 1, MOST_FACTS, MOST_FACTS + 1])
def test_facts_of_a_title(count):
    assert len(facts_of("7 cows " * count).facts) == min(count, MOST_FACTS)


def test_characters_of_a_host():
    name = ".".join(["a" * 60] * 4) + "." + "a" * (LONGEST_HOST - 4 * 61 - 4) + ".org"
    assert len(name) == LONGEST_HOST
    assert canonical(f"https://{name}/x") is not None
    assert canonical(f"https://a{name}/x") is None


def test_addresses_within_addresses():
    def wrapped(times: int) -> str:
        address = "https://coast.example/tide"
        for _ in range(times):
            address = f"https://href.li/?{address}"
        return address

    assert canonical(wrapped(DEEPEST - 1)) == "https://coast.example/tide"
    assert canonical(wrapped(DEEPEST)) is None


def test_bytes_of_a_line_that_comes_in():
    for size, whole in ((10, True), (11, False)):
        (line,) = LineSplitter(10).feed(b"x" * size + b"\n")
        assert (line.why is None) == whole
        pieces = LineSplitter(10)
        lines = [line for n in range(size) for line in pieces.feed(b"x")]
        assert not lines
        assert (pieces.end()[0].why is None) == whole


# --- Feeds and the web ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server():
    with feed_server() as started:
        yield started


def got(server, path: str, **given):
    return fetch(Request(address=server.at(path)), Limits(private=True, seconds=5, **given))


@pytest.mark.parametrize("packed", [False, True])
def test_bytes_of_an_answer(server, packed):
    path = "/packed" if packed else "/tagged"
    size = len(got(server, path).body)
    assert len(got(server, path, max_bytes=size).body) == size
    with pytest.raises(WebError, match="larger than"):
        got(server, path, max_bytes=size - 1)


def test_redirects(server):
    server.elsewhere = server.at("/moved")  # which leads to /tagged
    assert got(server, "/elsewhere", redirects=2).status == 200
    with pytest.raises(WebError, match="more than 1 redirects"):
        got(server, "/elsewhere", redirects=1)


def test_characters_of_an_address(server):
    start = server.at("/tagged?")
    within = start + "a" * (LONGEST_URL - len(start))
    with pytest.raises(WebError) as raised:
        fetch(Request(address=within), Limits(seconds=5))  # it gets as far as the check of the host
    assert "not on the public internet" in str(raised.value)
    with pytest.raises(WebError, match="the URL is too long"):
        fetch(Request(address=within + "a"), Limits(seconds=5))


def polled(server, body: bytes):
    server.pages["/page"] = (body,)
    polite = PollSettings(limits=Limits(seconds=5, private=True), pause_seconds=0)
    (feed_poll,) = poll([server.at("/page")], {}, polite)
    return feed_poll


@pytest.mark.parametrize(("count", "told"), [(4, 0), (5, 1)])
def test_entries_of_a_feed(server, monkeypatch, count, told):
    monkeypatch.setattr(polling, "MAX_ENTRIES", 4)
    items = [(str(n), f"Tide {n}", "High.") for n in range(count)]
    feed_poll = polled(server, rss("Coast", *items))
    assert len(feed_poll.articles) == 4
    assert len(feed_poll.problems) == told


@pytest.mark.parametrize(("size", "kept"), [(300, True), (301, False)])
def test_characters_of_the_id_of_an_entry(server, size, kept):
    (article,) = polled(server, rss("Coast", ("g" * size, "Tide", "High."))).articles
    assert article.id.endswith("#" + "g" * size) == kept


def answered(**headers: str):
    return polling.Response("https://coast.example/", 200, headers, b"")


@pytest.mark.parametrize(("size", "kept"), [(1024, True), (1025, False)])
def test_characters_of_the_tag_of_a_feed(size, kept):
    assert (polling._tag(answered(etag="e" * size), "etag") is not None) == kept


@pytest.mark.parametrize(
    ("seconds", "waits"), [(86_399, 86_399), (86_400, 86_400), (86_401, 86_400)]
)
def test_how_long_a_feed_may_ask_to_be_left_alone(seconds, waits):
    now = read_time("2026-05-04T10:00:00Z")
    until = polling._wait_until(answered(**{"retry-after": str(seconds)}), now)
    assert until == (now + timedelta(seconds=waits)).isoformat()


@pytest.mark.parametrize(("ahead", "kept"), [(86_400, True), (86_401, False)])
def test_how_far_ahead_an_entry_may_be_dated(ahead, kept):
    now = read_time("2026-05-04T10:00:00Z")
    published = polling._published((now + timedelta(seconds=ahead)).isoformat(), now)
    assert (published is not None) == kept


def test_entries_and_stories_that_are_remembered():
    for most, count in ((polling.MAX_SEEN, 4999), (polling.MAX_SEEN, 5000), (5000, 5001)):
        seen = FeedState().with_seen([str(n) for n in range(count)]).seen
        assert len(seen) == min(most, count)
        assert seen[-1] == str(count - 1)
    now = read_time("2026-05-04T10:00:00Z")
    for count in (polling.MAX_REPORTED, polling.MAX_REPORTED + 1):
        stories = PollState().with_stories([str(n) for n in range(count)], now).stories
        assert len(stories) == polling.MAX_REPORTED
        assert stories[-1][0] == str(count - 1)


@pytest.mark.parametrize(("size", "cut"), [(2000, False), (2001, True)])
def test_characters_of_a_summary(size, cut):
    summary = writing._summary(Article(id="a", text="x" * size))
    assert summary.endswith("...") == cut
    assert len(summary.removesuffix("...")) == 2000


def test_bytes_of_a_list_of_feeds(tmp_path, monkeypatch):
    data = b'<opml><outline xmlUrl="https://coast.example/feed"/></opml>'
    path = tmp_path / "feeds.opml"
    path.write_bytes(data)
    monkeypatch.setattr(parse, "MAX_OPML_BYTES", len(data))
    assert list(list_feeds([str(path)])) == ["https://coast.example/feed"]
    monkeypatch.setattr(parse, "MAX_OPML_BYTES", len(data) - 1)
    with pytest.raises(NearcopyError, match="is no OPML file"):
        list(list_feeds([str(path)]))
