"""Try: verdicts on a pasted article or a file; with scripts the page calls the API."""

import json
from typing import Any

from fastapi import Request
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.service.api.preview import PreviewJudge, judge_rows
from nearcopy.service.dependencies import ReadAccess
from nearcopy.service.pages.render import page_router, respond
from nearcopy.service.problems import Problem
from nearcopy.service.request_bodies import read_form, read_upload

router = page_router()
FIELDS = ("title", "text", "url", "source")


@router.get("/try")
async def empty_form(request: Request, context: ReadAccess) -> Response:
    view = {"form": dict.fromkeys(FIELDS, ""), "window": context.service.pools.window_days}
    return respond(request, context, "try.html", {"answer": None}, **view)


@router.post("/try")
async def preview(request: Request, context: ReadAccess) -> Response:
    """The verdict on the pasted article; nothing is stored."""
    form = await read_form(request)
    fields = {name: form.get(name, "").strip() for name in FIELDS}
    values = {name: value for name, value in fields.items() if value}
    if not values:
        raise Problem(422, "the form is empty: paste a title, a text or an address")
    file = json.dumps(values).encode()
    rows = read_upload(file, "pasted.jsonl", context.settings, unique_ids=True)

    def judge(deduper: Deduper) -> dict[str, Any]:
        (answer,) = judge_rows(deduper, rows, PreviewJudge())
        return {"answer": answer}

    data = await context.pool.checks.run(judge)
    view = {"form": fields, "window": context.service.pools.window_days}
    return respond(request, context, "try.html", data, **view)
