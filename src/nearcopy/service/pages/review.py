"""Review: the queue of pairs close to a threshold, and tuning by feedback on them."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.deduper.feedback.review_queue import ANSWERS, THRESHOLDS, BorderlinePair
from nearcopy.errors import BadFeedback
from nearcopy.evaluate.tune import MIN_LABELS
from nearcopy.extract.text import strip_html
from nearcopy.io.serializers.story import review_row
from nearcopy.models import Article
from nearcopy.service.api.tune import propose, write_policy
from nearcopy.service.dependencies import AdminAccess, ReadAccess, WriteAccess
from nearcopy.service.pages.render import frame_of, page_router, redirect, respond
from nearcopy.service.pages.view_models import Row, article_card
from nearcopy.service.problems import Problem
from nearcopy.service.request_bodies import read_form

router = page_router()
PAGE_SIZE = 20
EXCERPT_CHARS = 700
MAX_HTML = 20_000  # characters that the excerpt is taken from


@router.get("/review")
async def review(
    request: Request,
    context: ReadAccess,
    after: Annotated[str | None, Query(max_length=4_000)] = None,
) -> Response:
    """A page of the review queue."""
    data = await context.pool.reads.run(lambda deduper: _queue(deduper, after or None))
    return respond(request, context, "review.html", data, thresholds=THRESHOLDS, fewest=MIN_LABELS)


def _queue(deduper: Deduper, after: str | None) -> dict[str, Any]:
    page = deduper.review(limit=PAGE_SIZE, after=after)
    return {
        "pairs": pair_cards(deduper, page.pairs),
        "after": page.after,
        "feedback": len(deduper.all_feedback()),
    }


def pair_cards(deduper: Deduper, pairs: Sequence[BorderlinePair]) -> list[Row]:
    """Pairs with excerpts of both articles."""
    articles = deduper.articles({name for pair in pairs for name in pair.edge[:2]})

    def excerpt(name: str) -> Row:
        return _excerpt(articles.get(name), name)

    return [
        review_row(pair) | {"one": excerpt(pair.edge.a), "other": excerpt(pair.edge.b)}
        for pair in pairs
    ]


def _excerpt(article: Article | None, name: str) -> Row:
    text = article.text[:MAX_HTML] if article else ""
    plain = strip_html(text) if article and article.html else text
    more = len(plain) > EXCERPT_CHARS
    return article_card(article, name) | {"text": plain[:EXCERPT_CHARS], "more": more}


@router.post("/review")
async def give_feedback(request: Request, context: WriteAccess) -> Response:
    """Store the feedback, and return to the queue."""
    form = await read_form(request)
    answer = ANSWERS.get(form.get("answer", ""))
    if answer is None:
        raise Problem(422, f"answer: choose from {', '.join(ANSWERS)}")
    a, b = form.get("a", ""), form.get("b", "")
    await context.pool.adds.run(lambda deduper: deduper.feedback(a, b, **answer))
    frame = frame_of(request, None)
    if form.get("back") == "compare":
        return redirect(frame.link("/compare", a=a, b=b))
    return redirect(frame.link("/review", after=form.get("after")))


@router.get("/review/tune")
async def tune(request: Request, context: ReadAccess) -> Response:
    """What tuning would change, or how much more feedback it needs."""
    try:
        data = (await propose(context)).row | {"too_few": None}
    except BadFeedback as error:
        data = {"too_few": str(error)}
    return respond(request, context, "tune.html", data, file=context.settings.tuned)


@router.post("/review/tune")
async def accept(request: Request, context: AdminAccess) -> Response:
    """Write the policy, and say how to use it."""
    digest = (await read_form(request)).get("digest", "")
    written = await write_policy(context, digest)
    return respond(request, context, "tuned.html", dict(written))
