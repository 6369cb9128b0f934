"""Articles: check, add, get, delete, similar ones; and duplicates in a ranked list."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.deduper.search_results import deduplicate_results
from nearcopy.errors import NotStored
from nearcopy.io.files.read import UniqueIds
from nearcopy.io.serializers.verdict import (
    article_row,
    dropped_rows,
    match_row,
    ranked_rows,
    verdict_row,
)
from nearcopy.models import Article, Match, Verdict
from nearcopy.service.api.openapi import PREFIX, articles_body, problems, verdict_lines
from nearcopy.service.dependencies import ReadAccess, RequestContext, WriteAccess
from nearcopy.service.middleware import is_ndjson
from nearcopy.service.ndjson import ArticleStream, LineReader, NdjsonResponse
from nearcopy.service.problems import json_response
from nearcopy.service.request_bodies import ArticlesBody, read_articles
from nearcopy.service.schemas import (
    ArticleOut,
    Forgotten,
    SearchResults,
    SimilarList,
    VerdictList,
    VerdictOut,
)

router = APIRouter(prefix=PREFIX, tags=["articles"], responses=problems())
SIMILAR_KEYS = ("id", "title", "host", "similarity_score", "match_type")
Id = Annotated[str, Path(description="The article's id, percent-encoded.", max_length=4_000)]
Evidence = Annotated[bool, Query(description="Include the evidence.")]


@dataclass(frozen=True, slots=True)
class _Work:
    """A check or add of articles, timed from its start."""

    name: str
    context: RequestContext
    evidence: bool
    start: float = field(default_factory=time.perf_counter)

    def respond(self, body: ArticlesBody, verdicts: list[Verdict]) -> Response:
        metrics = self.context.service.metrics
        metrics.count_verdicts(self.name, verdicts)
        metrics.observe_duration(self.name, self.start)
        rows = [verdict_row(verdict, evidence=self.evidence) for verdict in verdicts]
        return json_response(rows[0] if body.single else {"verdicts": rows})


@router.post(
    "/check",
    response_model=VerdictOut | VerdictList,
    responses=problems(415),
    openapi_extra=articles_body("articles"),
    summary="Check articles for duplicates; nothing is stored",
)
async def check(request: Request, context: ReadAccess, evidence: Evidence = False) -> Response:
    """A verdict on one article, or `verdicts` on several."""
    work = _Work("check", context, evidence)
    body = await read_articles(request, context.settings, "articles")
    checks = context.pool.checks
    if body.single:
        verdicts = [await checks.run_batched(_check, body.articles[0])]
    else:
        verdicts = await checks.run(lambda deduper: deduper.check_all(body.articles))
    return work.respond(body, verdicts)


def _check(deduper: Deduper, articles: list[Article]) -> list[Verdict]:
    return deduper.check_all(articles) if len(articles) > 1 else [deduper.check(articles[0])]


@router.post(
    "/articles",
    response_model=VerdictOut | VerdictList,
    responses=problems(415) | {200: {"content": verdict_lines()}},
    openapi_extra=articles_body("articles", lines=True),
    summary="Check and add articles atomically",
)
async def add(request: Request, context: WriteAccess, evidence: Evidence = False) -> Response:
    """A verdict on one article, `verdicts` on several, or a line for each line of a stream."""
    if is_ndjson(request.headers.get("content-type")):
        return _add_stream(request, context, evidence)
    work = _Work("add", context, evidence)
    body = await read_articles(request, context.settings, "articles")
    verdicts = await context.pool.adds.run(lambda deduper: list(deduper.run(body.articles)))
    return work.respond(body, verdicts)


def _add_stream(request: Request, context: RequestContext, evidence: bool) -> Response:
    service, settings = context.service, context.settings
    reader = LineReader(request, settings, service.stopping.is_set)
    stream = ArticleStream(reader, context.pool.adds, settings, service.metrics, evidence)
    return NdjsonResponse(stream.responses(), reader, settings.max_seconds)


@router.get(
    "/articles/{id}", response_model=ArticleOut, summary="An article and its current verdict"
)
async def article(id: Id, context: ReadAccess) -> Response:  # noqa: A002
    """The article as it was added."""
    name = unquote(id)

    def find(deduper: Deduper) -> dict[str, Any]:
        stored, (verdict,) = deduper.article(name), deduper.verdicts(name)
        row = article_row(stored) | {"revisions": len(deduper.revisions(name))}
        return row | {"verdict": verdict_row(verdict)}

    return json_response(await context.pool.reads.run(find))


@router.delete(
    "/articles/{id}",
    response_model=Forgotten,
    summary="Delete an article and everything derived from it",
)
async def forget(id: Id, context: WriteAccess) -> Response:  # noqa: A002
    """What was deleted."""
    name = unquote(id)
    count = await context.pool.adds.run(lambda deduper: deduper.forget(name))
    if not count:
        raise NotStored(f"no article {name!r:.200} is stored: there is nothing to delete")
    return json_response({"forgotten": count, "ids": [name], "missing": []})


@router.get(
    "/articles/{id}/similar",
    response_model=SimilarList,
    summary="The most similar articles, best first",
)
async def similar(
    id: Id,  # noqa: A002
    context: ReadAccess,
    limit: Annotated[int, Query(ge=1, le=256)] = 10,
) -> Response:
    """The articles similar to a stored one."""
    start, name = time.perf_counter(), unquote(id)
    matches = await context.pool.checks.run_batched(_find_similar, (name, limit))
    context.service.metrics.observe_duration("similar", start)
    rows = map(match_row, matches)
    return json_response({"similar": [{key: row[key] for key in SIMILAR_KEYS} for row in rows]})


def _find_similar(deduper: Deduper, requests: list[tuple[str, int]]) -> list[list[Match]]:
    largest = max(limit for _, limit in requests)
    matches = deduper.similar_all([name for name, _ in requests], limit=largest)
    return [matches[name][:limit] for name, limit in requests]


@router.post(
    "/search-results/dedupe",
    response_model=SearchResults,
    responses=problems(415),
    openapi_extra=articles_body("results"),
    summary="Remove duplicates from a ranked list, keeping its order",
)
async def dedupe_results(request: Request, context: ReadAccess) -> Response:
    """The results that are kept, each with the duplicates it represents; and those removed."""
    body = await read_articles(request, context.settings, "results")
    pools = context.service.pools

    def dedupe() -> dict[str, Any]:
        rows = list(map(UniqueIds(), body.rows))
        ranked = deduplicate_results([row.article for row in rows], pools.recipe, pools.policy)
        return {
            "results": list(ranked_rows(rows, ranked)),
            "removed": list(dropped_rows(rows, ranked)),
        }

    return json_response(await asyncio.to_thread(dedupe))
