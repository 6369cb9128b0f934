"""Articles: checked, added, shown, forgotten; and what is like them."""

import time
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NotStored
from nearcopy.io.serializers.answers import article_row, match_row, verdict_row
from nearcopy.models.model import Article, Match, Verdict
from nearcopy.service.api.openapi import PREFIX, articles_body, problems, verdict_lines
from nearcopy.service.dependencies import Asked, Reading, Writing
from nearcopy.service.json_response import answer
from nearcopy.service.middleware.limits import streamed
from nearcopy.service.ndjson import Intake, Lines
from nearcopy.service.ndjson import verdict_lines as lines_of
from nearcopy.service.request_bodies import Given, given_rows
from nearcopy.service.schemas.responses import (
    ArticleShape,
    Forgotten,
    Similar,
    Verdicts,
    VerdictShape,
)

router = APIRouter(prefix=PREFIX, tags=["articles"])
SIMILAR = ("id", "title", "host", "similarity_score", "match_type")
Id = Annotated[str, Path(description="The article's id, percent-encoded.", max_length=4_000)]
Evidence = Annotated[bool, Query(description="What was measured, too.")]


@router.post(
    "/check",
    response_model=VerdictShape | Verdicts,
    responses=problems(415),
    openapi_extra=articles_body("articles"),
    summary="Look whether articles are there; nothing is written",
)
async def check(request: Request, asked: Reading, evidence: Evidence = False) -> Response:
    """A verdict on an article, or `verdicts` on several."""
    start = time.perf_counter()
    given = await given_rows(request, asked.settings, "articles")
    checks = asked.pool.checks
    if given.single:
        verdicts = [await checks.share(_checked, given.articles[0])]
    else:
        verdicts = await checks.run(lambda deduper: deduper.check_all(given.articles))
    return _answered(asked, "check", given, verdicts, evidence, start)


def _checked(deduper: Deduper, articles: list[Article]) -> list[Verdict]:
    return deduper.check_all(articles) if len(articles) > 1 else [deduper.check(articles[0])]


@router.post(
    "/articles",
    response_model=VerdictShape | Verdicts,
    responses=problems(415) | {200: {"content": verdict_lines()}},
    openapi_extra=articles_body("articles", lines=True),
    summary="Check articles and remember them, as one step",
)
async def add(request: Request, asked: Writing, evidence: Evidence = False) -> Response:
    """A verdict on an article, `verdicts` on several, or a line for each line of a stream."""
    if streamed(request.headers.get("content-type")):
        return _stream(request, asked, evidence)
    start = time.perf_counter()
    given = await given_rows(request, asked.settings, "articles")
    verdicts = await asked.pool.adds.run(lambda deduper: list(deduper.run(given.articles)))
    return _answered(asked, "add", given, verdicts, evidence, start)


def _answered(
    asked: Asked, work: str, given: Given, verdicts: list[Verdict], evidence: bool, start: float
) -> Response:
    asked.service.metrics.judged(work, verdicts)
    asked.service.metrics.took(work, start)
    rows = [verdict_row(each, evidence=evidence) for each in verdicts]
    return answer(rows[0] if given.single else {"verdicts": rows})


def _stream(request: Request, asked: Asked, evidence: bool) -> Response:
    settings, metrics = asked.settings, asked.service.metrics
    intake = Intake(request, settings, asked.service.stopping.is_set)
    lines = lines_of(
        intake,
        asked.pool.adds,
        settings,
        evidence=evidence,
        judged=lambda verdicts: metrics.judged("add", verdicts),
    )
    return Lines(lines, intake, settings.max_seconds)


@router.get(
    "/articles/{id}",
    response_model=ArticleShape,
    responses=problems(),
    summary="An article as it came, and what it is as things stand",
)
async def article(id: Id, asked: Reading) -> Response:  # noqa: A002
    """The article with its verdict."""
    name = unquote(id)

    def work(deduper: Deduper) -> dict[str, Any]:
        found, (verdict,) = deduper.article(name), deduper.verdicts(name)
        row = article_row(found) | {"revisions": len(deduper.revisions(name))}
        return row | {"verdict": verdict_row(verdict)}

    return answer(await asked.pool.looks.run(work))


@router.delete(
    "/articles/{id}",
    response_model=Forgotten,
    responses=problems(),
    summary="Remove an article, and all that was found about it",
)
async def forget(id: Id, asked: Writing) -> Response:  # noqa: A002
    """What was removed."""
    name = unquote(id)
    count = await asked.pool.adds.run(lambda deduper: deduper.forget(name))
    if not count:
        raise NotStored(f"no article {name!r:.200} is stored: there is nothing to forget")
    return answer({"forgotten": count, "ids": [name], "missing": []})


@router.get(
    "/articles/{id}/similar",
    response_model=Similar,
    responses=problems(),
    summary="What is most like an article, best first",
)
async def similar(
    id: Id,  # noqa: A002
    asked: Reading,
    limit: Annotated[int, Query(ge=1, le=256)] = 10,
) -> Response:
    """The articles like it."""
    start, name = time.perf_counter(), unquote(id)
    found = await asked.pool.checks.share(_alike, (name, limit))
    asked.service.metrics.took("similar", start)
    rows = map(match_row, found)
    return answer({"similar": [{key: row[key] for key in SIMILAR} for row in rows]})


def _alike(deduper: Deduper, asked: list[tuple[str, int]]) -> list[list[Match]]:
    most = max(limit for _, limit in asked)
    found = deduper.similar_all([name for name, _ in asked], limit=most)
    return [found[name][:limit] for name, limit in asked]
