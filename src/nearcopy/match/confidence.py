"""How sure each rule is: about the share that was right of labelled pairs (docs/accuracy.md)."""

from bisect import bisect_right
from collections.abc import Sequence
from math import exp, log

from nearcopy.match.conditions import BODY_WORDS
from nearcopy.match.same_event_model import event_confidence
from nearcopy.models import Evidence


def by_identity(e: Evidence) -> float:
    return 1.0 if e.words >= BODY_WORDS else 0.95


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


def by_event_score(e: Evidence) -> float:
    return round(event_confidence(e.event_score or 0.0), 4)


def by_subject(e: Evidence) -> float:
    return round(max(e.overlap or 0.0, e.event_score or 0.0), 4)


Points = tuple[tuple[float, float], ...]  # given, right: both ascending

CURVE_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
MAX_CONFIDENCE = 0.995  # no odds are told of what is surer
STEPS, MAX_STEP = 50, 0.5  # a longer one may go beyond the top
PRIOR_WEIGHT = 2.0  # to "as it is", in pairs or so
MIN_SLOPE = 0.1  # the surer stay the surer


def calibrate(confidence: float, points: Points) -> float:
    """How often those so sure are right, by the points; as it is without any.

    >>> calibrate(0.75, ((0.5, 0.2), (1.0, 0.8))), calibrate(0.3, ())
    (0.5, 0.3)
    """
    if not points:
        return confidence
    place = bisect_right(points, (confidence, 2.0))
    if place in (0, len(points)):
        return points[max(0, place - 1)][1]
    (low, from_), (high, to) = points[place - 1], points[place]
    return round(from_ + (to - from_) * (confidence - low) / (high - low), 4)


def fit_calibration(confidences: Sequence[float], right: Sequence[bool]) -> Points:
    """The points of the curve that fits best: how often those of each confidence are right."""
    odds = list(map(_odds, confidences))
    shift, slope = 0.0, 1.0
    for _ in range(STEPS):
        shift, slope = _step(odds, right, shift, slope)
    slope = max(slope, MIN_SLOPE)
    return tuple((at, round(_share(shift + slope * _odds(at)), 4)) for at in CURVE_POINTS)


def _step(
    odds: Sequence[float], right: Sequence[bool], shift: float, slope: float
) -> tuple[float, float]:
    """One of Newton's steps towards the likeliest curve."""
    pull, pull_slope = PRIOR_WEIGHT * shift, PRIOR_WEIGHT * (slope - 1)
    bend, bend_both, bend_slope = PRIOR_WEIGHT, 0.0, PRIOR_WEIGHT
    for log_odds, flag in zip(odds, right, strict=True):
        share = _share(shift + slope * log_odds)
        off, spread = share - flag, share * (1 - share)
        pull, pull_slope = pull + off, pull_slope + off * log_odds
        bend, bend_both = bend + spread, bend_both + spread * log_odds
        bend_slope += spread * log_odds * log_odds
    area = bend * bend_slope - bend_both * bend_both
    by = (bend_slope * pull - bend_both * pull_slope) / area
    by_slope = (bend * pull_slope - bend_both * pull) / area
    short = min(1.0, MAX_STEP / max(abs(by), abs(by_slope), MAX_STEP))
    return shift - short * by, slope - short * by_slope


def _odds(confidence: float) -> float:
    held = min(max(confidence, 1 - MAX_CONFIDENCE), MAX_CONFIDENCE)
    return log(held / (1 - held))


def _share(odds: float) -> float:
    return 1 / (1 + exp(-min(max(odds, -30.0), 30.0)))
