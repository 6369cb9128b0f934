"""Pairs of articles: comparison, feedback, the review queue, and tuning by the feedback."""

import asyncio
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from nearcopy.config import policy_toml
from nearcopy.config.policy_file import preset_of
from nearcopy.errors import BadFeedback, NearcopyError
from nearcopy.evaluate.tune import tune
from nearcopy.io.files.atomic_write import write_atomic
from nearcopy.io.serializers import (
    correction_row,
    explanation_row,
    feedback_row,
    review_row,
    tuning_row,
)
from nearcopy.models import Edge
from nearcopy.service.api import PREFIX, model_body, problems
from nearcopy.service.dependencies import AdminAccess, ReadAccess, RequestContext, WriteAccess
from nearcopy.service.problems import Problem, field_problem, json_response
from nearcopy.service.request_bodies import read_model
from nearcopy.service.schemas import (
    ExplanationOut,
    FeedbackIn,
    FeedbackList,
    FeedbackResultOut,
    PolicyAcceptance,
    PolicyWritten,
    ReviewPage,
    TuningOut,
)
from nearcopy.service.settings import Settings

router = APIRouter(prefix=PREFIX, tags=["pairs"], responses=problems())
tuning_router = APIRouter(prefix=PREFIX, tags=["tuning"], responses=problems())
BORDERLINE_PAIRS = 100  # without feedback, decided by the proposed policy for comparison
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


# Tuning.


class Proposal(NamedTuple):
    """A tuned policy as TOML, and what it would change."""

    toml: str
    row: dict[str, Any]


@tuning_router.get(
    "/tune",
    response_model=TuningOut,
    summary="What tuning by all feedback would change; nothing is written",
)
async def get_proposal(context: ReadAccess) -> Response:
    """Thresholds, the gain on held-out pairs, and the decisions that would change."""
    return json_response((await propose(context)).row)


@tuning_router.post(
    "/tune",
    response_model=PolicyWritten,
    responses=problems(415),
    openapi_extra=model_body(PolicyAcceptance),
    summary="Write the proposed policy to a file; the service keeps its policy until restarted",
)
async def accept_proposal(request: Request, context: AdminAccess) -> Response:
    """Where it was written, and how to use it."""
    acceptance = await read_model(request, PolicyAcceptance)
    return json_response(await write_policy(context, acceptance.digest))


async def propose(context: RequestContext) -> Proposal:
    """The policy fitted to all feedback, and what it would change."""
    reads, policy = context.pool.reads, context.service.pools.policy
    examples = await reads.run(lambda deduper: deduper.examples())
    tuning = await asyncio.to_thread(tune, examples, policy)
    changes = await reads.run(
        lambda deduper: deduper.changed_decisions(tuning.policy, limit=BORDERLINE_PAIRS)
    )
    toml = policy_toml(tuning.policy, _base_preset(context.settings))
    effects = {
        "changes": [_change(before, after) for before, after in changes],
        "looked_at": BORDERLINE_PAIRS,
        "digest": sha256(toml.encode()).hexdigest()[:16],
    }
    return Proposal(toml, tuning_row(tuning) | effects)


async def write_policy(context: RequestContext, digest: str) -> dict[str, str]:
    """Write the proposal with this digest to the file of the settings."""
    proposal = await propose(context)
    if digest != proposal.row["digest"]:
        raise field_problem("digest", "feedback was given since: look at the new proposal first")
    file = context.settings.tuned
    await asyncio.to_thread(_write, Path(file), proposal.toml)
    use = f"it is not in use yet: restart the service with `nearcopy serve --policy {file}`"
    return {"written": file, "use": use}


def _write(path: Path, text: str) -> None:
    try:
        write_atomic(path, text)
    except OSError as error:
        raise Problem(503, f"{path} cannot be written: {error.strerror}") from None
    except NearcopyError as error:
        raise Problem(503, str(error)) from None


def _base_preset(settings: Settings) -> str:
    """The preset that the policy file names as its base."""
    if settings.preset:
        return settings.preset
    file = Path(settings.policy) if settings.policy else None
    return (preset_of(file.read_text("utf-8-sig")) if file else None) or "default"


def _change(before: Edge, after: Edge) -> dict[str, Any]:
    return {
        "a": before.a,
        "b": before.b,
        "relation": str(before.decision.relation),
        "is_duplicate": before.decision.duplicate,
        "relation_then": str(after.decision.relation),
        "is_duplicate_then": after.decision.duplicate,
    }
