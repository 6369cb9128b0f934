"""Tuning: a proposal fitted to feedback, and a policy file once it is accepted."""

import asyncio
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from nearcopy.config import policy_toml
from nearcopy.config.policy_file import preset_of
from nearcopy.errors import NearcopyError
from nearcopy.evaluate.tune import tune
from nearcopy.io.files.atomic_write import write_atomic
from nearcopy.io.serializers.evaluation import tuning_row
from nearcopy.models import Edge
from nearcopy.service.api.openapi import PREFIX, model_body, problems
from nearcopy.service.dependencies import AdminAccess, ReadAccess, RequestContext
from nearcopy.service.problems import Problem, field_problem, json_response
from nearcopy.service.request_bodies import read_model
from nearcopy.service.schemas import PolicyAcceptance, PolicyWritten, TuningOut
from nearcopy.service.settings import Settings

router = APIRouter(prefix=PREFIX, tags=["tuning"], responses=problems())
BORDERLINE_PAIRS = 100  # without feedback, decided by the proposed policy for comparison


class Proposal(NamedTuple):
    """A tuned policy as TOML, and what it would change."""

    toml: str
    row: dict[str, Any]


@router.get(
    "/tune",
    response_model=TuningOut,
    summary="What tuning by all feedback would change; nothing is written",
)
async def get_proposal(context: ReadAccess) -> Response:
    """Thresholds, the gain on held-out pairs, and the decisions that would change."""
    return json_response((await propose(context)).row)


@router.post(
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
