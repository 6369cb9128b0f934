"""Thresholds: whether the evidence reaches those of a policy, condition by condition."""

from nearcopy.config import Policy
from nearcopy.models import Evidence

BODY_WORDS = 50  # a text of this length counts against similar titles
PASSAGE_WORDS = 30  # what texts of this length share is more than a phrase
SUBJECT_COVERAGE = 0.5  # title_coverage of one subject


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
