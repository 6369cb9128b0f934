"""HTML pages for users: overview, stories, compare, review, try, sign-in; each has a JSON twin."""

from fastapi import APIRouter

from nearcopy.service.pages import compare, overview, preview, render, review, sign_in, stories

MODULES = (overview, stories, compare, review, preview, sign_in, render)


def pages() -> APIRouter:
    router = APIRouter(include_in_schema=False)
    for module in MODULES:
        router.include_router(module.router)
    return router
