"""Pairs of articles: comparison, feedback, and the review queue."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from nearcopy.errors import BadFeedback
from nearcopy.io.serializers.story import correction_row, feedback_row, review_row
from nearcopy.io.serializers.verdict import explanation_row
from nearcopy.service.api.openapi import PREFIX, model_body, problems
from nearcopy.service.dependencies import ReadAccess, WriteAccess
from nearcopy.service.problems import json_response
from nearcopy.service.request_bodies import read_model
from nearcopy.service.schemas import (
    ExplanationOut,
    FeedbackIn,
    FeedbackList,
    FeedbackResultOut,
    ReviewPage,
)

router = APIRouter(prefix=PREFIX, tags=["pairs"], responses=problems())
Id = Annotated[str, Query(description="An article.", min_length=1, max_length=2_000)]


@router.get(
    "/compare", response_model=ExplanationOut, summary="The relation of two articles, and why"
)
async def compare(a: Id, b: Id, context: ReadAccess) -> Response:
    """The evidence, the shared passages, and the facts that clash."""
    explanation = await context.pool.reads.run(lambda deduper: deduper.explain(a, b))
    return json_response(explanation_row(explanation))


@router.post(
    "/feedback",
    response_model=FeedbackResultOut,
    responses=problems(415),
    openapi_extra=model_body(FeedbackIn),
    summary="Give feedback: two articles are the same, or different",
)
async def give_feedback(request: Request, context: WriteAccess) -> Response:
    """The feedback, and the changes it made."""
    body = await read_model(request, FeedbackIn)
    if body.a == body.b:
        raise BadFeedback("a and b are the same article: give two")
    result = await context.pool.adds.run(
        lambda deduper: deduper.feedback(
            body.a, body.b, same=body.same, relation=body.relation, note=body.note
        )
    )
    return json_response(correction_row(result))


@router.delete(
    "/feedback", response_model=FeedbackResultOut, summary="Retract the feedback on two articles"
)
async def retract_feedback(a: Id, b: Id, context: WriteAccess) -> Response:
    """The feedback that was retracted, and the changes."""
    result = await context.pool.adds.run(lambda deduper: deduper.retract_feedback(a, b))
    return json_response(correction_row(result))


@router.get("/feedback", response_model=FeedbackList, summary="All feedback, the oldest first")
async def list_feedback(context: ReadAccess) -> Response:
    """The feedback, each with what the policy had decided."""
    feedback = await context.pool.reads.run(lambda deduper: deduper.all_feedback())
    return json_response({"feedback": list(map(feedback_row, feedback))})


@router.get(
    "/review",
    response_model=ReviewPage,
    summary="The review queue: pairs close to a threshold, without feedback",
)
async def review(
    context: ReadAccess,
    after: Annotated[str | None, Query(max_length=4_000)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> Response:
    """A page of pairs; `after` is the cursor of the next, even if this one is not full."""
    page = await context.pool.reads.run(lambda deduper: deduper.review(limit=limit, after=after))
    return json_response({"pairs": list(map(review_row, page.pairs)), "after": page.after})
