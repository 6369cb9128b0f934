"""Stories: the newest or the largest, by page."""

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from starlette.responses import Response

from nearcopy.service.api.stories import Moment, Words, moment
from nearcopy.service.dependencies import Reading
from nearcopy.service.pages.render import page_router, shown
from nearcopy.service.pages.view_models import story_cards

router = page_router()
LIMIT = 20


@router.get("/stories")
async def stories(
    request: Request,
    asked: Reading,
    since: Moment = None,
    until: Moment = None,
    min_members: Annotated[int, Query(ge=1, le=1_000_000)] = 2,
    source: Words = None,
    text: Words = None,
    order: Literal["newest", "largest"] = "newest",
    after: Annotated[str | None, Query(max_length=60)] = None,
) -> Response:
    """A page of stories that fit."""
    wanted: dict[str, Any] = {
        "since": moment("since", since),
        "until": moment("until", until),
        "least": min_members,
        "source": source or None,
        "text": text or None,
    }

    def work(deduper: Any) -> dict[str, Any]:
        found = deduper.find_stories(**wanted, order=order, after=after or None, limit=LIMIT)
        return {"stories": story_cards(deduper, found.stories), "after": found.after}

    data = await asked.pool.looks.run(work)
    form = {"since": since, "until": until, "source": source, "text": text, "order": order}
    form = {name: value or "" for name, value in form.items()}
    narrowed = bool(since or until or source or text or min_members != 2)
    return shown(
        request,
        asked,
        "stories.html",
        data,
        form=form | {"min_members": min_members},
        narrowed=narrowed,
        further=after is not None,
    )
