"""Try: a text, an address or a file, and the verdicts as they come."""

import json
from typing import Any

from fastapi import Request
from starlette.responses import Response

from nearcopy.service.api.preview import Tried, told
from nearcopy.service.dependencies import Asked, Reading
from nearcopy.service.pages.forms import form_of
from nearcopy.service.pages.render import page_router, shown
from nearcopy.service.problems import Problem
from nearcopy.service.uploads import uploaded

router = page_router()
FIELDS = ("title", "text", "url", "source")


@router.get("/try")
async def empty(request: Request, asked: Reading) -> Response:
    """The forms."""
    nothing = dict.fromkeys(FIELDS, "")
    return shown(request, asked, "try.html", {"found": None}, form=nothing, window=_window(asked))


@router.post("/try")
async def trial(request: Request, asked: Reading) -> Response:
    """The verdict on what was pasted; nothing is kept. With a script the page asks the API."""
    form = await form_of(request)
    given = {name: form.get(name, "").strip() for name in FIELDS}
    values = {name: value for name, value in given.items() if value}
    if not values:
        raise Problem(422, "paste a text, a title or an address first")
    rows = uploaded(json.dumps(values).encode(), "pasted.jsonl", asked.settings, own_ids=True)

    def work(deduper: Any) -> dict[str, Any]:
        (found,) = told(deduper, rows, Tried())
        return {"found": found}

    data = await asked.pool.checks.run(work)
    return shown(request, asked, "try.html", data, form=given, window=_window(asked))


def _window(asked: Asked) -> int | None:
    """The days that articles may be apart to be compared; None: any number."""
    return asked.service.pools.window_days
