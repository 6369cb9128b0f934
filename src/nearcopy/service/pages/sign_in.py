"""Sign in and out with a token."""

from fastapi import Request
from starlette.responses import Response

from nearcopy.service.auth import EXPIRED_COOKIE, check_same_site
from nearcopy.service.dependencies import service_of
from nearcopy.service.pages.render import frame_of, page_router, redirect, render
from nearcopy.service.request_bodies import read_form

router = page_router()


@router.get("/sign-in")
async def sign_in_form(request: Request) -> Response:
    """The form, unless no token is needed."""
    target = local_path(request.query_params.get("next", "/"))
    if service_of(request).authenticator.open:
        return redirect(target)
    return _form(request, target)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Redirect to the requested page, or show the form again."""
    check_same_site(request)
    form = await read_form(request)
    service, target = service_of(request), local_path(form.get("next", "/"))
    secret = form.get("token", "").strip()
    if service.tokens.find(secret) is None:
        return _form(request, target, invalid=True)
    return redirect(target, Set_Cookie=service.authenticator.cookie(secret))


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """Delete the cookie, and show the form."""
    check_same_site(request)
    return redirect("/sign-in", Set_Cookie=EXPIRED_COOKIE)


def local_path(address: str) -> str:
    """The address if it is a path of this service, else "/": against open redirects."""
    local = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if local and address.isprintable() and address.isascii() else "/"


def _form(request: Request, target: str, *, invalid: bool = False) -> Response:
    status = 401 if invalid else 200
    return render("sign_in.html", frame_of(request, None), status, next=target, invalid=invalid)
