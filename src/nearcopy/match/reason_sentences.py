"""The reason of each rule, in one sentence."""

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from nearcopy.match.evidence_table import Mask
from nearcopy.match.thresholds import Conditions, at_least, yes


class Choice(NamedTuple):
    """One sentence where a condition holds, another elsewhere."""

    holds: Callable[[Conditions], Mask]
    sentence: str
    otherwise: str


def _of_one_source(c: Conditions) -> Mask:
    return yes(c.evidence.same_source)


def _share_passages(c: Conditions) -> Mask:
    return (c.evidence.words > 0) & at_least(c.evidence.overlap, c.policy.related_overlap)


SENTENCES: dict[str, str | Choice] = {  # by the name of the rule
    "same-address": "both have the same address",
    "identical-text": "the texts are identical, word for word",
    "updated-page": "the text at this address changed",
    "declared-address": "the page declares the other's address as its own",
    "filed-again": Choice(
        _of_one_source,
        "the same source filed it again, with changes",
        "much of the text is the same, and a figure moved as updates move it",
    ),
    "near-text": "the texts are nearly the same",
    "contained": "the longer text contains nearly all of the shorter",
    "reworded": "much of the text is the same, with many words changed",
    "rewritten": "the same source updated it: much of the text is shared and the titles agree",
    "toll-moved": "the same source updated it: a toll moved and part of the text is the same",
    "figure-moved": "the titles agree except for a figure that updates move",
    "like-titles": "the titles agree and nothing clashes",
    "titles-and-facts": "the titles are similar and their facts agree",
    "like-titles-over-different-texts": Choice(
        attrgetter("bodies_differ"),
        "the titles agree over texts written independently",
        "the titles largely agree",
    ),
    "same-event": Choice(
        _share_passages,
        "they report the same event, in part in the same words",
        "they report the same event in other words",
    ),
    "related-titles": "the titles have a subject in common",
    "related-texts": "the texts have passages or a subject in common",
}
