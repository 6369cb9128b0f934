"""Acts: what people do to stories, the journal of it, and undoing."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.deduper.feedback.actions import Done
from nearcopy.io.serializers.answers import action_result_row, action_row
from nearcopy.service.api.openapi import PREFIX, act_body, problems
from nearcopy.service.dependencies import Reading, Writing
from nearcopy.service.json_response import answer
from nearcopy.service.problems import Problem
from nearcopy.service.request_bodies import json_body, model_of
from nearcopy.service.schemas.feedback import DoneShape, Journal
from nearcopy.service.schemas.requests import ActIn

router = APIRouter(prefix=PREFIX, tags=["acts"])
MOST = 1 << 53
Number = Annotated[int, Path(description="The act's number in the journal.", ge=1, le=MOST)]


@router.post(
    "/acts",
    response_model=DoneShape,
    responses=problems(415),
    openapi_extra=act_body(),
    summary="Keep another copy, split a member off, or merge two stories",
)
async def act(request: Request, asked: Writing) -> Response:
    """What was done, and what changed by it."""
    wanted = model_of(ActIn, await json_body(request))
    by = asked.caller.name
    return answer(action_result_row(await asked.pool.adds.run(lambda each: done(each, wanted, by))))


def done(deduper: Deduper, wanted: ActIn, by: str) -> Done:
    """The act, done."""
    if (wanted.other is None) == (wanted.act == "merge"):
        why = "a merge takes the other story, and nothing else does"
        raise Problem(422, f"other: {why}", [{"field": "other", "detail": why}])
    if wanted.act == "merge":
        return deduper.merge(wanted.article, wanted.other or "", by=by, note=wanted.note)
    work = deduper.keep if wanted.act == "keep" else deduper.split
    return work(wanted.article, by=by, note=wanted.note)


@router.delete(
    "/acts/{number}",
    response_model=DoneShape,
    responses=problems(),
    summary="Undo what was done to a story",
)
async def undo(number: Number, asked: Writing) -> Response:
    """What was undone, and what changed by it."""
    by = asked.caller.name
    return answer(
        action_result_row(await asked.pool.adds.run(lambda each: each.undo(number, by=by)))
    )


@router.get(
    "/acts",
    response_model=Journal,
    responses=problems(),
    summary="The journal of what people did to stories, the last first",
)
async def acts(
    asked: Reading,
    before: Annotated[int | None, Query(ge=1, le=MOST)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """A page; `before` begins the next."""
    found = await asked.pool.looks.run(lambda each: each.acts(before=before, limit=limit))
    more = found[-1].number if len(found) == limit and found[-1].number > 1 else None
    return answer({"acts": [action_row(each) for each in found], "before": more})
