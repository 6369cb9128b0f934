"""Measures of groupings, held to examples worked by hand and to what must always hold."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.evaluate.clusters import (
    CLUSTER_METRICS,
    adjusted_rand,
    bootstrap_clusters,
    count_cells,
)

TRUTH, FOUND = "aaabbcc", "xxyyyzz"
groupings = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("wxyz")), max_size=30)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        # x holds aa; y a, bb; z cc: two of a have precision 1, one 1/3, the bs 2/3, the cs 1.
        ("bcubed_precision", (2 + 1 / 3 + 4 / 3 + 2) / 7),
        ("bcubed_recall", (2 * 2 / 3 + 1 / 3 + 2 + 2) / 7),
        # Pairs: three in both; five of one group, five in one story; twenty-one in all.
        ("pair_precision", 3 / 5),
        ("pair_recall", 3 / 5),
        ("pair_f1", 3 / 5),
        ("ari", (3 - 25 / 21) / (5 - 25 / 21)),
    ],
)
def test_measures_worked_by_hand(name, wanted):
    assert CLUSTER_METRICS[name](count_cells(TRUTH, FOUND)).tolist() == [pytest.approx(wanted)]


def test_known_values_of_others():
    # As the literature and other libraries give them.
    assert adjusted_rand(count_cells("000111", "001122")).item() == pytest.approx(0.24242424)
    assert adjusted_rand(count_cells("0011", "0012")).item() == pytest.approx(0.57142857)
    assert adjusted_rand(count_cells("0123", "0000")).item() == 0.0


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=30))
def test_the_same_groups_by_other_names_agree(truth):
    of = count_cells(truth, [f"story {name}" for name in truth])
    for measure in CLUSTER_METRICS.values():
        assert measure(of).item() == pytest.approx(1.0) or np.isnan(measure(of).item())


@given(groupings)
def test_exchanging_the_two_exchanges_precision_and_recall(rows):
    truth, stories = [a for a, _ in rows], [b for _, b in rows]
    one, other = count_cells(truth, stories), count_cells(stories, truth)
    for metric, exchanged_metric in (
        ("bcubed_precision", "bcubed_recall"),
        ("pair_precision", "pair_recall"),
        ("ari", "ari"),
        ("pair_f1", "pair_f1"),
    ):
        assert CLUSTER_METRICS[metric](one) == pytest.approx(
            CLUSTER_METRICS[exchanged_metric](other), nan_ok=True
        )


@given(groupings)
def test_pairs_are_counted_as_by_hand(rows):
    pairs = list(combinations(rows, 2))
    both = sum(a == b for a, b in pairs)
    together = sum(a[1] == b[1] for a, b in pairs)
    of = count_cells([a for a, _ in rows], [b for _, b in rows])
    expected = both / together if together else np.nan
    assert CLUSTER_METRICS["pair_precision"](of).item() == pytest.approx(expected, nan_ok=True)


def test_names_that_differ_in_odd_characters_are_other_groups():
    assert count_cells(["a", "a\0", "\ud800"], ["x", "x", "x"]).groups == 3


def test_all_have_intervals_that_one_seed_repeats():
    of = count_cells(TRUTH * 5, FOUND * 5)
    estimates = bootstrap_clusters(of, rounds=100)
    assert list(estimates) == list(CLUSTER_METRICS)
    assert estimates == bootstrap_clusters(of, rounds=100)
    assert all(estimate.low <= estimate.high for estimate in estimates.values())


def test_drawing_a_group_twice_makes_two_groups():
    of = count_cells(TRUTH, FOUND)  # groups in the order a, b, c
    weights = np.array([[2.0, 1.0, 0.0]])
    doubled = count_cells("aaaAAAbb", "xxyXXyyy")  # the copies meet in y only with the bs
    (recall,) = CLUSTER_METRICS["pair_recall"](of, weights)
    assert recall == pytest.approx(CLUSTER_METRICS["pair_recall"](doubled).item())


def test_both_ways_must_name_all_things():
    with pytest.raises(ValueError, match="2 articles in groups, 1 in stories"):
        count_cells("ab", "x")


def test_of_nothing_only_agreement_can_be_measured():
    values = {
        name: estimate.value for name, estimate in bootstrap_clusters(count_cells([], [])).items()
    }
    assert values == dict.fromkeys(CLUSTER_METRICS) | {"ari": 1.0}
