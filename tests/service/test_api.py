"""The API: every route answers, with the same content as the command line."""

import json
import logging
import re
import time
from hashlib import sha256

import httpx
import pytest
from tests.support.service_client import free_port, serving, starting, wait_for
from typer.testing import CliRunner

from nearcopy import Deduper, StoreError
from nearcopy.cli import app as commands
from nearcopy.service import log_format, schemas
from nearcopy.service.deduper_pool import MAX_POOLS
from nearcopy.service.middleware import RateLimiter
from nearcopy.service.settings import Settings

FERRY = {
    "id": "ferry",
    "title": "Night ferry to the outer islands cancelled",
    "text": "The night ferry to the outer islands was cancelled after its engine failed at the "
    "pier. Passengers were told to wait for the morning boat, which sails at half past six.",
    "source": "Coast Post",
    "url": "https://coast.example/news/ferry",
    "published": "2026-05-04T12:00:00Z",
    "tier": 1,
}
COPY = FERRY | {
    "id": "copy",
    "tier": 3,
    "source": "Island Radio",
    "url": "https://radio.example/4711",
}
MILL = {
    "id": "mill",
    "title": "Paper mill on the northern river reopens",
    "text": "A paper mill on the northern river will reopen in spring with half its staff.",
    "published": "2026-05-04T13:00:00Z",
}
NDJSON = {"content-type": "application/x-ndjson"}


