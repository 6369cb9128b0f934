"""The pages: what the API answers, for people; each with a JSON twin."""

from fastapi import APIRouter

from nearcopy.service.pages import compare, overview, review, stories, story
from nearcopy.service.pages import preview as trials
from nearcopy.service.pages import sign_in as signing
from nearcopy.service.pages import static_files as statics

PARTS = (overview, stories, story, compare, review, trials, signing, statics)


def pages() -> APIRouter:
    """All pages."""
    router = APIRouter(include_in_schema=False)
    for part in PARTS:
        router.include_router(part.router)
    return router
