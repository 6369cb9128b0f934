"""The decision on two articles, from their evidence and a policy alone.

The rules are ordered surest first: the first that holds and is not vetoed decides.
"""

from collections.abc import Callable
from enum import IntFlag
from typing import NamedTuple

from nearcopy.config import Policy
from nearcopy.match.confidence import (
    by_address,
    by_containment,
    by_event,
    by_event_score,
    by_identity,
    by_like_titles,
    by_revision,
    by_rewording,
    by_subject,
    by_text,
    by_title,
    calibrate,
    distinct,
)
from nearcopy.match.reason_sentences import SENTENCES
from nearcopy.match.thresholds import (
    PASSAGE_WORDS,
    at_least,
    at_most,
    bodies_differ,
    contained,
    is_update,
    long_enough,
    near,
    page_rewritten,
    reworded,
    texts_differ,
    title_mix,
    titles_decide,
    titles_long_enough,
    titles_similar,
)
from nearcopy.match.vetoes import (
    Veto,
    base_veto,
    containment_veto,
    event_veto,
    form_veto,
    stub_veto,
    text_veto,
    title_veto,
)
from nearcopy.models import Decision, Evidence, Relation

# The evidence of the texts; a policy that compares texts only sees nothing else.
TEXT_FIELDS = frozenset({"same_text", "distance", "overlap", "containment", "exact", "words"})
DEFAULTS = tuple(Evidence._field_defaults.items())


class Needs(IntFlag):
    """The evidence that a rule requires."""

    NOTHING = 0
    ADDRESS = 1  # a shared one
    TEXTS = 2  # both long enough
    TITLES = 4  # both long enough


class Rule(NamedTuple):
    """A sufficient condition of a relation, unless its veto applies."""

    name: str
    relation: Relation
    needs: Needs
    holds: Callable[[Evidence, Policy], bool]
    confidence: Callable[[Evidence], float]
    vetoed_by: Veto | None


def decide(evidence: Evidence, policy: Policy) -> Decision:
    """The decision of the first rule that holds and is not vetoed.

    >>> from nearcopy import Evidence, Policy, decide
    >>> decide(Evidence(same_text=True, words=200), Policy()).relation
    <Relation.SAME_TEXT: 'same_text'>

    Args:
        evidence: What `compare` measured between the two articles.
        policy: The thresholds, and the relations that count as duplicates.
    """
    if policy.compares == "text":
        evidence = Evidence(*(getattr(evidence, n) if n in TEXT_FIELDS else d for n, d in DEFAULTS))
    vetoed: str | None = None
    vetoes: dict[Veto | None, str | None] = {None: None}
    for rule in APPLICABLE[_available(evidence, policy)]:
        if not rule.holds(evidence, policy):
            continue
        if rule.vetoed_by and rule.vetoed_by not in vetoes:
            vetoes[rule.vetoed_by] = rule.vetoed_by(evidence, policy)
        reason = vetoes[rule.vetoed_by]
        if reason is None:
            return _decide_by(rule, evidence, policy, vetoed)
        vetoed = vetoed or reason
    return Decision(
        Relation.DISTINCT,
        "vetoed" if vetoed else "nothing-in-common",
        distinct(evidence, vetoed),
        False,
        vetoed or "they have nothing relevant in common",
        _flags(evidence, policy),
    )


def _available(e: Evidence, p: Policy) -> int:
    """The flags of `Needs` that the evidence meets."""
    address = Needs.ADDRESS.value if e.same_url or e.same_declared_url else 0
    texts = Needs.TEXTS.value if long_enough(e, p) else 0
    return address | texts | (Needs.TITLES.value if titles_long_enough(e, p) else 0)


def _decide_by(rule: Rule, evidence: Evidence, policy: Policy, vetoed: str | None) -> Decision:
    """The decision of the rule, and the veto of a surer one."""
    sure, duplicate = rule.confidence(evidence), rule.relation in policy.duplicates
    sentence = SENTENCES[rule.name]
    reason = sentence if isinstance(sentence, str) else sentence(evidence, policy)
    return Decision(
        rule.relation,
        rule.name,
        calibrate(sure, policy.calibration) if duplicate else sure,
        duplicate,
        f"{reason}; not a surer relation: {vetoed}" if vetoed else reason,
        _flags(evidence, policy),
    )


def _flags(evidence: Evidence, policy: Policy) -> tuple[str, ...]:
    short = ("short",) if evidence.words < policy.min_words else ()
    return (*short, "block_page") if evidence.block_page else short


# The conditions of single rules.


def _same_text(e: Evidence, _: Policy) -> bool:
    return bool(e.same_text)


