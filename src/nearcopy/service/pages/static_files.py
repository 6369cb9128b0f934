"""The files that pages are drawn with."""

from fastapi import APIRouter
from starlette.responses import Response

from nearcopy.service.pages.render import HERE

router = APIRouter(include_in_schema=False)
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
FILES = {path.name: path for path in (HERE / "static").iterdir() if path.suffix in KINDS}


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """One of them; looked at again each time, so that none is older than its page."""
    if name not in FILES:
        return Response(status_code=404)
    path = FILES[name]
    headers = {"Cache-Control": "no-cache"}
    return Response(path.read_bytes(), media_type=KINDS[path.suffix], headers=headers)


@router.get("/favicon.ico")
async def icon() -> Response:
    """The mark, for pages that name none, as that of the API."""
    return await static("mark.svg")
