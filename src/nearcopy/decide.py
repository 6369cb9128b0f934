"""Judging: what two articles are to each other. No text is read here; thresholds are the policy's.

The rules are tried surest first: the first that holds and is not vetoed decides.
"""

from collections.abc import Callable
from datetime import timedelta
from enum import IntFlag
from typing import NamedTuple

from nearcopy.config import Policy
from nearcopy.facts import sentence
from nearcopy.model import Decision, Evidence, Relation
from nearcopy.numerals import template_reason
from nearcopy.titles import digest_similarity, tracker_average

BITS = 64
DAY = timedelta(days=1)
# From these on a text speaks against like titles. They are no thresholds of likeness: a policy
# that asks for more must never take a veto away.
SPEAKING_WORDS = 50
SAME_FORM = 0.2
SAME_SUBJECT = 0.4


Veto = Callable[[Evidence, Policy], str | None]


class Needs(IntFlag):
    """What a rule cannot do without."""

    NOTHING = 0
    ADDRESS = 1  # one that the two share
    TEXTS = 2  # both long enough
    TITLES = 4  # both long enough


class Rule(NamedTuple):
    """One way for a relation to hold; a veto of its kind takes it away."""

    name: str
    relation: Relation
    needs: Needs
    reason: str
    holds: Callable[[Evidence, Policy], bool]
    confidence: Callable[[Evidence], float]
    vetoed_by: Veto


