"""Vetoes: why two articles are different however similar they look.

Their constants are no thresholds of similarity: a stricter policy must never remove a veto.
"""

from collections.abc import Callable
from datetime import timedelta
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearcopy.extract.facts import describe_fact
from nearcopy.match.evidence_table import EvidenceTable, Floats, Mask
from nearcopy.match.thresholds import BODY_WORDS, Conditions, at_least, known, no, yes

Reasons = NDArray[np.int8]  # a `Reason` for each pair

CLASH = "the facts clash: "
DAY = timedelta(days=1)
SAME_FORM = 0.2
SAME_SUBJECT = 0.4
MOST_CHANGED = 1  # figures that a copy may have changed


class Reason(IntEnum):
    """Why two articles are different."""

    NONE = 0
    BLOCK_PAGE = 1
    CLASH = 2
    FEW_NAMES = 3
    SWAPPED_WORDS = 4
    FEW_FIGURES = 5
    CHANGED_FIGURES = 6
    SITE = 7
    DIGEST = 8
    CONTRAST = 9
    SWAPPED_NAMES = 10
    COLUMN = 11
    WINDOW = 12
    LATER = 13
    STUB = 14


class Vetoes:
    """The reason of each veto against each pair, each veto computed when it is first asked for."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self._evidence, self._policy = conditions.evidence, conditions.policy

    @cached_property
    def base(self) -> Reasons:
        """The veto of every similarity: a block page, clashing facts, too few shared names."""
        e, p = self._evidence, self._policy
        return _first(
            (Reason.BLOCK_PAGE, e.block_page),
            (Reason.CLASH, e.clashes & p.facts & ~self._figures_agree),
            (Reason.FEW_NAMES, e.names_shared < (p.names_shared or 0.0)),
        )

    @cached_property
    def text(self) -> Reasons:
        """The veto of similar texts: two uses of one template, or of one site's page layout."""
        return _either(self.base, self._template, self._site)

    @cached_property
    def containment(self) -> Reasons:
        """The veto of a text within another: the longer one is a digest of many."""
        e = self._evidence
        other_subject = e.column & self._policy.stages & ~at_least(e.title_soft, SAME_SUBJECT)
        return _either(self.text, _first((Reason.DIGEST, other_subject)))

    @cached_property
    def form(self) -> Reasons:
        """The veto of titles whose texts are two uses of one template."""
        same_form = at_least(self._evidence.containment, SAME_FORM)
        return _either(self.base, np.where(same_form, self._template, 0))

    @cached_property
    def title(self) -> Reasons:
        """The veto of similar titles that report different events."""
        reasons = _either(self.form, self._window, self._later)
        if not self._policy.stages:
            return reasons
        e = self._evidence
        contrast = _first((Reason.CONTRAST, e.contrast & ~e.name_swap))
        return _either(reasons, contrast, self._name, _first((Reason.COLUMN, e.column)))

    @cached_property
    def event(self) -> Reasons:
        """The veto of a high event score.

        With long texts, stages, days and figures of independent reports say no more than the score:
        of the pairs that they separate, as many report the same event as of the others. Similar
        titles days apart, and a template that one source uses again, are other events.
        """
        e = self._evidence
        reasons = _either(self.base, self._window, self._name)
        similar = at_least(e.title_soft, self._policy.event_soft)
        reasons = _either(reasons, np.where(similar, self._later, 0))
        reasons = _either(reasons, np.where(no(e.same_source), 0, self.form))
        return np.where(e.words < BODY_WORDS, self.title, reasons)

    @cached_property
    def stub(self) -> Reasons:
        """The veto of a few identical words under titles on different subjects."""
        e, p = self._evidence, self._policy
        is_stub = (e.words < BODY_WORDS) & ~np.isnan(e.title_soft)
        is_stub &= p.facts and p.site_title is not None
        return _first(
            (Reason.BLOCK_PAGE, e.block_page),
            (Reason.CLASH, is_stub & e.clashes),
            (Reason.STUB, is_stub & ~at_least(e.title_soft, p.site_title)),
        )

    @cached_property
    def _name(self) -> Reasons:
        return _first((Reason.SWAPPED_NAMES, self._evidence.name_swap & self._policy.stages))

    @cached_property
    def _days(self) -> Floats:
        return known(self._evidence.hours_apart) / 24

    @cached_property
    def _window(self) -> Reasons:
        window = self._policy.window
        return _first((Reason.WINDOW, self._days > (np.inf if window is None else window / DAY)))

    @cached_property
    def _later(self) -> Reasons:
        """Titles that are similar but not the same, days apart, report a later development."""
        p = self._policy
        later = self._days > p.title_window / DAY
        if p.title_later is None:
            later = np.zeros_like(later)
        return _first((Reason.LATER, later & ~at_least(self._evidence.title_soft, p.title_later)))

    @cached_property
    def _figures_agree(self) -> Mask:
        """Whether the figures of the texts agree, so that a clash of the titles does not count."""
        e, p = self._evidence, self._policy
        kept = at_least(e.numerals_shared, p.numerals_kept) & ~(e.numerals_changed > 0)
        return self._conditions.near & kept

    @cached_property
    def _template(self) -> Reasons:
        """Two uses of one template differ in names or figures."""
        e, p = self._evidence, self._policy
        if p.numerals_shared is None or p.numerals_kept is None:
            return np.zeros(len(e), np.int8)
        updated = self._same_subject_update
        swapped = e.title_swap & (e.name_swap | (e.numerals_changed > 0))
        few, changed = template_figures(
            e.numerals_shared,
            e.numerals_changed,
            updated,
            least_shared=p.numerals_shared,
            surely_shared=p.numerals_kept,
        )
        moved = e.moved & updated & ~e.name_swap
        return _first(
            (Reason.SWAPPED_WORDS, swapped & ~no(e.same_source) & ~updated),
            (Reason.FEW_FIGURES, few & ~moved),
            (Reason.CHANGED_FIGURES, changed & ~moved),
        )

    @cached_property
    def _same_subject_update(self) -> Mask:
        """Whether one updates the other on the same subject, so that figures may differ."""
        e = self._evidence
        similar = ~(e.title_soft < SAME_SUBJECT) | self._conditions.update_announced
        return self._conditions.is_update & similar & ~e.name_swap

    @cached_property
    def _site(self) -> Reasons:
        """Two pages of one site share its layout: distinct unless their own text agrees."""
        e, p = self._evidence, self._policy
        if p.site_overlap is None or p.site_title is None:
            return np.zeros(len(e), np.int8)
        agree = at_least(e.title_soft, p.site_title) | at_least(e.overlap, p.site_overlap)
        one_site = yes(e.same_source) & ~np.isnan(e.title_soft) & ~self._conditions.update_announced
        return _first((Reason.SITE, one_site & ~agree))


