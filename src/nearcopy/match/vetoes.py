"""Vetoes: why two articles are different however similar they look.

Their constants are no thresholds of similarity: a stricter policy must never remove a veto.
"""

from collections.abc import Callable
from datetime import timedelta

from nearcopy.config import Policy
from nearcopy.extract.facts import describe_fact
from nearcopy.extract.numerals import template_reason
from nearcopy.match.thresholds import BODY_WORDS, at_least, is_update, near, update_announced
from nearcopy.models import Evidence

Veto = Callable[[Evidence, Policy], str | None]

CLASH = "the facts clash: "
DAY = timedelta(days=1)
SAME_FORM = 0.2
SAME_SUBJECT = 0.4


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


def stub_veto(e: Evidence, p: Policy) -> str | None:
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
