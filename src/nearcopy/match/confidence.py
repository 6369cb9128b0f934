"""The confidence of each rule, and its calibration.

The confidence is about the share of labelled pairs that a rule got right (docs/accuracy.md). A
policy may calibrate it with a curve of two parameters, regularised towards the identity and stored
as a few points with linear interpolation between them.
"""

from collections.abc import Sequence
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from nearcopy.match.evidence_table import EvidenceTable
from nearcopy.match.same_event_model import event_confidence
from nearcopy.match.thresholds import BODY_WORDS, known, yes

Shares = NDArray[np.float64]


def by_identity(e: EvidenceTable) -> Shares:
    return np.where(e.words >= BODY_WORDS, 1.0, 0.95)


def by_address(e: EvidenceTable) -> Shares:
    return np.where(yes(e.same_url), 0.99, 0.95)


def by_text(e: EvidenceTable) -> Shares:
    equal_bits = np.nan_to_num(1 - e.distance / 16)
    return 0.9 + 0.09 * np.maximum(known(e.overlap), np.maximum(0.0, equal_bits))


def by_rewording(e: EvidenceTable) -> Shares:
    return 0.4 + 0.3 * known(e.overlap) + 0.4 * known(e.profile)


def by_containment(e: EvidenceTable) -> Shares:
    return 0.55 + 0.4 * known(e.containment) - np.where(e.exact, 0.0, 0.1)


def by_revision(e: EvidenceTable) -> Shares:
    return 0.7 + 0.2 * np.maximum(known(e.overlap), known(e.title_soft))


def by_title(e: EvidenceTable) -> Shares:
    return np.minimum(0.98, 0.21 + 0.72 * _title(e) + np.where(e.agreements, 0.14, 0.0))


def by_like_titles(e: EvidenceTable) -> Shares:
    return 0.8 + 0.15 * _title(e)


def by_event(e: EvidenceTable) -> Shares:
    return 0.3 + 0.4 * _title(e)


def by_event_score(e: EvidenceTable) -> Shares:
    return event_confidence(known(e.event_score))


def by_subject(e: EvidenceTable) -> Shares:
    return np.maximum(known(e.overlap), known(e.event_score))


def distinct(e: EvidenceTable) -> Shares:
    return 1 - 0.5 * np.maximum(known(e.overlap), known(e.title_soft))


def _title(e: EvidenceTable) -> Shares:
    """The similarity of the titles: the soft cosine, or else the Levenshtein ratio."""
    return np.where(np.isnan(e.title_soft), known(e.title_ratio), e.title_soft)


Points = tuple[tuple[float, float], ...]  # confidence and the share that is right, ascending

CURVE_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
MAX_CONFIDENCE = 0.995  # where the log-odds are clamped
STEPS, MAX_STEP = 50, 0.5  # of Newton's method; longer steps may overshoot
PRIOR_WEIGHT = 2.0  # of the identity, in pairs
MIN_SLOPE = 0.1  # keeps the curve ascending


def calibrate(confidence: Shares, points: Points) -> Shares:
    """The calibrated confidence; unchanged without points.

    >>> calibrate(np.array([0.75, 0.9]), ((0.5, 0.2), (1.0, 0.8))).tolist()
    [0.5, 0.68]
    """
    if not points:
        return confidence
    stated, right = np.array(points, np.float64).T
    calibrated: Shares = np.round(np.interp(confidence, stated, right), 4)
    return calibrated


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
