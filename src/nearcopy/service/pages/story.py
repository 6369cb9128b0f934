"""A story: its time line, its members, and what people may do to it."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, unquote

from fastapi import Request
from pydantic import ValidationError
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NotStored
from nearcopy.io.serializers.answers import action_row, match_row, spread_row, story_row
from nearcopy.models import Article, Story
from nearcopy.service.api.actions import done
from nearcopy.service.api.stories import Id
from nearcopy.service.dependencies import Asked, Reading, Writing
from nearcopy.service.pages.forms import form_of
from nearcopy.service.pages.render import frame_of, moved, page_router, shown
from nearcopy.service.pages.scorecard import best_first, most_points, score_card
from nearcopy.service.pages.view_models import Row, card
from nearcopy.service.problems import Problem
from nearcopy.service.schemas.requests import ActIn

router = page_router()
MOST_MEMBERS = 200
ACTS = 200  # of the journal that are looked through
SIMILAR = 12


@router.get("/stories/{id}")
async def story(request: Request, id: Id, asked: Reading) -> Response:  # noqa: A002
    """The story; a former id, or an article's, leads there."""
    name = unquote(id)
    data = await asked.pool.looks.run(lambda deduper: _found(deduper, name))
    if data["id"] != name and not _alone(data, name):
        query = f"?{request.url.query}" if request.url.query else ""
        return moved(f"/stories/{quote(data['id'], '')}{query}")
    here, kept = data.pop("here"), data["kept"]["id"]
    alike = await asked.pool.checks.run(lambda deduper: _similar(deduper, kept, here))
    data["similar"] = alike  # asked of who has the window in memory
    acted = request.query_params.get("done", "")
    last = next((each for each in data["acts"] if str(each["number"]) == acted), None)
    return shown(request, asked, "story.html", data, last=last, **_drawn(asked, data))


def _drawn(asked: Asked, data: Row) -> Row:
    """The score card, and why the copy is kept without what the card says."""
    return {
        "scored": best_first(data["members"]),
        "most_points": most_points(asked.service.pools.policy.scoring),
        "reason": data["why"].partition(": length ")[0],
    }


def _alone(data: Row, name: str) -> bool:
    """Whether it is an article by itself, asked for by its id, by which it is found sooner."""
    return data["members"][0]["id"] == name and len(data["members"]) == 1


@router.post("/acts")
async def act(request: Request, asked: Writing) -> Response:
    """Back to the story, once it is done."""
    form = await form_of(request)
    names = ("act", "article", "other", "note")
    given = {name: form[name].strip() for name in names if form.get(name, "").strip()}
    try:
        wanted = ActIn.model_validate(given)
    except ValidationError:
        raise Problem(422, "say what to do, and to which article") from None
    by = asked.caller.name
    found = await asked.pool.adds.run(lambda deduper: done(deduper, wanted, by))
    return _back(request, found.action.number, wanted.article)


@router.post("/acts/undo")
async def undo(request: Request, asked: Writing) -> Response:
    """Back to the story, once an act is undone."""
    number = (await form_of(request)).get("number", "")
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        raise Problem(422, "name the act by its number")
    by = asked.caller.name
    found = await asked.pool.adds.run(lambda deduper: deduper.undo(int(number), by=by))
    return _back(request, found.action.number, found.action.article)


def _back(request: Request, number: int, article: str) -> Response:
    frame = frame_of(request, None)
    return moved(frame.link(f"/stories/{quote(article, safe='')}", done=number))


def _found(deduper: Deduper, name: str) -> dict[str, Any]:
    found = deduper.story(name)
    shown_members = found.members[:MOST_MEMBERS]
    articles = deduper.articles([each.id for each in shown_members])
    row = story_row(found)
    members = [
        _member(member, articles.get(member["id"])) for member in row["members"][:MOST_MEMBERS]
    ]
    return {
        "id": found.id,
        "kept": members[0],
        "why": found.why,
        "first_seen": row["first_seen"],
        "last_seen": row["last_seen"],
        "members": members,
        "here": {each.id for each in found.members},
        "left_out": len(found.members) - len(members),
        "spread": _spread(deduper, found, members),
        "acts": _acts(deduper, found),
    }


def _member(member: Row, article: Article | None) -> Row:
    """A member as it is shown; its outlet is the site that it is known by."""
    told = {"outlet": member["source"], "card": score_card(member["why"])}
    return member | told | card(article, member["id"])


def _spread(deduper: Deduper, story: Story, members: Iterable[Row]) -> dict[str, Any]:
    """How it spread, each outlet with the places of its articles on a line from 0 to 1."""
    found = spread_row(deduper.spread(story.kept))
    whole = found["hours"] or 0.0
    first = found["first"]
    times: dict[str, list[Row]] = {}
    names: dict[str, str | None] = {}
    for each in members:
        hours = _hours(first["when"], each["published"]) if first else None
        if hours is not None:
            share = min(1.0, max(0.0, hours / whole)) if whole else 0.0
            place = {"at": round(share, 4), "kept": each["id"] == story.kept, "id": each["id"]}
            times.setdefault(each["outlet"] or "", []).append(place)
        names.setdefault(each["outlet"] or "", each["source"])
    for outlet in found["outlets"]:
        outlet["places"] = times.get(outlet["name"], [])
        outlet["called"] = names.get(outlet["name"]) or outlet["name"]
    return found


def _hours(first: str, moment: str | None) -> float | None:
    if moment is None:
        return None
    return (datetime.fromisoformat(moment) - datetime.fromisoformat(first)) / timedelta(hours=1)


def _similar(deduper: Deduper, kept: str, here: set[str]) -> list[Row]:
    """What is like the kept copy and in another story."""
    try:
        found = deduper.similar(kept, limit=SIMILAR + len(here))
    except NotStored:  # forgotten meanwhile
        return []
    return [match_row(each) for each in found if each.id not in here][:SIMILAR]


def _acts(deduper: Deduper, story: Story) -> list[Row]:
    """What people did to articles that are here now, the last first."""
    here = {each.id for each in story.members}
    acts = deduper.actions(limit=ACTS)
    return [action_row(each) for each in acts if here & {each.article, each.other or each.article}]
