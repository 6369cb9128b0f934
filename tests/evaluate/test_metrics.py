"""Measures of agreement, held to examples worked by hand and to what must always hold."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.evaluate import metrics
from nearcopy.evaluate.metrics import Estimate, bootstrap, resample

SAME = [1, 1, 0, 1, 0, 0]
SCORES = [0.9, 0.8, 0.8, 0.4, 0.3, 0.1]
SAID = [1, 1, 1, 0, 0, 0]
RANKED = (metrics.auc, metrics.average_precision)
scored = st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=2, max_size=40).filter(
    lambda rows: len({same for _, same in rows}) == 2
)


@pytest.mark.parametrize(
    ("measure", "given", "wanted"),
    [
        (metrics.precision, SAID, 2 / 3),
        (metrics.recall, SAID, 2 / 3),
        (metrics.recall, [1, 0, 0, 0, 0, 0], 1 / 3),
        (metrics.precision, [1, 0, 0, 0, 0, 0], 1.0),
        (metrics.f1, [1, 0, 0, 0, 0, 0], 0.5),
        # 0.9 is above all three others, 0.8 above two and tied with one, 0.4 above two.
        (metrics.auc, SCORES, (3 + 2.5 + 2) / 9),
        (metrics.auc, [1, 1, 1, 1, 1, 1], 0.5),
        # Lines at 0.9, 0.8, 0.4: precision 1/1, 2/3, 3/4.
        (metrics.average_precision, SCORES, (1 + 2 / 3 + 3 / 4) / 3),
        (metrics.brier, SCORES, (0.01 + 0.04 + 0.64 + 0.36 + 0.09 + 0.01) / 6),
        # Bins: 0.9 off by -0.1; the two 0.8 by 1.6 - 1; 0.4 by -0.6; 0.3; 0.1.
        (metrics.calibration_error, SCORES, (0.1 + 0.6 + 0.6 + 0.3 + 0.1) / 6),
        (metrics.brier, SAME, 0.0),
        (metrics.calibration_error, SAME, 0.0),
    ],
)
def test_measures_worked_by_hand(measure, given, wanted):
    assert measure(given, SAME).tolist() == [pytest.approx(wanted)]


@pytest.mark.parametrize(
    ("measure", "one", "other", "wanted"),
    [
        (metrics.pearson, [1, 2, 3], [2, 4, 6], 1.0),
        (metrics.pearson, [1, 2, 3], [3, 2, 1], -1.0),
        (metrics.pearson, [1, 2, 3, 4], [1, 3, 2, 5], 0.8315218406),
        (metrics.spearman, [1, 2, 3, 4], [1, 3, 2, 5], 0.8),
        (metrics.spearman, [1, 2, 3], [1, 10, 1000], 1.0),
        # Ranks 1.5, 1.5, 3, 4 beside 1, 2, 3, 4.
        (metrics.spearman, [1, 1, 2, 3], [1, 2, 3, 4], 4.5 / (4.5 * 5) ** 0.5),
    ],
)
def test_correlations_worked_by_hand(measure, one, other, wanted):
    assert measure(one, other).tolist() == [pytest.approx(wanted)]


@pytest.mark.parametrize(
    ("measure", "one", "other"),
    [
        (metrics.precision, [0, 0], [1, 0]),
        (metrics.recall, [1, 0], [0, 0]),
        (metrics.f1, [0, 0], [0, 0]),
        (metrics.auc, [0.1, 0.2], [1, 1]),
        (metrics.average_precision, [0.1, 0.2], [0, 0]),
        (metrics.pearson, [1, 1], [1, 2]),
        (metrics.spearman, [1, 2], [1, 1]),
        (metrics.brier, [], []),
        (metrics.auc, [], []),
        (metrics.spearman, [], []),
        (metrics.calibration_error, [], []),
    ],
)
def test_what_cannot_be_measured_is_nan(measure, one, other):
    assert np.isnan(measure(one, other)).tolist() == [True]


def counted_auc(scores, same):
    wins = [
        (a > b) + (a == b) / 2
        for a, yes in zip(scores, same, strict=True)
        for b, other in zip(scores, same, strict=True)
        if yes and not other
    ]
    return sum(wins) / len(wins)


@given(scored)
def test_auc_is_the_share_of_pairs_in_the_right_order(rows):
    scores, same = zip(*rows, strict=True)
    assert metrics.auc(scores, same).item() == pytest.approx(counted_auc(scores, same))


@given(scored)
def test_what_goes_by_rank_stays_when_scores_are_stretched(rows):
    scores, same = zip(*rows, strict=True)
    stretched = [score**3 + 1 for score in scores]
    for measure in RANKED:
        assert measure(stretched, same).item() == pytest.approx(measure(scores, same).item())
    turned = metrics.auc([-score for score in scores], same).item()
    assert turned == pytest.approx(1 - metrics.auc(scores, same).item())


@given(scored, st.lists(st.integers(0, 3), min_size=40, max_size=40))
def test_a_weight_is_how_often_a_pair_counts(rows, times):
    weights = np.array([times[: len(rows)]], float)
    repeated = [row for row, count in zip(rows, times, strict=False) for _ in range(count)]
    scores, same = (np.array(column) for column in zip(*rows, strict=True))
    more, truth = zip(*repeated, strict=True) if repeated else ((), ())
    for measure in (*RANKED, metrics.pearson, metrics.spearman):
        expected = measure(more, truth)
        assert measure(scores, same, weights) == pytest.approx(expected, nan_ok=True, abs=1e-9)
    for measure in (metrics.brier, metrics.calibration_error):
        expected = measure(np.array(more) / 20, truth)
        assert measure(scores / 20, same, weights) == pytest.approx(expected, nan_ok=True)
    for measure in (metrics.precision, metrics.recall, metrics.f1):
        expected = measure(np.array(more) > 10, truth)
        assert measure(scores > 10, same, weights) == pytest.approx(expected, nan_ok=True)


def test_lines_are_drawn_at_each_score_from_the_top():
    drawn = metrics.precision_recall_curve(SCORES, SAME)
    assert [line.score for line in drawn] == [0.9, 0.8, 0.4, 0.3, 0.1]
    assert drawn[1] == (0.8, pytest.approx(2 / 3), pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert metrics.best_operating_point(drawn).score == 0.4
    assert metrics.precision_recall_curve([0.5], [0]) == []
    assert metrics.best_operating_point([]) is None


@given(scored)
def test_the_best_threshold_is_as_good_as_calling_by_it(rows):
    scores, same = zip(*rows, strict=True)
    best = metrics.best_operating_point(metrics.precision_recall_curve(scores, same))
    assert metrics.f1(np.array(scores) >= best.score, same).item() == pytest.approx(best.f1)


def test_bins_hold_every_pair_once():
    bins = metrics.calibration_bins([0.0, 0.05, 0.1, 0.95, 1.0], [0, 1, 0, 1, 1])
    assert [bucket.pairs for bucket in bins] == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert bins[0] == (0.0, 0.1, 2, 0.025, 0.5)
    assert bins[-1] == (0.9, 1.0, 2, pytest.approx(0.975), 1.0)
    assert bins[4] == (0.4, 0.5, 0, None, None)


# Intervals.


def test_resamplings_draw_as_many_as_there_are():
    rows = np.concatenate(list(resample(7, 50, seed=1)))
    assert rows.shape == (50, 7)
    assert set(rows.sum(axis=1)) == {7.0}
    assert list(resample(0, 50, seed=1)) == []


def test_one_seed_gives_one_interval():
    measures = {"auc": partial(metrics.auc, SCORES, SAME)}
    first = bootstrap(measures, 6, rounds=200, seed=3)
    assert first == bootstrap(measures, 6, rounds=200, seed=3)
    assert first != bootstrap(measures, 6, rounds=200, seed=4)


def test_resampling_in_parts_draws_the_same(monkeypatch):
    whole = np.concatenate(list(resample(5, 40, seed=2)))
    monkeypatch.setattr("nearcopy.evaluate.metrics.MAX_WEIGHTS", 60)
    assert (np.concatenate(list(resample(5, 40, seed=2))) == whole).all()


def test_an_interval_is_about_as_wide_as_theory_has_it():
    said, same = [1] * 400, [1] * 300 + [0] * 100
    estimate = bootstrap({"precision": partial(metrics.precision, said, same)}, 400)["precision"]
    assert estimate.value == 0.75
    half = 1.96 * (0.75 * 0.25 / 400) ** 0.5
    assert estimate.low == pytest.approx(0.75 - half, abs=0.01)
    assert estimate.high == pytest.approx(0.75 + half, abs=0.01)


def test_what_cannot_be_measured_has_no_interval():
    estimates = bootstrap({"auc": partial(metrics.auc, [1, 2], [1, 1])}, 2, rounds=20)
    assert estimates == {"auc": Estimate(None)}
    assert bootstrap({"brier": partial(metrics.brier, [], [])}, 0) == {"brier": Estimate(None)}
