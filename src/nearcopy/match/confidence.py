"""The confidence of each rule, and its calibration.

The confidence is about the share of labelled pairs that a rule got right (docs/accuracy.md). A
policy may calibrate it with a curve of two parameters, regularised towards the identity and stored
as a few points with linear interpolation between them.
"""

from bisect import bisect_right
from collections.abc import Sequence
from math import exp, log

from nearcopy.match.same_event_model import event_confidence
from nearcopy.match.thresholds import BODY_WORDS
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
    """The similarity of the titles: the soft cosine, or else the Levenshtein ratio."""
    return (e.title_ratio or 0.0) if e.title_soft is None else e.title_soft


def distinct(e: Evidence, vetoed: str | None) -> float:
    if vetoed:
        return 0.9
    return round(1 - 0.5 * max(e.overlap or 0.0, e.title_soft or 0.0), 4)


def by_event_score(e: Evidence) -> float:
    return round(event_confidence(e.event_score or 0.0), 4)


def by_subject(e: Evidence) -> float:
    return round(max(e.overlap or 0.0, e.event_score or 0.0), 4)


Points = tuple[tuple[float, float], ...]  # confidence and the share that is right, ascending

CURVE_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
MAX_CONFIDENCE = 0.995  # where the log-odds are clamped
STEPS, MAX_STEP = 50, 0.5  # of Newton's method; longer steps may overshoot
PRIOR_WEIGHT = 2.0  # of the identity, in pairs
MIN_SLOPE = 0.1  # keeps the curve ascending


def calibrate(confidence: float, points: Points) -> float:
    """The calibrated confidence; unchanged without points.

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
    """The points of the curve that fits the labels best (maximum a posteriori)."""
    logits = list(map(_logit, confidences))
    shift, slope = 0.0, 1.0
    for _ in range(STEPS):
        shift, slope = _step(logits, right, shift, slope)
    slope = max(slope, MIN_SLOPE)
    return tuple((at, round(_sigmoid(shift + slope * _logit(at)), 4)) for at in CURVE_POINTS)


def _step(
    logits: Sequence[float], right: Sequence[bool], shift: float, slope: float
) -> tuple[float, float]:
    """One step of Newton's method on the log-likelihood."""
    gradient, gradient_slope = PRIOR_WEIGHT * shift, PRIOR_WEIGHT * (slope - 1)
    hessian, hessian_cross, hessian_slope = PRIOR_WEIGHT, 0.0, PRIOR_WEIGHT
    for logit, flag in zip(logits, right, strict=True):
        share = _sigmoid(shift + slope * logit)
        error, variance = share - flag, share * (1 - share)
        gradient, gradient_slope = gradient + error, gradient_slope + error * logit
        hessian, hessian_cross = hessian + variance, hessian_cross + variance * logit
        hessian_slope += variance * logit * logit
    determinant = hessian * hessian_slope - hessian_cross * hessian_cross
    step = (hessian_slope * gradient - hessian_cross * gradient_slope) / determinant
    step_slope = (hessian * gradient_slope - hessian_cross * gradient) / determinant
    scale = min(1.0, MAX_STEP / max(abs(step), abs(step_slope), MAX_STEP))
    return shift - scale * step, slope - scale * step_slope


def _logit(confidence: float) -> float:
    clamped = min(max(confidence, 1 - MAX_CONFIDENCE), MAX_CONFIDENCE)
    return log(clamped / (1 - clamped))


def _sigmoid(value: float) -> float:
    return 1 / (1 + exp(-min(max(value, -30.0), 30.0)))