def settings_in(folder, **values):
    return Settings(
        store=f"{folder}/seen.db", tokens=f"{folder}/tokens.db", port=free_port(), **values
    )


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service with three articles, two of which are copies."""
    folder = tmp_path_factory.mktemp("service")
    with (
        serving(settings_in(folder)) as address,
        httpx.Client(base_url=f"{address}/api/v1") as client,
    ):
        client.folder = folder
        client.post("/articles", json=[FERRY, COPY, MILL]).raise_for_status()
        yield client


def lines_of(response):
    return [json.loads(line) for line in response.text.splitlines()]


def by_command(client, *words):
    words = [*words, "--store", str(client.folder / "seen.db"), "--json"]
    result = CliRunner().invoke(commands, words)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


# The same content as on the command line.


def test_a_check_answers_as_the_command(service, tmp_path):
    article = COPY | {"id": "asked"}
    file = tmp_path / "asked.jsonl"
    file.write_text(json.dumps(article))
    answer = service.post("/check", json=article).json()
    assert [answer] == by_command(service, "check", str(file))
    assert answer["is_duplicate"]
    assert answer["reason"] == "exact_url"
    answer = service.post("/check", json=article, params={"evidence": True}).json()
    assert [answer] == by_command(service, "check", str(file), "--evidence")


def test_similar_articles_have_five_fields_of_the_command(service):
    (similar,) = service.get("/articles/ferry/similar").json()["similar"]
    (said,) = by_command(service, "similar", "ferry")
    assert list(similar) == ["id", "title", "host", "similarity_score", "match_type"]
    assert similar == {name: said[name] for name in similar}
    assert (similar["id"], similar["host"]) == ("copy", "radio.example")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/stories/{story}", ["stories", "{story}"]),
        ("/stories/{story}/spread", ["stories", "{story}", "--spread"]),
    ],
)
def test_a_story_is_the_same_as_by_the_command(service, path, words):
    story = service.get("/stories").json()["stories"][0]["id"]
    answer = service.get(path.format(story=story)).json()
    assert [answer] == by_command(service, *(word.format(story=story) for word in words))


def test_stories_are_what_the_command_lists(service):
    answer, said = service.get("/stories").json()["stories"], by_command(service, "stories")
    assert {story["id"]: story for story in answer} == {story["id"]: story for story in said}
    assert len(answer) == len(said)


def test_stats_are_what_the_command_counts(service):
    answer, (said,) = service.get("/stats").json(), by_command(service, "stats")
    for stats in (answer, said):
        del stats["times"], stats["times_by_day"]
    assert answer == said
    with Deduper(f"sqlite:///{service.folder}/seen.db") as deduper:
        members = [member for story in deduper.stories() for member in story.members]
    assert answer["articles"] == len(members) >= 3
    assert answer["duplicates"] == sum(member.duplicate_of is not None for member in members) >= 1


def test_comparing_is_what_the_command_explains(service):
    answer = service.get("/compare", params={"a": "ferry", "b": "copy"}).json()
    assert [answer] == by_command(service, "explain", "ferry", "copy")
    assert answer["passages"]


def test_search_results_are_what_the_command_keeps(service, tmp_path):
    file = tmp_path / "results.jsonl"
    file.write_text("\n".join(map(json.dumps, [FERRY, MILL, COPY])))
    answer = service.post("/search-results/dedupe", json={"results": [FERRY, MILL, COPY]}).json()
    result = CliRunner().invoke(commands, ["search-results", str(file), "--json"])
    assert answer["results"] == [json.loads(line) for line in result.stdout.splitlines()]
    assert [article["id"] for article in answer["removed"]] == ["copy"]


# Articles.


def test_adding_again_gives_the_same_verdict(service):
    first = service.post("/articles", json=COPY).json()
    assert service.post("/articles", json=COPY).json() == first
    assert first["duplicate_of"] == "ferry"


def test_an_article_comes_back_unchanged_with_its_verdict(service):
    article = service.get("/articles/copy").json()
    assert {name: article[name] for name in COPY if name != "published"} == {
        name: COPY[name] for name in COPY if name != "published"
    }
    assert article["verdict"]["duplicate_of"] == "ferry"


def test_an_article_may_use_the_field_names_of_feeds_and_have_no_id(service):
    article = {"headline": FERRY["title"], "body": FERRY["text"]}
    answer = service.post("/check", json=article).json()
    assert answer["is_duplicate"]
    assert answer["id"].startswith("t-")


@pytest.mark.parametrize(
    "name", ["a/b", "https://x.example/?a=b&c#d", "a%2Fb", "é ü", "a\0b", ".."]
)
def test_ids_may_contain_any_character(service, name):
    from urllib.parse import quote

    path = f"/articles/{quote(name, '')}" if name != ".." else "/articles/%2E%2E"
    service.post("/articles", json=MILL | {"id": name, "url": None}).raise_for_status()
    if name != "..":  # clients resolve it as the parent folder
        assert service.get(path).json()["id"] == name
        assert service.get(f"{path}/similar").status_code == 200
        assert service.delete(path).json() == {"forgotten": 1, "ids": [name], "missing": []}
        assert service.delete(path).status_code == 404


def test_a_stream_answers_line_by_line_and_names_invalid_lines(service):
    lines = [
        json.dumps(FERRY | {"id": "s1", "url": None}),
        "",
        "no json",
        json.dumps({"id": "s2"}),
        json.dumps({"id": "\ud800", "title": "Half of a pair"}),
        "[1]",
        "[" * 100_000,
        json.dumps(MILL | {"id": "s3"}),
    ]
    answer = service.post("/articles", content="\n".join(lines), headers=NDJSON)
    rows = lines_of(answer)
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert [row.get("id") or row["line"] for row in rows] == ["s1", 3, 4, 5, 6, 7, "s3"]
    assert all(row["error"] for row in rows if "line" in row)
    for name in ("s1", "s3"):
        assert service.delete(f"/articles/{name}").status_code == 200


def test_a_long_stream_is_answered_completely_and_in_order(service):
    names = [f"n{n}" for n in range(1300)]

    def sent():
        for name in names:
            title = sha256(name.encode()).hexdigest()
            yield json.dumps({"id": name, "title": title}).encode() + b"\n"

    rows = lines_of(service.post("/articles", content=sent(), headers=NDJSON, timeout=60))
    assert [row["id"] for row in rows] == names


# Stories, feedback, review.


def test_the_next_page_of_stories_continues_the_last(service):
    query = {"min_members": 1, "limit": 1, "text": "ferry"}
    first = service.get("/stories", params=query).json()
    assert first["after"] is None
    query["text"] = "e"
    page = service.get("/stories", params=query).json()
    seen = page["stories"]
    while page["after"] and len(seen) < 5:
        page = service.get("/stories", params=query | {"after": page["after"]}).json()
        assert len(page["stories"]) == 1
        seen += page["stories"]
    assert 2 <= len(seen) == len({story["id"] for story in seen})


def test_a_former_id_redirects_to_its_story(service):
    answer = service.get("/stories/ferry")
    assert answer.status_code == 307
    assert answer.headers["location"].startswith("/api/v1/stories/s-")
    assert service.get("/stories/ferry", follow_redirects=True).json()["kept"] == "ferry"


def test_feedback_overrides_the_policy_until_it_is_retracted(service):
    pair = {"a": "ferry", "b": "copy"}
    result = service.post("/feedback", json=pair | {"same": False, "note": "another boat"}).json()
    assert result["mistake"] == "false alarm"
    assert service.get("/articles/copy").json()["verdict"]["is_duplicate"] is False
    assert [feedback["note"] for feedback in service.get("/feedback").json()["feedback"]] == [
        "another boat"
    ]
    assert service.delete("/feedback", params=pair).json()["retracted"] is True
    assert service.get("/articles/copy").json()["verdict"]["is_duplicate"] is True
    assert service.delete("/feedback", params=pair).status_code == 422


def test_the_review_queue_has_its_schema(service):
    page = service.get("/review", params={"limit": 5}).json()
    schemas.ReviewPage.model_validate(page)


# Problems.


@pytest.mark.parametrize(
    ("method", "path", "given", "status", "field"),
    [
        ("GET", "/articles/nowhere", {}, 404, None),
        ("GET", "/articles/nowhere/similar", {}, 404, None),
        ("GET", "/stories/nowhere", {}, 404, None),
        ("GET", "/compare", {"params": {"a": "ferry", "b": "nowhere"}}, 404, None),
        ("GET", "/nowhere", {}, 404, None),
        ("PUT", "/check", {}, 405, None),
        ("GET", "/compare", {"params": {"a": "ferry"}}, 422, "b"),
        ("GET", "/articles/ferry/similar", {"params": {"limit": 0}}, 422, "limit"),
        ("GET", "/stories", {"params": {"since": "soon"}}, 422, "since"),
        ("GET", "/stories", {"params": {"after": "x"}}, 422, None),
        ("GET", "/stories", {"params": {"order": "oldest"}}, 422, "order"),
        ("GET", "/stats", {"params": {"pool": "No Pool"}}, 422, "pool"),
        ("GET", "/stats", {"params": {"pool": "none-such"}}, 404, None),
        ("POST", "/check", {"json": {"id": "x"}}, 422, "articles.0.text"),
        ("POST", "/check", {"json": [MILL, {"title": [1]}]}, 422, "articles.1.title"),
        ("POST", "/check", {"json": {"title": "t", "published": "soon"}}, 422, None),
        ("POST", "/check", {"json": 3}, 422, "articles"),
        ("POST", "/check", {"json": [3]}, 422, "articles.0"),
        ("POST", "/articles", {"json": {"title": "t", "tier": 1 << 40}}, 422, "articles.0.tier"),
        ("POST", "/check", {"content": b"{"}, 415, None),
        ("POST", "/feedback", {"json": {"a": "ferry", "b": "copy"}}, 422, "same"),
        ("POST", "/feedback", {"json": {"a": "x", "b": "x", "same": True}}, 422, None),
        ("POST", "/feedback", {"json": {"a": "ferry", "b": "x", "same": True}}, 404, None),
    ],
)
def test_a_problem_names_the_field_and_says_what_to_do(service, method, path, given, status, field):
    answer = service.request(method, path, **given)
    problem = answer.json()
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    schemas.ProblemOut.model_validate(problem)
    assert problem["status"] == status
    assert str(service.folder) not in problem["detail"]
    if field:
        assert [error["field"] for error in problem["errors"]] == [field]


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"a": NaN', b"[" * 100_000, b"9" * 10_000])
def test_invalid_json_is_refused(service, body):
    headers = {"content-type": "application/json"}
    assert service.post("/check", content=body, headers=headers).status_code in (400, 422)


# Limits.


@pytest.fixture(scope="module")
def narrow(tmp_path_factory):
    settings = settings_in(
        tmp_path_factory.mktemp("narrow"),
        max_body_bytes=2000,
        max_batch=3,
        max_text_chars=500,
        max_seconds=1,
    )
    with serving(settings) as address, httpx.Client(base_url=f"{address}/api/v1") as client:
        yield client


def test_a_body_that_is_too_large_is_refused_by_its_length(narrow):
    answer = narrow.post("/check", json={"title": "x" * 3000})
    assert answer.status_code == 413
    assert "2,000 bytes" in answer.json()["detail"]


def test_a_body_of_no_stated_length_is_counted_while_it_is_read(narrow):
    pieces = (b"x" * 500 for _ in range(20))
    headers = {"content-type": "application/json"}
    assert narrow.post("/check", content=pieces, headers=headers).status_code == 413


def test_batches_and_fields_have_a_limit(narrow):
    many = [{"title": f"Title {n}"} for n in range(4)]
    assert narrow.post("/check", json=many).status_code == 413
    answer = narrow.post("/check", json={"text": "x" * 501})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "articles.0.text"


def test_a_line_that_is_too_long_is_reported_and_skipped(narrow):
    lines = [b'{"title": "A first one"}', b"x" * 5000, b'{"title": "Another one"}']
    rows = lines_of(narrow.post("/articles", content=b"\n".join(lines), headers=NDJSON))
    assert [row.get("line") for row in rows] == [None, 2, None]
    assert "2,000 bytes" in rows[1]["error"]


def test_requests_above_the_rate_limit_have_to_wait(tmp_path):
    with serving(settings_in(tmp_path, max_rate=1)) as address, httpx.Client() as client:
        responses = [client.get(f"{address}/api/v1/session") for _ in range(5)]
        late = next(response for response in responses if response.status_code == 429)
        assert late.headers["retry-after"] == "1"
        assert client.get(f"{address}/healthz").status_code == 200


def test_each_caller_has_a_bucket_of_one_second():
    rates = RateLimiter(2)
    assert [rates.wait("a", 10.0) for _ in range(3)] == [0, 0, 0.5]
    assert rates.wait("b", 10.0) == 0
    assert rates.wait("a", 10.5) == 0
    assert rates.wait("a", 10.6) == pytest.approx(0.4)
    assert [rates.wait("a", 99.0) for _ in range(3)] == [0, 0, 0.5]


# Health, metrics, headers, logs.


def test_health_and_readiness(service):
    root = str(service.base_url).replace("/api/v1/", "")
    assert httpx.get(f"{root}/healthz").json() == {"status": "ok"}
    assert httpx.get(f"{root}/readyz").json() == {"status": "ready"}


def test_metrics_count_verdicts_requests_and_articles(service):
    root = str(service.base_url).replace("/api/v1/", "")
    service.post("/check", json={"title": "A ferry that nobody counts"})
    text = httpx.get(f"{root}/metrics").text
    for name in (
        'nearcopy_documents_total{relation="same_text",work="add"}',
        'nearcopy_check_seconds_bucket{le="0.05",work="check"}',
        "nearcopy_largest_story 2.0",
        "nearcopy_window_articles",
        "nearcopy_store_errors_total 0.0",
        'nearcopy_requests_total{method="POST",route="/api/v1/articles",status="200"}',
    ):
        assert name in text


def test_the_docs_page_loads_no_external_resource_and_has_no_inline_script(service):
    root = str(service.base_url).replace("/api/v1/", "")
    page = httpx.get(f"{root}/docs").text
    assert "//" not in page.replace("<!doctype", "")
    assert "<script>" not in page
    for name in ("swagger-ui-bundle.js", "swagger-ui.css", "start.js"):
        assert httpx.get(f"{root}/docs/{name}").status_code == 200
    assert httpx.get(f"{root}/docs/other.js").status_code == 404


def test_every_response_has_a_request_id_and_security_headers(service):
    for path in ("/stats", "/nowhere", "/articles/nowhere"):
        headers = service.get(path, headers={"x-request-id": "mine-1"}).headers
        assert headers["x-request-id"] == "mine-1"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert (
        service.get("/stats", headers={"x-request-id": "a b\tc"}).headers["x-request-id"] != "a b"
    )


def test_a_check_logs_its_start_and_its_result_with_the_id_of_the_request(service, caplog):
    caplog.handler.addFilter(log_format._add_request)
    with caplog.at_level(logging.DEBUG, logger="nearcopy"):
        service.post("/check", json=COPY | {"id": "asked"}, headers={"x-request-id": "r-1"})
        end = time.monotonic() + 10  # the last line follows the answer
        while time.monotonic() < end and not any("POST" in line for line in _messages(caplog)):
            time.sleep(0.01)
    caplog.handler.removeFilter(log_format._add_request)
    messages = _messages(caplog)
    assert messages[0] == "checking asked"
    assert messages[1].startswith("checked asked: ")
    assert messages[2].startswith("POST /api/v1/check 200")


def _messages(caplog):
    return [record.getMessage() for record in caplog.records if record.request_id == "r-1"]


def test_a_log_record_is_one_line_whatever_it_contains():
    record = logging.LogRecord("n", 20, "f", 1, "a\nb\x1b[31m\ud800", (), None)
    log_format._add_request(record)
    assert (
        log_format.PlainFormatter(log_format.PLAIN)
        .format(record)
        .endswith("a\\x0ab\\x1b[31m\\ud800")
    )
    line = json.loads(log_format.JsonFormatter().format(record))
    assert line["message"] == "a\nb\x1b[31m\ud800"
    assert line["request_id"] == "-"


def test_pools_are_separate(tmp_path):
    sport = {"pool": "sport"}
    with (
        serving(settings_in(tmp_path)) as address,
        httpx.Client(base_url=f"{address}/api/v1") as client,
    ):
        assert client.get("/articles/ferry", params=sport).status_code == 404
        client.post("/articles", json=FERRY, params=sport).raise_for_status()
        assert client.get("/articles/ferry").status_code == 404
        assert client.get("/articles/ferry", params=sport).status_code == 200


def test_pools_that_do_not_exist_are_evicted(tmp_path):
    with (
        serving(settings_in(tmp_path)) as address,
        httpx.Client(base_url=f"{address}/api/v1") as client,
    ):
        for number in range(2 * MAX_POOLS):
            assert client.get("/stats", params={"pool": f"sprot{number}"}).status_code == 404
        client.post("/articles", json=FERRY, params={"pool": "sport"}).raise_for_status()
        assert client.get("/stats", params={"pool": "sport"}).json()["articles"] == 1


def test_open_pools_are_not_evicted(tmp_path):
    settings = settings_in(tmp_path)
    with serving(settings) as address, httpx.Client(base_url=f"{address}/api/v1") as client:
        added = [
            client.post("/articles", json=FERRY, params={"pool": f"p{number}"}).status_code
            for number in range(MAX_POOLS)
        ]
        assert added == [200] * (MAX_POOLS - 1) + [503]  # the default pool is open too
        assert client.get("/articles/ferry", params={"pool": "p0"}).status_code == 200


def test_a_service_is_ready_when_its_store_comes_back(tmp_path):
    in_the_way = tmp_path / "seen.db"
    in_the_way.mkdir()
    with starting(settings_in(tmp_path)) as address:
        assert httpx.get(f"{address}/readyz").status_code == 503
        in_the_way.rmdir()
        wait_for(address)


def test_a_service_stops_at_once_while_it_waits_for_its_store(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("nearcopy.service.app.FIRST_PAUSE", 60)
    (tmp_path / "seen.db").mkdir()
    with starting(settings_in(tmp_path)):
        start = time.monotonic()
        while "unavailable, retry in" not in caplog.text and time.monotonic() < start + 10:
            time.sleep(0.01)
        start = time.monotonic()
    (pause,) = re.findall(r"unavailable, retry in ([\d.]+) s", caplog.text)
    assert float(pause) >= 30
    assert time.monotonic() - start < 10


def test_a_service_with_a_new_pool_is_ready(tmp_path):
    with serving(settings_in(tmp_path, pool="sport")) as address:
        assert httpx.get(f"{address}/api/v1/stats").json()["articles"] == 0


def test_store_errors_are_counted_and_answered_with_503(tmp_path, monkeypatch):
    def broken(*_):
        raise StoreError(f"{tmp_path} is broken")

    with serving(settings_in(tmp_path)) as address:
        monkeypatch.setattr("nearcopy.deduper.deduper.Deduper.check", broken)
        answer = httpx.post(f"{address}/api/v1/check", json=FERRY)
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "5"
        assert str(tmp_path) not in answer.text
        assert "nearcopy_store_errors_total 1.0" in httpx.get(f"{address}/metrics").text


def test_an_internal_error_shows_no_details(tmp_path, monkeypatch):
    def faulty(*_):
        raise RuntimeError("inside")

    with serving(settings_in(tmp_path)) as address:
        monkeypatch.setattr("nearcopy.deduper.deduper.Deduper.check", faulty)
        answer = httpx.post(f"{address}/api/v1/check", json=FERRY)
        assert answer.status_code == 500
        assert answer.headers["content-type"] == "application/problem+json"
        assert "inside" not in answer.text


# Actions on stories.


def test_actions_are_listed_as_by_the_command_and_can_be_undone(service):
    story = service.get("/articles/ferry").json()["verdict"]["story_id"]
    done = service.post("/actions", json={"kind": "keep", "article": "copy", "note": "ours"}).json()
    assert (done["other"], done["by"], done["note"]) == ("ferry", "local user", "ours")
    assert {change["id"] for change in done["changes"]} == {"ferry", "copy"}
    assert service.get(f"/stories/{story}").json()["kept"] == "copy"
    assert service.get("/actions").json()["actions"] == by_command(service, "action", "list")
    undone = service.delete(f"/actions/{done['number']}").json()
    assert undone["undone_by"] == "local user"
    assert service.get(f"/stories/{story}").json()["kept"] == "ferry"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"kind": "burn", "article": "ferry"}, "kind"),
        ({"kind": "keep"}, "article"),
        ({"kind": "merge", "article": "ferry"}, "other"),
        ({"kind": "split", "article": "ferry", "other": "copy"}, "other"),
    ],
)
def test_an_invalid_action_names_the_field(service, body, field):
    answer = service.post("/actions", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


def test_unknown_actions_and_articles_are_problems(service):
    assert service.delete("/actions/999").status_code == 422
    assert service.post("/actions", json={"kind": "keep", "article": "none"}).status_code == 404


def test_slow_statistics_are_cached(tmp_path, monkeypatch):
    article = {"id": "a", "title": "A heron nests on the weir"}
    with serving(Settings(store=f"{tmp_path}/seen.db", port=free_port())) as address:

        def count_articles():
            return httpx.get(f"{address}/api/v1/stats").json()["articles"]

        assert count_articles() == 0
        httpx.post(f"{address}/api/v1/articles", json=article)
        monkeypatch.setattr("nearcopy.service.dependencies.SLOW_SECONDS", 0.0)
        monkeypatch.setattr("nearcopy.service.dependencies.CACHE_FACTOR", 1e6)
        assert count_articles() == 1
        httpx.post(f"{address}/api/v1/articles", json=article | {"id": "b"})
        assert count_articles() == 1
        assert "nearcopy_articles 1.0" in httpx.get(f"{address}/metrics").text
