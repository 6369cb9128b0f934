"""The ASGI application of a worker process."""

import asyncio
import math
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import Response

from nearcopy.config.gc_tuning import reduce_gc_frequency
from nearcopy.errors import NearcopyError, StoreError
from nearcopy.service import api, pages
from nearcopy.service.api import articles, pairs, preview, status, stories
from nearcopy.service.dependencies import Service
from nearcopy.service.log_format import configure_logging, log
from nearcopy.service.middleware import RawPaths, RequestLimits, RequestLog, SecurityHeaders
from nearcopy.service.pages.render import problem_page, wants_json
from nearcopy.service.problems import Problem, http_problem, problem_of
from nearcopy.service.settings import WORKER_SETTINGS, Settings, settings_from_json
from nearcopy.stores.retry import Backoff

DESCRIPTION = "Has this been published before, where, and how do we know?"
SWITCH_SECONDS = 0.001  # threads switch this often, so that responses need not wait for adds
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds between attempts to open the store
API = (
    *(articles.router, stories.router, pairs.router, pairs.tuning_router),
    *(preview.router, status.router),
)
BEARER = Security(HTTPBearer(auto_error=False, description="A token, if the service has any."))


def from_environment() -> FastAPI:
    """The app of a worker process, with the settings that the parent process passed on."""
    settings = settings_from_json(os.environ[WORKER_SETTINGS])
    configure_logging(settings.log_level, as_json=settings.log_json)
    sys.setswitchinterval(SWITCH_SECONDS)
    reduce_gc_frequency()  # most objects live long: frequent garbage collection finds nothing
    return make_app(settings)


def make_app(settings: Settings) -> FastAPI:
    service = Service(settings)
    app = FastAPI(
        title="nearcopy",
        description=DESCRIPTION,
        version=version("nearcopy"),
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        redirect_slashes=False,
    )
    app.state.service = service
    for router in API:
        app.include_router(router, dependencies=[BEARER])
    for router in (status.health_router, api.router, *pages.ROUTERS):
        app.include_router(router)
    _install_error_handlers(app, service)
    app.add_middleware(RequestLimits, settings=settings, authenticator=service.authenticator)
    app.add_middleware(RawPaths)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(RequestLog, metrics=service.metrics)
    return app


def _install_error_handlers(app: FastAPI, service: Service) -> None:
    """Answer every expected error with its problem."""

    def respond(_: Request, error: Exception) -> Response:
        if isinstance(error, StoreError):
            service.metrics.store_errors.inc()
        return problem_of(error).response()

    for kind in (Problem, NearcopyError, RequestValidationError):
        app.add_exception_handler(kind, respond)
    app.add_exception_handler(HTTPException, _respond_to_router_error)


def _respond_to_router_error(request: Request, error: Exception) -> Response:
    """A problem, as a page if the client accepts HTML."""
    assert isinstance(error, HTTPException)  # noqa: S101
    problem = http_problem(request, error)
    wants_page = "text/html" in request.headers.get("accept", "") and not wants_json(request)
    if wants_page and not request.url.path.startswith("/api/"):
        return problem_page(request, problem)
    return problem.response()


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Load the window in the background; at shutdown finish requests and close the stores."""
    service: Service = app.state.service
    service.install_signal_handlers()
    warm_up = asyncio.create_task(_warm_up(service))
    try:
        yield
    finally:
        service.stopping.set()
        await asyncio.gather(warm_up, return_exceptions=True)
        await asyncio.to_thread(service.pools.close)
        service.tokens.close()


async def _warm_up(service: Service) -> None:
    """Load the window; retry with exponential backoff while the store is unavailable."""
    backoff, stopping = Backoff(math.inf, FIRST_PAUSE, LONGEST_PAUSE), False
    while not stopping:
        try:
            await service.pools.warm()
            return
        except (NearcopyError, Problem) as error:
            log.error("the store is unavailable, retry in %.1f s: %s", backoff.pause, error)
        stopping = await asyncio.to_thread(service.stopping.wait, backoff.next_pause())
