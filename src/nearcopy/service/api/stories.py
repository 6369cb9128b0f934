"""Stories: listed by page, shown, and how they spread."""

from typing import Annotated, Any, Literal
from urllib.parse import quote, unquote

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from nearcopy.errors import BadArticle
from nearcopy.io.files import read_time
from nearcopy.io.serializers.answers import spread_row, story_row
from nearcopy.service.api.openapi import PREFIX, problems
from nearcopy.service.dependencies import Reading
from nearcopy.service.json_response import answer
from nearcopy.service.problems import Problem
from nearcopy.service.schemas.responses import StoriesPage, StoryShape

router = APIRouter(prefix=PREFIX, tags=["stories"])
Id = Annotated[str, Path(description="A story, or an article in one.", max_length=4_000)]
Words = Annotated[str | None, Query(max_length=200)]
Moment = Annotated[str | None, Query(max_length=64, description="ISO 8601, such as 2026-01-31.")]


@router.get(
    "/stories",
    response_model=StoriesPage,
    responses=problems(),
    summary="Stories by page: those with an article of this time, outlet and title",
)
async def stories(
    asked: Reading,
    since: Moment = None,
    until: Moment = None,
    min_members: Annotated[int, Query(ge=1, le=1_000_000)] = 2,
    source: Words = None,
    text: Words = None,
    order: Literal["newest", "largest"] = "newest",
    after: Annotated[str | None, Query(max_length=60)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """A page; `after` begins the next."""
    wanted: dict[str, Any] = {
        "since": moment("since", since),
        "until": moment("until", until),
        "least": min_members,
        "source": source,
        "text": text,
    }
    found = await asked.pool.looks.run(
        lambda deduper: deduper.find_stories(**wanted, order=order, after=after, limit=limit)
    )
    return answer({"stories": [story_row(each) for each in found.stories], "after": found.after})


@router.get(
    "/stories/{id}",
    response_model=StoryShape,
    responses=problems() | {307: {"description": "It became part of the story named there."}},
    summary="A story; one that became part of another leads there",
)
async def story(request: Request, id: Id, asked: Reading) -> Response:  # noqa: A002
    """The story with all its members."""
    name = unquote(id)
    found = await asked.pool.looks.run(lambda deduper: deduper.story(name))
    if found.id != name:
        query = f"?{request.url.query}" if request.url.query else ""
        return Response(
            status_code=307, headers={"Location": f"{PREFIX}/stories/{quote(found.id, '')}{query}"}
        )
    return answer(story_row(found))


@router.get(
    "/stories/{id}/spread",
    response_model=dict[str, Any],
    responses=problems(),
    summary="How a story spread from outlet to outlet",
)
async def spread(id: Id, asked: Reading) -> Response:  # noqa: A002
    """Its outlets and steps."""
    name = unquote(id)
    return answer(spread_row(await asked.pool.looks.run(lambda deduper: deduper.spread(name))))


def moment(name: str, text: str | None) -> Any:
    """The time that a text says, None where there is none; else a problem."""
    try:
        return read_time(text) if text else None
    except BadArticle as wrong:
        raise Problem(422, f"{name} is {wrong}", [{"field": name, "detail": str(wrong)}]) from None
