"""Pairs: compared, corrected, and worth a look."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from nearcopy.errors import BadFeedback
from nearcopy.io.serializers.answers import (
    correction_row,
    explanation_row,
    feedback_row,
    review_row,
)
from nearcopy.service.api.openapi import PREFIX, feedback_body, problems
from nearcopy.service.dependencies import Reading, Writing
from nearcopy.service.json_response import answer
from nearcopy.service.request_bodies import json_body, model_of
from nearcopy.service.schemas.feedback import CorrectionShape, Explained, FeedbackList, ReviewPage
from nearcopy.service.schemas.requests import FeedbackIn

router = APIRouter(prefix=PREFIX, tags=["pairs"])
Id = Annotated[str, Query(description="An article.", min_length=1, max_length=2_000)]


@router.get(
    "/compare",
    response_model=Explained,
    responses=problems(),
    summary="What two articles are to each other, and why",
)
async def compare(a: Id, b: Id, asked: Reading) -> Response:
    """The evidence, the passages they share, the facts that clash."""
    return answer(
        explanation_row(await asked.pool.looks.run(lambda deduper: deduper.explain(a, b)))
    )


@router.post(
    "/feedback",
    response_model=CorrectionShape,
    responses=problems(415),
    openapi_extra=feedback_body(),
    summary="Say that two articles are the same, or different",
)
async def feedback(request: Request, asked: Writing) -> Response:
    """What was said, and what changed by it."""
    said = model_of(FeedbackIn, await json_body(request))
    if said.a == said.b:
        raise BadFeedback("a and b are one article: give two")
    found = await asked.pool.adds.run(
        lambda deduper: deduper.feedback(
            said.a, said.b, same=said.same, relation=said.relation, note=said.note
        )
    )
    return answer(correction_row(found))


@router.delete(
    "/feedback",
    response_model=CorrectionShape,
    responses=problems(),
    summary="Take back what was said of two articles",
)
async def take_back(a: Id, b: Id, asked: Writing) -> Response:
    """What was taken back, and what changed by it."""
    return answer(correction_row(await asked.pool.adds.run(lambda each: each.take_back(a, b))))


@router.get(
    "/feedback",
    response_model=FeedbackList,
    responses=problems(),
    summary="All that people said, first to last",
)
async def told(asked: Reading) -> Response:
    """What was said, and what the policy had said."""
    found = await asked.pool.looks.run(lambda deduper: deduper.told())
    return answer({"feedback": [feedback_row(each) for each in found]})


@router.get(
    "/review",
    response_model=ReviewPage,
    responses=problems(),
    summary="Pairs that were nearly decided otherwise, and nobody has spoken of",
)
async def review(
    asked: Reading,
    after: Annotated[str | None, Query(max_length=4_000)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> Response:
    """A page; `after` begins the next, also where this one is not full."""
    found = await asked.pool.looks.run(lambda each: each.review(limit=limit, after=after))
    return answer({"pairs": [review_row(each) for each in found.pairs], "after": found.after})
