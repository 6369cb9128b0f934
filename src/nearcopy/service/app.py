"""The app: settings in, an ASGI application out."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI, Request, Security
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import Response

from nearcopy.config.gc_tuning import collect_seldom
from nearcopy.errors import NearcopyError, StoreError
from nearcopy.service import docs_page as reference
from nearcopy.service import log_format as logs
from nearcopy.service.api import actions as acts
from nearcopy.service.api import articles, health, pairs, session, stories
from nearcopy.service.api import preview as trying
from nearcopy.service.api import search_results as results
from nearcopy.service.api import tune as tuning
from nearcopy.service.auth import SafeAnswers
from nearcopy.service.dependencies import Service, made
from nearcopy.service.middleware.limits import Limits, RawPaths
from nearcopy.service.middleware.request_log import Observed
from nearcopy.service.pages import pages
from nearcopy.service.pages.render import problem_page, wants_json
from nearcopy.service.problems import Problem, http_problem, problem_of, tell_problems
from nearcopy.service.settings import HANDED_ON, Settings, taken_over

ABOUT = "Has this been published before, where, and how do we know?"
SWITCH_SECONDS = 0.001  # threads take turns this often, so that answers need not wait for adds
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds, before the store is tried again
API = (articles, stories, pairs, acts, results, tuning, trying, session)


def from_environment() -> FastAPI:
    """The app of a worker, with the settings that it was handed."""
    settings = taken_over(os.environ[HANDED_ON])
    logs.set_up(settings.log_level, as_json=settings.log_json)
    sys.setswitchinterval(SWITCH_SECONDS)
    collect_seldom()  # most of what is made stays, and is looked through in vain
    return make_app(settings)


def make_app(settings: Settings) -> FastAPI:
    """The app with these settings."""
    service = made(settings)
    app = FastAPI(
        title="nearcopy",
        description=ABOUT,
        version=version("nearcopy"),
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        redirect_slashes=False,
    )
    app.state.service = service
    for each in API:
        app.include_router(each.router, dependencies=[_BEARER])
    app.include_router(health.router)
    app.include_router(reference.router)
    app.include_router(pages())
    tell_problems(app)
    app.add_exception_handler(HTTPException, _lost)
    _count_store_errors(app, service)
    app.add_middleware(Limits, settings=settings, gate=service.gate)
    app.add_middleware(RawPaths)
    app.add_middleware(SafeAnswers)
    app.add_middleware(Observed, metrics=service.metrics)
    return app


_BEARER = Security(HTTPBearer(auto_error=False, description="A token, where there are any."))


def _lost(request: Request, wrong: Exception) -> Response:
    """That nothing is there: a page for who looks for one."""
    assert isinstance(wrong, HTTPException)  # noqa: S101
    problem = http_problem(request, wrong)
    wanted = "text/html" in request.headers.get("accept", "") and not wants_json(request)
    if wanted and not request.url.path.startswith("/api/"):
        return problem_page(request, problem)
    return problem.response()


def _count_store_errors(app: FastAPI, service: Service) -> None:
    def counted(_: Request, wrong: Exception) -> Response:
        service.metrics.store_failed()
        return problem_of(wrong).response()

    app.add_exception_handler(StoreError, counted)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Reads the window meanwhile; at the end finishes what has begun and closes the stores."""
    service: Service = app.state.service
    service.heed_signals()
    warming = asyncio.create_task(_warm(service))
    try:
        yield
    finally:
        service.stopping.set()
        await asyncio.gather(warming, return_exceptions=True)
        await asyncio.to_thread(service.pools.close)
        service.tokens.close()


async def _warm(service: Service) -> None:
    """Reads the window; where the store is away, as soon as it is back."""
    pause, stopping = FIRST_PAUSE, False
    while not stopping:
        try:
            await service.pools.warm()
            return
        except (NearcopyError, Problem) as wrong:
            logs.log.error("the store cannot be used, tried again in %.1f s: %s", pause, wrong)
        stopping = await asyncio.to_thread(service.stopping.wait, pause)
        pause = min(2 * pause, LONGEST_PAUSE)
