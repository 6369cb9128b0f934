"""Authentication and authorisation: tokens, scopes, pools, cookies, cross-site requests."""

import httpx
import pytest
from tests.support.service_client import free_port, serving

from nearcopy.service.auth import Tokens
from nearcopy.service.settings import Settings

ARTICLE = {"id": "a", "title": "Lighthouse keeper retires after forty years"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A service with tokens: the client, and the secrets by name."""
    folder = tmp_path_factory.mktemp("guarded")
    tokens = Tokens(folder / "tokens.db")
    secrets = {
        "reader": tokens.add("reader", ("read",)),
        "writer": tokens.add("writer", ("write",)),
        "admin": tokens.add("admin", ("admin",)),
        "sport": tokens.add("sport", ("write",), "sport"),
    }
    settings = Settings(store=f"{folder}/s.db", tokens=str(tokens.path), port=free_port())
    with serving(settings) as address, httpx.Client(base_url=address) as client:
        client.tokens = tokens
        yield client, secrets


def bearer(secret):
    return {"authorization": f"Bearer {secret}"}


CHECK = ("POST", "/api/v1/check")
ADD = ("POST", "/api/v1/articles")
STATS = ("GET", "/api/v1/stats")
SETTINGS = ("GET", "/api/v1/settings")
METRICS = ("GET", "/metrics")


@pytest.mark.parametrize(
    ("who", "allowed"),
    [
        (None, []),
        ("reader", [CHECK, STATS]),
        ("writer", [CHECK, STATS, ADD]),
        ("admin", [CHECK, STATS, ADD, SETTINGS, METRICS]),
    ],
)
def test_a_token_allows_what_its_scope_includes(guarded, who, allowed):
    client, secrets = guarded
    headers = bearer(secrets[who]) if who else {}
    for method, path in (CHECK, ADD, STATS, SETTINGS, METRICS):
        body = {"json": ARTICLE} if method == "POST" else {}
        status = client.request(method, path, headers=headers, **body).status_code
        refused = 403 if who else 401
        assert status == (200 if (method, path) in allowed else refused), (who, path)


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/docs", "/openapi.json", "/sign-in", "/static/style.css"]
)
def test_paths_without_articles_need_no_token(guarded, path):
    assert guarded[0].get(path).status_code == 200


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer x",
        "Bearer nc_1_2",
        "Bearer nc__",
        "Basic abc",
        "Bearer " + "x" * 5000,
        "Bearer \xff\xfe",
    ],
)
def test_an_invalid_token_is_refused(guarded, header):
    answer = guarded[0].get("/api/v1/stats", headers={"authorization": header.encode("latin-1")})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


def test_the_id_of_a_token_with_another_secret_is_refused(guarded):
    client, secrets = guarded
    prefix, token_id, _ = secrets["reader"].split("_", 2)
    other = secrets["admin"].split("_", 2)[2]
    for secret in (
        f"{prefix}_{token_id}_{other}",
        f"xx_{secrets['reader'][3:]}",
        f"{prefix}_{token_id}_",
    ):
        assert client.get("/api/v1/stats", headers=bearer(secret)).status_code == 401


def test_a_token_of_a_pool_is_limited_to_it(guarded):
    client, secrets = guarded
    mine, every = bearer(secrets["sport"]), bearer(secrets["writer"])
    client.post("/api/v1/articles", json=ARTICLE | {"id": "goal"}, headers=mine).raise_for_status()
    goal = "/api/v1/articles/goal"
    assert client.get(goal, headers=mine).status_code == 200
    assert client.get(goal, headers=mine, params={"pool": "sport"}).status_code == 200
    assert client.get(goal, headers=mine, params={"pool": "default"}).status_code == 403
    assert client.get(goal, headers=every).status_code == 404
    assert client.get(goal, headers=every, params={"pool": "sport"}).status_code == 200


def test_a_revoked_token_is_refused_at_once(guarded):
    client, _ = guarded
    secret = client.tokens.add("guest", ("read",))
    assert client.get("/api/v1/stats", headers=bearer(secret)).status_code == 200
    client.tokens.revoke("guest")
    assert client.get("/api/v1/stats", headers=bearer(secret)).status_code == 401


# Cookies.


def test_the_cookie_is_hidden_from_scripts_and_refused_from_other_sites(guarded):
    client, secrets = guarded
    answer = client.post("/api/v1/session", json={"token": secrets["writer"]})
    cookie = answer.headers["set-cookie"]
    assert answer.json() == {"name": "writer", "scopes": ["write"], "pool": None}
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    client.cookies.clear()
    headers = {"cookie": cookie.split(";")[0]}
    assert client.get("/api/v1/stats", headers=headers).status_code == 200
    assert client.post("/api/v1/articles", json=ARTICLE, headers=headers).status_code == 200
    for foreign in (
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://elsewhere.example"},
        {"origin": "null"},
        {"origin": "http://["},
    ):
        answer = client.post("/api/v1/articles", json=ARTICLE, headers=headers | foreign)
        assert answer.status_code == 403, foreign
    assert "Max-Age=0" in client.delete("/api/v1/session").headers["set-cookie"]


@pytest.mark.parametrize("body", [{}, {"token": 3}, [], {"token": "nc_1_2"}])
def test_signing_in_needs_a_valid_token(guarded, body):
    answer = guarded[0].post("/api/v1/session", json=body)
    assert answer.status_code in (401, 422)
    assert "set-cookie" not in answer.headers


# Without tokens.


@pytest.fixture(scope="module")
def open_service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("open")
    settings = Settings(store=f"{folder}/s.db", tokens=f"{folder}/t.db", port=free_port())
    with serving(settings) as address, httpx.Client(base_url=address) as client:
        client.folder = folder
        yield client


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("127.0.0.1", 200),
        ("[::1]:8000", 200),
        ("elsewhere.example", 421),
        ("127.0.0.1.elsewhere.example", 421),
        ("[", 421),
        ("", 421),
    ],
)
def test_without_tokens_only_local_host_names_are_served(open_service, host, status):
    assert open_service.get("/api/v1/stats", headers={"host": host}).status_code == status


def test_without_tokens_cross_site_requests_are_refused(open_service):
    for foreign in ({"sec-fetch-site": "cross-site"}, {"origin": "https://elsewhere.example"}):
        answer = open_service.post("/api/v1/articles", json=ARTICLE, headers=foreign)
        assert answer.status_code == 403
    plain = {"content-type": "text/plain"}  # allowed cross-site without a preflight request
    answer = open_service.post("/api/v1/articles", content=b'{"title": "x"}', headers=plain)
    assert answer.status_code == 415


def test_once_a_token_file_exists_tokens_are_needed_even_if_all_are_revoked(tmp_path):
    tokens = Tokens(tmp_path / "t.db")
    settings = Settings(store=f"{tmp_path}/s.db", tokens=str(tokens.path), port=free_port())
    with serving(settings) as address:
        assert httpx.get(f"{address}/api/v1/stats").status_code == 200
        tokens.add("first", ("read",))
        assert httpx.get(f"{address}/api/v1/stats").status_code == 401
        tokens.revoke("first")
        assert httpx.get(f"{address}/api/v1/stats").status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "body", "scope"),
    [
        ("POST", "/api/v1/actions", {"kind": "split", "article": "none"}, "write"),
        ("DELETE", "/api/v1/actions/9", None, "write"),
        ("GET", "/api/v1/actions", None, "read"),
        ("GET", "/api/v1/tune", None, "read"),
        ("POST", "/api/v1/tune", {"digest": "x"}, "admin"),
        ("POST", "/api/v1/try?name=a.jsonl", {"title": "A"}, "read"),
        ("POST", "/api/v1/try?name=a.jsonl&keep=true", {"title": "A"}, "write"),
    ],
)
def test_actions_tuning_and_preview_need_their_scopes(guarded, method, path, body, scope):
    client, secrets = guarded
    scopes = ["read", "write", "admin"]
    for who, mine in (("reader", "read"), ("writer", "write"), ("admin", "admin")):
        answer = client.request(method, path, json=body, headers=bearer(secrets[who]))
        assert (answer.status_code == 403) == (scopes.index(mine) < scopes.index(scope)), who
    assert client.request(method, path, json=body).status_code == 401
