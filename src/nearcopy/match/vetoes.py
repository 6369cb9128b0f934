"""Vetoes: what makes two articles different however alike they look.

The constants here are no thresholds of likeness: a policy that asks for more must never take a veto
away.
"""

from collections.abc import Callable
from datetime import timedelta

from nearcopy.config import Policy
from nearcopy.extract.facts import sentence
from nearcopy.extract.numerals import template_reason
from nearcopy.match.conditions import SPEAKING_WORDS, announced, at_least, moved_on, near
from nearcopy.models.model import Evidence

Veto = Callable[[Evidence, Policy], str | None]

FACTS = "the facts clash: "
DAY = timedelta(days=1)
SAME_FORM = 0.2
SAME_SUBJECT = 0.4


def no_veto(_: Evidence, __: Policy) -> str | None:
    """Nothing speaks against an address."""
    return None


def veto(e: Evidence, p: Policy) -> str | None:
    """Why no likeness counts, if so."""
    if e.junk:
        return f"no article: {e.junk}"
    if p.facts and e.clashes and not _figures_agree(e, p):
        return FACTS + _facts(e)
    if e.names_shared is not None and e.names_shared < (p.names_shared or 0.0):
        return f"only {e.names_shared:.0%} of the names are shared"
    return None


def text_veto(e: Evidence, p: Policy) -> str | None:
    """Why the likeness of two texts does not count: a form filled in anew, a site's template."""
    return veto(e, p) or _template(e, p) or _one_site(e, p)


def part_veto(e: Evidence, p: Policy) -> str | None:
    """Why a text that holds another is no copy of it: it is a digest of many."""
    reason = text_veto(e, p)
    if reason or not (p.stages and e.column) or at_least(e.title_soft, SAME_SUBJECT):
        return reason
    return f"a part of a {e.column}"


def form_veto(e: Evidence, p: Policy) -> str | None:
    """Why the likeness of two titles does not count: their texts are one form filled in anew."""
    return veto(e, p) or (_template(e, p) if at_least(e.containment, SAME_FORM) else None)


def title_veto(e: Evidence, p: Policy) -> str | None:
    """Why like titles are not the same news."""
    reason = form_veto(e, p) or _outside_window(e, p) or _later(e, p)
    if reason or not p.stages:
        return reason
    if e.contrast and not e.name_swap:
        return f"another stage or the opposite: {e.contrast}"
    return _other_names(e, p) or (f"another day's {e.column}" if e.column else None)


def news_veto(e: Evidence, p: Policy) -> str | None:
    """Why two that likely report the same news do not.

    Where long texts speak, stages, days and figures of reports written apart tell no more than the
    likelihood does: of those so parted as many were the same news as of the others. Like titles
    days apart, and a form that one source fills in anew, are other news.
    """
    if e.words < SPEAKING_WORDS:
        return title_veto(e, p)
    reason = veto(e, p) or _outside_window(e, p) or _other_names(e, p)
    if at_least(e.title_soft, p.event_soft):
        reason = reason or _later(e, p)
    return reason if reason or e.same_source is False else form_veto(e, p)


def _other_names(e: Evidence, p: Policy) -> str | None:
    return f"one name for another: {e.title_swap}" if p.stages and e.name_swap else None


def _outside_window(e: Evidence, p: Policy) -> str | None:
    if p.window is None:
        return None
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
        return FACTS + _facts(e)
    return None if at_least(e.title_soft, p.site_title) else "a stub under different titles"


def _facts(e: Evidence) -> str:
    """The first clash, and how many more there are."""
    a, b = e.clashes[0]
    more = f" and {len(e.clashes) - 1} more" if len(e.clashes) > 1 else ""
    return f"{sentence(a)} / {sentence(b)}{more}"


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
    alike = e.title_soft is None or e.title_soft >= SAME_SUBJECT
    return moved_on(e, p) and (alike or announced(e, p)) and not e.name_swap


def _one_site(e: Evidence, p: Policy) -> str | None:
    """Two pages of one site that share its template are distinct unless their own text agrees."""
    if p.site_overlap is None or p.site_title is None or not e.same_source:
        return None
    if e.title_soft is None or announced(e, p):
        return None
    if at_least(e.title_soft, p.site_title) or at_least(e.overlap, p.site_overlap):
        return None
    return "two pages of one site whose titles are not alike"
