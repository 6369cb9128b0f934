"""Calibration: confidence as it is given, and how often those so sure were right.

A curve of two numbers is fitted, drawn to "as it is" where there is little to go by, and kept as a
few points; between two of them it is a straight line.
"""

from bisect import bisect_right
from collections.abc import Sequence
from math import exp, log

Points = tuple[tuple[float, float], ...]  # given, right: both ascending

AT = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
SUREST = 0.995  # no odds are told of what is surer
STEPS, LONGEST_STEP = 50, 0.5  # a longer one may go beyond the top
DRAWN = 2.0  # to "as it is", in pairs or so
LEAST_SLOPE = 0.1  # the surer stay the surer


def calibrated(confidence: float, points: Points) -> float:
    """How often those so sure are right, by the points; as it is without any.

    >>> calibrated(0.75, ((0.5, 0.2), (1.0, 0.8))), calibrated(0.3, ())
    (0.5, 0.3)
    """
    if not points:
        return confidence
    place = bisect_right(points, (confidence, 2.0))
    if place in (0, len(points)):
        return points[max(0, place - 1)][1]
    (low, from_), (high, to) = points[place - 1], points[place]
    return round(from_ + (to - from_) * (confidence - low) / (high - low), 4)


def curve(confidences: Sequence[float], right: Sequence[bool]) -> Points:
    """The points of the curve that fits best: how often those of each confidence are right."""
    odds = list(map(_odds, confidences))
    shift, slope = 0.0, 1.0
    for _ in range(STEPS):
        shift, slope = _step(odds, right, shift, slope)
    slope = max(slope, LEAST_SLOPE)
    return tuple((at, round(_share(shift + slope * _odds(at)), 4)) for at in AT)


def _step(
    odds: Sequence[float], right: Sequence[bool], shift: float, slope: float
) -> tuple[float, float]:
    """One of Newton's steps towards the likeliest curve."""
    pull, pull_slope = DRAWN * shift, DRAWN * (slope - 1)
    bend, bend_both, bend_slope = DRAWN, 0.0, DRAWN
    for log_odds, flag in zip(odds, right, strict=True):
        share = _share(shift + slope * log_odds)
        off, spread = share - flag, share * (1 - share)
        pull, pull_slope = pull + off, pull_slope + off * log_odds
        bend, bend_both = bend + spread, bend_both + spread * log_odds
        bend_slope += spread * log_odds * log_odds
    area = bend * bend_slope - bend_both * bend_both
    by = (bend_slope * pull - bend_both * pull_slope) / area
    by_slope = (bend * pull_slope - bend_both * pull) / area
    short = min(1.0, LONGEST_STEP / max(abs(by), abs(by_slope), LONGEST_STEP))
    return shift - short * by, slope - short * by_slope


def _odds(confidence: float) -> float:
    held = min(max(confidence, 1 - SUREST), SUREST)
    return log(held / (1 - held))


def _share(odds: float) -> float:
    return 1 / (1 + exp(-min(max(odds, -30.0), 30.0)))
