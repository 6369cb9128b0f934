"""Compare: two articles side by side, their facts and their evidence."""

import re
from typing import Annotated, Any

from fastapi import Query, Request
from markupsafe import Markup
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.extract.numerals import Numeral
from nearcopy.io.serializers.story import feedback_row
from nearcopy.io.serializers.verdict import explanation_row
from nearcopy.match.explain import Explanation
from nearcopy.match.side_by_side import align, paint_rows, shorten
from nearcopy.models import MEASUREMENTS, Article, Fact, FactPair
from nearcopy.service.dependencies import ReadAccess
from nearcopy.service.pages.render import page_router, respond
from nearcopy.service.pages.review import pair_cards
from nearcopy.service.pages.view_models import Row, article_card

router = page_router()
Id = Annotated[str, Query(max_length=2_000)]
SUGGESTIONS = 6
MAX_UNSHARED = 3000  # characters of one text between two passages
CONTEXT_CHARS = 28  # shown on either side of a figure
MAX_FIGURES = 20
LONG_NUMBER = re.compile(r"(?<![\d.])\d{5,30}(?![\d.])")
EVIDENCE = (
    "same_url",
    "same_text",
    "overlap",
    "containment",
    "distance",
    "title_ratio",
    "title_event_score",
    "profile",
    "names_shared",
    "numerals_shared",
    "numerals_changed",
    "event_score",
    "hours_apart",
    "same_source",
    "words",
)


@router.get("/compare")
async def compare(request: Request, context: ReadAccess, a: Id = "", b: Id = "") -> Response:
    """Two articles, or a form to choose them."""
    a, b = a.strip(), b.strip()
    reads = context.pool.reads
    if not (a and b):
        suggestions = await reads.run(_suggest_pairs)
        data: Row = {"pairs": suggestions, "a": a, "b": b}
        return respond(request, context, "compare_which.html", data)
    data, view = await reads.run(lambda deduper: _compare(deduper, a, b))
    return respond(request, context, "compare.html", data, **view)


def _suggest_pairs(deduper: Deduper) -> list[Row]:
    return pair_cards(deduper, deduper.review(limit=SUGGESTIONS).pairs)


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
        for name in EVIDENCE
        if values[name] is not None
    ]
