"""Review: pairs that were nearly decided otherwise, one after another, and tuning by them."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.deduper.feedback.review_queue import ANSWERS, LINES, Borderline
from nearcopy.errors import BadFeedback
from nearcopy.evaluate.tune import FEWEST
from nearcopy.extract.text import strip_html
from nearcopy.io.serializers.answers import review_row
from nearcopy.models import Article
from nearcopy.service.api import tune as tuning
from nearcopy.service.dependencies import Administering, Reading, Writing
from nearcopy.service.pages.forms import form_of
from nearcopy.service.pages.render import frame_of, moved, page_router, shown
from nearcopy.service.pages.view_models import Row, card
from nearcopy.service.problems import Problem

router = page_router()
LIMIT = 20
BEGINNING = 700  # characters of a text
LONG = 20_000  # that are looked at for these, where it is HTML


@router.get("/review")
async def review(
    request: Request, asked: Reading, after: Annotated[str | None, Query(max_length=4_000)] = None
) -> Response:
    """A page of pairs."""
    data = await asked.pool.looks.run(lambda deduper: _found(deduper, after or None))
    return shown(request, asked, "review.html", data, lines=LINES, fewest=FEWEST)


def _found(deduper: Deduper, after: str | None) -> dict[str, Any]:
    found = deduper.review(limit=LIMIT, after=after)
    told = len(deduper.all_feedback())
    return {"pairs": pair_cards(deduper, found.pairs), "after": found.after, "told": told}


def pair_cards(deduper: Deduper, pairs: Sequence[Borderline]) -> list[Row]:
    """Pairs with the beginnings of both articles."""
    names = {name for each in pairs for name in each.edge[:2]}
    articles = deduper.articles(names)
    return [
        review_row(each)
        | {side: _beginning(articles.get(name), name) for side, name in _sides(each)}
        for each in pairs
    ]


def _sides(pair: Borderline) -> list[tuple[str, str]]:
    return [("one", pair.edge.a), ("other", pair.edge.b)]


def _beginning(article: Article | None, name: str) -> Row:
    text = article.text[:LONG] if article else ""
    plain = strip_html(text) if article and article.html else text
    return card(article, name) | {"text": plain[:BEGINNING], "more": len(plain) > BEGINNING}


@router.post("/review")
async def say(request: Request, asked: Writing) -> Response:
    """Back to the pairs, once it is remembered."""
    form = await form_of(request)
    what = ANSWERS.get(form.get("said", ""))
    if what is None:
        raise Problem(422, f"said: choose from {', '.join(ANSWERS)}")
    a, b = form.get("a", ""), form.get("b", "")
    await asked.pool.adds.run(lambda deduper: deduper.feedback(a, b, **what))
    frame = frame_of(request, None)
    if form.get("back") == "compare":
        return moved(frame.link("/compare", a=a, b=b))
    return moved(frame.link("/review", after=form.get("after")))


@router.get("/review/tune")
async def tune(request: Request, asked: Reading) -> Response:
    """What tuning would change, or what it takes to tell."""
    try:
        data = (await tuning.proposal(asked)).row | {"too_few": None}
    except BadFeedback as wrong:
        data = {"too_few": str(wrong)}
    return shown(request, asked, "tune.html", data, tuned=asked.settings.tuned)


@router.post("/review/tune")
async def accept(request: Request, asked: Administering) -> Response:
    """Where the policy was written, and how to use it."""
    digest = (await form_of(request)).get("digest", "")
    done = await tuning.accepted(asked, digest)
    return shown(request, asked, "tuned.html", dict(done))