def decide(evidence: Evidence, policy: Policy) -> Decision:
    """The first rule that holds and is not vetoed."""
    vetoed: str | None = None
    asked: dict[Veto, str | None] = {}
    for rule in OPEN[_given(evidence, policy)]:
        if not rule.holds(evidence, policy):
            continue
        if rule.vetoed_by not in asked:
            asked[rule.vetoed_by] = rule.vetoed_by(evidence, policy)
        veto = asked[rule.vetoed_by]
        if veto is None:
            return _decision(rule, evidence, policy, vetoed)
        vetoed = vetoed or veto
    return Decision(
        Relation.DISTINCT,
        "vetoed" if vetoed else "nothing-in-common",
        _distinct(evidence, vetoed),
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
    return Decision(
        rule.relation,
        rule.name,
        rule.confidence(evidence),
        rule.relation in policy.duplicates,
        f"{rule.reason}; no more than that: {vetoed}" if vetoed else rule.reason,
        _flags(evidence, policy),
    )


def _flags(evidence: Evidence, policy: Policy) -> tuple[str, ...]:
    short = ("short",) if evidence.words < policy.min_words else ()
    return (*short, "junk") if evidence.junk else short


def at_least(value: float | None, least: float | None) -> bool:
    """Whether it was measured, is asked for, and reaches what is asked."""
    return value is not None and least is not None and value >= least


def equal_bits(evidence: Evidence) -> int | None:
    """The SimHash bits that agree, of 64."""
    return None if evidence.distance is None else BITS - evidence.distance


# What the evidence amounts to under a policy.


def long_enough(e: Evidence, p: Policy) -> bool:
    """Whether both texts are long enough to be compared as texts."""
    return e.words > 0 and e.words >= p.min_words


def near(e: Evidence, p: Policy) -> bool:
    """Whether the one text is nearly the other."""
    return long_enough(e, p) and (
        at_least(e.overlap, p.near_overlap) or at_least(equal_bits(e), p.near_bits)
    )


def contained(e: Evidence, p: Policy) -> bool:
    """Whether the longer text holds the shorter one."""
    return at_least(e.containment, p.contained)


def texts_differ(e: Evidence) -> bool:
    """Whether two different texts, long enough to speak, were compared."""
    measured = e.overlap is not None or e.distance is not None
    return measured and e.same_text is False and e.words >= SPEAKING_WORDS


def rewritten_page(e: Evidence, p: Policy) -> bool:
    """Whether the text at one address is measurably not the same any more."""
    if not texts_differ(e):
        return False
    if e.overlap is None:
        return not near(e, p)
    return moved_on(e, p) or (p.unchanged is not None and e.overlap < p.unchanged)


def bodies_apart(e: Evidence, p: Policy) -> bool:
    """Whether the bodies have so little in common that they were written apart."""
    if not texts_differ(e):
        return False
    if e.containment is not None:
        return e.containment < p.body_overlap
    return not at_least(equal_bits(e), p.body_bits)


def title_mix(e: Evidence) -> float | None:
    """The title similarity of the digest: Levenshtein, or its mix with the cosine of words."""
    if e.title_indel is None or e.title_cosine is None:
        return None
    return digest_similarity(e.title_indel, e.title_cosine)


def title_average(e: Evidence) -> float | None:
    """The title similarity of the tracker: an average of three ratios."""
    if e.title_token_set is None or e.title_partial is None or e.title_token_sort is None:
        return None
    return tracker_average(e.title_token_set, e.title_partial, e.title_token_sort)


def titles_count(e: Evidence, p: Policy) -> bool:
    """Whether both titles are long enough to say something."""
    return e.title_chars >= p.min_title_chars and e.title_words >= p.min_title_words


def titles_alike(e: Evidence, p: Policy) -> bool:
    """Whether any of the policy's title measures reaches its threshold."""
    return (
        at_least(e.title_soft, p.title_soft)
        or at_least(e.title_ratio, p.title_ratio)
        or at_least(e.title_token_set, p.title_token_set)
        or at_least(e.title_partial, p.title_partial)
        or (p.title_average is not None and at_least(title_average(e), p.title_average))
        or (p.title_mix is not None and at_least(title_mix(e), p.title_mix))
    )


def titles_decide(e: Evidence, p: Policy) -> bool:
    """Whether like titles make one item of what the two are."""
    if p.like_titles == "one" or not bodies_apart(e, p):
        return True
    return p.title_certain is not None and at_least(title_mix(e), p.title_certain)


def facts_establish(e: Evidence, p: Policy) -> bool:
    """Whether facts agree on top of titles that are alike enough for that."""
    return bool(e.agreements) and at_least(e.title_soft, p.title_and_facts)


def moved_on(e: Evidence, p: Policy) -> bool:
    """Whether a figure has moved that an update would move, or one is marked as filed again."""
    return e.refiled or (p.facts and bool(e.moved))


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


def _figure_moved(e: Evidence, p: Policy) -> bool:
    return p.facts and bool(e.moved) and titles_alike(e, p) and titles_decide(e, p)


def _same_title(e: Evidence, p: Policy) -> bool:
    return titles_alike(e, p) and titles_decide(e, p)


def _title_and_facts(e: Evidence, p: Policy) -> bool:
    return facts_establish(e, p) and titles_decide(e, p)


def _same_event(e: Evidence, p: Policy) -> bool:
    return at_least(e.title_soft, p.event_soft)


def _same_subject(e: Evidence, p: Policy) -> bool:
    """Like profiles by two sources; the pieces of one source's series are all alike."""
    return not e.same_source and at_least(e.profile, p.event_profile)


def _related_titles(e: Evidence, p: Policy) -> bool:
    if at_least(e.title_soft, p.related_soft):
        return True
    return p.related_mix is not None and at_least(title_mix(e), p.related_mix)


def _related_texts(e: Evidence, p: Policy) -> bool:
    return (
        at_least(e.overlap, p.related_overlap)
        or at_least(equal_bits(e), p.related_bits)
        or at_least(e.profile, p.related_profile)
    )


# Vetoes: what makes two articles different however alike they look.


def no_veto(_: Evidence, __: Policy) -> str | None:
    """Nothing speaks against an address."""
    return None


def veto(e: Evidence, p: Policy) -> str | None:
    """Why no likeness counts, if so."""
    if e.junk:
        return f"no article: {e.junk}"
    if p.facts and e.clashes and not _figures_agree(e, p):
        return "the facts clash: " + _facts(e)
    if e.names_shared is not None and e.names_shared < (p.names_shared or 0.0):
        return f"only {e.names_shared:.0%} of the names are shared"
    return None


def text_veto(e: Evidence, p: Policy) -> str | None:
    """Why the likeness of two texts does not count: a form filled in anew, a site's template."""
    return veto(e, p) or _template(e, p) or _one_site(e, p)


def part_veto(e: Evidence, p: Policy) -> str | None:
    """Why a text that holds another is no copy of it: it is a digest of many."""
    found = text_veto(e, p)
    if found or not (p.stages and e.column) or at_least(e.title_soft, SAME_SUBJECT):
        return found
    return f"a part of a {e.column}"


def form_veto(e: Evidence, p: Policy) -> str | None:
    """Why the likeness of two titles does not count: their texts are one form filled in anew."""
    return veto(e, p) or (_template(e, p) if at_least(e.containment, SAME_FORM) else None)


def title_veto(e: Evidence, p: Policy) -> str | None:
    """Why like titles are not the same news."""
    found = form_veto(e, p) or _outside_window(e, p) or _later(e, p)
    if found or not p.stages:
        return found
    if e.name_swap:
        return f"one name for another: {e.title_swap}"
    if e.contrast:
        return f"another stage or the opposite: {e.contrast}"
    return f"another day's {e.column}" if e.column else None


def _outside_window(e: Evidence, p: Policy) -> str | None:
    days = (e.hours_apart or 0.0) / 24
    return f"the same title {days:.0f} days apart" if days > p.window / DAY else None


def _later(e: Evidence, p: Policy) -> str | None:
    """Titles that are alike, but not the same, days apart: the news has gone on."""
    if p.title_later is None or at_least(e.title_soft, p.title_later):
        return None
    days = (e.hours_apart or 0.0) / 24
    return f"like titles {days:.0f} days apart" if days > p.title_days / DAY else None


def short_text_veto(e: Evidence, p: Policy) -> str | None:
    """Why a few identical words are no copy: their titles speak of different things."""
    if e.junk:
        return f"no article: {e.junk}"
    if e.words >= SPEAKING_WORDS or e.title_soft is None or not p.facts or p.site_title is None:
        return None
    if e.clashes:
        return "the facts clash: " + _facts(e)
    return None if at_least(e.title_soft, p.site_title) else "a stub under different titles"


def _facts(e: Evidence) -> str:
    return ", ".join(f"{sentence(a)} / {sentence(b)}" for a, b in e.clashes[:3])


def _figures_agree(e: Evidence, p: Policy) -> bool:
    """Whether the figures of the texts say that titles clash for another reason."""
    return near(e, p) and at_least(e.numerals_shared, p.numerals_kept) and not e.numerals_changed


def _template(e: Evidence, p: Policy) -> str | None:
    """Why two near texts are two pieces of news in one form, if their names or figures say so."""
    if p.numerals_shared is None or p.numerals_kept is None:
        return None
    updated = _updates(e, p)
    swapped = e.title_swap and (e.name_swap or e.numerals_changed)
    if swapped and e.same_source is not False and not updated:
        return f"one form for two: {e.title_swap}"
    if e.numerals_changed is None or (e.moved and updated and not e.name_swap):
        return None
    return template_reason(
        e.numerals_shared,
        e.numerals_changed,
        updated,
        least_shared=p.numerals_shared,
        surely_shared=p.numerals_kept,
    )


def _updates(e: Evidence, p: Policy) -> bool:
    """Whether the one updates the other, so that figures may differ: not under another's title."""
    return moved_on(e, p) and (e.title_soft is None or e.title_soft >= SAME_SUBJECT)


def _one_site(e: Evidence, p: Policy) -> str | None:
    """Two pages of one site that share its template are distinct unless their own text agrees."""
    if p.site_overlap is None or p.site_title is None or not e.same_source:
        return None
    if e.title_soft is None:
        return None
    if at_least(e.title_soft, p.site_title) or at_least(e.overlap, p.site_overlap):
        return None
    return "two pages of one site whose titles are not alike"


# How sure each rule is: an ordering, not yet a calibrated probability.


def _by_identity(e: Evidence) -> float:
    return 1.0 if e.words >= SPEAKING_WORDS else 0.95


def _by_address(e: Evidence) -> float:
    return 0.99 if e.same_url else 0.95


def _by_text(e: Evidence) -> float:
    shared = max(e.overlap or 0.0, 1 - (e.distance or 0) / 16 if e.distance is not None else 0.0)
    return round(0.7 + 0.29 * shared, 4)


def _by_containment(e: Evidence) -> float:
    return round(0.55 + 0.4 * (e.containment or 0.0) - (0 if e.exact else 0.1), 4)


def _by_revision(e: Evidence) -> float:
    return round(0.7 + 0.2 * max(e.overlap or 0.0, e.title_soft or 0.0), 4)


def _by_title(e: Evidence) -> float:
    return round(0.5 + 0.4 * _title(e) + (0.08 if e.agreements else 0.0), 4)


def _by_event(e: Evidence) -> float:
    return round(0.3 + 0.4 * _title(e), 4)


def _title(e: Evidence) -> float:
    """How alike the titles are: by the soft cosine, or where there is none by their letters."""
    return (e.title_ratio or 0.0) if e.title_soft is None else e.title_soft


def _distinct(e: Evidence, vetoed: str | None) -> float:
    if vetoed:
        return 0.9
    return round(1 - 0.5 * max(e.overlap or 0.0, e.title_soft or 0.0), 4)


RULES = (
    Rule(
        "same-address",
        Relation.SAME_URL,
        Needs.ADDRESS,
        "both stand at the same address",
        _same_address,
        _by_address,
        no_veto,
    ),
    Rule(
        "identical-text",
        Relation.SAME_TEXT,
        Needs.NOTHING,
        "both texts are the same, word for word",
        lambda e, _: bool(e.same_text),
        _by_identity,
        short_text_veto,
    ),
    Rule(
        "updated-page",
        Relation.REVISION,
        Needs.ADDRESS,
        "the text at this address has changed",
        _updated_page,
        _by_address,
        no_veto,
    ),
    Rule(
        "declared-address",
        Relation.SAME_URL,
        Needs.ADDRESS,
        "the page names the other's address as its own",
        _declared_address,
        _by_address,
        veto,
    ),
    Rule(
        "filed-again",
        Relation.REVISION,
        Needs.TEXTS,
        "the same source filed it again, with changes",
        _filed_again,
        _by_revision,
        text_veto,
    ),
    Rule(
        "near-text",
        Relation.NEAR_TEXT,
        Needs.TEXTS,
        "the texts are nearly the same",
        near,
        _by_text,
        text_veto,
    ),
    Rule(
        "contained",
        Relation.CONTAINED,
        Needs.TEXTS,
        "the longer text holds nearly all of the shorter",
        contained,
        _by_containment,
        part_veto,
    ),
    Rule(
        "rewritten",
        Relation.REVISION,
        Needs.TEXTS,
        "the same source wrote on: much of the text is shared and the titles agree",
        _rewritten,
        _by_revision,
        text_veto,
    ),
    Rule(
        "figure-moved",
        Relation.REVISION,
        Needs.TITLES,
        "the titles agree but for a figure that updates move",
        _figure_moved,
        _by_title,
        title_veto,
    ),
    Rule(
        "like-titles",
        Relation.SAME_TITLE,
        Needs.TITLES,
        "the titles agree and nothing clashes",
        _same_title,
        _by_title,
        title_veto,
    ),
    Rule(
        "titles-and-facts",
        Relation.SAME_TITLE,
        Needs.TITLES,
        "the titles are alike and their facts agree",
        _title_and_facts,
        _by_title,
        title_veto,
    ),
    Rule(
        "like-titles-over-different-texts",
        Relation.SAME_EVENT,
        Needs.TITLES,
        "the titles agree over texts written apart",
        _same_event,
        _by_event,
        title_veto,
    ),
    Rule(
        "like-profiles",
        Relation.SAME_EVENT,
        Needs.NOTHING,
        "the texts make much of the same rare words",
        _same_subject,
        lambda e: round(0.3 + 0.4 * (e.profile or 0.0), 4),
        title_veto,
    ),
    Rule(
        "related-titles",
        Relation.RELATED,
        Needs.TITLES,
        "the titles have a subject in common",
        _related_titles,
        _by_event,
        form_veto,
    ),
    Rule(
        "related-texts",
        Relation.RELATED,
        Needs.NOTHING,
        "the texts have passages or a subject in common",
        _related_texts,
        lambda e: round(0.3 + 0.3 * max(e.overlap or 0.0, e.profile or 0.0), 4),
        text_veto,
    ),
)
# The rules open to a pair, by what there is for them to go by.
OPEN = [
    tuple(rule for rule in RULES if rule.needs & given == rule.needs)
    for given in range(sum(Needs) + 1)
]
