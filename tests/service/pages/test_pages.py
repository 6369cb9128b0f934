"""The pages without a browser: content, JSON twins, forms, problems, hostile texts."""

import json
import re
from datetime import UTC, datetime
from urllib.parse import quote, urlencode

import httpx
import pytest
from tests.support.demo_service import HOSTILE, borderline_pairs, fill, hostile, wire
from tests.support.service_client import free_port, serving

from nearcopy import Deduper
from nearcopy.cluster.kept_copy import score_cards
from nearcopy.config import Policy
from nearcopy.models import Article, Fingerprint
from nearcopy.service.auth import Tokens
from nearcopy.service.pages.overview import Column, by_day, rate, stacked
from nearcopy.service.pages.sign_in import local_path
from nearcopy.service.pages.view_models import score_card
from nearcopy.service.settings import Settings

PAGES = ("/", "/?days=0", "/stories", "/compare", "/review", "/review/tune", "/try")
FORM = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}


def settings_in(folder, **values):
    return Settings(
        store=f"{folder}/seen.db",
        tokens=f"{folder}/tokens.db",
        tuned=f"{folder}/tuned.toml",
        port=free_port(),
        **values,
    )


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    with (
        serving(settings_in(folder)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        client.folder = folder
        fill(address, *wire(), *borderline_pairs(4), *hostile())
        yield client


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    folder = tmp_path_factory.mktemp("empty")
    with (
        serving(settings_in(folder)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        yield client


def story_with(client, article):
    return client.get(f"/api/v1/articles/{quote(article, safe='')}").json()["verdict"]["story_id"]


# Every page.


@pytest.mark.parametrize("path", [*PAGES, "/stories/en-04", "/compare?a=en-01&b=en-03"])
def test_a_page_is_html_without_inline_scripts_and_styles(service, path):
    answer = service.get(path, follow_redirects=True)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text.lstrip().startswith("<!doctype html>")
    assert not re.search(r"<script(?! src=\"/static/)|<style|\sstyle=|\son[a-z]+=\"", answer.text)
    assert "script-src 'self'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/", {"days", "empty", "stats", "busiest", "busiest_older", "flagged", "flagged_of"}),
        ("/stories", {"stories", "after"}),
        ("/compare", {"pairs", "a", "b"}),
        ("/compare?a=en-01&b=en-03", {"compared", "a", "b", "feedback", "story_a", "story_b"}),
        ("/review", {"pairs", "after", "feedback"}),
        ("/review/tune", {"too_few"}),
        ("/try", {"answer"}),
    ],
)
def test_a_page_has_a_json_twin(service, path, names):
    response = service.get(path, headers={"accept": "application/json"})
    assert set(response.json()) == names
    mark = "&" if "?" in path else "?"
    assert set(service.get(f"{path}{mark}format=json").json()) == names


def test_the_largest_stories_are_shown_even_if_published_long_ago(service):
    overview = service.get("/?days=1&format=json").json()
    assert overview["busiest_older"]
    assert overview["busiest"]
    assert "the largest of all" in service.get("/?days=1").text


def test_without_recent_articles_the_overview_links_to_earlier_ones(tmp_path):
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    with serving(settings_in(tmp_path)) as address:
        with Deduper(f"sqlite:///{tmp_path}/seen.db") as deduper:
            deduper.add(Article(id="a", title="A heron nests on the weir", seen=long_ago))
        page = httpx.get(f"{address}/").text
    assert "No articles in the last 30 days" in page
    assert 'href="/?days=0"' in page


def test_the_icon_is_served_for_pages_that_name_none(service):
    assert service.get("/favicon.ico").headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize("path", PAGES)
def test_pages_of_an_empty_store_work(empty, path):
    assert empty.get(path).status_code == 200


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/", "No articles yet"),
        ("/stories", "No story of several articles yet"),
        ("/stories?text=nothing", "Try another word"),
        ("/review", "Nothing to review"),
        ("/review/tune", "Too few labels"),
    ],
)
def test_an_empty_page_says_what_to_do(empty, path, says):
    assert says in empty.get(path).text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/stories/nothing", 404),
        ("/compare?a=en-01&b=nothing", 404),
        ("/stories?since=yesterday", 422),
        ("/stories?after=x", 422),
        ("/?days=-1", 422),
    ],
)
def test_a_problem_is_a_page_for_browsers_and_json_for_programs(service, path, status):
    page = service.get(path)
    assert (page.status_code, page.headers["content-type"][:9]) == (status, "text/html")
    assert 'id="problem"' in page.text
    twin = service.get(path, headers={"accept": "application/json"})
    assert (twin.status_code, twin.json()["status"]) == (status, status)


