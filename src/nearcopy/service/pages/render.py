"""Rendering: data and a template make a page; the data alone are its JSON twin.

The twin is requested with `?format=json`, or by an Accept header with JSON and without HTML.
Templates escape everything: titles and texts never act as markup.
"""

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import Response

from nearcopy.errors import NearcopyError
from nearcopy.service.auth import Caller
from nearcopy.service.dependencies import RequestContext, service_of
from nearcopy.service.log_format import request_id
from nearcopy.service.problems import Problem, header_names, json_response, problem_of

MAX_TITLE = 240  # characters


def number(value: float | None) -> str:
    """A whole number with thousands separators.

    >>> number(1234567)
    '1,234,567'
    """
    return "–" if value is None else f"{value:,.0f}"


def share(value: float | None) -> str:
    """A share as a percentage.

    >>> share(0.1234), share(None)
    ('12.3 %', '–')
    """
    return "–" if value is None else f"{value * 100:.1f} %"


def decimal(value: float | None, digits: int = 2) -> str:
    """A number with a fixed number of decimals."""
    return "–" if value is None else f"{value:.{digits}f}"


def milliseconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f} ms" if value < 100 else f"{value:,.0f} ms"


def when(value: str | None) -> Markup:
    """A time in UTC as a `time` element."""
    if not value:
        return Markup('<span class="quiet">no date</span>')
    moment = datetime.fromisoformat(value).astimezone(UTC)
    text = f"{moment.day} {moment:%b %Y}, {moment:%H:%M}"
    return Markup('<time datetime="{}" title="UTC">{}</time>').format(moment.isoformat(), text)


def day(value: str) -> str:
    """A day and month.

    >>> day("2026-05-04")
    '4 May'
    """
    moment = datetime.fromisoformat(value)
    return f"{moment.day} {moment:%b}"


def after(hours: float | None) -> str:
    """The time after the first article.

    >>> after(0), after(0.5), after(30)
    ('first', '+30 min', '+1 d 6 h')
    """
    if hours is None:
        return "–"
    minutes = round(hours * 60)
    if minutes == 0:
        return "first"
    if minutes < 60:
        return f"+{minutes} min"
    if minutes < 24 * 60:
        return f"+{minutes // 60} h {minutes % 60:02} min"
    return f"+{minutes // 1440} d {minutes % 1440 // 60} h"


def short(text: str | None, max_chars: int = MAX_TITLE) -> str:
    """The beginning of a text."""
    text = text or ""
    return text if len(text) <= max_chars else text[:max_chars].rstrip() + "…"


