"""Stories: the list; and one story with its time line, members, audit log and actions."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import Depends, Request
from pydantic import ValidationError
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NotStored
from nearcopy.io.serializers import action_row, dataclass_row, match_row, story_row
from nearcopy.models import Story
from nearcopy.service.api.stories import Id, StoryQuery, run_action
from nearcopy.service.dependencies import ReadAccess, WriteAccess
from nearcopy.service.pages.render import frame_of, page_router, redirect, respond
from nearcopy.service.pages.view_models import (
    Row,
    article_card,
    max_points,
    rank_members,
    score_card,
    story_cards,
)
from nearcopy.service.problems import Problem
from nearcopy.service.request_bodies import read_form
from nearcopy.service.schemas import ActionIn

router = page_router()
PAGE_SIZE = 20
MAX_MEMBERS = 200
MAX_ACTIONS = 200  # of the audit log that are searched for this story
MAX_SIMILAR = 12


@router.get("/stories")
async def stories(
    request: Request, context: ReadAccess, query: Annotated[StoryQuery, Depends()]
) -> Response:
    """A page of the stories that match the form."""
    arguments = query.arguments(PAGE_SIZE)

    def find(deduper: Deduper) -> dict[str, Any]:
        page = deduper.find_stories(**arguments)
        return {"stories": story_cards(deduper, page.stories), "after": page.after}

    data = await context.pool.reads.run(find)
    names = ("since", "until", "source", "text", "order")
    form = {name: getattr(query, name) or "" for name in names}
    conditions = (query.since, query.until, query.source, query.text, query.min_members != 2)
    return respond(
        request,
        context,
        "stories.html",
        data,
        form=form | {"min_members": query.min_members},
        filtered=any(conditions),
        continued=query.after is not None,
    )


@router.get("/stories/{id}")
async def story(request: Request, id: Id, context: ReadAccess) -> Response:  # noqa: A002
    """The story; a former id, or that of an article in it, redirects to it."""
    name = unquote(id)
    data = await context.pool.reads.run(lambda deduper: _story_data(deduper, name))
    if data["id"] != name and not _is_single(data, name):
        query = f"?{request.url.query}" if request.url.query else ""
        return redirect(f"/stories/{quote(data['id'], '')}{query}")
    member_ids, kept = data.pop("member_ids"), data["kept"]["id"]
    # The Deduper that checks has the window in memory.
    data["similar"] = await context.pool.checks.run(
        lambda deduper: _similar(deduper, kept, member_ids)
    )
    done = request.query_params.get("done", "")
    last = next((action for action in data["actions"] if str(action["number"]) == done), None)
    return respond(
        request,
        context,
        "story.html",
        data,
        last=last,
        scored=rank_members(data["members"]),
        max_points=max_points(context.service.pools.policy.scoring),
        reason=data["why"].partition(": length ")[0],  # without what the score card says
    )


def _is_single(data: Row, name: str) -> bool:
    """Whether this is a story of one article, requested by the id of the article."""
    return data["members"][0]["id"] == name and len(data["members"]) == 1


def _story_data(deduper: Deduper, name: str) -> Row:
    story = deduper.story(name)
    row = story_row(story)
    articles = deduper.articles([member.id for member in story.members[:MAX_MEMBERS]])
    members = [
        member
        | {"outlet": member["source"], "card": score_card(member["why"])}
        | article_card(articles.get(member["id"]), member["id"])
        for member in row["members"][:MAX_MEMBERS]
    ]
    return {
        "id": story.id,
        "kept": members[0],
        "why": story.why,
        "first_seen": row["first_seen"],
        "last_seen": row["last_seen"],
        "members": members,
        "member_ids": {member.id for member in story.members},
        "omitted": len(story.members) - len(members),
        "spread": _spread(deduper, story, members),
        "actions": _actions(deduper, story),
    }


def _spread(deduper: Deduper, story: Story, members: Iterable[Row]) -> Row:
    """The spread of the story, each outlet with the places of its articles from 0 to 1."""
    spread = dataclass_row(deduper.spread(story.kept))
    total_hours, first = spread["hours"] or 0.0, spread["first"]
    start = datetime.fromisoformat(first["when"]) if first else None
    places: dict[str, list[Row]] = {}
    names: dict[str, str | None] = {}
    for member in members:
        outlet = member["outlet"] or ""
        if start and member["published"]:
            hours = (datetime.fromisoformat(member["published"]) - start) / timedelta(hours=1)
            share = min(1.0, max(0.0, hours / total_hours)) if total_hours else 0.0
            kept = member["id"] == story.kept
            place = {"at": round(share, 4), "kept": kept, "id": member["id"]}
            places.setdefault(outlet, []).append(place)
        names.setdefault(outlet, member["source"])
    for outlet_row in spread["outlets"]:
        outlet_row["places"] = places.get(outlet_row["name"], [])
        outlet_row["called"] = names.get(outlet_row["name"]) or outlet_row["name"]
    return spread


def _similar(deduper: Deduper, kept: str, member_ids: set[str]) -> list[Row]:
    """Articles of other stories that are similar to the kept copy."""
    try:
        matches = deduper.similar(kept, limit=MAX_SIMILAR + len(member_ids))
    except NotStored:  # deleted meanwhile
        return []
    return [match_row(match) for match in matches if match.id not in member_ids][:MAX_SIMILAR]


def _actions(deduper: Deduper, story: Story) -> list[Row]:
    """Actions on current members, the latest first."""
    ids = {member.id for member in story.members}
    actions = deduper.actions(limit=MAX_ACTIONS)
    return [action_row(action) for action in actions if ids & {action.article, action.other}]


@router.post("/actions")
async def act(request: Request, context: WriteAccess) -> Response:
    """Run the action, and return to the story."""
    form = await read_form(request)
    names = ("kind", "article", "other", "note")
    values = {name: form[name].strip() for name in names if form.get(name, "").strip()}
    try:
        action = ActionIn.model_validate(values)
    except ValidationError:
        raise Problem(422, "the action is incomplete: give its kind and the article") from None
    by = context.caller.name
    result = await context.pool.adds.run(lambda deduper: run_action(deduper, action, by))
    return _to_story(request, result.action.number, action.article)


@router.post("/actions/undo")
async def undo(request: Request, context: WriteAccess) -> Response:
    """Undo the action, and return to the story."""
    number = (await read_form(request)).get("number", "")
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        raise Problem(422, f"number is {number!r:.60}: give the number of an action")
    by = context.caller.name
    result = await context.pool.adds.run(lambda deduper: deduper.undo(int(number), by=by))
    return _to_story(request, result.action.number, result.action.article)


def _to_story(request: Request, number: int, article: str) -> Response:
    frame = frame_of(request, None)
    return redirect(frame.link(f"/stories/{quote(article, safe='')}", done=number))
