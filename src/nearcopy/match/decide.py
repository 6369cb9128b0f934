"""Judging: what two articles are to each other. No text is read here; thresholds are the policy's.

The rules are tried surest first: the first that holds and is not vetoed decides.
"""

from collections.abc import Callable
from enum import IntFlag
from typing import NamedTuple

from nearcopy.config import Policy
from nearcopy.match import confidence
from nearcopy.match.calibration import calibrated
from nearcopy.match.conditions import (
    PASSAGE_WORDS,
    at_least,
    bodies_apart,
    contained,
    equal_bits,
    facts_establish,
    long_enough,
    moved_on,
    near,
    reworded,
    rewritten_page,
    texts_differ,
    title_mix,
    titles_alike,
    titles_count,
    titles_decide,
)
from nearcopy.match.vetoes import (
    Veto,
    form_veto,
    news_veto,
    no_veto,
    part_veto,
    short_text_veto,
    text_veto,
    title_veto,
    veto,
)
from nearcopy.models.model import Decision, Evidence, Relation

# What is measured between the texts alone; of all else it is as if nothing were known.
OF_TEXT = frozenset({"same_text", "distance", "overlap", "containment", "exact", "words"})
NOTHING = tuple(Evidence._field_defaults.items())


class Needs(IntFlag):
    """What a rule cannot do without."""

    NOTHING = 0
    ADDRESS = 1  # one that the two share
    TEXTS = 2  # both long enough
    TITLES = 4  # both long enough


Reason = Callable[[Evidence, Policy], str]


class Rule(NamedTuple):
    """One way for a relation to hold; a veto of its kind takes it away."""

    name: str
    relation: Relation
    needs: Needs
    reason: str | Reason
    holds: Callable[[Evidence, Policy], bool]
    confidence: Callable[[Evidence], float]
    vetoed_by: Veto


def decide(evidence: Evidence, policy: Policy) -> Decision:
    """The first rule that holds and is not vetoed."""
    if policy.compares == "text":
        evidence = Evidence(*(getattr(evidence, n) if n in OF_TEXT else d for n, d in NOTHING))
    vetoed: str | None = None
    vetoes: dict[Veto, str | None] = {}
    for rule in OPEN[_given(evidence, policy)]:
        if not rule.holds(evidence, policy):
            continue
        if rule.vetoed_by not in vetoes:
            vetoes[rule.vetoed_by] = rule.vetoed_by(evidence, policy)
        veto = vetoes[rule.vetoed_by]
        if veto is None:
            return _decision(rule, evidence, policy, vetoed)
        vetoed = vetoed or veto
    return Decision(
        Relation.DISTINCT,
        "vetoed" if vetoed else "nothing-in-common",
        confidence.distinct(evidence, vetoed),
        False,
        vetoed or "nothing that counts is shared",
        _flags(evidence, policy),
    )


def _given(e: Evidence, p: Policy) -> int:
    """What there is for rules to go by."""
    address = Needs.ADDRESS.value if e.same_url or e.same_declared_url else 0
    texts = Needs.TEXTS.value if long_enough(e, p) else 0
    return address | texts | (Needs.TITLES.value if titles_count(e, p) else 0)


def _decision(rule: Rule, evidence: Evidence, policy: Policy, vetoed: str | None) -> Decision:
    """The rule's decision, and why it is no surer one."""
    sure, duplicate = rule.confidence(evidence), rule.relation in policy.duplicates
    reason = rule.reason if isinstance(rule.reason, str) else rule.reason(evidence, policy)
    return Decision(
        rule.relation,
        rule.name,
        calibrated(sure, policy.calibration) if duplicate else sure,
        duplicate,
        f"{reason}; no more than that: {vetoed}" if vetoed else reason,
        _flags(evidence, policy),
    )


def _flags(evidence: Evidence, policy: Policy) -> tuple[str, ...]:
    short = ("short",) if evidence.words < policy.min_words else ()
    return (*short, "junk") if evidence.junk else short


# The rules' own conditions.


def _same_address(e: Evidence, p: Policy) -> bool:
    return bool(e.same_url) and not rewritten_page(e, p)


def _updated_page(e: Evidence, p: Policy) -> bool:
    return bool(e.same_url) and rewritten_page(e, p)


def _declared_address(e: Evidence, p: Policy) -> bool:
    return bool(e.same_declared_url) and not (texts_differ(e) and bodies_apart(e, p))


def _filed_again(e: Evidence, p: Policy) -> bool:
    if not (moved_on(e, p) and (e.same_source or e.moved)):
        return False
    return near(e, p) or contained(e, p) or _much_shared(e, p)


def _rewritten(e: Evidence, p: Policy) -> bool:
    return _much_shared(e, p) and titles_count(e, p) and titles_alike(e, p)


def _much_shared(e: Evidence, p: Policy) -> bool:
    return bool(e.same_source) and at_least(e.overlap, p.revised)


def _toll_moved(e: Evidence, p: Policy) -> bool:
    """Of texts too short for the rules above; of one source, a toll that moved says what it is."""
    return p.facts and bool(e.moved) and e.words >= PASSAGE_WORDS and _much_shared(e, p)


def _figure_moved(e: Evidence, p: Policy) -> bool:
    return p.facts and bool(e.moved) and titles_alike(e, p) and titles_decide(e, p)


def _same_title(e: Evidence, p: Policy) -> bool:
    return titles_alike(e, p) and titles_decide(e, p)