def capitalized(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def title(text: str | None, language: str | None = None) -> Markup:
    """A title in its own language and text direction."""
    shortened = short(text)
    if not shortened.strip():
        return Markup('<span class="quiet">untitled</span>')
    attribute = Markup(' lang="{}"').format(language[:35]) if language else Markup("")
    return Markup('<bdi dir="auto"{}>{}</bdi>').format(attribute, shortened)


def relation(name: str | None) -> Markup:
    """A relation as a label; None is the kept copy."""
    if name is None:
        return Markup('<span class="mark kept">kept copy</span>')
    return Markup('<span class="mark {}">{}</span>').format(name, spaced(name))


def spaced(name: str) -> str:
    """A name in words.

    >>> spaced("near_text")
    'near text'
    """
    return name.replace("_", " ")


def plural(count: int, singular: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> plural(1, "article"), plural(1200, "story", "stories")
    ('1 article', '1,200 stories')
    """
    return f"{number(count)} {singular if count == 1 else many or singular + 's'}"


HERE = Path(__file__).parent
HTML = "text/html; charset=utf-8"
STATIC_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
STATIC_FILES = {
    path.name: path for path in (HERE / "static").iterdir() if path.suffix in STATIC_TYPES
}

router = APIRouter(include_in_schema=False)
templates = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
templates.filters |= {
    "number": number,
    "share": share,
    "decimal": decimal,
    "ms": milliseconds,
    "when": when,
    "day": day,
    "after": after,
    "short": short,
    "capitalized": capitalized,
    "heading": title,
    "relation": relation,
    "plural": plural,
}


class Frame(NamedTuple):
    """What surrounds the content of every page."""

    path: str
    query: str
    pool: str | None  # of the request
    caller: Caller | None

    def link(self, path: str, **query: Any) -> str:
        """An address of this service, in the same pool."""
        parameters = {name: value for name, value in query.items() if value not in (None, "")}
        if self.pool:
            parameters["pool"] = self.pool
        suffix = f"?{urlencode(parameters, errors='replace')}" if parameters else ""
        return quote(path, safe="/%") + suffix

    def story(self, name: str) -> str:
        return self.link(f"/stories/{quote(name, safe='', errors='replace')}")

    @property
    def twin(self) -> str:
        """The query of the JSON twin of this page."""
        parameters = [(name, value) for name, value in parse_qsl(self.query) if name != "format"]
        return urlencode([*parameters, ("format", "json")], errors="replace")

    def allows(self, scope: str) -> bool:
        return self.caller is not None and self.caller.allows(scope)


def frame_of(request: Request, caller: Caller | None) -> Frame:
    pool = request.query_params.get("pool")
    return Frame(request.url.path, request.url.query, pool, caller)


def wants_json(request: Request) -> bool:
    """Whether the JSON twin is requested."""
    accepted = request.headers.get("accept", "")
    by_header = "json" in accepted and "text/html" not in accepted
    return request.query_params.get("format") == "json" or by_header


def respond(
    request: Request, context: RequestContext, template: str, data: dict[str, Any], **view: Any
) -> Response:
    """The page of the data, or its JSON twin; `view` is for the page only."""
    if wants_json(request):
        return json_response(data)
    return render(template, frame_of(request, context.caller), **data, **view)


def render(template: str, frame: Frame, status: int = 200, **content: Any) -> Response:
    """The page in UTF-8; lone surrogates are replaced."""
    text = templates.get_template(template).render(frame=frame, **content)
    return Response(text.encode("utf-8", "replace"), status, media_type=HTML)


def redirect(address: str, **headers: str) -> Response:
    """A redirect after a form (303 See Other)."""
    return Response(status_code=303, headers={"Location": address, **header_names(headers)})


class PageRoute(APIRoute):
    """Shows problems as pages; redirects to the sign-in page where a token is needed."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_errors(request: Request) -> Response:
            try:
                return await handle(request)
            except (Problem, NearcopyError, RequestValidationError) as error:
                if wants_json(request):
                    raise
                return problem_page(request, error)

        return handle_errors


def problem_page(request: Request, error: Exception) -> Response:
    problem = problem_of(error)
    if problem.status == 401 and request.method in ("GET", "HEAD"):
        query = f"?{request.url.query}" if request.url.query else ""
        return redirect(f"/sign-in?{urlencode({'next': request.url.path + query})}")
    try:
        caller = service_of(request).authenticator.authenticate(request)
    except Problem:
        caller = None
    return render(
        "problem.html",
        frame_of(request, caller),
        problem.status,
        title=problem.title,
        detail=problem.detail,
        request_id=request_id.get(),
    )


def page_router() -> APIRouter:
    return APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/static/{name}")
async def static_file(name: str) -> Response:
    """A style sheet, script or icon; revalidated each time, so that it fits its page."""
    if name not in STATIC_FILES:
        return Response(status_code=404)
    path = STATIC_FILES[name]
    headers = {"Cache-Control": "no-cache"}
    return Response(path.read_bytes(), media_type=STATIC_TYPES[path.suffix], headers=headers)


@router.get("/favicon.ico")
async def icon() -> Response:
    """The icon, for pages that name none."""
    return await static_file("icon.svg")
