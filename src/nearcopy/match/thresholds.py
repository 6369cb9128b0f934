"""Thresholds: which pairs reach those of a policy, condition by condition."""

from functools import cached_property

import numpy as np

from nearcopy.config import Policy
from nearcopy.match.evidence_table import EvidenceTable, Floats, Mask

BODY_WORDS = 50  # a text of this length counts against similar titles
PASSAGE_WORDS = 30  # what texts of this length share is more than a phrase
SUBJECT_COVERAGE = 0.5  # title_coverage of one subject


def yes(answers: Floats) -> Mask:
    """Where the answer is known to be yes."""
    mask: Mask = answers == 1
    return mask


def no(answers: Floats) -> Mask:
    """Where the answer is known to be no."""
    mask: Mask = answers == 0
    return mask


def known(values: Floats) -> Floats:
    """The values, 0 where they are unknown."""
    return np.where(np.isnan(values), 0.0, values)


def at_least(values: Floats, minimum: float | None) -> Mask:
    """Where a value was measured and reaches a threshold that is on."""
    return np.zeros(len(values), np.bool_) if minimum is None else values >= minimum


def at_most(values: Floats, maximum: float | None) -> Mask:
    """Where a value was measured and is within a limit that is on."""
    return np.zeros(len(values), np.bool_) if maximum is None else values <= maximum


def title_mix(e: EvidenceTable) -> Floats:
    """The title similarity of preset `digest`: a high ratio decides alone, else words weigh more.

    The indel ratio is what libraries call the Levenshtein ratio: with the distance over the longer
    length, a title whose parts change places (the design's own example of two that are the same)
    stays under 0.8.
    """
    mix = 0.4 * e.title_indel + 0.6 * e.title_cosine
    return np.where((e.title_indel > 0.9) & ~np.isnan(mix), e.title_indel, mix)


def title_average(e: EvidenceTable) -> Floats:
    """The title similarity of preset `tracker`: a weighted average of three ratios.

    The design gives no weights. The token set leads, as headlines differ most in how much they
    say; with 0.4 neither of the others can carry a pair over 0.82 by itself.
    """
    average: Floats = 0.4 * e.title_token_set + 0.3 * e.title_partial + 0.3 * e.title_token_sort
    return average


class Conditions:
    """Which pairs meet each condition of a policy, computed when it is first asked for."""

    def __init__(self, evidence: EvidenceTable, policy: Policy) -> None:
        self.evidence, self.policy = evidence, policy

    @cached_property
    def long_enough(self) -> Mask:
        """Whether both texts are long enough to be compared as texts."""
        e, p = self.evidence, self.policy
        enough: Mask = e.words >= max(1, p.min_words)
        return enough

    @cached_property
    def near(self) -> Mask:
        """Whether the texts are nearly the same."""
        e, p = self.evidence, self.policy
        alike = at_least(e.overlap, p.near_overlap) | at_most(e.distance, p.max_hamming)
        return self.long_enough & alike

    @cached_property
    def reworded(self) -> Mask:
        """Whether another source copied the text and changed many words.

        Reports by one source on one subject are similar in the same way, day after day. The more
        text is shared, the less similar the profiles have to be.
        """
        e, p = self.evidence, self.policy
        if p.reworded_overlap is None:
            return np.zeros(len(e), np.bool_)
        surplus = e.overlap - p.reworded_overlap
        alike = (surplus >= 0) & at_least(e.profile + surplus / 2, p.reworded_profile)
        return e.exact & ~yes(e.same_source) & alike

    @cached_property
    def contained(self) -> Mask:
        """Whether the longer text contains the shorter one."""
        e, p = self.evidence, self.policy
        return at_least(e.containment, p.containment)

    @cached_property
    def texts_differ(self) -> Mask:
        """Whether two different texts of some length were compared."""
        e = self.evidence
        measured = ~(np.isnan(e.overlap) & np.isnan(e.distance))
        return measured & no(e.same_text) & (e.words >= BODY_WORDS)

    @cached_property
    def page_rewritten(self) -> Mask:
        """Whether the text at one address has measurably changed."""
        e, p = self.evidence, self.policy
        changed = self.is_update
        if p.unchanged_overlap is not None:
            changed = changed | (e.overlap < p.unchanged_overlap)
        return self.texts_differ & np.where(np.isnan(e.overlap), ~self.near, changed)

    @cached_property
    def bodies_differ(self) -> Mask:
        """Whether the bodies share so little that they were written independently."""
        e, p = self.evidence, self.policy
        far = ~at_most(e.distance, p.body_max_hamming)
        apart = np.where(np.isnan(e.containment), far, e.containment < p.body_overlap)
        return self.texts_differ & apart

    @cached_property
    def titles_long_enough(self) -> Mask:
        """Whether both titles are long enough to be compared."""
        e, p = self.evidence, self.policy
        mask: Mask = (e.title_chars >= p.min_title_chars) & (e.title_words >= p.min_title_words)
        return mask

    @cached_property
    def titles_similar(self) -> Mask:
        """Whether any title similarity reaches its threshold."""
        e, p = self.evidence, self.policy
        similar = at_least(e.title_soft, p.title_soft)
        similar = similar | at_least(e.title_event_score, p.title_event_score)
        for name in ("title_ratio", "title_token_set", "title_partial"):
            if (minimum := getattr(p, name)) is not None:
                similar |= at_least(getattr(e, name), minimum)
        if p.title_average is not None:
            similar |= at_least(title_average(e), p.title_average)
        if p.title_mix is not None:
            similar |= at_least(title_mix(e), p.title_mix)
        return similar

    @cached_property
    def titles_decide(self) -> Mask:
        """Whether similar titles decide, whatever the bodies."""
        e, p = self.evidence, self.policy
        if p.like_titles == "one":
            return np.ones(len(e), np.bool_)
        certain = p.title_certain is not None and at_least(title_mix(e), p.title_certain)
        return ~self.bodies_differ | certain

    @cached_property
    def update_announced(self) -> Mask:
        """Whether one is marked as filed again, a toll moved, and the other covers its title.

        Such an update may have any title, but two pages of one template do not cover each other's.
        """
        e, p = self.evidence, self.policy
        mask: Mask = e.refiled & e.moved & p.facts & at_least(e.title_coverage, SUBJECT_COVERAGE)
        return mask

    @cached_property
    def is_update(self) -> Mask:
        """Whether a figure moved as updates move it, or one article is marked as filed again."""
        e, p = self.evidence, self.policy
        mask: Mask = e.refiled | (e.moved & p.facts)
        return mask
