"""How sure each rule is: about the share that was right of labelled pairs (docs/accuracy.md)."""

from nearcopy.match.conditions import SPEAKING_WORDS
from nearcopy.match.same_event_model import sureness
from nearcopy.models.model import Evidence


def by_identity(e: Evidence) -> float:
    return 1.0 if e.words >= SPEAKING_WORDS else 0.95


def by_address(e: Evidence) -> float:
    return 0.99 if e.same_url else 0.95


def by_text(e: Evidence) -> float:
    shared = max(e.overlap or 0.0, 1 - (e.distance or 0) / 16 if e.distance is not None else 0.0)
    return round(0.9 + 0.09 * shared, 4)


def by_rewording(e: Evidence) -> float:
    return round(0.4 + 0.3 * (e.overlap or 0.0) + 0.4 * (e.profile or 0.0), 4)


def by_containment(e: Evidence) -> float:
    return round(0.55 + 0.4 * (e.containment or 0.0) - (0 if e.exact else 0.1), 4)


def by_revision(e: Evidence) -> float:
    return round(0.7 + 0.2 * max(e.overlap or 0.0, e.title_soft or 0.0), 4)


def by_title(e: Evidence) -> float:
    return round(min(0.98, 0.21 + 0.72 * _title(e) + (0.14 if e.agreements else 0.0)), 4)


def by_like_titles(e: Evidence) -> float:
    return round(0.8 + 0.15 * _title(e), 4)


def by_event(e: Evidence) -> float:
    return round(0.3 + 0.4 * _title(e), 4)


def _title(e: Evidence) -> float:
    """How alike the titles are: by the soft cosine, or where there is none by their letters."""
    return (e.title_ratio or 0.0) if e.title_soft is None else e.title_soft


def distinct(e: Evidence, vetoed: str | None) -> float:
    if vetoed:
        return 0.9
    return round(1 - 0.5 * max(e.overlap or 0.0, e.title_soft or 0.0), 4)


def by_news(e: Evidence) -> float:
    return round(sureness(e.news or 0.0), 4)


def by_subject(e: Evidence) -> float:
    return round(max(e.overlap or 0.0, e.news or 0.0), 4)
