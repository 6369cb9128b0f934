"""Pairs: two articles side by side; the review queue, and tuning by feedback on it."""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query, Request
from markupsafe import Markup
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.deduper.review_queue import ANSWERS, THRESHOLDS, BorderlinePair
from nearcopy.errors import BadFeedback
from nearcopy.evaluate.tune import MIN_LABELS
from nearcopy.extract.text import plain_text
from nearcopy.io.serializers import explanation_row, feedback_row, review_row
from nearcopy.kernels.result_types import Numeral
from nearcopy.match.explain import Explanation
from nearcopy.match.side_by_side import align, paint_rows, shorten
from nearcopy.models import MAIN_MEASUREMENTS, MEASUREMENTS, Article, Fact, FactPair
from nearcopy.service.api.pairs import propose, write_policy
from nearcopy.service.dependencies import AdminAccess, ReadAccess, WriteAccess
from nearcopy.service.pages.render import frame_of, page_router, redirect, respond
from nearcopy.service.pages.view_models import Row, article_card
from nearcopy.service.problems import Problem
from nearcopy.service.request_bodies import read_form

router = page_router()
Id = Annotated[str, Query(max_length=2_000)]
SUGGESTIONS = 6
MAX_UNSHARED = 3000  # characters of one text between two passages
CONTEXT_CHARS = 28  # shown on either side of a figure
MAX_FIGURES = 20
PAGE_SIZE = 20
EXCERPT_CHARS = 700
MAX_HTML = 20_000  # characters that the excerpt is taken from
LONG_NUMBER = re.compile(r"(?<![\d.])\d{5,30}(?![\d.])")


@router.get("/compare")
async def compare(request: Request, context: ReadAccess, a: Id = "", b: Id = "") -> Response:
    """Two articles, or a form to choose them."""
    a, b = a.strip(), b.strip()
    reads = context.pool.reads
    if not (a and b):
        suggestions = await reads.run(
            lambda deduper: pair_cards(deduper, deduper.review(limit=SUGGESTIONS).pairs)
        )
        data: Row = {"pairs": suggestions, "a": a, "b": b}
        return respond(request, context, "compare_which.html", data)
    data, view = await reads.run(lambda deduper: _compare(deduper, a, b))
    return respond(request, context, "compare.html", data, **view)


def _compare(deduper: Deduper, a: str, b: str) -> tuple[Row, Row]:
    """The data of the JSON twin, and what only the page shows."""
    explanation = deduper.explain(a, b)
    left, right = deduper.article(a), deduper.article(b)
    feedback = [feedback_row(row) for row in deduper.all_feedback() if {*row.pair} == {a, b}]
    data = {
        "compared": explanation_row(explanation),
        "a": article_card(left, a) | {"words": len(left.text.split())},
        "b": article_card(right, b) | {"words": len(right.text.split())},
        "feedback": feedback[0] if feedback else None,
        "story_a": deduper.story(a).id,
        "story_b": deduper.story(b).id,
    }
    view = {
        "sentence": explanation.decision.reason,
        "passages": len(explanation.passages),
        "rows": _text_rows(explanation, left, right),
        "facts": fact_rows(explanation),
        "figures": _figures(left, right, explanation),
        "measures": _measures(explanation),
    }
    return data, view


def _text_rows(explanation: Explanation, a: Article, b: Article) -> list[Markup]:
    rows = align(a, b, explanation.passages, explanation.figures)
    painted = paint_rows(shorten(rows, max_unshared=MAX_UNSHARED), a, b)
    return [Markup(row) for row in painted]  # noqa: S704 - the painter escapes all text


def fact_rows(explanation: Explanation) -> list[Row]:
    """The facts of both titles: those that clash, that moved, that agree, and the others."""
    evidence = explanation.evidence
    rows = [_fact_pair(pair, "clash") for pair in evidence.clashes]
    rows += [_fact_pair(pair, "moved") for pair in evidence.moved]
    rows += [_fact_pair(pair, "agree") for pair in evidence.agreements]
    paired = {(side, row["kind"], row[side]) for row in rows for side in ("a", "b")}
    for side, facts in (("a", explanation.facts_a), ("b", explanation.facts_b)):
        for fact in facts:
            if (side, fact.kind, _fact_text(fact)) not in paired:
                row = {"kind": fact.kind, "state": "only", "a": None, "b": None}
                rows.append(row | {side: _fact_text(fact)})
    return rows


def _fact_pair(pair: FactPair, state: str) -> Row:
    a, b = pair
    return {"kind": a.kind, "state": state, "a": _fact_text(a), "b": _fact_text(b)}


def _fact_text(fact: Fact) -> str:
    value = LONG_NUMBER.sub(lambda digits: f"{int(digits[0]):,}", fact.value)
    return value if not fact.about or fact.about in value else f"{value} {fact.about}"


def _figures(a: Article, b: Article, explanation: Explanation) -> list[Row]:
    """Figures with another value in the same place, each in its context."""
    return [
        {"a": _in_context(a.text, left), "b": _in_context(b.text, right)}
        for left, right in explanation.figures[:MAX_FIGURES]
    ]


def _in_context(text: str, numeral: Numeral) -> Row:
    before = text[max(0, numeral.start - CONTEXT_CHARS) : numeral.start]
    after = text[numeral.end : numeral.end + CONTEXT_CHARS]
    return {"before": before, "figure": text[numeral.start : numeral.end], "after": after}


def _measures(explanation: Explanation) -> list[dict[str, Any]]:
    """The main measurements that were taken."""
    values = explanation.evidence._asdict()
    return [
        {"name": name, "value": values[name], **MEASUREMENTS[name]._asdict()}
        for name in MAIN_MEASUREMENTS["compare_page"]
        if values[name] is not None
    ]


# The review queue.


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
    plain = plain_text(text, html=bool(article and article.html))
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
