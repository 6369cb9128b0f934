"""JSON responses, and errors as RFC 9457 problem details: what, what was found, what to do."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from nearcopy.errors import NearcopyError, NotStored, StoreError
from nearcopy.service.log_format import log, request_id

JSON = "application/json"
NDJSON = "application/x-ndjson"
PROBLEM_JSON = "application/problem+json"
TYPE_PREFIX = "urn:nearcopy:problem:"
MAX_ERRORS = 20  # listed in one response
RENAMED = {413: "Content Too Large", 422: "Unprocessable Content"}  # since RFC 9110
HEADERS = {
    401: {"WWW-Authenticate": "Bearer"},
    429: {"Retry-After": "1"},
    503: {"Retry-After": "5"},
}
Errors = Sequence[Mapping[str, Any]]


def to_json(content: Any) -> bytes:
    """The content as JSON in UTF-8; lone surrogates are escaped."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(content, separators=(",", ":")).encode("ascii")


def json_response(content: Any, status: int = 200, **headers: str) -> Response:
    return Response(to_json(content), status, header_names(headers), JSON)


def header_names(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers given as keyword arguments: `Retry_After` becomes `Retry-After`."""
    return {name.replace("_", "-"): value for name, value in headers.items()}


def title_of(status: int) -> str:
    """The reason phrase of HTTP.

    >>> title_of(404), title_of(422)
    ('Not Found', 'Unprocessable Content')
    """
    return RENAMED.get(status) or HTTPStatus(status).phrase


class Problem(Exception):
    """An error response."""

    def __init__(self, status: int, detail: str, errors: Errors = (), **headers: str) -> None:
        super().__init__(detail)
        self.status, self.detail, self.errors = status, detail, errors
        self.headers = header_names(headers)

    @property
    def title(self) -> str:
        return title_of(self.status)

    def response(self) -> Response:
        content: dict[str, Any] = {
            "type": TYPE_PREFIX + self.title.lower().replace(" ", "-"),
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "request_id": request_id.get(),
        }
        if self.errors:
            content["errors"] = list(self.errors[:MAX_ERRORS])
        headers = HEADERS.get(self.status, {}) | self.headers
        return Response(to_json(content), self.status, headers, PROBLEM_JSON)


def field_problem(field: str, detail: str) -> Problem:
    """One field of a request is invalid."""
    return Problem(422, f"{field}: {detail}", [{"field": field, "detail": detail}])


def problem_of(error: Exception) -> Problem:
    """The response to any error; unexpected ones are logged."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, NotStored):
        return Problem(404, str(error))
    if isinstance(error, StoreError):
        log.error("store error: %s", error)
        return Problem(503, "the store is unavailable: try again later; the log has the reason")
    if isinstance(error, NearcopyError):
        return Problem(422, str(error))
    if isinstance(error, RequestValidationError):
        return validation_problem(error.errors())
    log.exception("internal error", exc_info=error)
    return Problem(500, "internal error: find the request id in the log of the service")


def validation_problem(validation_errors: Sequence[Any]) -> Problem:
    """The fields that pydantic found invalid."""
    errors = list(map(_field_error, validation_errors))
    summary = "; ".join(f"{error['field']}: {error['detail']}" for error in errors[:3])
    return Problem(422, summary or "the request is not valid", errors)


def _field_error(error: Mapping[str, Any]) -> dict[str, Any]:
    place = [str(part) for part in error["loc"] if part not in ("query", "path", "body", "header")]
    return {"field": ".".join(place) or "body", "detail": str(error["msg"])}


def http_problem(request: Request, error: HTTPException) -> Problem:
    """An error of the router: an unknown path, or a method that it does not support."""
    headers = {name.replace("-", "_"): value for name, value in (error.headers or {}).items()}
    if error.status_code == 404:
        return Problem(404, f"no route {request.url.path:.200}: /docs lists them")
    if error.status_code == 405:
        allowed = headers.get("Allow", "another method")
        detail = f"{request.url.path:.200} does not support {request.method:.20}: use {allowed}"
        return Problem(405, detail, (), **headers)
    return Problem(error.status_code, str(error.detail), (), **headers)
