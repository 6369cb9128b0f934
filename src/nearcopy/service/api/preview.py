"""Trying: verdicts on the articles of a file while they come; nothing is kept unless asked."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import BadArticle
from nearcopy.io.files import Rejected, Row
from nearcopy.io.serializers.answers import verdict_row
from nearcopy.models.model import SUREST, Article, Verdict
from nearcopy.service.api.openapi import PREFIX, file_body, problems, tried_lines
from nearcopy.service.dependencies import Asked, Reading
from nearcopy.service.json_response import NDJSON, as_json
from nearcopy.service.problems import Problem, problem_of
from nearcopy.service.uploads import uploaded

router = APIRouter(prefix=PREFIX, tags=["articles"])
AT_ONCE = 16  # rows judged before their verdicts are sent
TITLE = 300  # characters of a title that are sent back
Rows = list[Row | Rejected]


@router.post(
    "/try",
    responses=problems(415) | {200: {"content": tried_lines()}},
    response_class=Response,
    openapi_extra=file_body(),
    summary="Verdicts on the articles of a file, as they come; nothing is kept unless asked",
)
async def trial(
    request: Request,
    asked: Reading,
    name: Annotated[str, Query(max_length=200, description="What the file is called.")] = "",
    keep: Annotated[bool, Query(description="Add them to the store.")] = False,
) -> Response:
    """A line for each article, by what is in the store and in the file before it."""
    if keep and not asked.caller.allows("write"):
        raise Problem(403, f"{asked.caller.name} may not keep articles: untick it")
    data = await _sent(request, asked.settings.max_seconds)
    rows = await asyncio.to_thread(uploaded, data, name, asked.settings, own_ids=not keep)
    return StreamingResponse(_lines(asked, rows, keep), media_type=NDJSON)


async def _sent(request: Request, seconds: float) -> bytes:
    """The file; who is slow to send it is not waited for."""
    try:
        async with asyncio.timeout(seconds):
            return await request.body()
    except TimeoutError:
        raise Problem(503, f"the file did not come within {seconds} seconds: try again") from None


async def _lines(asked: Asked, rows: Rows, keep: bool) -> AsyncIterator[bytes]:
    lane = asked.pool.adds if keep else asked.pool.checks
    judge = Kept() if keep else Tried()
    try:
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            found = await lane.run(partial(told, rows=some, judge=judge))
            numbered = enumerate(found, start + 1)
            lines = ({"number": n, "total": len(rows)} | each for n, each in numbered)
            yield b"".join(as_json(each) + b"\n" for each in lines)
    except Exception as wrong:  # what was answered stands: say why there is no more
        why = problem_of(wrong)
        yield as_json({"error": why.detail, "status": why.status}) + b"\n"


class Tried:
    """Judges articles by the store and by those before them, which only this remembers."""

    def __init__(self) -> None:
        self._file: Deduper | None = None

    def __call__(self, deduper: Deduper, article: Article) -> tuple[Verdict, str]:
        """The surer verdict, and where its match is."""
        if self._file is None:
            self._file = Deduper("memory://", deduper.recipe, deduper.policy)
        stored, own = deduper.check(article), self._file.add(article)
        if _sure(own) < _sure(stored):
            return own, "file"
        return stored, "store"

    def titles(self, deduper: Deduper, match: str, among: str) -> str:
        """The title of what it matches."""
        where = self._file if among == "file" and self._file else deduper
        found = where.articles([match]).get(match)
        return found.title if found else ""


class Kept(Tried):
    """Judges articles by the store, where they then are."""

    def __call__(self, deduper: Deduper, article: Article) -> tuple[Verdict, str]:
        """The verdict, and that its match is in the store."""
        return deduper.add(article), "store"


def _sure(verdict: Verdict) -> tuple[bool, int, float]:
    return not verdict.is_duplicate, SUREST[verdict.relation], -verdict.confidence


def told(deduper: Deduper, rows: Rows, judge: Tried) -> list[dict[str, Any]]:
    """An answer for each row."""
    return [_answer(deduper, each, judge) for each in rows]


def _answer(deduper: Deduper, row: Row | Rejected, judge: Tried) -> dict[str, Any]:
    if isinstance(row, Rejected):
        return {"error": row.why, "status": 422, "line": row.place.line}
    article = row.article
    try:
        verdict, among = judge(deduper, article)
    except BadArticle as wrong:
        return {"error": str(wrong), "status": 422, "line": row.place.line}
    match = verdict.match
    return {
        "title": article.title[:TITLE],
        "source": article.source,
        "among": among if match else None,
        "match_title": judge.titles(deduper, match, among)[:TITLE] if match else None,
        "verdict": verdict_row(verdict),
    }