def template_figures(
    shared: NDArray[np.float64],
    changed: NDArray[np.float64],
    refiled: Mask,
    *,
    least_shared: float = 0.6,
    surely_shared: float = 0.9,
) -> tuple[Mask, Mask]:
    """Whether near copies are two uses of one template: too few figures shared, one changed.

    Args:
        shared: The shares of `kernels.numeral_shares`, NaN where one has fewer than two figures.
        changed: The figures that stand in another's place; NaN where they were not compared.
        refiled: Whether one is marked as filed again.
        least_shared: A smaller share is that of a template.
        surely_shared: With a smaller share, one changed figure is that of a template.
    """
    few: Mask = (shared < least_shared) & ~np.isnan(changed)
    unsure = (changed > MOST_CHANGED) | ~(shared >= surely_shared)
    return few, (changed > 0) & unsure & ~refiled & ~few


def _first(*vetoes: tuple[Reason, Mask]) -> Reasons:
    """The first reason that holds for each pair."""
    reasons = np.zeros(len(vetoes[0][1]), np.int8)
    for reason, holds in reversed(vetoes):
        reasons[holds] = reason
    return reasons


def _either(*reasons: Reasons) -> Reasons:
    """The first reason for each pair that is one."""
    found, *others = reasons
    for other in others:
        found = np.where(found == Reason.NONE, other, found)
    return found


# What each reason says.


def veto_sentence(reason: Reason, e: EvidenceTable, place: int) -> str:
    """The reason against a pair, in words.

    >>> from nearcopy import Evidence
    >>> few = EvidenceTable.of([Evidence(numerals_shared=0.5)])
    >>> veto_sentence(Reason.FEW_FIGURES, few, 0)
    'only 50 % of the numerals are shared'
    """
    return SENTENCES[reason](e, place)


def _describe_clashes(e: EvidenceTable, place: int) -> str:
    """The first clash, and the number of others."""
    clashes = e.details["clashes"][place]
    a, b = clashes[0]
    more = f" and {len(clashes) - 1} more" if len(clashes) > 1 else ""
    return f"{CLASH}{describe_fact(a)} / {describe_fact(b)}{more}"


def _describe_changed(e: EvidenceTable, place: int) -> str:
    count = int(e.numerals_changed[place])
    return f"another numeral stands in {'one place' if count == 1 else f'{count} places'}"


def _days_apart(e: EvidenceTable, place: int) -> str:
    return f"{e.hours_apart[place] / 24:.0f} days apart"


def _detail(name: str, prefix: str) -> Callable[[EvidenceTable, int], str]:
    """A sentence that ends with the words of a measurement."""
    return lambda e, place: f"{prefix}{e.details[name][place]}"


SENTENCES: dict[Reason, Callable[[EvidenceTable, int], str]] = {
    Reason.BLOCK_PAGE: _detail("block_page", "no article: "),
    Reason.CLASH: _describe_clashes,
    Reason.FEW_NAMES: lambda e, at: f"only {e.names_shared[at]:.0%} of the names are shared",
    Reason.SWAPPED_WORDS: _detail("title_swap", "one template for two: "),
    Reason.FEW_FIGURES: lambda e, at: (
        f"only {100 * e.numerals_shared[at]:.0f} % of the numerals are shared"
    ),
    Reason.CHANGED_FIGURES: _describe_changed,
    Reason.SITE: lambda *_: "two pages of one site with different titles",
    Reason.DIGEST: _detail("column", "a part of a "),
    Reason.CONTRAST: _detail("contrast", "another stage or the opposite: "),
    Reason.SWAPPED_NAMES: _detail("title_swap", "one name for another: "),
    Reason.COLUMN: _detail("column", "another day's "),
    Reason.WINDOW: lambda e, at: f"the same title {_days_apart(e, at)}",
    Reason.LATER: lambda e, at: f"similar titles {_days_apart(e, at)}",
    Reason.STUB: lambda *_: "a stub under different titles",
}
