"""Tuning: what it would change, shown first; and written where that is accepted."""

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
from nearcopy.io.serializers.answers import tuning_row
from nearcopy.models.model import Edge
from nearcopy.service.api.openapi import PREFIX, accept_body, problems
from nearcopy.service.dependencies import Administering, Asked, Reading
from nearcopy.service.json_response import answer
from nearcopy.service.problems import Problem
from nearcopy.service.request_bodies import json_body, model_of
from nearcopy.service.schemas.feedback import Accepted, TuningShape
from nearcopy.service.schemas.requests import Accept
from nearcopy.service.settings import Settings

router = APIRouter(prefix=PREFIX, tags=["tuning"])
LOOKED_AT = 100  # pairs near a line that nobody has spoken of


class Proposal(NamedTuple):
    """A policy that could be used, as its file would be, and what it would change."""

    toml: str
    row: dict[str, Any]


@router.get(
    "/tune",
    response_model=TuningShape,
    responses=problems(),
    summary="What tuning by all that people said would change; nothing is written",
)
async def look(asked: Reading) -> Response:
    """Thresholds, what is gained on held-out pairs, and pairs that would be decided otherwise."""
    return answer((await proposal(asked)).row)


@router.post(
    "/tune",
    response_model=Accepted,
    responses=problems(415),
    openapi_extra=accept_body(),
    summary="Write the policy that was shown; the service goes on with the one it has",
)
async def accept(request: Request, asked: Administering) -> Response:
    """Where it was written, and how to use it."""
    wanted = model_of(Accept, await json_body(request))
    return answer(await accepted(asked, wanted.digest))


async def proposal(asked: Asked) -> Proposal:
    """The policy fitted to what people said, beside what it changes."""
    examples = await asked.pool.looks.run(lambda deduper: deduper.examples())
    found = await asyncio.to_thread(tune, examples, asked.service.pools.policy)
    changed = await asked.pool.looks.run(
        lambda deduper: deduper.decided_otherwise(found.policy, limit=LOOKED_AT)
    )
    toml = policy_toml(found.policy, _base(asked.settings))
    shown = {
        "changes": [_change(now, then) for now, then in changed],
        "looked_at": LOOKED_AT,
        "digest": sha256(toml.encode()).hexdigest()[:16],
    }
    return Proposal(toml, tuning_row(found) | shown)


async def accepted(asked: Asked, digest: str) -> dict[str, str]:
    """What was shown, written to the file that the settings name."""
    found = await proposal(asked)
    if digest != found.row["digest"]:
        why = "more was said since this was shown: look again at what tuning would change"
        raise Problem(422, f"digest: {why}", [{"field": "digest", "detail": why}])
    file = asked.settings.tuned
    await asyncio.to_thread(_write, Path(file), found.toml)
    use = f"nothing judges by it yet: restart the service with `nearcopy serve --policy {file}`"
    return {"written": file, "use": use}


def _write(path: Path, text: str) -> None:
    try:
        write_atomic(path, text)
    except OSError as wrong:
        raise Problem(503, f"{path} cannot be written: {wrong.strerror}") from None
    except NearcopyError as wrong:
        raise Problem(503, str(wrong)) from None


def _base(settings: Settings) -> str:
    if settings.preset:
        return settings.preset
    file = Path(settings.policy) if settings.policy else None
    return (preset_of(file.read_text("utf-8-sig")) if file else None) or "default"


def _change(now: Edge, then: Edge) -> dict[str, Any]:
    return {
        "a": now.a,
        "b": now.b,
        "relation": str(now.decision.relation),
        "is_duplicate": now.decision.duplicate,
        "relation_then": str(then.decision.relation),
        "is_duplicate_then": then.decision.duplicate,
    }
