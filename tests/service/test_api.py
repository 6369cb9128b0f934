"""The API: what each address answers, and that it is what the command line says."""

import json
import logging
import time
from hashlib import sha256

import httpx
import pytest
from tests.support.service_client import free_port, serving, starting, wait_for
from typer.testing import CliRunner

from nearcopy import Deduper, StoreError
from nearcopy.cli import app as commands
from nearcopy.service.deduper_pool import MOST_POOLS
from nearcopy.service.middleware.limits import Rates
from nearcopy.service.schemas import feedback as people
from nearcopy.service.schemas import responses as answers
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


def settings_in(folder, **given):
    return Settings(
        store=f"{folder}/seen.db", tokens=f"{folder}/tokens.db", port=free_port(), **given
    )


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service with three articles, two of which are one."""
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


# The same as the command line says.


def test_a_check_is_what_the_command_says(service, tmp_path):
    asked = COPY | {"id": "asked"}
    file = tmp_path / "asked.jsonl"
    file.write_text(json.dumps(asked))
    answer = service.post("/check", json=asked).json()
    assert [answer] == by_command(service, "check", str(file))
    assert answer["is_duplicate"]
    assert answer["reason"] == "exact_url"
    told = service.post("/check", json=asked, params={"evidence": True}).json()
    assert [told] == by_command(service, "check", str(file), "--evidence")


def test_similar_answers_with_five_fields_as_the_command_has_them(service):
    (found,) = service.get("/articles/ferry/similar").json()["similar"]
    (said,) = by_command(service, "similar", "ferry")
    assert list(found) == ["id", "title", "host", "similarity_score", "match_type"]
    assert found == {name: said[name] for name in found}
    assert (found["id"], found["host"]) == ("copy", "radio.example")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/stories/{story}", ["stories", "{story}"]),
        ("/stories/{story}/spread", ["stories", "{story}", "--spread"]),
    ],
)
def test_a_story_is_what_the_command_says(service, path, words):
    story = service.get("/stories").json()["stories"][0]["id"]
    answer = service.get(path.format(story=story)).json()
    assert [answer] == by_command(service, *(word.format(story=story) for word in words))


def test_stories_are_what_the_command_lists(service):
    answer, said = service.get("/stories").json()["stories"], by_command(service, "stories")
    assert {each["id"]: each for each in answer} == {each["id"]: each for each in said}
    assert len(answer) == len(said)


def test_stats_are_what_the_command_counts(service):
    answer, (said,) = service.get("/stats").json(), by_command(service, "stats")
    for each in (answer, said):
        del each["times"], each["times_by_day"]
    assert answer == said
    with Deduper(f"sqlite:///{service.folder}/seen.db") as deduper:
        members = [each for story in deduper.stories() for each in story.members]
    assert answer["articles"] == len(members) >= 3
    assert answer["duplicates"] == sum(each.duplicate_of is not None for each in members) >= 1


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
    assert [each["id"] for each in answer["removed"]] == ["copy"]


# Articles.


def test_adding_again_gives_the_same_verdict(service):
    first = service.post("/articles", json=COPY).json()
    assert service.post("/articles", json=COPY).json() == first
    assert first["duplicate_of"] == "ferry"


def test_an_article_comes_back_as_it_came_with_its_verdict(service):
    found = service.get("/articles/copy").json()
    assert {name: found[name] for name in COPY if name != "published"} == {
        name: COPY[name] for name in COPY if name != "published"
    }
    assert found["verdict"]["duplicate_of"] == "ferry"


def test_an_article_may_go_by_the_names_of_feeds_and_without_an_id(service):
    given = {"headline": FERRY["title"], "body": FERRY["text"]}
    answer = service.post("/check", json=given).json()
    assert answer["is_duplicate"]
    assert answer["id"].startswith("t-")


@pytest.mark.parametrize(
    "name", ["a/b", "https://x.example/?a=b&c#d", "a%2Fb", "é ü", "a\0b", ".."]
)
def test_ids_are_what_they_are_whatever_is_in_them(service, name):
    from urllib.parse import quote

    path = f"/articles/{quote(name, '')}" if name != ".." else "/articles/%2E%2E"
    service.post("/articles", json=MILL | {"id": name, "url": None}).raise_for_status()
    if name != "..":  # clients take it for a step up
        assert service.get(path).json()["id"] == name
        assert service.get(f"{path}/similar").status_code == 200
        assert service.delete(path).json() == {"forgotten": 1, "ids": [name], "missing": []}
        assert service.delete(path).status_code == 404


def test_a_stream_answers_line_by_line_and_says_which_are_wrong(service):
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
    found = lines_of(answer)
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert [each.get("id") or each["line"] for each in found] == ["s1", 3, 4, 5, 6, 7, "s3"]
    assert all(each["error"] for each in found if "line" in each)
    for name in ("s1", "s3"):
        assert service.delete(f"/articles/{name}").status_code == 200


def test_a_long_stream_comes_back_whole_and_in_order(service):
    names = [f"n{n}" for n in range(1300)]

    def sent():
        for name in names:
            title = sha256(name.encode()).hexdigest()
            yield json.dumps({"id": name, "title": title}).encode() + b"\n"

    found = lines_of(service.post("/articles", content=sent(), headers=NDJSON, timeout=60))
    assert [each["id"] for each in found] == names


# Stories, feedback, review.


def test_stories_go_on_where_a_page_ended(service):
    asked = {"min_members": 1, "limit": 1, "text": "ferry"}
    first = service.get("/stories", params=asked).json()
    assert first["after"] is None
    asked["text"] = "e"
    page = service.get("/stories", params=asked).json()
    seen = page["stories"]
    while page["after"] and len(seen) < 5:
        page = service.get("/stories", params=asked | {"after": page["after"]}).json()
        assert len(page["stories"]) == 1
        seen += page["stories"]
    assert 2 <= len(seen) == len({each["id"] for each in seen})


def test_a_former_id_leads_to_its_story(service):
    answer = service.get("/stories/ferry")
    assert answer.status_code == 307
    assert answer.headers["location"].startswith("/api/v1/stories/s-")
    assert service.get("/stories/ferry", follow_redirects=True).json()["kept"] == "ferry"


def test_what_people_say_holds_until_it_is_taken_back(service):
    pair = {"a": "ferry", "b": "copy"}
    said = service.post("/feedback", json=pair | {"same": False, "note": "another boat"}).json()
    assert said["mistake"] == "false alarm"
    assert service.get("/articles/copy").json()["verdict"]["is_duplicate"] is False
    assert [each["note"] for each in service.get("/feedback").json()["feedback"]] == [
        "another boat"
    ]
    assert service.delete("/feedback", params=pair).json()["taken_back"] is True
    assert service.get("/articles/copy").json()["verdict"]["is_duplicate"] is True
    assert service.delete("/feedback", params=pair).status_code == 422


def test_review_is_answered(service):
    page = service.get("/review", params={"limit": 5}).json()
    people.ReviewPage.model_validate(page)


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
    answers.ProblemShape.model_validate(problem)
    assert problem["status"] == status
    assert str(service.folder) not in problem["detail"]
    if field:
        assert [each["field"] for each in problem["errors"]] == [field]


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"a": NaN', b"[" * 100_000, b"9" * 10_000])
def test_what_is_no_json_is_unreadable(service, body):
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


def test_a_batch_and_a_field_may_be_so_long(narrow):
    many = [{"title": f"Title {n}"} for n in range(4)]
    assert narrow.post("/check", json=many).status_code == 413
    answer = narrow.post("/check", json={"text": "x" * 501})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "articles.0.text"


def test_a_line_that_is_too_long_is_told_and_passed(narrow):
    lines = [b'{"title": "A first one"}', b"x" * 5000, b'{"title": "Another one"}']
    found = lines_of(narrow.post("/articles", content=b"\n".join(lines), headers=NDJSON))
    assert [each.get("line") for each in found] == [None, 2, None]
    assert "2,000 bytes" in found[1]["error"]


def test_more_than_so_many_a_second_have_to_wait(tmp_path):
    with serving(settings_in(tmp_path, max_rate=1)) as address, httpx.Client() as client:
        found = [client.get(f"{address}/api/v1/session") for _ in range(5)]
        late = next(each for each in found if each.status_code == 429)
        assert late.headers["retry-after"] == "1"
        assert client.get(f"{address}/healthz").status_code == 200


def test_requests_are_saved_up_for_a_second_and_each_caller_has_their_own():
    rates = Rates(2)
    assert [rates.wait("a", 10.0) for _ in range(3)] == [0, 0, 0.5]
    assert rates.wait("b", 10.0) == 0
    assert rates.wait("a", 10.5) == 0
    assert rates.wait("a", 10.6) == pytest.approx(0.4)
    assert [rates.wait("a", 99.0) for _ in range(3)] == [0, 0, 0.5]


# What is around it.


def test_health_and_readiness(service):
    root = str(service.base_url).replace("/api/v1/", "")
    assert httpx.get(f"{root}/healthz").json() == {"status": "ok"}
    assert httpx.get(f"{root}/readyz").json() == {"status": "ready"}


def test_metrics_count_what_was_judged_and_what_is_there(service):
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


def test_the_reference_needs_nothing_from_elsewhere_and_no_script_in_the_page(service):
    root = str(service.base_url).replace("/api/v1/", "")
    page = httpx.get(f"{root}/docs").text
    assert "//" not in page.replace("<!doctype", "")
    assert "<script>" not in page
    for name in ("swagger-ui-bundle.js", "swagger-ui.css", "start.js"):
        assert httpx.get(f"{root}/docs/{name}").status_code == 200
    assert httpx.get(f"{root}/docs/other.js").status_code == 404


def test_every_answer_bears_an_id_and_what_a_browser_may_do(service):
    for path in ("/stats", "/nowhere", "/articles/nowhere"):
        headers = service.get(path, headers={"x-request-id": "mine-1"}).headers
        assert headers["x-request-id"] == "mine-1"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert (
        service.get("/stats", headers={"x-request-id": "a b\tc"}).headers["x-request-id"] != "a b"
    )


def test_a_check_logs_its_start_and_its_result_with_the_id_of_the_request(service, caplog):
    from nearcopy.service import log_format as logs

    caplog.handler.addFilter(logs._with_request)
    with caplog.at_level(logging.DEBUG, logger="nearcopy"):
        service.post("/check", json=COPY | {"id": "asked"}, headers={"x-request-id": "r-1"})
        end = time.monotonic() + 10  # the last line follows the answer
        while time.monotonic() < end and not any("POST" in each for each in _said(caplog)):
            time.sleep(0.01)
    caplog.handler.removeFilter(logs._with_request)
    said = _said(caplog)
    assert said[0] == "checking asked"
    assert said[1].startswith("checked asked: ")
    assert said[2].startswith("POST /api/v1/check 200")


def _said(caplog):
    return [each.getMessage() for each in caplog.records if each.request_id == "r-1"]


def test_logs_are_one_line_an_event_whatever_is_in_them():
    from nearcopy.service import log_format as logs

    record = logging.LogRecord("n", 20, "f", 1, "a\nb\x1b[31m\ud800", (), None)
    logs._with_request(record)
    assert logs.OneLine(logs.PLAIN).format(record).endswith("a\\x0ab\\x1b[31m\\ud800")
    found = json.loads(logs.JsonLines().format(record))
    assert found["message"] == "a\nb\x1b[31m\ud800"
    assert found["request_id"] == "-"


def test_pools_never_see_each_other(tmp_path):
    sport = {"pool": "sport"}
    with (
        serving(settings_in(tmp_path)) as address,
        httpx.Client(base_url=f"{address}/api/v1") as client,
    ):
        assert client.get("/articles/ferry", params=sport).status_code == 404
        client.post("/articles", json=FERRY, params=sport).raise_for_status()
        assert client.get("/articles/ferry").status_code == 404
        assert client.get("/articles/ferry", params=sport).status_code == 200


def test_pools_that_are_not_there_take_no_place(tmp_path):
    with (
        serving(settings_in(tmp_path)) as address,
        httpx.Client(base_url=f"{address}/api/v1") as client,
    ):
        for number in range(2 * MOST_POOLS):
            assert client.get("/stats", params={"pool": f"sprot{number}"}).status_code == 404
        client.post("/articles", json=FERRY, params={"pool": "sport"}).raise_for_status()
        assert client.get("/stats", params={"pool": "sport"}).json()["articles"] == 1


def test_pools_that_are_open_keep_their_place(tmp_path):
    settings = settings_in(tmp_path)
    with serving(settings) as address, httpx.Client(base_url=f"{address}/api/v1") as client:
        added = [
            client.post("/articles", json=FERRY, params={"pool": f"p{number}"}).status_code
            for number in range(MOST_POOLS)
        ]
        assert added == [200] * (MOST_POOLS - 1) + [503]  # the first is that of who names none
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
        while "tried again in 60.0 s" not in caplog.text and time.monotonic() < start + 10:
            time.sleep(0.01)
        start = time.monotonic()
    assert "tried again in 60.0 s" in caplog.text
    assert time.monotonic() - start < 10


def test_a_service_for_a_pool_that_is_not_there_yet_is_ready(tmp_path):
    with serving(settings_in(tmp_path, pool="sport")) as address:
        assert httpx.get(f"{address}/api/v1/stats").json()["articles"] == 0


def test_a_store_that_cannot_be_used_is_counted_and_says_so(tmp_path, monkeypatch):
    def broken(*_):
        raise StoreError(f"{tmp_path} is broken")

    with serving(settings_in(tmp_path)) as address:
        monkeypatch.setattr("nearcopy.deduper.deduper.Deduper.check", broken)
        answer = httpx.post(f"{address}/api/v1/check", json=FERRY)
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "5"
        assert str(tmp_path) not in answer.text
        assert "nearcopy_store_errors_total 1.0" in httpx.get(f"{address}/metrics").text


def test_a_fault_is_answered_without_its_inside(tmp_path, monkeypatch):
    def faulty(*_):
        raise RuntimeError("inside")

    with serving(settings_in(tmp_path)) as address:
        monkeypatch.setattr("nearcopy.deduper.deduper.Deduper.check", faulty)
        answer = httpx.post(f"{address}/api/v1/check", json=FERRY)
        assert answer.status_code == 500
        assert answer.headers["content-type"] == "application/problem+json"
        assert "inside" not in answer.text


# What people do to stories.


def test_acts_are_what_the_command_lists_and_can_be_undone(service):
    story = service.get("/articles/ferry").json()["verdict"]["story_id"]
    done = service.post("/acts", json={"act": "keep", "article": "copy", "note": "ours"}).json()
    assert (done["other"], done["by"], done["note"]) == ("ferry", "anybody here", "ours")
    assert {each["id"] for each in done["changes"]} == {"ferry", "copy"}
    assert service.get(f"/stories/{story}").json()["kept"] == "copy"
    assert service.get("/acts").json()["acts"] == by_command(service, "act", "list")
    undone = service.delete(f"/acts/{done['number']}").json()
    assert undone["undone_by"] == "anybody here"
    assert service.get(f"/stories/{story}").json()["kept"] == "ferry"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"act": "burn", "article": "ferry"}, "act"),
        ({"act": "keep"}, "article"),
        ({"act": "merge", "article": "ferry"}, "other"),
        ({"act": "split", "article": "ferry", "other": "copy"}, "other"),
    ],
)
def test_an_act_that_cannot_be_names_the_field(service, wrong, field):
    answer = service.post("/acts", json=wrong)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


def test_acts_of_nothing_are_problems(service):
    assert service.delete("/acts/999").status_code == 422
    assert service.post("/acts", json={"act": "keep", "article": "none"}).status_code == 404


def test_numbers_that_take_long_to_count_are_kept_for_a_while(tmp_path, monkeypatch):
    article = {"id": "a", "title": "A heron nests on the weir"}
    with serving(Settings(store=f"{tmp_path}/seen.db", port=free_port())) as address:

        def counted():
            return httpx.get(f"{address}/api/v1/stats").json()["articles"]

        assert counted() == 0
        httpx.post(f"{address}/api/v1/articles", json=article)
        monkeypatch.setattr("nearcopy.service.dependencies.LONG_SECONDS", 0.0)
        monkeypatch.setattr("nearcopy.service.dependencies.TIMES_AS_LONG", 1e6)
        assert counted() == 1
        httpx.post(f"{address}/api/v1/articles", json=article | {"id": "b"})
        assert counted() == 1
        assert "nearcopy_articles 1.0" in httpx.get(f"{address}/metrics").text
