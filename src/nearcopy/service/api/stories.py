"""Stories: list, get, spread; actions on them, their audit log, and undo."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal
from urllib.parse import quote, unquote

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.deduper.story_actions import ActionResult
from nearcopy.errors import BadArticle
from nearcopy.io.files import read_time
from nearcopy.io.serializers import action_result_row, action_row, dataclass_row, story_row
from nearcopy.service.api import PREFIX, model_body, problems
from nearcopy.service.dependencies import ReadAccess, WriteAccess
from nearcopy.service.problems import field_problem, json_response
from nearcopy.service.request_bodies import read_model
from nearcopy.service.schemas import (
    ActionIn,
    ActionResultOut,
    AuditLogPage,
    StoryOut,
    StoryPage,
)

router = APIRouter(prefix=PREFIX, tags=["stories"], responses=problems())
MAX_NUMBER = 1 << 53
Id = Annotated[str, Path(description="A story, or an article in it.", max_length=4_000)]
Words = Annotated[str | None, Query(max_length=200)]
Moment = Annotated[str | None, Query(max_length=64, description="ISO 8601, such as 2026-01-31.")]
ActionNumber = Annotated[int, Path(description="Its number in the audit log.", ge=1, le=MAX_NUMBER)]


@dataclass(frozen=True, slots=True)
class StoryQuery:
    """The query parameters of a list of stories."""

    since: Moment = None
    until: Moment = None
    min_members: Annotated[int, Query(ge=1, le=1_000_000)] = 2
    source: Words = None
    text: Words = None
    order: Literal["newest", "largest"] = "newest"
    after: Annotated[str | None, Query(max_length=60)] = None

    def arguments(self, limit: int) -> dict[str, Any]:
        """The arguments of `Deduper.find_stories`."""
        return {
            "since": parse_time("since", self.since),
            "until": parse_time("until", self.until),
            "least": self.min_members,
            "source": self.source or None,
            "text": self.text or None,
            "order": self.order,
            "after": self.after or None,
            "limit": limit,
        }


def parse_time(field: str, text: str | None) -> datetime | None:
    try:
        return read_time(text) if text else None
    except BadArticle as error:
        raise field_problem(field, str(error)) from None


@router.get(
    "/stories",
    response_model=StoryPage,
    summary="List stories with an article of this time, outlet and title",
)
async def stories(
    context: ReadAccess,
    query: Annotated[StoryQuery, Depends()],
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """A page of stories; `after` is the cursor of the next."""
    arguments = query.arguments(limit)
    page = await context.pool.reads.run(lambda deduper: deduper.find_stories(**arguments))
    return json_response({"stories": list(map(story_row, page.stories)), "after": page.after})


@router.get(
    "/stories/{id}",
    response_model=StoryOut,
    responses={307: {"description": "It was merged into the story in Location."}},
    summary="A story; redirects if it was merged into another",
)
async def story(request: Request, id: Id, context: ReadAccess) -> Response:  # noqa: A002
    """The story with all its members."""
    name = unquote(id)
    current = await context.pool.reads.run(lambda deduper: deduper.story(name))
    if current.id != name:
        query = f"?{request.url.query}" if request.url.query else ""
        location = f"{PREFIX}/stories/{quote(current.id, '')}{query}"
        return Response(status_code=307, headers={"Location": location})
    return json_response(story_row(current))


@router.get(
    "/stories/{id}/spread",
    response_model=dict[str, Any],
    summary="How a story spread from outlet to outlet",
)
async def spread(id: Id, context: ReadAccess) -> Response:  # noqa: A002
    """Its outlets in order of publication, and the steps between them."""
    name = unquote(id)
    steps = await context.pool.reads.run(lambda deduper: deduper.spread(name))
    return json_response(dataclass_row(steps))


@router.post(
    "/actions",
    response_model=ActionResultOut,
    responses=problems(415),
    openapi_extra=model_body(ActionIn),
    summary="Keep another copy, split off a member, or merge two stories",
)
async def act(request: Request, context: WriteAccess) -> Response:
    """The action, and the changes it made."""
    action, by = await read_model(request, ActionIn), context.caller.name
    result = await context.pool.adds.run(lambda deduper: run_action(deduper, action, by))
    return json_response(action_result_row(result))


def run_action(deduper: Deduper, action: ActionIn, by: str) -> ActionResult:
    if (action.other is None) == (action.kind == "merge"):
        raise field_problem("other", "a merge needs the other story, other actions do not")
    if action.kind == "merge":
        return deduper.merge(action.article, action.other or "", by=by, note=action.note)
    method = deduper.keep if action.kind == "keep" else deduper.split
    return method(action.article, by=by, note=action.note)


@router.delete("/actions/{number}", response_model=ActionResultOut, summary="Undo an action")
async def undo(number: ActionNumber, context: WriteAccess) -> Response:
    """The action that was undone, and the changes."""
    by = context.caller.name
    result = await context.pool.adds.run(lambda deduper: deduper.undo(number, by=by))
    return json_response(action_result_row(result))


@router.get(
    "/actions",
    response_model=AuditLogPage,
    summary="The audit log of actions on stories, the latest first",
)
async def actions(
    context: ReadAccess,
    before: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """A page of the audit log; `before` is the cursor of the next."""
    page = await context.pool.reads.run(lambda deduper: deduper.actions(before=before, limit=limit))
    more = page[-1].number if len(page) == limit and page[-1].number > 1 else None
    return json_response({"actions": list(map(action_row, page)), "before": more})
