"""The HTTP API, a module per noun; here what its routes share, and its reference at /docs."""

from importlib.resources import files
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import HTMLResponse, Response

from nearcopy.service.problems import JSON, NDJSON, PROBLEM_JSON, title_of
from nearcopy.service.schemas import ArticleIn, LineError, PreviewLine, ProblemOut, VerdictOut

PREFIX = "/api/v1"
ARTICLE = ArticleIn.model_json_schema()
PROBLEM = {"content": {PROBLEM_JSON: {"schema": ProblemOut.model_json_schema()}}}
COMMON_PROBLEMS = (400, 401, 403, 404, 405, 413, 421, 422, 429, 500, 503)
ASSETS = {
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "swagger-ui.css": "text/css; charset=utf-8",
}
ASSET_PACKAGE = "fastapi_offline"  # only for the files of Swagger UI that it contains
START = 'SwaggerUIBundle({url: "/openapi.json", dom_id: "#reference", deepLinking: true});\n'
DOCS_PAGE = files(__name__).joinpath("docs.html").read_bytes()
router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def docs_page() -> Response:
    return HTMLResponse(DOCS_PAGE)


@router.get("/docs/start.js")
async def start_script() -> Response:
    """A file, since the content security policy allows no inline script."""
    return Response(START, media_type="text/javascript; charset=utf-8")


@router.get("/docs/{name}")
async def asset(name: str) -> Response:
    if name not in ASSETS:
        return Response(status_code=404)
    content = files(ASSET_PACKAGE).joinpath("static", name).read_bytes()
    return Response(content, media_type=ASSETS[name], headers={"Cache-Control": "max-age=86400"})


def problems(*more: int) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route."""
    statuses = sorted({*COMMON_PROBLEMS, *more})
    return {status: {"description": title_of(status), **PROBLEM} for status in statuses}


def model_body(model: type[BaseModel]) -> dict[str, Any]:
    return _body({JSON: {"schema": model.model_json_schema()}})


def articles_body(key: str, *, lines: bool = False) -> dict[str, Any]:
    """One article, a list, or an object with the list under the key."""
    array = {"type": "array", "items": ARTICLE}
    wrapped = {"type": "object", "properties": {key: array}, "required": [key]}
    content: dict[str, Any] = {JSON: {"schema": {"anyOf": [ARTICLE, array, wrapped]}}}
    if lines:
        content[NDJSON] = {"schema": {"type": "string", "description": "One article per line."}}
    return _body(content)


def file_body() -> dict[str, Any]:
    formats = "JSON lines, JSON, CSV, TSV, RSS, Atom or OPML."
    schema = {"type": "string", "format": "binary", "description": formats}
    return _body({"application/octet-stream": {"schema": schema}})


def verdict_lines() -> dict[str, Any]:
    line = {"anyOf": [VerdictOut.model_json_schema(), LineError.model_json_schema()]}
    return _lines(f"With {NDJSON}: a line for each line, as soon as it is stored.", line)


def preview_lines() -> dict[str, Any]:
    line = PreviewLine.model_json_schema()
    return _lines("A line for each article, or why it is invalid.", line)


def _body(content: dict[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": content}}


def _lines(description: str, line: dict[str, Any]) -> dict[str, Any]:
    return {NDJSON: {"schema": {"type": "string", "description": description, "x-line": line}}}
