"""/docs: the OpenAPI document as a page, from files that are here."""

from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import HTMLResponse, Response

router = APIRouter(include_in_schema=False)
ASSETS = {
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "swagger-ui.css": "text/css; charset=utf-8",
}
CARRIER = "fastapi_offline"  # carries the files of Swagger UI; no more of it is used
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>nearcopy: the API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
START = 'SwaggerUIBundle({url: "/openapi.json", dom_id: "#reference", deepLinking: true});\n'


@router.get("/docs")
async def reference() -> Response:
    """The page."""
    return HTMLResponse(PAGE)


@router.get("/docs/start.js")
async def start() -> Response:
    """What starts it: a strict policy runs no script within a page."""
    return Response(START, media_type="text/javascript; charset=utf-8")


@router.get("/docs/{name}")
async def asset(name: str) -> Response:
    """A file of the page."""
    if name not in ASSETS:
        return Response(status_code=404)
    content = files(CARRIER).joinpath("static", name).read_bytes()
    return Response(content, media_type=ASSETS[name], headers={"Cache-Control": "max-age=86400"})
