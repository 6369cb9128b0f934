"""Conditions and vetoes: what the rules of `decide` read from the evidence, under a policy.

A condition says whether the evidence reaches the policy's thresholds. A veto says why two articles
are different however similar they look. The constants of the vetoes are no thresholds of
similarity: a stricter policy must never remove a veto.
"""

from collections.abc import Callable
from datetime import timedelta

from nearcopy.config import Policy
from nearcopy.extract.facts import describe_fact
from nearcopy.extract.numerals import template_reason
from nearcopy.models import Evidence

Veto = Callable[[Evidence, Policy], str | None]

BODY_WORDS = 50  # a text of this length counts against similar titles
PASSAGE_WORDS = 30  # what texts of this length share is more than a phrase
SUBJECT_COVERAGE = 0.5  # title_coverage of one subject
CLASH = "the facts clash: "
DAY = timedelta(days=1)
SAME_FORM = 0.2
SAME_SUBJECT = 0.4


def at_least(value: float | None, minimum: float | None) -> bool:
    """Whether the value was measured and reaches a threshold that is on."""
    return value is not None and minimum is not None and value >= minimum


def at_most(value: float | None, maximum: float | None) -> bool:
    """Whether the value was measured and is within a limit that is on."""
    return value is not None and maximum is not None and value <= maximum


def long_enough(e: Evidence, p: Policy) -> bool:
    """Whether both texts are long enough to be compared as texts."""
    return e.words > 0 and e.words >= p.min_words


def near(e: Evidence, p: Policy) -> bool:
    """Whether the texts are nearly the same."""
    return long_enough(e, p) and (
        at_least(e.overlap, p.near_overlap) or at_most(e.distance, p.max_hamming)
    )


def reworded(e: Evidence, p: Policy) -> bool:
    """Whether another source copied the text and changed many words.

    Reports by one source on one subject are similar in the same way, day after day. The more text
    is shared, the less similar the profiles have to be.
    """
    if not e.exact or e.same_source:
        return False
    if e.overlap is None or e.profile is None or p.reworded_overlap is None:
        return False
    surplus = e.overlap - p.reworded_overlap
    return surplus >= 0 and at_least(e.profile + surplus / 2, p.reworded_profile)


def contained(e: Evidence, p: Policy) -> bool:
    """Whether the longer text contains the shorter one."""
    return at_least(e.containment, p.containment)


def texts_differ(e: Evidence) -> bool:
    """Whether two different texts of some length were compared."""
    measured = e.overlap is not None or e.distance is not None
    return measured and e.same_text is False and e.words >= BODY_WORDS


def page_rewritten(e: Evidence, p: Policy) -> bool:
    """Whether the text at one address has measurably changed."""
    if not texts_differ(e):
        return False
    if e.overlap is None:
        return not near(e, p)
    unchanged = p.unchanged_overlap
    return is_update(e, p) or (unchanged is not None and e.overlap < unchanged)


def bodies_differ(e: Evidence, p: Policy) -> bool:
    """Whether the bodies share so little that they were written independently."""
    if not texts_differ(e):
        return False
    if e.containment is not None:
        return e.containment < p.body_overlap
    return not at_most(e.distance, p.body_max_hamming)


def title_mix(e: Evidence) -> float | None:
    """The title similarity of preset `digest`: a high ratio decides alone, else words weigh more.

    The indel ratio is what libraries call the Levenshtein ratio: with the distance over the longer
    length, a title whose parts change places (the design's own example of two that are the same)
    stays under 0.8.
    """
    if e.title_indel is None or e.title_cosine is None:
        return None
    return e.title_indel if e.title_indel > 0.9 else 0.4 * e.title_indel + 0.6 * e.title_cosine


def title_average(e: Evidence) -> float | None:
    """The title similarity of preset `tracker`: a weighted average of three ratios.

    The design gives no weights. The token set leads, as headlines differ most in how much they
    say; with 0.4 neither of the others can carry a pair over 0.82 by itself.
    """
    if e.title_token_set is None or e.title_partial is None or e.title_token_sort is None:
        return None
    return 0.4 * e.title_token_set + 0.3 * e.title_partial + 0.3 * e.title_token_sort


def titles_long_enough(e: Evidence, p: Policy) -> bool:
    """Whether both titles are long enough to be compared."""
    return e.title_chars >= p.min_title_chars and e.title_words >= p.min_title_words


def titles_similar(e: Evidence, p: Policy) -> bool:
    """Whether any title similarity reaches its threshold."""
    return (
        at_least(e.title_soft, p.title_soft)
        or at_least(e.title_event_score, p.title_event_score)
        or (p.title_ratio is not None and at_least(e.title_ratio, p.title_ratio))
        or (p.title_token_set is not None and at_least(e.title_token_set, p.title_token_set))
        or (p.title_partial is not None and at_least(e.title_partial, p.title_partial))
        or (p.title_average is not None and at_least(title_average(e), p.title_average))
        or (p.title_mix is not None and at_least(title_mix(e), p.title_mix))
    )


def titles_decide(e: Evidence, p: Policy) -> bool:
    """Whether similar titles decide, whatever the bodies."""
    if p.like_titles == "one" or not bodies_differ(e, p):
        return True
    return p.title_certain is not None and at_least(title_mix(e), p.title_certain)


def update_announced(e: Evidence, p: Policy) -> bool:
    """Whether one is marked as filed again, a toll moved, and the other covers its title.

    Such an update may have any title, but two pages of one template do not cover each other's.
    """
    return e.refiled and p.facts and bool(e.moved) and at_least(e.title_coverage, SUBJECT_COVERAGE)


