"""Whether the service lives, is ready, and how it does."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from nearcopy.errors import NearcopyError
from nearcopy.service.api.openapi import problems
from nearcopy.service.dependencies import Administering, service_of
from nearcopy.service.json_response import answer
from nearcopy.service.log_format import log
from nearcopy.service.problems import Problem
from nearcopy.service.schemas.responses import Health

router = APIRouter(tags=["health"])
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/healthz", response_model=Health, summary="Whether the service lives")
async def healthz() -> Response:
    """It does."""
    return answer({"status": "ok"})


@router.get(
    "/readyz",
    response_model=Health,
    responses=problems(),
    summary="Whether the service is ready to be asked",
)
async def readyz(request: Request) -> Response:
    """It is, once the window has been read."""
    service = service_of(request)
    if not service.pools.ready or service.stopping.is_set():
        raise Problem(503, "the window is being read, or the service stops: ask again in a second")
    return answer({"status": "ready"})


@router.get(
    "/metrics",
    responses=problems() | {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    response_class=Response,
    summary="What Prometheus reads",
)
async def metrics(asked: Administering) -> Response:
    """The counts of all workers, and the numbers of the store."""
    service = asked.service
    try:
        found = await service.stats(service.settings.pool, None)
    except (NearcopyError, Problem) as wrong:
        log.warning("no numbers of the store: %s", wrong)
        return Response(service.metrics.text(None, None), media_type=PROMETHEUS)
    text = service.metrics.text(found, service.pools.window_days)
    return Response(text, media_type=PROMETHEUS)
