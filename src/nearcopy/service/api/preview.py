"""Preview: verdicts on the articles of a file, line by line; stored only on request."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import BadArticle
from nearcopy.io.files import Rejected, Row
from nearcopy.io.serializers import verdict_row
from nearcopy.models import RELATION_RANK, Article, Verdict
from nearcopy.service.api import PREFIX, file_body, preview_lines, problems
from nearcopy.service.dependencies import ReadAccess, RequestContext
from nearcopy.service.problems import NDJSON, Problem, problem_of, to_json
from nearcopy.service.request_bodies import read_upload

router = APIRouter(prefix=PREFIX, tags=["articles"], responses=problems())
BATCH = 16  # rows checked before their verdicts are sent
MAX_TITLE = 300  # characters sent back
Rows = list[Row | Rejected]


@router.post(
    "/try",
    responses=problems(415) | {200: {"content": preview_lines()}},
    response_class=Response,
    openapi_extra=file_body(),
    summary="Verdicts on the articles of a file, streamed; nothing is stored unless requested",
)
async def preview(
    request: Request,
    context: ReadAccess,
    name: Annotated[str, Query(max_length=200, description="The name of the file.")] = "",
    keep: Annotated[bool, Query(description="Add the articles to the store.")] = False,
) -> Response:
    """A line for each article, compared with the store and with the file before it."""
    if keep and not context.caller.allows("write"):
        raise Problem(403, f"{context.caller.name} may not add articles: omit `keep`")
    data = await _read_body(request, context.settings.max_seconds)
    rows = await asyncio.to_thread(read_upload, data, name, context.settings, unique_ids=not keep)
    return StreamingResponse(_lines(context, rows, keep), media_type=NDJSON)


async def _read_body(request: Request, seconds: float) -> bytes:
    try:
        async with asyncio.timeout(seconds):
            return await request.body()
    except TimeoutError:
        raise Problem(503, f"no complete file within {seconds} seconds: try again") from None


async def _lines(context: RequestContext, rows: Rows, keep: bool) -> AsyncIterator[bytes]:
    thread = context.pool.adds if keep else context.pool.checks
    judge = StoringJudge() if keep else PreviewJudge()
    try:
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            answers = await thread.run(partial(judge_rows, rows=batch, judge=judge))
            numbered = enumerate(answers, start + 1)
            lines = ({"number": n, "total": len(rows)} | answer for n, answer in numbered)
            yield b"".join(to_json(line) + b"\n" for line in lines)
    except Exception as error:  # earlier lines are valid: say why there are no more
        problem = problem_of(error)
        yield to_json({"error": problem.detail, "status": problem.status}) + b"\n"


class PreviewJudge:
    """Compares articles with the store, and with earlier ones, which only this judge keeps."""

    def __init__(self) -> None:
        self._file: Deduper | None = None

    def judge(self, deduper: Deduper, article: Article) -> tuple[Verdict, str]:
        """The verdict of higher rank, and whether its match is in the store or in the file."""
        if self._file is None:
            self._file = Deduper("memory://", deduper.recipe, deduper.policy)
        in_store, in_file = deduper.check(article), self._file.add(article)
        if _rank(in_file) < _rank(in_store):
            return in_file, "file"
        return in_store, "store"

    def title(self, deduper: Deduper, match: str, among: str) -> str:
        """The title of the match."""
        owner = self._file if among == "file" and self._file else deduper
        article = owner.articles([match]).get(match)
        return article.title if article else ""


class StoringJudge(PreviewJudge):
    """Adds articles to the store."""

    def judge(self, deduper: Deduper, article: Article) -> tuple[Verdict, str]:
        return deduper.add(article), "store"


def _rank(verdict: Verdict) -> tuple[bool, int, float]:
    return not verdict.is_duplicate, RELATION_RANK[verdict.relation], -verdict.confidence


def judge_rows(deduper: Deduper, rows: Rows, judge: PreviewJudge) -> list[dict[str, Any]]:
    """An answer for each row."""
    return [_answer(deduper, row, judge) for row in rows]


def _answer(deduper: Deduper, row: Row | Rejected, judge: PreviewJudge) -> dict[str, Any]:
    if isinstance(row, Rejected):
        return {"error": row.why, "status": 422, "line": row.place.line}
    article = row.article
    try:
        verdict, among = judge.judge(deduper, article)
    except BadArticle as error:
        return {"error": str(error), "status": 422, "line": row.place.line}
    match = verdict.match
    return {
        "title": article.title[:MAX_TITLE],
        "source": article.source,
        "among": among if match else None,
        "match_title": judge.title(deduper, match, among)[:MAX_TITLE] if match else None,
        "verdict": verdict_row(verdict),
    }
