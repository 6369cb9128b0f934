"""Sessions: how the page signs in, and who is asking."""

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from nearcopy.service.api.openapi import PREFIX, problems, token_body
from nearcopy.service.auth import COOKIE, Caller
from nearcopy.service.dependencies import Administering, Reading, service_of
from nearcopy.service.json_response import answer
from nearcopy.service.problems import Problem
from nearcopy.service.request_bodies import json_body
from nearcopy.service.schemas.responses import Session

router = APIRouter(prefix=PREFIX, tags=["session"])
GONE = f"{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"


@router.get("/session", response_model=Session, responses=problems(), summary="Who is asking")
async def session(asked: Reading) -> Response:
    """The name of the token, and what it allows."""
    return answer(_session(asked.caller))


@router.post(
    "/session",
    response_model=Session,
    responses=problems(415),
    openapi_extra=token_body(),
    summary="Sign a browser in with a token",
)
async def sign_in(request: Request) -> Response:
    """Who it is; the answer sets the cookie."""
    service, body = service_of(request), await json_body(request)
    secret = body.get("token") if isinstance(body, dict) else None
    if not isinstance(secret, str):
        raise Problem(422, "token: give it as text", [{"field": "token", "detail": "missing"}])
    token = service.tokens.find(secret)
    if token is None:
        raise Problem(401, "this token is not known: `nearcopy token add NAME` makes one")
    found = Caller(token.name, token.scopes, token.pool)
    return answer(_session(found), Set_Cookie=service.gate.cookie(secret))


@router.delete("/session", status_code=204, responses=problems(), summary="Sign a browser out")
async def sign_out() -> Response:
    """Nothing; the answer takes the cookie away."""
    return Response(status_code=204, headers={"Set-Cookie": GONE})


@router.get(
    "/settings",
    response_model=dict[str, Any],
    responses=problems(),
    summary="The settings in force",
)
async def settings(asked: Administering) -> Response:
    """The settings, but for where the store is."""
    shown = asdict(asked.settings)
    del shown["store"], shown["tokens"], shown["policy"]  # an address may hold a password
    return answer(shown)


def _session(caller: Caller) -> dict[str, Any]:
    return {"name": caller.name, "scopes": list(caller.scopes), "pool": caller.pool}
