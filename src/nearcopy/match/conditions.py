"""Likeness: what evidence amounts to under a policy, before any rule is asked."""

from nearcopy.config import Policy
from nearcopy.match.titles.similarity import digest_similarity, tracker_average
from nearcopy.models.model import Evidence

BITS = 64
SPEAKING_WORDS = 50  # from here on a text speaks against like titles
MOSTLY_TOLD = 0.5  # of a title that the other article tells: they have one subject
PASSAGE_WORDS = 30  # from here on what two texts share is more than a phrase


def at_least(value: float | None, least: float | None) -> bool:
    """Whether it was measured, is asked for, and reaches what is asked."""
    return value is not None and least is not None and value >= least


def equal_bits(evidence: Evidence) -> int | None:
    """The SimHash bits that agree, of 64."""
    return None if evidence.distance is None else BITS - evidence.distance


def long_enough(e: Evidence, p: Policy) -> bool:
    """Whether both texts are long enough to be compared as texts."""
    return e.words > 0 and e.words >= p.min_words


def near(e: Evidence, p: Policy) -> bool:
    """Whether the one text is nearly the other."""
    return long_enough(e, p) and (
        at_least(e.overlap, p.near_overlap) or at_least(equal_bits(e), p.near_bits)
    )


def reworded(e: Evidence, p: Policy) -> bool:
    """Whether another source took over the text and changed many of its words.

    What one source writes of one matter is alike in the same way, day after day. The more is
    shared, the less alike the profiles have to be.
    """
    if not e.exact or e.same_source:
        return False
    if e.overlap is None or e.profile is None or p.reworded is None:
        return False
    more = e.overlap - p.reworded
    return more >= 0 and at_least(e.profile + more / 2, p.reworded_profile)


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
        or at_least(e.title_news, p.title_news)
        or (p.title_ratio is not None and at_least(e.title_ratio, p.title_ratio))
        or (p.title_token_set is not None and at_least(e.title_token_set, p.title_token_set))
        or (p.title_partial is not None and at_least(e.title_partial, p.title_partial))
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


def announced(e: Evidence, p: Policy) -> bool:
    """Whether one is marked as filed again, a toll has moved, and the other tells its title.

    It may come under any title, but two pages in one site's form do not tell each other's.
    """
    return e.refiled and p.facts and bool(e.moved) and at_least(e.title_told, MOSTLY_TOLD)


def moved_on(e: Evidence, p: Policy) -> bool:
    """Whether a figure has moved that an update would move, or one is marked as filed again."""
    return e.refiled or (p.facts and bool(e.moved))