def is_update(e: Evidence, p: Policy) -> bool:
    """Whether a figure moved as updates move it, or one article is marked as filed again."""
    return e.refiled or (p.facts and bool(e.moved))


# The vetoes.


def base_veto(e: Evidence, p: Policy) -> str | None:
    """The veto of every similarity: a block page, clashing facts, too few shared names."""
    if e.block_page:
        return f"no article: {e.block_page}"
    if p.facts and e.clashes and not _figures_agree(e, p):
        return CLASH + _describe_clashes(e)
    if e.names_shared is not None and e.names_shared < (p.names_shared or 0.0):
        return f"only {e.names_shared:.0%} of the names are shared"
    return None


def text_veto(e: Evidence, p: Policy) -> str | None:
    """The veto of similar texts: two uses of one template, or of one site's page layout."""
    return base_veto(e, p) or _template_veto(e, p) or _site_veto(e, p)


def containment_veto(e: Evidence, p: Policy) -> str | None:
    """The veto of a text within another: the longer one is a digest of many."""
    reason = text_veto(e, p)
    if reason or not (p.stages and e.column) or at_least(e.title_soft, SAME_SUBJECT):
        return reason
    return f"a part of a {e.column}"


def form_veto(e: Evidence, p: Policy) -> str | None:
    """The veto of titles whose texts are two uses of one template."""
    return base_veto(e, p) or (_template_veto(e, p) if at_least(e.containment, SAME_FORM) else None)


def title_veto(e: Evidence, p: Policy) -> str | None:
    """The veto of similar titles that report different events."""
    reason = form_veto(e, p) or _window_veto(e, p) or _later_veto(e, p)
    if reason or not p.stages:
        return reason
    if e.contrast and not e.name_swap:
        return f"another stage or the opposite: {e.contrast}"
    return _name_veto(e, p) or (f"another day's {e.column}" if e.column else None)


def event_veto(e: Evidence, p: Policy) -> str | None:
    """The veto of a high event score.

    With long texts, stages, days and figures of independent reports say no more than the score:
    of the pairs that they separate, as many report the same event as of the others. Similar titles
    days apart, and a template that one source uses again, are other events.
    """
    if e.words < BODY_WORDS:
        return title_veto(e, p)
    reason = base_veto(e, p) or _window_veto(e, p) or _name_veto(e, p)
    if at_least(e.title_soft, p.event_soft):
        reason = reason or _later_veto(e, p)
    return reason if reason or e.same_source is False else form_veto(e, p)


def short_text_veto(e: Evidence, p: Policy) -> str | None:
    """The veto of a few identical words under titles on different subjects."""
    if e.block_page:
        return f"no article: {e.block_page}"
    if e.words >= BODY_WORDS or e.title_soft is None or not p.facts or p.site_title is None:
        return None
    if e.clashes:
        return CLASH + _describe_clashes(e)
    return None if at_least(e.title_soft, p.site_title) else "a stub under different titles"


def _name_veto(e: Evidence, p: Policy) -> str | None:
    return f"one name for another: {e.title_swap}" if p.stages and e.name_swap else None


def _window_veto(e: Evidence, p: Policy) -> str | None:
    if p.window is None:
        return None
    days = (e.hours_apart or 0.0) / 24
    return f"the same title {days:.0f} days apart" if days > p.window / DAY else None


def _later_veto(e: Evidence, p: Policy) -> str | None:
    """Titles that are similar but not the same, days apart, report a later development."""
    if p.title_later is None or at_least(e.title_soft, p.title_later):
        return None
    days = (e.hours_apart or 0.0) / 24
    return f"similar titles {days:.0f} days apart" if days > p.title_window / DAY else None


def _describe_clashes(e: Evidence) -> str:
    """The first clash, and the number of others."""
    a, b = e.clashes[0]
    more = f" and {len(e.clashes) - 1} more" if len(e.clashes) > 1 else ""
    return f"{describe_fact(a)} / {describe_fact(b)}{more}"


def _figures_agree(e: Evidence, p: Policy) -> bool:
    """Whether the figures of the texts agree, so that the clash of the titles does not count."""
    return near(e, p) and at_least(e.numerals_shared, p.numerals_kept) and not e.numerals_changed


def _template_veto(e: Evidence, p: Policy) -> str | None:
    """Two uses of one template differ in names or figures."""
    if p.numerals_shared is None or p.numerals_kept is None:
        return None
    updated = _is_same_subject_update(e, p)
    swapped = e.title_swap and (e.name_swap or e.numerals_changed)
    if swapped and e.same_source is not False and not updated:
        return f"one template for two: {e.title_swap}"
    if e.numerals_changed is None or (e.moved and updated and not e.name_swap):
        return None
    return template_reason(
        e.numerals_shared,
        e.numerals_changed,
        updated,
        least_shared=p.numerals_shared,
        surely_shared=p.numerals_kept,
    )


def _is_same_subject_update(e: Evidence, p: Policy) -> bool:
    """Whether one updates the other on the same subject, so that figures may differ."""
    similar = e.title_soft is None or e.title_soft >= SAME_SUBJECT
    return is_update(e, p) and (similar or update_announced(e, p)) and not e.name_swap


def _site_veto(e: Evidence, p: Policy) -> str | None:
    """Two pages of one site share its layout: they are distinct unless their own text agrees."""
    if p.site_overlap is None or p.site_title is None or not e.same_source:
        return None
    if e.title_soft is None or update_announced(e, p):
        return None
    if at_least(e.title_soft, p.site_title) or at_least(e.overlap, p.site_overlap):
        return None
    return "two pages of one site with different titles"
