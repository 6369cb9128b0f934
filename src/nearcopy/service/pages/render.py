"""Rendering: data and a template make a page, or the data alone make its JSON twin.

A page is asked for as JSON with `?format=json`, or by an Accept header that takes JSON and no HTML.
Everything is escaped; titles and texts are shown as they are and never as markup.
"""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import Response

from nearcopy.errors import NearcopyError
from nearcopy.service.auth import Caller
from nearcopy.service.dependencies import Asked, service_of
from nearcopy.service.json_response import answer
from nearcopy.service.log_format import request_id
from nearcopy.service.pages import template_filters as wording
from nearcopy.service.problems import TITLES, Problem, not_valid, problem_of

HERE = Path(__file__).parent
HTML = "text/html; charset=utf-8"
SECTIONS = (
    ("/", "Overview"),
    ("/stories", "Stories"),
    ("/compare", "Compare"),
    ("/review", "Review"),
    ("/try", "Try"),
)

templates = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
templates.filters |= wording.FILTERS


class Frame(NamedTuple):
    """What is around the content of every page."""

    path: str
    query: str
    pool: str | None  # that was asked for
    caller: Caller | None
    signed_in: bool
    sections: tuple[tuple[str, str], ...] = SECTIONS

    def link(self, path: str, **query: Any) -> str:
        """An address of this service, within the same pool."""
        given = {name: value for name, value in query.items() if value not in (None, "")}
        if self.pool:
            given["pool"] = self.pool
        asked = f"?{urlencode(given, errors='replace')}" if given else ""
        return quote(path, safe="/%") + asked

    def story(self, name: str) -> str:
        """The address of a story's page."""
        return self.link(f"/stories/{quote(name, safe='', errors='replace')}")

    @property
    def twin(self) -> str:
        """What asks for this page as JSON."""
        kept = [each for each in parse_qsl(self.query, max_num_fields=None) if each[0] != "format"]
        return urlencode([*kept, ("format", "json")], errors="replace")

    @property
    def may_write(self) -> bool:
        """Whether who asks may act."""
        return self.caller is not None and self.caller.allows("write")

    @property
    def may_administer(self) -> bool:
        """Whether who asks may accept what was tuned."""
        return self.caller is not None and self.caller.allows("admin")


def frame_of(request: Request, caller: Caller | None) -> Frame:
    """The frame of a request."""
    pool = request.query_params.get("pool")
    signed_in = caller is not None and caller.by_cookie
    return Frame(request.url.path, request.url.query, pool, caller, signed_in)


def wants_json(request: Request) -> bool:
    """Whether the JSON twin is asked for."""
    accepted = request.headers.get("accept", "")
    by_header = "json" in accepted and "text/html" not in accepted
    return request.query_params.get("format") == "json" or by_header


def shown(
    request: Request, asked: Asked, template: str, data: dict[str, Any], **extra: Any
) -> Response:
    """The page of these data, or they themselves; `extra` is only drawn."""
    if wants_json(request):
        return answer(data)
    return rendered(template, frame_of(request, asked.caller), **data, **extra)


def rendered(template: str, frame: Frame, status: int = 200, **content: Any) -> Response:
    """The page; half a surrogate pair has no place in UTF-8."""
    text = templates.get_template(template).render(frame=frame, **content)
    return Response(text.encode("utf-8", "replace"), status, media_type=HTML)


def moved(address: str, **headers: str) -> Response:
    """What sends a browser on, after a form."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status_code=303, headers={"Location": address, **named})


Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class PageRoute(APIRoute):
    """Shows problems as pages; who has to sign in first is sent there."""

    def get_route_handler(self) -> Handler:
        """What answers."""
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                return await handle(request)
            except (Problem, NearcopyError, RequestValidationError) as wrong:
                if wants_json(request):
                    raise
                return problem_page(request, wrong)

        return guarded


def problem_page(request: Request, wrong: Exception) -> Response:
    """What is wrong, and what to do."""
    found = not_valid(wrong) if isinstance(wrong, RequestValidationError) else problem_of(wrong)
    if found.status == 401 and request.method in ("GET", "HEAD"):
        asked = f"?{request.url.query}" if request.url.query else ""
        return moved(f"/sign-in?{urlencode({'next': request.url.path + asked})}")
    try:
        caller = service_of(request).gate.caller(request)
    except Problem:
        caller = None
    return rendered(
        "problem.html",
        frame_of(request, caller),
        found.status,
        title=TITLES.get(found.status, "This did not work"),
        detail=found.detail,
        request_id=request_id.get(),
    )


def page_router() -> APIRouter:
    """A router of pages."""
    return APIRouter(include_in_schema=False, route_class=PageRoute)
