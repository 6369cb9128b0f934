"""Signing in and out with a token."""

from fastapi import Request
from starlette.responses import Response

from nearcopy.service.api.session import GONE
from nearcopy.service.auth import check_site
from nearcopy.service.dependencies import service_of
from nearcopy.service.pages.forms import form_of, inside
from nearcopy.service.pages.render import frame_of, moved, page_router, rendered

router = page_router()


@router.get("/sign-in")
async def ask(request: Request) -> Response:
    """The form, unless nobody need sign in."""
    target = inside(request.query_params.get("next", "/"))
    if service_of(request).gate.open:
        return moved(target)
    return _form(request, target)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """On to where they were going, or the form again."""
    check_site(request)
    form = await form_of(request)
    service, target = service_of(request), inside(form.get("next", "/"))
    secret = form.get("token", "").strip()
    if service.tokens.find(secret) is None:
        return _form(request, target, wrong=True)
    return moved(target, Set_Cookie=service.gate.cookie(secret))


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """To the form, without the cookie."""
    check_site(request)
    return moved("/sign-in", Set_Cookie=GONE)


def _form(request: Request, target: str, *, wrong: bool = False) -> Response:
    status = 401 if wrong else 200
    return rendered("sign_in.html", frame_of(request, None), status, next=target, wrong=wrong)
