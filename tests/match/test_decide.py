"""The judgement: the rules in their order, the vetoes, and what holds for any evidence."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import POLICIES, Evidence, Policy, Relation
from nearcopy.match.decide import RULES, SENTENCES, decide
from nearcopy.match.same_event_model import event_confidence
from nearcopy.models import Fact

SHARE = st.none() | st.floats(0, 1)
FACT = Fact("money", "USD 10000000", 1e7)
OTHER = Fact("money", "USD 50000000", 5e7)
FACTS = st.sampled_from([(), ((FACT, OTHER),)])
TRUTH = st.none() | st.booleans()

EVIDENCE = st.builds(
    Evidence,
    same_url=TRUTH,
    same_declared_url=TRUTH,
    same_text=TRUTH,
    distance=st.none() | st.integers(0, 64),
    overlap=SHARE,
    containment=SHARE,
    exact=st.booleans(),
    words=st.integers(0, 200),
    numerals_shared=SHARE,
    numerals_changed=st.none() | st.integers(0, 5),
    title_ratio=SHARE,
    title_cosine=SHARE,
    title_token_set=SHARE,
    title_token_sort=SHARE,
    title_partial=SHARE,
    title_soft=SHARE,
    title_event_score=SHARE,
    title_coverage=SHARE,
    title_chars=st.integers(0, 80),
    title_words=st.integers(0, 14),
    title_swap=st.sampled_from([None, "income / growth"]),
    name_swap=st.booleans(),
    contrast=st.sampled_from([None, "suspend / resume"]),
    column=st.sampled_from([None, "horoscope"]),
    agreements=FACTS,
    clashes=FACTS,
    moved=FACTS,
    names_shared=SHARE,
    profile=SHARE,
    event_score=SHARE,
    refiled=st.booleans(),
    same_source=TRUTH,
    hours_apart=st.none() | st.floats(0, 1000),
    block_page=st.sampled_from([None, None, "a consent wall"]),
)
THRESHOLDS = [
    field.name
    for field in fields(Policy)
    if field.type in (float, float | None, int | None) or field.name.startswith("min_")
]
PRESETS = st.sampled_from(sorted(POLICIES))


def long_text(**measured) -> Evidence:
    base = {"same_text": False, "words": 300, "distance": 20, "overlap": 0.0, "containment": 0.0}
    return Evidence(**base | measured)


def like_titles(**measured) -> Evidence:
    base = {"title_soft": 0.9, "title_chars": 40, "title_words": 7}
    return Evidence(**base | measured)


@pytest.mark.parametrize(
    ("evidence", "relation"),
    [
        (Evidence(same_url=True), Relation.SAME_URL),
        (Evidence(same_url=True, same_text=True, words=300), Relation.SAME_URL),
        (long_text(same_url=True, overlap=0.95), Relation.SAME_URL),
        (long_text(same_url=True, overlap=0.3), Relation.REVISION),
        (Evidence(same_declared_url=True), Relation.SAME_URL),
        (long_text(same_declared_url=True), Relation.DISTINCT),
        (Evidence(same_text=True, words=300), Relation.SAME_TEXT),
        (Evidence(same_text=True, words=12), Relation.SAME_TEXT),
        (long_text(overlap=0.5), Relation.NEAR_TEXT),
        (long_text(distance=3), Relation.NEAR_TEXT),
        (long_text(overlap=0.49), Relation.RELATED),
        (long_text(overlap=0.2, containment=0.8), Relation.CONTAINED),
        (long_text(overlap=0.9, words=49), Relation.RELATED),
        (like_titles(), Relation.SAME_TITLE),
        (like_titles(title_soft=0.5), Relation.RELATED),
        (like_titles(title_chars=9), Relation.DISTINCT),
        (like_titles(moved=((FACT, OTHER),)), Relation.REVISION),
        (like_titles(clashes=((FACT, OTHER),)), Relation.DISTINCT),
        (like_titles(contrast="suspend / resume"), Relation.RELATED),
        (like_titles(column="horoscope"), Relation.RELATED),
        (Evidence(), Relation.DISTINCT),
    ],
)
def test_the_default_policy(evidence, relation):
    assert decide(evidence, Policy()).relation is relation


def test_like_titles_over_bodies_written_apart_are_one_event():
    evidence = long_text(title_soft=0.9, title_chars=40, title_words=7)
    assert decide(evidence, Policy()).relation is Relation.SAME_EVENT
    assert not decide(evidence, Policy()).duplicate
    included = Policy(duplicates=Policy().duplicates | {Relation.SAME_EVENT})
    assert decide(evidence, included).duplicate


def test_like_titles_over_bodies_that_share_text_are_one_item():
    evidence = long_text(title_soft=0.9, title_chars=40, title_words=7, containment=0.4)
    assert decide(evidence, Policy()).relation is Relation.SAME_TITLE


@pytest.mark.parametrize(
    ("shared", "changed", "refiled", "copy"),
    [
        (0.5, 0, False, False),
        (0.5, 0, True, False),
        (0.7, 0, False, True),
        (0.7, 1, False, False),
        (0.7, 3, True, True),
        (0.95, 1, False, True),
        (0.95, 2, False, False),
        (None, None, False, True),
    ],
)
def test_a_form_filled_in_anew_is_no_copy(shared, changed, refiled, copy):
    evidence = long_text(
        overlap=0.9, numerals_shared=shared, numerals_changed=changed, refiled=refiled
    )
    assert decide(evidence, Policy()).duplicate is copy


def test_two_pages_of_one_site_need_titles_that_agree():
    evidence = long_text(overlap=0.7, same_source=True, title_soft=0.1)
    assert decide(evidence, Policy()).relation is Relation.DISTINCT
    assert decide(evidence._replace(title_soft=0.5), Policy()).relation is Relation.NEAR_TEXT
    assert decide(evidence._replace(overlap=0.95), Policy()).relation is Relation.NEAR_TEXT
    assert decide(evidence._replace(same_source=False), Policy()).relation is Relation.NEAR_TEXT


def test_clashing_titles_do_not_part_texts_whose_figures_agree():
    evidence = long_text(overlap=0.9, clashes=((FACT, OTHER),), numerals_shared=1.0)
    assert decide(evidence._replace(numerals_changed=0), Policy()).duplicate
    assert not decide(evidence._replace(numerals_changed=1), Policy()).duplicate
    assert not decide(evidence._replace(numerals_shared=None), Policy()).duplicate


def test_a_stub_under_titles_that_clash_is_no_copy():
    stub = Evidence(same_text=True, words=6, title_soft=0.1, title_chars=40, title_words=7)
    assert not decide(stub, Policy()).duplicate
    assert decide(stub._replace(title_soft=0.8), Policy()).duplicate


def test_junk_is_nobodys_copy_and_nobodys_original():
    decision = decide(Evidence(same_text=True, words=300, block_page="a consent wall"), Policy())
    assert (decision.relation, decision.duplicate) == (Relation.DISTINCT, False)
    assert "block_page" in decision.flags
    assert decision.reason == "no article: a consent wall"


def test_a_revision_by_the_same_source():
    evidence = long_text(overlap=0.3, same_source=True, title_soft=0.9)
    evidence = evidence._replace(title_chars=40, title_words=7)
    assert decide(evidence, Policy()).rule == "rewritten"
    assert decide(evidence._replace(refiled=True), Policy()).rule == "filed-again"


def test_a_toll_that_moved_in_a_short_text_of_one_source_is_a_revision():
    evidence = Evidence(words=35, overlap=0.3, same_source=True, moved=((FACT, OTHER),))
    assert decide(evidence, Policy()).rule == "toll-moved"
    for other in ({"words": 29}, {"overlap": 0.1}, {"same_source": False}, {"moved": ()}):
        assert decide(evidence._replace(**other), Policy()).relation is not Relation.REVISION


def test_an_update_may_come_under_any_title_that_the_other_tells():
    evidence = long_text(overlap=0.4, same_source=True, title_soft=0.0, title_coverage=0.6)
    evidence = evidence._replace(refiled=True, moved=((FACT, OTHER),), numerals_changed=2)
    assert decide(evidence, Policy()).rule == "filed-again"
    for other in (
        {"title_coverage": 0.3},
        {"refiled": False},
        {"name_swap": True, "title_swap": "a"},
    ):
        assert decide(evidence._replace(**other), Policy()).relation is not Relation.REVISION


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        (long_text(event_score=0.9, overlap=0.05), "they report the same event in other words"),
        (
            long_text(event_score=0.9, overlap=0.15),
            "they report the same event, in part in the same words",
        ),
        (
            long_text(title_soft=0.6, title_chars=40, title_words=7),
            "the titles agree over texts written independently",
        ),
        (Evidence(title_soft=0.6, title_chars=40, title_words=7), "the titles largely agree"),
    ],
)
def test_one_event_says_of_the_texts_what_was_measured(evidence, reason):
    decision = decide(evidence, Policy())
    assert (decision.relation, decision.reason) == (Relation.SAME_EVENT, reason)


@given(EVIDENCE, PRESETS)
def test_every_preset_has_an_answer_for_any_evidence(evidence, preset):
    decision = decide(evidence, POLICIES[preset])
    assert 0 <= decision.confidence <= 1
    assert decision.duplicate == (decision.relation in POLICIES[preset].duplicates)
    assert decision.reason
    assert decision.rule in {rule.name for rule in RULES} | {"vetoed", "nothing-in-common"}


@given(EVIDENCE, PRESETS, st.sampled_from(THRESHOLDS), st.floats(0, 1))
def test_a_stricter_threshold_never_adds_a_duplicate(evidence, preset, name, share):
    policy = POLICIES[preset]
    now = getattr(policy, name)
    if now is None:
        return
    strictest = 0 if name.endswith("max_hamming") else 200 if isinstance(now, int) else 1.0
    stricter = now + share * (strictest - now)
    stricter = round(stricter) if isinstance(now, int) else stricter
    if decide(evidence, replace(policy, **{name: stricter})).duplicate:
        assert decide(evidence, policy).duplicate


@given(EVIDENCE, PRESETS)
def test_fewer_relations_never_add_a_duplicate(evidence, preset):
    policy = POLICIES[preset]
    fewer = replace(policy, duplicates=frozenset({Relation.SAME_URL}))
    if decide(evidence, fewer).duplicate:
        assert decide(evidence, policy).duplicate


def test_a_high_event_score_makes_one_event():
    evidence = long_text(event_score=0.6, same_source=False)
    decision = decide(evidence, Policy())
    assert decision.rule == "same-event"
    assert decision.confidence == pytest.approx(event_confidence(0.6), abs=1e-4)
    assert not decision.duplicate
    assert decide(evidence._replace(hours_apart=100), Policy()).rule == "same-event"
    assert decide(evidence._replace(event_score=0.1), Policy()).relation is Relation.DISTINCT


@pytest.mark.parametrize(
    "other",
    [
        {"hours_apart": 24.0 * 15},
        {"hours_apart": 100.0, "title_soft": 0.7},
        {"name_swap": True, "title_swap": "anton / berta"},
        {"block_page": "consent wall"},
        {"same_source": True, "containment": 0.3, "numerals_shared": 0.1, "numerals_changed": 4},
        {"words": 20, "contrast": "suspend / resume"},
    ],
)
def test_vetoes_of_a_high_event_score(other):
    evidence = long_text(event_score=0.6, same_source=False)._replace(**other)
    assert decide(evidence, Policy()).relation in (Relation.RELATED, Relation.DISTINCT)


@pytest.mark.parametrize(
    "other",
    [
        {"contrast": "suspend / resume"},
        {"hours_apart": 100.0, "title_soft": 0.2},
        {"containment": 0.3, "numerals_shared": 0.1, "numerals_changed": 4},
    ],
)
def test_stages_days_and_figures_do_not_part_long_reports_written_apart(other):
    evidence = long_text(event_score=0.6, same_source=False)._replace(**other)
    assert decide(evidence, Policy()).rule == "same-event"


def test_rule_names_are_unique_and_cover_every_relation():
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert {rule.relation for rule in RULES} | {Relation.DISTINCT} == set(Relation)


REWORDED = Evidence(
    same_text=False,
    overlap=0.22,
    containment=0.38,
    exact=True,
    words=200,
    profile=0.8,
    event_score=0.9,
)


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({}, "reworded"),
        ({"same_source": False, "hours_apart": 5.0}, "reworded"),
        ({"exact": False}, "same-event"),
        ({"overlap": 0.1}, "same-event"),
        ({"profile": 0.6}, "same-event"),
        ({"same_source": True}, "same-event"),
        ({"words": 40}, "same-event"),
        ({"hours_apart": 24.0 * 10, "title_soft": 0.5}, "same-event"),
        ({"contrast": "suspend / resume"}, "same-event"),
        ({"numerals_shared": 0.3, "numerals_changed": 3}, "vetoed"),
    ],
)
def test_a_copy_in_many_other_words_takes_overlap_profile_and_another_source(changed, rule):
    assert decide(REWORDED._replace(**changed), Policy()).rule == rule


def test_every_rule_has_a_sentence():
    assert SENTENCES.keys() == {rule.name for rule in RULES}
