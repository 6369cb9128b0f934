"""The pages: what the API answers, for people; each with a JSON twin."""

from fastapi import APIRouter

from nearcopy.service.pages import compare, overview, review, signing, statics, stories, story
from nearcopy.service.pages import trying as trials

PARTS = (overview, stories, story, compare, review, trials, signing, statics)


def pages() -> APIRouter:
    """All pages."""
    router = APIRouter(include_in_schema=False)
    for part in PARTS:
        router.include_router(part.router)
    return router
