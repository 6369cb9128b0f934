"""Policies: thresholds are validated once, and presets have the values of their designs."""

from dataclasses import replace
from datetime import timedelta

import pytest

from nearcopy import POLICIES, RECIPES, Article, BadPolicy, Policy, Relation, Scoring, explain


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"near_overlap": 1.5}, "near_overlap is 1.5: give a number from 0.0 to 1.0"),
        ({"near_overlap": "0.5"}, "near_overlap is '0.5'"),
        ({"near_overlap": True}, "near_overlap is True"),
        ({"max_hamming": 25}, "max_hamming is 25: give an integer from 0 to 24"),
        ({"max_hamming": 3.5}, "max_hamming is 3.5"),
        ({"max_hamming": -1}, "max_hamming is -1"),
        ({"story_score": 1.5}, "story_score is 1.5: give a number from 0.0 to 1.0"),
        ({"min_words": -1}, "min_words is -1"),
        ({"min_words": None}, "min_words is None"),
        ({"body_overlap": None}, "body_overlap is None"),
        ({"facts": "no"}, "facts is 'no': give True or False"),
        ({"scoring": {}}, "scoring is {}: give a Scoring"),
        ({"source_rank": "AP"}, "source_rank is 'AP': give the names of sources"),
        ({"source_rank": None}, "source_rank is None"),
        ({"window": timedelta(0)}, "window is datetime.timedelta"),
        ({"window": 14}, "window is 14: give a timedelta above zero"),
        ({"title_window": 3}, "title_window is 3"),
        ({"like_titles": "three"}, 'choose "one" or "two"'),
        ({"keep": ()}, r"give one or more of best \(the most points\), earliest"),
        ({"keep": ("newest",)}, "keep is"),
        ({"duplicates": {"copied"}}, "choose from same_url, same_text"),
        ({"duplicates": {"distinct"}}, "distinct articles are no duplicates"),
        ({"duplicates": None}, "duplicates"),
    ],
)
def test_a_wrong_setting_says_what_to_give(settings, message):
    with pytest.raises(BadPolicy, match=message):
        Policy(**settings)


def test_a_wrong_name_is_an_error():
    with pytest.raises(TypeError, match="near_overlaps"):
        Policy(near_overlaps=0.5)  # type: ignore[call-arg]


def test_relations_may_be_given_by_name():
    assert Policy(duplicates={"same_url"}).duplicates == {Relation.SAME_URL}


@pytest.mark.parametrize(
    "given", [{"length": -1.0}, {"tiers": (20.0, "ten")}, {"tiers": 5.0}, {"detail": None}]
)
def test_scores_are_numbers(given):
    with pytest.raises(BadPolicy, match="scoring"):
        Scoring(**given)


def test_every_preset_has_a_recipe_and_a_policy():
    assert set(POLICIES) == set(RECIPES)


@pytest.mark.parametrize(
    ("preset", "thresholds"),
    [
        ("feed", {"max_hamming": 3, "title_ratio": 0.9, "min_title_chars": 10}),
        (
            "tracker",
            {
                "title_token_set": 0.88,
                "title_partial": 0.9,
                "title_average": 0.82,
                "names_shared": 0.3,
                "window": timedelta(days=14),
            },
        ),
        ("crawler", {"max_hamming": 3, "related_max_hamming": 9, "window": timedelta(days=30)}),
        (
            "digest",
            {
                "title_mix": 0.8,
                "title_certain": 0.95,
                "related_mix": 0.6,
                "max_hamming": 3,
                "body_max_hamming": 6,
                "min_title_chars": 10,
                "keep": ("best",),
            },
        ),
        ("similarity", {"min_words": 50}),
    ],
)
def test_presets_have_the_thresholds_of_their_designs(preset, thresholds):
    assert {name: getattr(POLICIES[preset], name) for name in thresholds} == thresholds


def test_the_default_counts_copies_and_not_events_as_duplicates():
    assert Policy().duplicates == set(Relation) - {
        Relation.SAME_EVENT,
        Relation.RELATED,
        Relation.DISTINCT,
    }


def test_only_the_default_puts_reports_of_one_event_together():
    scores = {name: policy.story_score for name, policy in POLICIES.items()}
    assert scores.pop("default") == 0.3
    assert set(scores.values()) == {None}


def test_a_policy_can_be_changed_by_one_field():
    assert replace(POLICIES["tracker"], window=timedelta(days=7)).title_average == 0.82


def test_sources_are_ranked_in_any_case_and_lists_are_as_good_as_tuples():
    policy = Policy(source_rank=["AP", "Blog "], keep=["source-rank", "longest"])
    assert policy.source_rank == ("ap", "blog")
    assert hash(policy) == hash(replace(policy))


def test_what_is_no_policy_is_refused():
    a = Article(id="a", title="Harbour closes")
    with pytest.raises(BadPolicy, match="policy must be a Policy, got str: take one of"):
        explain(a, a, policy="feed")  # type: ignore[arg-type]
