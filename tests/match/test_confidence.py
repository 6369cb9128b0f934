"""Calibration: a curve from the confidence given to how often it is right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Evidence, Policy, Relation, decide
from nearcopy.match.confidence import CURVE_POINTS, calibrate, fit_calibration

SHARES = st.floats(0, 1)
POINTS = ((0.5, 0.2), (0.8, 0.5), (1.0, 0.9))


@pytest.mark.parametrize(
    ("given_", "found"),
    [(0.0, 0.2), (0.5, 0.2), (0.65, 0.35), (0.8, 0.5), (0.9, 0.7), (1.0, 0.9)],
)
def test_between_two_points_it_is_a_straight_line(given_, found):
    assert calibrate(given_, POINTS) == pytest.approx(found)


@given(SHARES)
def test_without_points_it_is_as_it_was(confidence):
    assert calibrate(confidence, ()) == confidence


@given(st.lists(st.tuples(SHARES, st.booleans())), SHARES, SHARES)
def test_the_surer_stay_the_surer(pairs, one, other):
    points = fit_calibration([sure for sure, _ in pairs], [right for _, right in pairs])
    assert [at for at, _ in points] == list(CURVE_POINTS)
    low, high = sorted((one, other))
    assert 0 <= calibrate(low, points) <= calibrate(high, points) <= 1


@given(st.lists(st.tuples(SHARES, st.booleans())))
def test_a_curve_is_one_that_a_policy_takes(pairs):
    points = fit_calibration([sure for sure, _ in pairs], [right for _, right in pairs])
    assert Policy(calibration=points).calibration == points


@pytest.mark.parametrize(("sure", "share"), [(0.95, 0.6), (0.7, 0.9), (0.8, 0.8)])
def test_it_is_what_was_found_right(sure, share):
    right = [n < share * 200 for n in range(200)]
    assert calibrate(sure, fit_calibration([sure] * 200, right)) == pytest.approx(share, abs=0.03)


def test_few_examples_change_little():
    assert calibrate(0.95, fit_calibration([0.95] * 2, [False, True])) > 0.7
    assert calibrate(0.9, fit_calibration([], [])) == pytest.approx(0.9, abs=1e-3)


def test_the_confidence_in_duplicates_is_calibrated_and_no_other():
    copy = Evidence(words=200, overlap=0.8, exact=True, same_text=False)
    apart = Evidence(words=200, overlap=0.0, exact=True, same_text=False)
    policy = Policy(calibration=((0.0, 0.0), (1.0, 0.5)))
    plain, calibrated = decide(copy, Policy()), decide(copy, policy)
    assert calibrated.relation is Relation.NEAR_TEXT
    assert calibrated.confidence == pytest.approx(plain.confidence / 2, abs=1e-4)
    assert decide(apart, policy) == decide(apart, Policy())
    none = Policy(calibration=policy.calibration, duplicates=frozenset({Relation.SAME_URL}))
    assert decide(copy, none).confidence == plain.confidence