def _title_and_facts(e: Evidence, p: Policy) -> bool:
    return facts_establish(e, p) and titles_decide(e, p)


def _same_event(e: Evidence, p: Policy) -> bool:
    return at_least(e.title_soft, p.event_soft)


def _same_news(e: Evidence, p: Policy) -> bool:
    return at_least(e.news, p.event_news)


def _related_titles(e: Evidence, p: Policy) -> bool:
    if at_least(e.title_soft, p.related_soft):
        return True
    return p.related_mix is not None and at_least(title_mix(e), p.related_mix)


def _related_texts(e: Evidence, p: Policy) -> bool:
    return (
        at_least(e.overlap, p.related_overlap)
        or at_least(equal_bits(e), p.related_bits)
        or at_least(e.news, p.related_news)
    )


# What those rules say whose reason depends on what was measured.


def _why_filed_again(e: Evidence, _: Policy) -> str:
    if e.same_source:
        return "the same source filed it again, with changes"
    return "much of the text is the same, and a figure has moved that updates move"


def _why_same_event(e: Evidence, p: Policy) -> str:
    if bodies_apart(e, p):
        return "the titles agree over texts written apart"
    return "the titles agree in much"


def _why_same_news(e: Evidence, p: Policy) -> str:
    if _shares_passages(e, p):
        return "they report the same news, in part in the same words"
    return "they report the same news in other words"


def _shares_passages(e: Evidence, p: Policy) -> bool:
    """Whether a part of the text that is worth the name stands in both."""
    return e.words > 0 and at_least(e.overlap, p.related_overlap)


RULES = (
    Rule(
        "same-address",
        Relation.SAME_URL,
        Needs.ADDRESS,
        "both stand at the same address",
        _same_address,
        confidence.by_address,
        no_veto,
    ),
    Rule(
        "identical-text",
        Relation.SAME_TEXT,
        Needs.NOTHING,
        "both texts are the same, word for word",
        lambda e, _: bool(e.same_text),
        confidence.by_identity,
        short_text_veto,
    ),
    Rule(
        "updated-page",
        Relation.REVISION,
        Needs.ADDRESS,
        "the text at this address has changed",
        _updated_page,
        confidence.by_address,
        no_veto,
    ),
    Rule(
        "declared-address",
        Relation.SAME_URL,
        Needs.ADDRESS,
        "the page names the other's address as its own",
        _declared_address,
        confidence.by_address,
        veto,
    ),
    Rule(
        "filed-again",
        Relation.REVISION,
        Needs.TEXTS,
        _why_filed_again,
        _filed_again,
        confidence.by_revision,
        text_veto,
    ),
    Rule(
        "near-text",
        Relation.NEAR_TEXT,
        Needs.TEXTS,
        "the texts are nearly the same",
        near,
        confidence.by_text,
        text_veto,
    ),
    Rule(
        "contained",
        Relation.CONTAINED,
        Needs.TEXTS,
        "the longer text holds nearly all of the shorter",
        contained,
        confidence.by_containment,
        part_veto,
    ),
    Rule(
        "reworded",
        Relation.NEAR_TEXT,
        Needs.TEXTS,
        "much of the text is the same, and of the same words, with many changed",
        reworded,
        confidence.by_rewording,
        title_veto,
    ),
    Rule(
        "rewritten",
        Relation.REVISION,
        Needs.TEXTS,
        "the same source wrote on: much of the text is shared and the titles agree",
        _rewritten,
        confidence.by_revision,
        text_veto,
    ),
    Rule(
        "toll-moved",
        Relation.REVISION,
        Needs.NOTHING,
        "the same source wrote on: a toll has moved and part of the text is the same",
        _toll_moved,
        confidence.by_revision,
        text_veto,
    ),
    Rule(
        "figure-moved",
        Relation.REVISION,
        Needs.TITLES,
        "the titles agree but for a figure that updates move",
        _figure_moved,
        confidence.by_title,
        title_veto,
    ),
    Rule(
        "like-titles",
        Relation.SAME_TITLE,
        Needs.TITLES,
        "the titles agree and nothing clashes",
        _same_title,
        confidence.by_title,
        title_veto,
    ),
    Rule(
        "titles-and-facts",
        Relation.SAME_TITLE,
        Needs.TITLES,
        "the titles are alike and their facts agree",
        _title_and_facts,
        confidence.by_title,
        title_veto,
    ),
    Rule(
        "like-titles-over-different-texts",
        Relation.SAME_EVENT,
        Needs.TITLES,
        _why_same_event,
        _same_event,
        confidence.by_like_titles,
        title_veto,
    ),
    Rule(
        "same-news",
        Relation.SAME_EVENT,
        Needs.NOTHING,
        _why_same_news,
        _same_news,
        confidence.by_news,
        news_veto,
    ),
    Rule(
        "related-titles",
        Relation.RELATED,
        Needs.TITLES,
        "the titles have a subject in common",
        _related_titles,
        confidence.by_event,
        form_veto,
    ),
    Rule(
        "related-texts",
        Relation.RELATED,
        Needs.NOTHING,
        "the texts have passages or a subject in common",
        _related_texts,
        confidence.by_subject,
        text_veto,
    ),
)
# The rules open to a pair, by what there is for them to go by.
OPEN = [
    tuple(rule for rule in RULES if rule.needs & available == rule.needs)
    for available in range(sum(Needs) + 1)
]