def test_an_unknown_path_is_a_page_for_browsers(service):
    page = service.get("/nowhere", headers={"accept": "text/html,*/*"})
    assert (page.status_code, 'id="problem"' in page.text) == (404, True)
    for path, accept in (("/nowhere", "*/*"), ("/api/v1/nowhere", "text/html")):
        problem = service.get(path, headers={"accept": accept})
        assert problem.headers["content-type"] == "application/problem+json"


def test_only_static_files_are_served_with_their_content_type(service):
    assert service.get("/static/style.css").headers["content-type"].startswith("text/css")
    assert service.get("/static/try.js").headers["content-type"].startswith("text/javascript")
    for name in ("nothing.css", "..%2frender.py", "render.py"):
        assert service.get(f"/static/{name}").status_code == 404


def test_block_pages_are_flagged_on_the_overview(tmp_path):
    wall = {"id": "wall", "title": "Just a moment...", "text": "Please enable JavaScript."}
    with (
        serving(settings_in(tmp_path)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        fill(address, wall, {"id": "ferry", "title": "Night ferry stays", "text": FERRY})
        (flagged,) = client.get("/?format=json").json()["flagged"]
        assert (flagged["id"], flagged["flags"]) == ("wall", ["block_page"])
        assert "no article: block page" in client.get("/").text


# Hostile articles.


@pytest.mark.parametrize("path", ["/", "/stories", "/review", "/compare", "STORY", "COMPARE"])
def test_no_text_of_an_article_acts_as_markup(service, path):
    one, other = (article["id"] for article in hostile())
    pages = {
        "STORY": f"/stories/{story_with(service, one)}",
        "COMPARE": f"/compare?a={quote(one)}&b={quote(other)}",
    }
    text = service.get(pages.get(path, path)).text
    assert not re.search(r"<script(?! src=\"/static/)|<img|<b onmouse|<svg onload", text)
    assert "javascript:" not in text
    if path in pages:
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_long_titles_are_shortened_and_lone_surrogates_shown(tmp_path):
    with (
        serving(settings_in(tmp_path)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        long = {
            "title": "x" * 999_999,
            "text": "y" * 999_999,
            "url": "https://a.example/" + "z" * 9,
        }
        fill(address, {"id": "a", **long}, {"id": "b", **long})
        half = '{"id": "h", "title": "half \\ud800 \\u0000 \\u0007", "text": "of a pair"}'
        kind = {"content-type": "application/json"}
        client.post("/api/v1/articles", content=half, headers=kind).raise_for_status()
        for path in ("/", "/stories?min_members=1", "/stories/a", "/compare?a=a&b=b", "/review"):
            page = client.get(path, follow_redirects=True)
            assert page.status_code == 200
            assert len(page.content) < 3_000_000
        assert client.get("/stories/h", follow_redirects=True).status_code == 200


def test_html_is_compared_as_plain_text(tmp_path):
    page = "<div class='x'><p>{}</p><script>alert(9)</script><p>And {} more.</p></div>"
    with (
        serving(settings_in(tmp_path)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        texts = [page.format(FERRY, more) for more in ("nothing", "something")]
        fill(address, *({"id": str(n), "text": t, "html": True} for n, t in enumerate(texts)))
        shown = client.get("/compare?a=0&b=1").text
        assert FERRY in shown
        assert "something" in shown
        assert not re.search(r"&lt;(?:p|div|script)|alert\(9\)", shown)


# Stories.


def test_a_story_is_found_by_an_article_and_by_a_former_id(service):
    story = story_with(service, "en-01")
    assert service.get("/stories/en-01").headers["location"] == f"/stories/{story}"
    assert service.get(f"/stories/{story}").status_code == 200


def test_the_score_card_lists_the_points_of_each_member(service):
    story = story_with(service, "en-04")
    twin = service.get(f"/stories/{story}?format=json").json()
    for member in twin["members"]:
        card = member["card"]
        parts = card["length"] + card["details"] + card["source"] + card["freshness"]
        assert (round(parts, 2), card["total"]) == (member["score"], member["score"])
    page = service.get(f"/stories/{story}").text
    table = page[page.index('<table class="scores">') :].partition("</table>")[0]
    assert table.count('<th scope="row">') == len(twin["members"])
    assert "Length, of 30" in table
    assert table.index("kept copy") < table.index("</tr>", table.index("<tbody>"))


def test_an_action_redirects_to_the_story_with_an_undo_button(service):
    before = service.get(f"/stories/{story_with(service, 'de-01')}?format=json").json()
    other = before["members"][-1]["id"]
    answer = service.post("/actions", headers=FORM, content=f"kind=keep&article={other}&note=ours")
    assert answer.status_code == 303
    page = service.get(answer.headers["location"], follow_redirects=True)
    assert "Kept another copy" in page.text
    assert 'action="/actions/undo"' in page.text
    after = service.get(f"/stories/{before['id']}?format=json").json()
    assert after["kept"]["id"] == other
    number = after["actions"][0]["number"]
    undone = service.post("/actions/undo", headers=FORM, content=f"number={number}")
    assert undone.status_code == 303
    assert service.get(f"/stories/{before['id']}?format=json").json()["kept"] == before["kept"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/actions", "kind=burn&article=en-01", 422),
        ("/actions", "kind=keep", 422),
        ("/actions", "kind=merge&article=en-01&other=nothing", 404),
        ("/actions/undo", "number=x", 422),
        ("/actions/undo", "number=999", 422),
        ("/review", "answer=perhaps&a=en-01&b=en-03", 422),
        ("/try", "title=", 422),
        ("/actions", "&".join(f"x{n}=1" for n in range(60)), 422),
    ],
)
def test_an_invalid_form_is_a_problem(service, path, body, status):
    answer = service.post(path, headers=FORM, content=body)
    assert answer.status_code == status
    assert 'id="problem"' in answer.text


@pytest.mark.parametrize(
    "path", ["/actions", "/actions/undo", "/review", "/review/tune", "/sign-in"]
)
def test_a_form_of_another_site_is_refused(service, path):
    foreign = FORM | {"sec-fetch-site": "cross-site"}
    assert service.post(path, headers=foreign, content="kind=keep&article=en-01").status_code == 403


# Preview.


def preview(client, data, name="", **query):
    query |= {"name": name}
    kind = {"content-type": "application/octet-stream"}
    answer = client.post("/api/v1/try", content=data, params=query, headers=kind)
    answer.raise_for_status()
    return [httpx.Response(200, content=line).json() for line in answer.text.splitlines()]


FERRY = (
    "The night ferry to the outer islands stays in the harbour until the morning after its engine "
    "failed at the pier and passengers were told to wait for the first boat."
)
CSV = f"id,title,text\n1,Night ferry,{FERRY}\n2,Night ferry,{FERRY}\n".encode()
RSS = b"""<rss><channel><title>Post</title><item><title>Ferry</title><link>https://p.example/1</link>
</item></channel></rss>"""


def test_a_file_is_compared_with_itself_and_the_store_and_nothing_is_stored(empty):
    first, second = preview(empty, CSV, "a.csv")
    assert (first["number"], first["total"], second["number"]) == (1, 2, 2)
    assert second["verdict"]["is_duplicate"]
    assert (second["among"], second["match_title"]) == ("file", "Night ferry")
    assert empty.get("/api/v1/stats").json()["articles"] == 0


def test_a_file_is_stored_on_request(tmp_path):
    with (
        serving(settings_in(tmp_path)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        preview(client, CSV, "a.csv", keep="true")
        assert client.get("/api/v1/stats").json()["articles"] == 2
        (row,) = preview(client, json.dumps({"text": FERRY}), "x.jsonl")
        assert (row["among"], row["verdict"]["is_duplicate"]) == ("store", True)


@pytest.mark.parametrize(
    ("data", "name", "title"),
    [
        (RSS, "feed.xml", "Ferry"),
        (b'<opml><outline text="Post" xmlUrl="https://p.example/feed"/></opml>', "", "Post"),
        (b'[{"title": "One"}]', "a.json", "One"),
        (b"title\ttext\nTab\tx\n", "a.tsv", "Tab"),
        (b'title,text\nWhat <rss> is,"A feed, <?xml?> within"\n', "a.csv", "What <rss> is"),
        (b'[{"title": "What <opml> is"}]', "", "What <opml> is"),
    ],
)
def test_files_of_all_formats_are_read(empty, data, name, title):
    assert preview(empty, data, name)[0]["title"] == title


def test_invalid_rows_are_reported_in_their_places(empty):
    good, bad = preview(empty, b'{"title": "A"}\n{"nothing": 1}\n', "a.jsonl")
    assert "verdict" in good
    assert (bad["status"], bad["line"]) == (422, 2)


@pytest.mark.parametrize(
    ("data", "status"), [(b"\x1f\x8b packed", 415), (b"PAR1", 415), (b" ", 422), (b"plain", 422)]
)
def test_an_unreadable_file_is_a_problem(empty, data, status):
    kind = {"content-type": "application/octet-stream"}
    assert empty.post("/api/v1/try", content=data, headers=kind).status_code == status


@pytest.mark.parametrize("data", [b"colour,size\nred,4\n", b"\x89PNG\r\n\x1a\n\x00\x01"])
@pytest.mark.parametrize("name", ["file.csv", "picture"])
def test_a_file_without_articles_is_reported_without_command_line_options(empty, data, name):
    kind = {"content-type": "application/octet-stream"}
    answer = empty.post("/api/v1/try", params={"name": name}, content=data, headers=kind)
    assert answer.status_code == 422
    assert "send JSON lines, CSV, RSS or OPML" in answer.json()["detail"]
    assert "--" not in answer.json()["detail"]


def test_a_pasted_article_is_checked_without_javascript(tmp_path):
    with (
        serving(settings_in(tmp_path)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        fill(address, {"id": "ferry", "title": "Night ferry stays", "text": FERRY})
        page = client.post("/try", headers=FORM, content=urlencode({"text": FERRY}))
        assert page.status_code == 200
        assert "same text" in page.text
        assert "Night ferry stays" in page.text
        assert client.get("/api/v1/stats").json()["articles"] == 1


# Tuning.


def test_a_tuned_policy_is_shown_first_and_written_when_accepted(tmp_path):
    with (
        serving(settings_in(tmp_path)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        fill(address, *borderline_pairs(26))
        for number in range(24):
            feedback = {"a": f"pair{number}a", "b": f"pair{number}b", "same": number % 2 == 0}
            client.post("/api/v1/feedback", json=feedback).raise_for_status()
        shown = client.get("/api/v1/tune").json()
        assert shown["worth_it"]
        assert shown["shifts"]
        (change,) = shown["changes"]
        assert {change["a"], change["b"]} == {"pair25a", "pair25b"}
        assert (change["is_duplicate"], change["is_duplicate_then"]) == (True, False)
        page = client.get("/review/tune").text
        assert shown["shifts"][0]["name"] in page
        assert shown["digest"] in page
        before = client.get("/api/v1/compare?a=pair1a&b=pair1b").json()
        stale = client.post("/api/v1/tune", json={"digest": "0" * 16})
        assert stale.status_code == 422
        assert not (tmp_path / "tuned.toml").exists()
        done = client.post("/review/tune", headers=FORM, content=f"digest={shown['digest']}")
        assert "restart the service" in done.text
        assert shown["shifts"][0]["name"] in (tmp_path / "tuned.toml").read_text()
        assert client.get("/api/v1/compare?a=pair1a&b=pair1b").json() == before


# Signing in.


@pytest.fixture
def guarded(tmp_path):
    settings = settings_in(tmp_path)
    tokens = Tokens(settings.tokens)
    secrets = {scope: tokens.add(scope, (scope,)) for scope in ("read", "write", "admin")}
    tokens.close()
    with serving(settings) as address, httpx.Client(base_url=address, timeout=60) as client:
        fill(address, *wire(), authorization=f"Bearer {secrets['write']}")
        client.secrets = secrets
        yield client


def sign_in(client, scope):
    body = f"token={client.secrets[scope]}&next=/stories"
    return client.post("/sign-in", headers=FORM, content=body)


def test_signing_in_redirects_to_the_requested_page(guarded):
    redirect = guarded.get("/stories?text=ferry")
    assert redirect.status_code == 303
    assert redirect.headers["location"] == "/sign-in?next=%2Fstories%3Ftext%3Dferry"
    refused = guarded.post("/sign-in", headers=FORM, content="token=nc_x_y")
    assert (refused.status_code, "set-cookie" in refused.headers) == (401, False)
    assert 'role="alert"' in refused.text
    accepted = sign_in(guarded, "read")
    assert accepted.headers["location"] == "/stories"
    assert "HttpOnly; SameSite=Strict" in accepted.headers["set-cookie"]
    assert "Sign out" in guarded.get("/stories").text
    signed_out = guarded.post("/sign-out", headers=FORM)
    assert "Max-Age=0" in signed_out.headers["set-cookie"]


def test_actions_beyond_the_scope_are_hidden_and_refused(guarded):
    sign_in(guarded, "read")
    page = guarded.get("/stories/en-04", follow_redirects=True).text
    assert "Split off" not in page
    assert "need a token with" in page
    refused = guarded.post("/actions", headers=FORM, content="kind=split&article=en-05")
    assert refused.status_code == 403
    assert 'id="problem"' in refused.text
    kept = guarded.post("/api/v1/try?keep=true", content=CSV, headers={"sec-fetch-site": "none"})
    assert kept.status_code == 403


def test_the_audit_log_names_the_caller(guarded):
    sign_in(guarded, "write")
    guarded.post("/actions", headers=FORM, content="kind=split&article=en-05")
    (action,) = guarded.get("/api/v1/actions").json()["actions"]
    assert (action["kind"], action["by"]) == ("split", "write")


@pytest.mark.parametrize(
    ("given", "to"),
    [
        ("/stories?a=1", "/stories?a=1"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example", "/"),
        ("/\nx", "/"),
        ("", "/"),
    ],
)
def test_signing_in_redirects_to_this_service_only(given, to):
    assert local_path(given) == to


# View models and charts.


@pytest.mark.parametrize("tier", [None, 1, -2])
@pytest.mark.parametrize("block_page", [None, "consent wall"])
def test_a_score_card_is_parsed_from_its_sentence(tier, block_page):
    copies = [
        Fingerprint(id="a", words=0, tier=tier, block_page=block_page),
        Fingerprint(id="b", words=90, details=3, published=datetime(2026, 5, 4, tzinfo=UTC)),
        Fingerprint(id="c", words=31, published=datetime(2026, 4, 1, 7, tzinfo=UTC)),
    ]
    for copy, card in zip(copies, score_cards(copies, Policy()), strict=True):
        parsed_card = score_card(card.why)
        assert (parsed_card["length"], parsed_card["details"], parsed_card["source"]) == card[:3]
        assert (parsed_card["freshness"], parsed_card["total"]) == (card.freshness, card.total)
        assert (parsed_card["words"], parsed_card["detail_count"]) == (copy.words, copy.details)
        assert (parsed_card["tier"], parsed_card["block_page"]) == (copy.tier, copy.block_page)


def test_another_sentence_has_no_score_card():
    assert score_card("the only copy") is None
    assert score_card("1 points: length " * 100_000) is None


def test_days_without_articles_have_a_column_and_many_days_share_one():
    rows = [{"day": "2026-05-01", "articles": 2}, {"day": "2026-05-03", "articles": 1}]
    assert [column.counts["articles"] for column in by_day(rows, ("articles",))] == [2, 0, 1]
    rows.append({"day": "2026-12-31", "articles": 5})
    columns = by_day(rows, ("articles",))
    assert len(columns) <= 60
    assert sum(column.counts["articles"] for column in columns) == 8


def test_bars_stay_within_the_chart():
    columns = [Column("2026-05-01", {"a": 3, "b": 4}), Column("2026-05-02", {"a": 0, "b": 1})]
    drawn = stacked(columns, {"a": "first", "b": "second"})
    assert [piece.kind for piece in drawn.bars] == ["a", "b", "b"]
    assert all(bar.y >= 0 and bar.y + bar.height <= drawn.floor for bar in drawn.bars)
    assert rate(columns, "a", "b").points.count(",") == 2
    assert stacked([], {}).bars == []


def test_the_hostile_title_is_hostile():
    assert "<script>" in HOSTILE
