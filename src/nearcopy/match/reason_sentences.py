"""The reason of each rule, in one sentence."""

from collections.abc import Callable

from nearcopy.config import Policy
from nearcopy.match.thresholds import at_least, bodies_differ
from nearcopy.models import Evidence

Reason = Callable[[Evidence, Policy], str]


def _filed_again_reason(e: Evidence, _: Policy) -> str:
    if e.same_source:
        return "the same source filed it again, with changes"
    return "much of the text is the same, and a figure moved as updates move it"


def _same_event_titles_reason(e: Evidence, p: Policy) -> str:
    if bodies_differ(e, p):
        return "the titles agree over texts written independently"
    return "the titles largely agree"


def _same_event_reason(e: Evidence, p: Policy) -> str:
    if e.words > 0 and at_least(e.overlap, p.related_overlap):  # they share passages
        return "they report the same event, in part in the same words"
    return "they report the same event in other words"


SENTENCES: dict[str, str | Reason] = {  # by the name of the rule
    "same-address": "both have the same address",
    "identical-text": "the texts are identical, word for word",
    "updated-page": "the text at this address changed",
    "declared-address": "the page declares the other's address as its own",
    "filed-again": _filed_again_reason,
    "near-text": "the texts are nearly the same",
    "contained": "the longer text contains nearly all of the shorter",
    "reworded": "much of the text is the same, with many words changed",
    "rewritten": "the same source updated it: much of the text is shared and the titles agree",
    "toll-moved": "the same source updated it: a toll moved and part of the text is the same",
    "figure-moved": "the titles agree except for a figure that updates move",
    "like-titles": "the titles agree and nothing clashes",
    "titles-and-facts": "the titles are similar and their facts agree",
    "like-titles-over-different-texts": _same_event_titles_reason,
    "same-event": _same_event_reason,
    "related-titles": "the titles have a subject in common",
    "related-texts": "the texts have passages or a subject in common",
}
