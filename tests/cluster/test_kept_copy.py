"""The kept copy: points for each virtue, rules in order, and a sentence that says why."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.cluster.kept_copy import explain_choice, rank_copies, score_cards
from nearcopy.config import KEEP, Policy, Scoring
from nearcopy.models import Fingerprint

NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def copy(name: str, words: int = 100, **rest: object) -> Fingerprint:
    return Fingerprint(id=name, words=words, **rest)


def card(*copies: Fingerprint, scoring: Scoring | None = None):
    """The card of the first copy beside the others."""
    return score_cards(copies, Policy(scoring=scoring or Scoring()))[0]


def choose(copies: Sequence[Fingerprint], policy: Policy) -> tuple[str, str]:
    """The kept copy, and why it is kept."""
    ranked = rank_copies(copies, policy)
    return ranked[0].copy.id, explain_choice(ranked, policy)


@pytest.mark.parametrize(
    ("words", "points"),
    [(1200, 30), (1001, 30), (1000, 25), (600, 15), (12, 0.3), (0, 0)],
)
def test_the_longest_has_all_points_and_a_fifth_longer_is_longer(words, points):
    assert card(copy("a", words), copy("b", 1200)).length == points


@pytest.mark.parametrize(("details", "points"), [(0, 0), (1, 8), (4, 32), (5, 40), (9, 40)])
def test_each_detail_has_eight_points_up_to_forty(details, points):
    assert card(copy("a", details=details)).details == points


@pytest.mark.parametrize(
    ("tier", "points"), [(1, 20), (2, 15), (3, 10), (7, 10), (0, 20), (None, 10)]
)
def test_tiers_beyond_the_last_and_unknown_ones_have_the_last_points(tier, points):
    assert card(copy("a", tier=tier)).tier == points


@pytest.mark.parametrize(
    ("behind", "points"),
    [(timedelta(0), 10), (DAY, 9.58), (DAY / 2, 9.79), (10 * DAY, 5.8), (365 * DAY, 0)],
)
def test_freshness_is_lost_by_the_day_behind_the_newest(behind, points):
    assert card(copy("a", published=NOON - behind), copy("b", published=NOON)).freshness == points


def test_what_bears_no_date_is_not_fresh():
    assert card(copy("a"), copy("b", published=NOON)).freshness == 0


def test_a_perfect_copy_has_a_hundred_points():
    best = card(copy("a", details=5, tier=1, published=NOON))
    assert best.total == 100
    assert best.why == (
        "100 points: length 30 for 100 words, details 40 for 5, source 20 for tier 1, freshness 10"
    )


def test_the_points_can_be_set():
    scoring = Scoring(length=50, details=10, detail=5, tiers=(), freshness=0)
    assert card(copy("a", details=3, tier=1, published=NOON), scoring=scoring).total == 60


def test_a_block_page_does_not_affect_the_scores_of_others():
    wall = copy("wall", 5000, published=NOON + 20 * DAY, block_page="consent wall")
    assert card(copy("a", published=NOON), wall).total == card(copy("a", published=NOON)).total


def test_a_block_page_is_kept_only_where_all_are_block_pages():
    wall, short = copy("wall", 5000, tier=1, details=5, block_page="paywall"), copy("short", 9)
    reason = "the only one of 2 that is no block page"
    assert choose([wall, short], Policy()) == ("short", reason)
    kept, why = choose([wall, replace(wall, id="other", words=9)], Policy())
    assert kept == "wall"
    assert why.startswith("all 2 are block pages; best of 2: ")


COPIES = [
    copy("early", 300, published=NOON - DAY, source="b.example", tier=2),
    copy("late", 320, published=NOON + DAY, source="a.example", tier=3),
    copy("long", 812, published=NOON, source="c.example", tier=1),
    copy("undated", 310, details=5),
]


@pytest.mark.parametrize(
    ("keep", "kept", "why"),
    [
        (("longest",), "long", "longest of 4: 812 words"),
        (("earliest",), "early", "earliest of 4: 2024-05-05 12:00+00:00"),
        (("latest",), "late", "latest of 4: 2024-05-07 12:00+00:00"),
        (("source-rank",), "late", "best source of 4: a.example, tier 3"),
        (
            ("best",),
            "undated",
            "best of 4: 61.45 points: length 11.45 for 310 words, details 40 for 5, "
            "source 10 for an unknown tier, freshness 0",
        ),
    ],
)
def test_each_rule_keeps_another_copy_and_has_a_reason(keep, kept, why):
    policy = Policy(keep=keep, source_rank=("a.example", "b.example"))
    assert choose(COPIES, policy) == (kept, why)


def test_sources_without_a_rank_go_by_tier():
    assert choose(COPIES, Policy(keep=("source-rank",)))[0] == "long"


def test_a_tie_falls_to_the_next_rule():
    twins = [copy("a", 50, published=NOON), copy("b", 70, published=NOON), copy("c", 90)]
    chosen = choose(twins, Policy(keep=("earliest", "longest")))
    assert chosen == ("b", "longest of 2: 70 words (alike by earliest)")


def test_the_last_ties_fall_to_the_earlier_then_by_id():
    policy = Policy(keep=("longest",))
    later = choose([copy("a", published=NOON), copy("b", published=NOON - DAY)], policy)
    assert later == ("b", "earlier of 2 alike by longest")
    same = choose([copy("b"), copy("a")], policy)
    assert same == ("a", "first by id of 2 alike by longest")


def test_a_single_copy_is_kept():
    assert choose([copy("a")], Policy()) == ("a", "the only copy")


def test_the_cards_come_best_first():
    totals = [ranked.card.total for ranked in rank_copies(COPIES, Policy())]
    assert totals == sorted(totals, reverse=True)


some_copies = st.lists(
    st.builds(
        Fingerprint,
        id=st.text(max_size=3),
        words=st.integers(0, 50),
        details=st.integers(0, 5),
        tier=st.none() | st.integers(-1, 4),
        source=st.none() | st.sampled_from("abc"),
        published=st.none() | st.datetimes(timezones=st.just(UTC)),
        block_page=st.none() | st.just("paywall"),
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda made: made.id,
)
policies = st.builds(
    Policy,
    keep=st.lists(st.sampled_from(KEEP), min_size=1, max_size=3).map(tuple),
    source_rank=st.just(("b", "a")),
)


@given(some_copies, policies, st.randoms(use_true_random=False))
def test_the_order_of_the_copies_does_not_matter(copies, policy, random):
    shuffled = random.sample(copies, len(copies))
    assert rank_copies(copies, policy) == rank_copies(shuffled, policy)
    assert choose(copies, policy) == choose(shuffled, policy)


@given(some_copies)
def test_points_are_never_negative_nor_beyond_a_hundred(copies):
    for card in score_cards(copies, Policy()):
        parts = (card.length, card.details, card.tier, card.freshness)
        assert all(0 <= part <= most for part, most in zip(parts, (30, 40, 20, 10), strict=True))
        assert card.total == pytest.approx(sum(parts))
