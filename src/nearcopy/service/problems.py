"""Problems: errors as RFC 9457 has them, each saying what to do."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from nearcopy.errors import (
    BadArticle,
    BadFeedback,
    BadPolicy,
    NearcopyError,
    NotStored,
    StoreError,
)
from nearcopy.service.json_response import as_json
from nearcopy.service.log_format import log, request_id

MEDIA_TYPE = "application/problem+json"
KIND = "urn:nearcopy:problem:"
SHOWN = 20  # errors of one request that are listed
Errors = Sequence[Mapping[str, Any]]

TITLES = {
    400: "This request cannot be read",
    401: "A token is needed",
    403: "This token does not allow that",
    404: "There is no such thing here",
    405: "That cannot be done here",
    413: "This is too much at once",
    415: "This kind of content is not read here",
    421: "This name is not served here",
    422: "Something in this request is not as it should be",
    429: "Too many requests",
    500: "Something went wrong here",
    503: "Not now",
}
KINDS = {
    400: "unreadable",
    401: "no-token",
    403: "not-allowed",
    404: "not-found",
    405: "not-possible",
    413: "too-large",
    415: "unknown-content",
    421: "unknown-host",
    422: "not-valid",
    429: "too-many",
    500: "fault",
    503: "not-now",
}
HEADERS = {
    401: {"WWW-Authenticate": "Bearer"},
    429: {"Retry-After": "1"},
    503: {"Retry-After": "5"},
}


class Problem(Exception):
    """What is wrong with a request, and what to do."""

    def __init__(self, status: int, detail: str, errors: Errors = (), **headers: str) -> None:
        super().__init__(detail)
        self.status, self.detail, self.errors = status, detail, errors
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def response(self) -> Response:
        """The problem as an answer."""
        content: dict[str, Any] = {
            "type": KIND + KINDS.get(self.status, "other"),
            "title": TITLES.get(self.status, "This did not work"),
            "status": self.status,
            "detail": self.detail,
            "request_id": request_id.get(),
        }
        if self.errors:
            content["errors"] = list(self.errors[:SHOWN])
        headers = HEADERS.get(self.status, {}) | self.headers
        return Response(as_json(content), self.status, headers, MEDIA_TYPE)


def problem_of(wrong: Exception) -> Problem:
    """What nearcopy raised on purpose, as a problem."""
    if isinstance(wrong, Problem):
        return wrong
    if isinstance(wrong, NotStored):
        return Problem(404, str(wrong))
    if isinstance(wrong, BadArticle | BadFeedback | BadPolicy):
        return Problem(422, str(wrong))
    if isinstance(wrong, StoreError):
        log.error("the store: %s", wrong)
        return Problem(503, "the store cannot be used just now: try again later; the log says why")
    if isinstance(wrong, NearcopyError):
        return Problem(422, str(wrong))
    log.exception("a fault", exc_info=wrong)
    return Problem(500, "look for the request id in the log of the service, and report it")


def not_valid(wrong: RequestValidationError) -> Problem:
    """Parameters that are not as they should be, each by its name."""
    errors = [_error(each) for each in wrong.errors()]
    listed = "; ".join(f"{each['field']}: {each['detail']}" for each in errors[:3])
    return Problem(422, listed or "the request is not valid", errors)


def _error(found: Mapping[str, Any]) -> dict[str, Any]:
    place = [str(part) for part in found["loc"] if part not in ("query", "path", "body", "header")]
    return {"field": ".".join(place) or "body", "detail": str(found["msg"])}


def tell_problems(app: FastAPI) -> None:
    """Has the app answer every error with a problem."""

    def told(_: Request, wrong: Exception) -> Response:
        return problem_of(wrong).response()

    def validation(_: Request, wrong: Exception) -> Response:
        assert isinstance(wrong, RequestValidationError)  # noqa: S101
        return not_valid(wrong).response()

    def http(request: Request, wrong: Exception) -> Response:
        assert isinstance(wrong, HTTPException)  # noqa: S101
        return http_problem(request, wrong).response()

    app.add_exception_handler(Problem, told)
    app.add_exception_handler(NearcopyError, told)
    app.add_exception_handler(RequestValidationError, validation)
    app.add_exception_handler(HTTPException, http)


def http_problem(request: Request, wrong: HTTPException) -> Problem:
    """What is not there, or not to be asked so."""
    headers = {name.replace("-", "_"): value for name, value in (wrong.headers or {}).items()}
    if wrong.status_code == 404:
        return Problem(404, f"nothing is at {request.url.path:.200}: /docs lists what there is")
    if wrong.status_code == 405:
        allowed = headers.get("Allow", "another method")
        detail = f"{request.method:.20} is not for {request.url.path:.200}: use {allowed}"
        return Problem(405, detail, (), **headers)
    return Problem(wrong.status_code, str(wrong.detail), (), **headers)
