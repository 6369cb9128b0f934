"""Policies as TOML: what is written reads back the same, and mistakes are named."""

from contextlib import suppress
from dataclasses import fields
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import POLICIES, BadPolicy, Policy, Scoring
from nearcopy.config import KEEP, policy_toml, read_policy, span
from nearcopy.config.field_docs import MEANINGS, SCORING
from nearcopy.config.policy import LEAST_BITS
from nearcopy.config.policy_file import preset_of
from nearcopy.config.units import window, written
from nearcopy.models.model import Relation

SHARES = st.floats(0, 1)
POINTS = st.floats(0, 1000)
SPANS = st.timedeltas(timedelta(microseconds=1), timedelta(days=100_000))
OTHERS = {
    "duplicates": st.frozensets(st.sampled_from([r for r in Relation if r != "distinct"])),
    "window": st.none() | SPANS,
    "title_days": SPANS,
    "calibration": st.lists(st.tuples(SHARES, SHARES)).map(
        lambda drawn: tuple(
            zip(sorted({a for a, _ in drawn}), sorted(b for _, b in drawn), strict=False)
        )
    ),
    "like_titles": st.sampled_from(["one", "two"]),
    "sources": st.sampled_from(["any", "across", "within"]),
    "compares": st.sampled_from(["all", "text"]),
    "keep": st.lists(st.sampled_from(KEEP), min_size=1).map(tuple),
    "source_rank": st.lists(st.text()).map(tuple),
    "scoring": st.builds(
        Scoring,
        tiers=st.lists(POINTS).map(tuple),
        **{name: POINTS for name in SCORING if name != "tiers"},
    ),
}


def values(field):
    if field.name in OTHERS:
        return OTHERS[field.name]
    whole = st.integers(LEAST_BITS, 64) if field.name.endswith("_bits") else st.integers(0, 1 << 40)
    kinds = {bool: st.booleans(), float: SHARES, int: whole}
    if field.type in kinds:
        return kinds[field.type]
    return st.none() | (SHARES if field.type == float | None else whole)


ANY_POLICY = st.fixed_dictionaries({}, optional={f.name: values(f) for f in fields(Policy)}).map(
    lambda given: Policy(**given)
)


@given(ANY_POLICY, st.sampled_from(sorted(POLICIES)))
def test_what_is_written_reads_back_the_same(policy, base):
    written = policy_toml(policy, base)
    assert read_policy(written) == policy
    assert preset_of(written) == base


@pytest.mark.parametrize("name", POLICIES)
def test_a_preset_over_itself_is_all_comments(name):
    lines = policy_toml(POLICIES[name], name).splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == [
        f'preset = "{name}"',
        "[scoring]",
    ]


def test_every_setting_has_a_meaning():
    meant = [name for section in MEANINGS.values() for name in section]
    assert sorted([*meant, "scoring"]) == sorted(field.name for field in fields(Policy))
    assert list(SCORING) == [field.name for field in fields(Scoring)]


def test_an_empty_file_is_the_base():
    assert read_policy("") == Policy()
    assert read_policy("", "feed") == POLICIES["feed"]
    assert read_policy('preset = "digest"', "feed") == POLICIES["digest"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('widow = "14d"', r"no 'widow' \(did you mean window\?\)"),
        ("window = 14", 'window is 14: write a span of time such as "14d"'),
        ('window = "soon"', "window: 'soon' is no span of time: write 14d"),
        ('title_days = "all"', "title_days: 'all' is no span"),
        ('preset = "fed"', r"preset is 'fed' \(did you mean feed\?\): choose one of default"),
        ("preset = 3", "preset is 3"),
        ('duplicates = ["same_txt"]', r"holds 'same_txt' \(did you mean same_text\?\)"),
        ('duplicates = ["distinct"]', "what is distinct is no duplicate"),
        ("duplicates = 3", "duplicates is 3: give a list"),
        ("keep = [1]", r"keep is \[1\]: give a list"),
        ('keep = ["newest"]', "keep is .*: give one or more of best"),
        ("near_overlap = 50", "near_overlap is 50"),
        ("calibration = 3", "calibration is 3: give pairs, as"),
        ("calibration = [0.5, 0.9]", "calibration is .*: give pairs, as"),
        ("calibration = [[0.5, 1.9]]", "a share in calibration is 1.9: give a number from 0"),
        ("calibration = [[0.5, 0.9], [0.5, 1.0]]", "goes from 0.5, 0.9 to 0.5, 1.0"),
        ("calibration = [[0.5, 0.9], [0.6, 0.8]]", "both ascending"),
        ('facts = "off"', "facts is 'off': give True or False"),
        ("scoring = 3", r"make it a table, \[scoring\]"),
        ("[scoring]\nlenght = 3", r"no 'lenght' \(did you mean length\?\)"),
        ("[scoring]\ntiers = 3", "tiers is 3"),
        ("near_overlap = ", "the policy is not TOML"),
        ("a = " + "[" * 100_000, "the policy is"),
    ],
)
def test_a_mistake_is_named(text, message):
    with pytest.raises(BadPolicy, match=message):
        read_policy(text)


@given(st.text())
def test_any_text_is_a_policy_or_an_error_that_says_why(text):
    with suppress(BadPolicy):
        assert isinstance(read_policy(text), Policy)


@pytest.mark.parametrize(
    ("text", "hours"), [("14d", 336), ("36h", 36), ("2w", 336), ("90m", 1.5), ("1.5 H", 1.5)]
)
def test_spans_are_a_number_and_a_unit(text, hours):
    assert span(text) == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["", "d", "14", "-3d", "3y", "٣d", "1e3d", "9" * 15 + "w", "all"])
def test_other_spans_are_refused(text):
    with pytest.raises(BadPolicy):
        span(text)


@given(SPANS)
def test_a_written_span_reads_back_the_same(length):
    assert span(written(length)) == length
    assert window(written(None)) is None


def test_a_field_below_the_table_of_scores_is_told_where_it_belongs():
    with pytest.raises(BadPolicy, match=r"no 'near_overlap': write it above \[scoring\]"):
        read_policy("[scoring]\nnear_overlap = 0.9\n", "default")
