"""Articles: check, add, get, delete, similar ones; and duplicates in a ranked list.

They are also added by a stream of JSON lines: articles in, one per line; verdicts out once their
batch is stored.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Path, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from nearcopy.deduper.deduper import Deduper
from nearcopy.deduper.search_results import deduplicate_results
from nearcopy.errors import BadArticle, NotStored
from nearcopy.io.files.decompress import Line
from nearcopy.io.files.json import DECODER
from nearcopy.io.files.read import UniqueIds
from nearcopy.io.serializers import (
    dataclass_row,
    dropped_rows,
    match_row,
    ranked_rows,
    verdict_row,
)
from nearcopy.io.streams.json_lines import LineSplitter
from nearcopy.models import Article, Match, Verdict
from nearcopy.service.api import PREFIX, articles_body, problems, verdict_lines
from nearcopy.service.dependencies import ReadAccess, RequestContext, Service, WriteAccess
from nearcopy.service.problems import NDJSON, json_response, problem_of, to_json
from nearcopy.service.request_bodies import (
    NDJSON_TYPES,
    ArticlesBody,
    media_type,
    read_articles,
    to_row,
)
from nearcopy.service.schemas import (
    ArticleOut,
    Forgotten,
    SearchResults,
    SimilarList,
    VerdictList,
    VerdictOut,
)
from nearcopy.service.settings import Settings

router = APIRouter(prefix=PREFIX, tags=["articles"], responses=problems())
SIMILAR_KEYS = ("id", "title", "host", "similarity_score", "match_type")
Id = Annotated[str, Path(description="The article's id, percent-encoded.", max_length=4_000)]
Evidence = Annotated[bool, Query(description="Include the evidence.")]
MAX_BATCH = 512  # lines added in one transaction
DRAIN_SECONDS = 2.0
IDLE_SECONDS = 0.1  # without another line, after which a partial batch is added
RESUME = "send the lines after this one again"
Answers = list[dict[str, Any]]


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
    if media_type(request) in NDJSON_TYPES:
        return ArticleStream(request, context, evidence=evidence)
    work = _Work("add", context, evidence)
    body = await read_articles(request, context.settings, "articles")
    verdicts = await context.pool.adds.run(lambda deduper: list(deduper.run(body.articles)))
    return work.respond(body, verdicts)


@router.get(
    "/articles/{id}", response_model=ArticleOut, summary="An article and its current verdict"
)
async def article(id: Id, context: ReadAccess) -> Response:  # noqa: A002
    """The article as it was added."""
    name = unquote(id)

    def find(deduper: Deduper) -> dict[str, Any]:
        stored, (verdict,) = deduper.article(name), deduper.verdicts(name)
        row = dataclass_row(stored) | {"revisions": len(deduper.revisions(name))}
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


# Streams of JSON lines.


class LineReader:
    """The lines of a request in batches: full ones, or what has arrived when it pauses."""

    def __init__(self, request: Request, service: Service) -> None:
        self._chunks, self._timeout = request.stream(), service.settings.max_seconds
        self._splitter = LineSplitter(service.settings.max_body_bytes)
        self._stopping = service.stopping
        self.complete = False  # whether the whole body has arrived

    async def batches(self) -> AsyncIterator[list[Line]]:
        pending, chunk = list[Line](), None
        try:
            while not self.complete and not self._stopping.is_set():
                chunk = chunk or asyncio.ensure_future(anext(self._chunks, None))
                timeout = IDLE_SECONDS if pending else self._timeout
                done, _ = await asyncio.wait({chunk}, timeout=timeout)
                if not done and not pending:
                    raise TimeoutError
                if done:
                    pending += self._split(chunk.result())
                    chunk = None
                while len(pending) >= MAX_BATCH or (pending and (self.complete or not done)):
                    yield pending[:MAX_BATCH]
                    pending = pending[MAX_BATCH:]
        finally:
            if chunk is not None:
                chunk.cancel()

    def _split(self, chunk: bytes | None) -> list[Line]:
        self.complete = chunk is None
        return self._splitter.end() if chunk is None else self._splitter.feed(chunk)


class ArticleStream(Response):
    """Adds a stream of articles, batch by batch; gives up on a client that does not read."""

    media_type = NDJSON

    def __init__(self, request: Request, context: RequestContext, *, evidence: bool) -> None:
        super().__init__(None, 200)
        del self.headers["content-length"]
        self._reader = LineReader(request, context.service)
        self._adds, self._metrics = context.pool.adds, context.service.metrics
        self._settings, self._evidence = context.settings, evidence

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for lines in self._answers():
            async with asyncio.timeout(self._settings.max_seconds):
                await send({"type": "http.response.body", "body": lines, "more_body": True})
        if not self._reader.complete:
            await _drain(receive)
        await send({"type": "http.response.body", "body": b""})

    async def _answers(self) -> AsyncIterator[bytes]:
        """A line for each line, once its batch is stored; errors in their places."""
        last = 0
        try:
            async for batch in self._reader.batches():
                add = partial(self._add, lines=batch)
                answers, verdicts = await self._adds.run(add, timeout=None)
                self._metrics.count_verdicts("add", verdicts)
                last = batch[-1].number
                yield b"".join(to_json(answer) + b"\n" for answer in answers)
        except ClientDisconnect:
            return
        except TimeoutError:
            reason = f"no line for {self._settings.max_seconds} seconds"
            yield _error_line(last, 408, f"{reason}: {RESUME}")
        except Exception as error:  # the lines before are stored: say so, whatever it was
            problem = problem_of(error)
            yield _error_line(last, problem.status, f"{problem.detail}; {RESUME}")
        else:
            if not self._reader.complete:
                yield _error_line(last, 503, f"the service is shutting down: {RESUME}")

    def _add(self, deduper: Deduper, lines: list[Line]) -> tuple[Answers, list[Verdict]]:
        """An answer for each line, in order, and the verdicts among them."""
        parsed = [_parse(line, self._settings) for line in lines]
        articles = [article for article in parsed if isinstance(article, Article)]
        added = iter(_add_all(deduper, articles))
        answers, verdicts = Answers(), list[Verdict]()
        for line, article in zip(lines, parsed, strict=True):
            outcome = next(added) if isinstance(article, Article) else article
            if isinstance(outcome, Verdict):
                verdicts.append(outcome)
                answers.append(verdict_row(outcome, evidence=self._evidence))
            else:
                answers.append({"line": line.number, "error": outcome, "status": 422})
        return answers, verdicts


async def _drain(receive: Receive) -> None:
    """Read what is still being sent: left unread, it would reset the connection."""
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while (await receive()).get("more_body"):
                pass


def _error_line(last: int, status: int, message: str) -> bytes:
    return to_json({"line": last, "error": message, "status": status}) + b"\n"


def _parse(line: Line, settings: Settings) -> Article | str:
    """The article of a line, or why it is invalid."""
    try:
        if line.why:
            return line.why
        return to_row(DECODER.decode(line.data.decode("utf-8-sig")), settings, line.number).article
    except BadArticle as error:
        return str(error)
    except (ValueError, RecursionError) as error:
        return f"not valid JSON: {error}"


def _add_all(deduper: Deduper, articles: list[Article]) -> list[Verdict | str]:
    """A verdict for each; if one cannot be added, the others are."""
    try:
        return list(deduper.run(articles))
    except BadArticle:
        return [_add_one(deduper, article) for article in articles]


def _add_one(deduper: Deduper, article: Article) -> Verdict | str:
    try:
        return deduper.add(article)
    except BadArticle as error:
        return str(error)
