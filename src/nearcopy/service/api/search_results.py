"""Search results without their duplicates, and the numbers of a store."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from nearcopy.deduper.search_results import deduplicated
from nearcopy.io.files.read import UniqueIds
from nearcopy.io.serializers.answers import stats_row
from nearcopy.io.serializers.search_results import dropped_rows, ranked_rows
from nearcopy.service.api.openapi import PREFIX, articles_body, problems
from nearcopy.service.dependencies import Reading
from nearcopy.service.json_response import answer
from nearcopy.service.request_bodies import given_rows
from nearcopy.service.schemas.responses import Results, StatsShape

router = APIRouter(prefix=PREFIX, tags=["results"])


@router.post(
    "/search-results/dedupe",
    response_model=Results,
    responses=problems(415),
    openapi_extra=articles_body("results"),
    summary="A ranked list without its duplicates, in order",
)
async def dedupe(request: Request, asked: Reading) -> Response:
    """What is kept, each with what it stands for; and what is not."""
    given = await given_rows(request, asked.settings, "results")
    pools = asked.service.pools

    def work() -> dict[str, Any]:
        rows = list(map(UniqueIds(), given.rows))
        found = deduplicated([row.article for row in rows], pools.recipe, pools.policy)
        return {
            "results": list(ranked_rows(rows, found)),
            "removed": list(dropped_rows(rows, found)),
        }

    return answer(await asyncio.to_thread(work))


@router.get(
    "/stats",
    response_model=StatsShape,
    responses=problems(),
    summary="What is in the store, and how well it does",
)
async def stats(
    asked: Reading,
    days: Annotated[int | None, Query(ge=1, le=100_000, description="Of so many days.")] = None,
) -> Response:
    """The numbers."""
    return answer(stats_row(await asked.stats(days)))
