"""Ranked lists: the first of its copies stays, in order, and nothing is lost."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import POLICIES, Article, Policy
from nearcopy.deduper.search_results import deduplicate_results

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
QUAY = (
    "The harbour council voted on Tuesday evening to close the old quay after divers found that "
    "the oak piles under its northern end had been eaten away by shipworm over the winter. Boats "
    "that moor there have until the end of the month to find a berth on the other side of the "
    "river, where forty places are kept free for them at the old rate. "
)
BRIDGE = (
    "A footbridge of glass opened in the mountains above Tarn on Saturday, a year late and at "
    "twice the price that was agreed, and was shut again within the hour when hail fell. The "
    "builder says that the panes hold nine people a metre and that the hail did them no harm. "
)
TEXTS = {
    "quay": QUAY,
    "quay again": QUAY,
    "quay with more": QUAY + "A ferryman said he would believe it when he saw it.",
    "bridge": BRIDGE,
    "bridge again": BRIDGE.upper(),
    "tea": "The price of tea rose at the morning auction.",
}


def results(*names):
    return [Article(id=name, text=TEXTS[name]) for name in names]


def test_the_first_copy_represents_the_others():
    search_results = deduplicate_results(
        results("bridge again", "quay", "tea", "quay with more", "bridge")
    )
    assert [
        (result.article.id, result.duplicate_of, result.duplicates) for result in search_results
    ] == [
        ("bridge again", None, ("bridge",)),
        ("quay", None, ("quay with more",)),
        ("tea", None, ()),
        ("quay with more", "quay", ()),
        ("bridge", "bridge again", ()),
    ]
    assert search_results[3].judgement is not None
    assert search_results[3].judgement.decision.duplicate


def test_what_was_dropped_drops_nothing_itself():
    """The middle holds the first whole and shares its rest with the last, which must stay."""
    first, bridge_text = QUAY.split(". ")[0] + ".", BRIDGE
    policy = POLICIES["default"]
    chain = [
        Article(id="quay", text=QUAY),
        Article(id="both", text=QUAY + bridge_text),
        Article(id="bridge", text=bridge_text),
    ]
    search_results = deduplicate_results(chain, policy=policy)
    assert first
    assert [result.duplicate_of for result in search_results] == [None, "quay", None]


def test_no_window_ends_what_is_compared():
    one, other = results("quay", "quay again")
    late = Article(id="late", text=QUAY, published=NOON + timedelta(days=400))
    assert deduplicate_results([one, late])[1].duplicate_of == "quay"
    assert deduplicate_results([one, other], policy=POLICIES["feed"])[1].duplicate_of == "quay"


def test_results_may_bear_one_id():
    search_results = deduplicate_results([*results("quay", "tea"), *results("quay")])
    assert [result.duplicate_of for result in search_results] == [None, None, "quay"]
    assert search_results[0].duplicates == ("quay",)


@pytest.mark.parametrize("articles", [[], [Article(id="empty")], [Article(id="\ud800", text="\0")]])
def test_little_or_nothing_stays_as_it_is(articles):
    assert [result.article for result in deduplicate_results(articles)] == articles


@given(st.lists(st.sampled_from(sorted(TEXTS)), max_size=8))
def test_every_result_is_kept_or_a_duplicate_of_one_kept_above(names):
    search_results = deduplicate_results(results(*names))
    assert [result.article.id for result in search_results] == names
    kept = [result for result in search_results if result.duplicate_of is None]
    assert len(search_results) == len(kept) + sum(len(result.duplicates) for result in kept)
    for place, result in enumerate(search_results):
        above = {one.article.id for one in search_results[:place] if one.duplicate_of is None}
        assert result.duplicate_of is None or result.duplicate_of in above
    second_pass = deduplicate_results([result.article for result in kept])
    assert all(result.duplicate_of is None for result in second_pass)


@pytest.mark.parametrize(("sources", "kept"), [("any", 1), ("across", 2), ("within", 2)])
def test_only_results_of_the_sources_of_the_policy_are_compared(sources, kept):
    outlets = ("Quayside", "Quayside", "Herald") if sources == "across" else ("Quayside", "Herald")
    listed = [Article(id=str(n), text=QUAY, source=outlet) for n, outlet in enumerate(outlets)]
    results = deduplicate_results(listed, policy=Policy(sources=sources))
    assert sum(result.duplicate_of is None for result in results) == kept
