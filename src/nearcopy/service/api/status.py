"""The service itself: health, metrics, statistics, settings, and the session of a browser."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from nearcopy.errors import NearcopyError
from nearcopy.io.serializers import stats_row
from nearcopy.service.api import PREFIX, model_body, problems
from nearcopy.service.auth import EXPIRED_COOKIE, Caller, caller_of
from nearcopy.service.dependencies import AdminAccess, ReadAccess, service_of
from nearcopy.service.log_format import log
from nearcopy.service.problems import Problem, field_problem, json_response
from nearcopy.service.request_bodies import read_json
from nearcopy.service.schemas import Health, Session, SignIn, StatsOut

health_router = APIRouter(tags=["health"])
router = APIRouter(prefix=PREFIX, tags=["status"], responses=problems())
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


@health_router.get("/healthz", response_model=Health, summary="Liveness")
async def healthz() -> Response:
    """Responds as long as the process runs."""
    return json_response({"status": "ok"})


@health_router.get("/readyz", response_model=Health, responses=problems(), summary="Readiness")
async def readyz(request: Request) -> Response:
    """Ready once the window is loaded, until the service shuts down."""
    service = service_of(request)
    if not service.pools.ready or service.stopping.is_set():
        raise Problem(503, "the service is starting or shutting down: try again in a second")
    return json_response({"status": "ready"})


@health_router.get(
    "/metrics",
    responses=problems() | {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    response_class=Response,
    summary="Prometheus metrics",
)
async def metrics(context: AdminAccess) -> Response:
    """Counters of all workers, and gauges of the store."""
    service, stats = context.service, None
    try:
        stats = await service.stats(service.settings.pool, None)
    except (NearcopyError, Problem) as error:
        log.warning("metrics without statistics of the store: %s", error)
    text = service.metrics.text(stats, service.pools.window_days)
    return Response(text, media_type=PROMETHEUS)


@router.get("/stats", response_model=StatsOut, summary="Statistics of a pool")
async def stats(
    context: ReadAccess,
    days: Annotated[int | None, Query(ge=1, le=100_000, description="Of the last days.")] = None,
) -> Response:
    """Articles, duplicates, stories, feedback and latencies."""
    return json_response(stats_row(await context.stats(days)))


@router.get("/settings", response_model=dict[str, Any], summary="Effective settings")
async def settings(context: AdminAccess) -> Response:
    """The settings without paths and addresses, which may contain a password."""
    values = asdict(context.settings)
    del values["store"], values["tokens"], values["policy"]
    return json_response(values)


@router.get("/session", response_model=Session, summary="The caller")
async def session(context: ReadAccess) -> Response:
    """The name of the token, its scopes and its pool."""
    return json_response(_session(context.caller))


@router.post(
    "/session",
    response_model=Session,
    responses=problems(415),
    openapi_extra=model_body(SignIn),
    summary="Sign in a browser with a token",
)
async def sign_in(request: Request) -> Response:
    """The caller; the response sets the cookie."""
    service, body = service_of(request), await read_json(request)
    secret = body.get("token") if isinstance(body, dict) else None
    if not isinstance(secret, str):
        raise field_problem("token", "missing: send it as a string")
    token = service.tokens.find(secret)
    if token is None:
        raise Problem(401, "the token is not valid: `nearcopy token add NAME` creates one")
    cookie = service.authenticator.cookie(secret)
    return json_response(_session(caller_of(token)), Set_Cookie=cookie)


@router.delete("/session", status_code=204, summary="Sign out a browser")
async def sign_out() -> Response:
    """No content; the response deletes the cookie."""
    return Response(status_code=204, headers={"Set-Cookie": EXPIRED_COOKIE})


def _session(caller: Caller) -> dict[str, Any]:
    return {"name": caller.name, "scopes": list(caller.scopes), "pool": caller.pool}
