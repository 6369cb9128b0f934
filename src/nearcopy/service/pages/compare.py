"""Compare: two articles side by side, and why they are what they are to each other."""

import re
from typing import Annotated, Any

from fastapi import Query, Request
from markupsafe import Markup
from starlette.responses import Response

from nearcopy.deduper.deduper import Deduper
from nearcopy.extract.numerals import Numeral
from nearcopy.io.serializers.answers import explanation_row, feedback_row
from nearcopy.match.alignment import align, shorten
from nearcopy.match.alignment_html import paint_rows
from nearcopy.match.explain import Explanation
from nearcopy.models import Article, Fact, FactPair
from nearcopy.service.dependencies import Reading
from nearcopy.service.pages.render import page_router, shown
from nearcopy.service.pages.review import pair_cards
from nearcopy.service.pages.view_models import Row, card

router = page_router()
Name = Annotated[str, Query(max_length=2_000)]
SUGGESTED = 6
MAX_UNSHARED = 3000  # characters of one text between two passages
AROUND = 28  # characters shown on either side of a figure
FIGURES = 20
LONG_NUMBER = re.compile(r"(?<![\d.])\d{5,30}(?![\d.])")
# What is measured, in words, and how it is written.
MEASURES = (
    ("same_url", "Same address", "yes"),
    ("same_text", "Same text", "yes"),
    ("overlap", "Words in common, of both texts", "share"),
    ("containment", "Of the shorter text in the longer", "share"),
    ("distance", "Bits of the fingerprint that differ, of 64", "number"),
    ("title_ratio", "Titles, letter by letter", "share"),
    ("title_news", "Titles tell the same news", "share"),
    ("profile", "Heaviest terms in common", "share"),
    ("names_shared", "Names in common", "share"),
    ("numerals_shared", "Figures in common", "share"),
    ("numerals_changed", "Figures changed in place", "number"),
    ("news", "Same news, by all of this", "share"),
    ("hours_apart", "Hours apart", "decimal"),
    ("same_source", "Same outlet", "yes"),
    ("words", "Words of the shorter text", "number"),
)


@router.get("/compare")
async def compare(request: Request, asked: Reading, a: Name = "", b: Name = "") -> Response:
    """The two, or a form that asks which."""
    a, b = a.strip(), b.strip()
    if not (a and b):
        found = await asked.pool.looks.run(_suggested)
        return shown(request, asked, "compare_which.html", found | {"a": a, "b": b})
    data, drawn = await asked.pool.looks.run(lambda deduper: _compared(deduper, a, b))
    return shown(request, asked, "compare.html", data, **drawn)


def _suggested(deduper: Deduper) -> dict[str, Any]:
    return {"pairs": pair_cards(deduper, deduper.review(limit=SUGGESTED).pairs)}


def _compared(deduper: Deduper, a: str, b: str) -> tuple[Row, Row]:
    """The data of the twin, and what is drawn from them."""
    found = deduper.explain(a, b)
    one, other = deduper.article(a), deduper.article(b)
    said = [feedback_row(each) for each in deduper.all_feedback() if {*each.pair} == {a, b}]
    data = {
        "compared": explanation_row(found),
        "a": card(one, a) | {"words": _words(one)},
        "b": card(other, b) | {"words": _words(other)},
        "said": said[0] if said else None,
        "story_a": deduper.story(a).id,
        "story_b": deduper.story(b).id,
    }
    drawn = {
        "sentence": found.decision.reason,
        "passages": len(found.passages),
        "rows": _rows(found, one, other),
        "facts": facts(found),
        "figures": _figures(one, other, found),
        "measures": _measures(found),
    }
    return data, drawn


def _rows(found: Explanation, a: Article, b: Article) -> list[Markup]:
    rows = shorten(align(a, b, found.passages, found.figures), max_unshared=MAX_UNSHARED)
    return [Markup(row) for row in paint_rows(rows, a, b)]  # noqa: S704 - escaped by the painter


def _words(article: Article) -> int:
    return len(article.text.split())


def facts(found: Explanation) -> list[Row]:
    """The facts of both titles: those that clash first, then those that agree, then the rest."""
    evidence = found.evidence
    rows = [_pair(each, "clash") for each in evidence.clashes]
    rows += [_pair(each, "moved") for each in evidence.moved]
    rows += [_pair(each, "agree") for each in evidence.agreements]
    named = {(side, row["kind"], row[side]) for row in rows for side in ("a", "b")}
    for side, single in (("a", found.facts_a), ("b", found.facts_b)):
        for fact in single:
            if (side, fact.kind, _said(fact)) not in named:
                row = {"kind": fact.kind, "state": "only", "a": None, "b": None}
                rows.append(row | {side: _said(fact)})
    return rows


def _pair(pair: FactPair, state: str) -> Row:
    return {"kind": pair[0].kind, "state": state, "a": _said(pair[0]), "b": _said(pair[1])}


def _said(fact: Fact) -> str:
    value = LONG_NUMBER.sub(lambda found: f"{int(found[0]):,}", fact.value)
    return value if not fact.about or fact.about in value else f"{value} {fact.about}"


def _figures(a: Article, b: Article, found: Explanation) -> list[Row]:
    """Figures that stand in the same place with another value, each among its words."""
    return [
        {"a": _around(a.text, one), "b": _around(b.text, other)}
        for one, other in found.figures[:FIGURES]
    ]


def _around(text: str, numeral: Numeral) -> Row:
    before = text[max(0, numeral.start - AROUND) : numeral.start]
    after = text[numeral.end : numeral.end + AROUND]
    return {"before": before, "figure": text[numeral.start : numeral.end], "after": after}


def _measures(found: Explanation) -> list[Row]:
    """What was measured and says something."""
    values = found.evidence._asdict()
    return [
        {"name": name, "label": label, "kind": kind, "value": values[name]}
        for name, label, kind in MEASURES
        if values[name] is not None
    ]
