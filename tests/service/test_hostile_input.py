"""Hostile input harms neither the service nor its clients."""

import json
import time

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.support.service_client import free_port, serving

from nearcopy.service.settings import Settings

HOSTILE = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "controls": "a\x00b\x07\x1b[31mc\x7f\x9b\u2028\u202e",
    "surrogates": "half \ud800 of \udfff a pair",
    "sql": "'; DROP TABLE articles; --",
    "format": "%s %(x)s {0} {} ${jndi:ldap://x}",
    "long": "word " * 200_000,
    "letters": "x" * 999_999,
    "combining": "e" + "\u0301" * 100_000,
    "spaces": " \t\n" * 10_000 + "x",
    "html": "<div " + "a=b " * 50_000 + ">x",
    "nested": "<b>" * 50_000,
}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    settings = Settings(
        store=f"{folder}/s.db", tokens=f"{folder}/t.db", port=free_port(), max_seconds=30
    )
    with serving(settings) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("field", ["id", "title", "text", "url", "source", "language"])
def test_a_hostile_field_is_answered_soon_and_as_json(service, field, kind):
    article = {"id": f"{field}-{kind}", "title": "A plain title here", field: HOSTILE[kind]}
    if field == "text":
        article["html"] = kind in ("script", "html", "nested")
    body = json.dumps(article)
    start = time.monotonic()
    for path in ("/api/v1/check", "/api/v1/articles", "/api/v1/search-results/dedupe"):
        answer = service.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (200, 422), answer.text[:200]
        assert answer.headers["content-type"].split(";")[0] in (
            "application/json",
            "application/problem+json",
        )
        assert answer.headers["x-content-type-options"] == "nosniff"
        answer.json()
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("kind", ["script", "controls", "surrogates", "sql", "format"])
def test_hostile_text_comes_back_unchanged(service, kind):
    name = f"kept-{kind}"
    article = {"id": name, "title": HOSTILE[kind], "text": HOSTILE[kind]}
    headers = {"content-type": "application/json"}
    service.post("/api/v1/articles", content=json.dumps(article), headers=headers)
    stored_article = service.get(f"/api/v1/articles/{name}").json()
    assert stored_article["text"] == HOSTILE[kind]
    assert service.get(f"/api/v1/articles/{name}/similar").status_code == 200
    assert service.get("/api/v1/stories?min_members=1").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/articles/%00",
        "/api/v1/articles/%ff%fe",
        "/api/v1/articles/%ED%A0%80",
        "/api/v1/articles/%",
        "/api/v1/articles/" + "x" * 20_000,
        "/api/v1/articles//",
        "/api/v1/stories/%2e%2e%2f%2e%2e",
        "/docs/..%2f..%2fsettings.py",
        "/docs/%2e%2e/app.py",
        "/%c0%af",
    ],
)
def test_a_hostile_path_is_not_found(service, path):
    assert service.get(path).status_code in (400, 404, 422)


def test_every_response_conforms_to_the_openapi_document(service):
    """Generated requests: none is a server error, every response matches its schema."""
    schema = schemathesis.openapi.from_url(f"{service.base_url}/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) > 15
    for operation in operations:
        _test_operation(operation)


def _test_operation(operation):
    @settings(
        max_examples=8,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @_given(operation)
    def call(case):
        response = case.call()
        case.validate_response(response, checks=CHECKS)

    call()


def _given(operation):
    from hypothesis import given

    modes = schemathesis.GenerationMode
    return given(case=operation.as_strategy(modes.POSITIVE) | operation.as_strategy(modes.NEGATIVE))