def _same_address(e: Evidence, p: Policy) -> bool:
    return bool(e.same_url) and not page_rewritten(e, p)


def _updated_page(e: Evidence, p: Policy) -> bool:
    return bool(e.same_url) and page_rewritten(e, p)


def _declares(e: Evidence, p: Policy) -> bool:
    return bool(e.same_declared_url) and not (texts_differ(e) and bodies_differ(e, p))


def _filed_again(e: Evidence, p: Policy) -> bool:
    if not (is_update(e, p) and (e.same_source or e.moved)):
        return False
    return near(e, p) or contained(e, p) or _much_shared(e, p)


def _rewritten(e: Evidence, p: Policy) -> bool:
    return _much_shared(e, p) and titles_long_enough(e, p) and titles_similar(e, p)


def _much_shared(e: Evidence, p: Policy) -> bool:
    return bool(e.same_source) and at_least(e.overlap, p.revision_overlap)


def _toll_moved(e: Evidence, p: Policy) -> bool:
    """For texts too short for the rules above: one source, and a toll that moved."""
    return p.facts and bool(e.moved) and e.words >= PASSAGE_WORDS and _much_shared(e, p)


def _figure_moved(e: Evidence, p: Policy) -> bool:
    return p.facts and bool(e.moved) and titles_similar(e, p) and titles_decide(e, p)


def _same_title(e: Evidence, p: Policy) -> bool:
    return titles_similar(e, p) and titles_decide(e, p)


def _facts_agree(e: Evidence, p: Policy) -> bool:
    facts_confirm = bool(e.agreements) and at_least(e.title_soft, p.title_and_facts)
    return facts_confirm and titles_decide(e, p)


def _same_event_titles(e: Evidence, p: Policy) -> bool:
    return at_least(e.title_soft, p.event_soft)


def _same_event(e: Evidence, p: Policy) -> bool:
    return at_least(e.event_score, p.event_score)


def _related_titles(e: Evidence, p: Policy) -> bool:
    if at_least(e.title_soft, p.related_soft):
        return True
    return p.related_mix is not None and at_least(title_mix(e), p.related_mix)


def _related_texts(e: Evidence, p: Policy) -> bool:
    return (
        at_least(e.overlap, p.related_overlap)
        or at_most(e.distance, p.related_max_hamming)
        or at_least(e.event_score, p.related_score)
    )


# Surest first.
RULES = (
    Rule("same-address", Relation.SAME_URL, Needs.ADDRESS, _same_address, by_address, None),
    Rule("identical-text", Relation.SAME_TEXT, Needs.NOTHING, _same_text, by_identity, stub_veto),
    Rule("updated-page", Relation.REVISION, Needs.ADDRESS, _updated_page, by_address, None),
    Rule("declared-address", Relation.SAME_URL, Needs.ADDRESS, _declares, by_address, base_veto),
    Rule("filed-again", Relation.REVISION, Needs.TEXTS, _filed_again, by_revision, text_veto),
    Rule("near-text", Relation.NEAR_TEXT, Needs.TEXTS, near, by_text, text_veto),
    Rule("contained", Relation.CONTAINED, Needs.TEXTS, contained, by_containment, containment_veto),
    Rule("reworded", Relation.NEAR_TEXT, Needs.TEXTS, reworded, by_rewording, title_veto),
    Rule("rewritten", Relation.REVISION, Needs.TEXTS, _rewritten, by_revision, text_veto),
    Rule("toll-moved", Relation.REVISION, Needs.NOTHING, _toll_moved, by_revision, text_veto),
    Rule("figure-moved", Relation.REVISION, Needs.TITLES, _figure_moved, by_title, title_veto),
    Rule("like-titles", Relation.SAME_TITLE, Needs.TITLES, _same_title, by_title, title_veto),
    Rule("titles-and-facts", Relation.SAME_TITLE, Needs.TITLES, _facts_agree, by_title, title_veto),
    Rule(
        "like-titles-over-different-texts",
        Relation.SAME_EVENT,
        Needs.TITLES,
        _same_event_titles,
        by_like_titles,
        title_veto,
    ),
    Rule("same-event", Relation.SAME_EVENT, Needs.NOTHING, _same_event, by_event_score, event_veto),
    Rule("related-titles", Relation.RELATED, Needs.TITLES, _related_titles, by_event, form_veto),
    Rule("related-texts", Relation.RELATED, Needs.NOTHING, _related_texts, by_subject, text_veto),
)
# The rules that apply, by the flags of `Needs` that the evidence meets.
APPLICABLE = [
    tuple(rule for rule in RULES if rule.needs & available == rule.needs)
    for available in range(sum(Needs) + 1)
]
