"""Policy files: a written policy reads back the same, and error messages name the mistake."""

from contextlib import suppress
from dataclasses import fields
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import POLICIES, BadPolicy, Policy, Scoring
from nearcopy.config import KEEP, parse_duration, policy_toml, read_policy
from nearcopy.config.policy import MAX_HAMMING
from nearcopy.config.policy_file import POLICY_FIELDS, SCORING_FIELDS, preset_of
from nearcopy.config.units import format_duration, parse_window
from nearcopy.models import Relation

SHARES = st.floats(0, 1)
POINTS = st.floats(0, 1000)
DURATIONS = st.timedeltas(timedelta(microseconds=1), timedelta(days=100_000))
OTHERS = {
    "duplicates": st.frozensets(st.sampled_from([r for r in Relation if r != "distinct"])),
    "window": st.none() | DURATIONS,
    "title_window": DURATIONS,
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
        **{name: POINTS for name in SCORING_FIELDS if name != "tiers"},
    ),
}


def values(field):
    if field.name in OTHERS:
        return OTHERS[field.name]
    largest = MAX_HAMMING if field.name.endswith("max_hamming") else 1 << 40
    whole = st.integers(0, largest)
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
    documented = [name for section in POLICY_FIELDS.values() for name in section]
    assert sorted([*documented, "scoring"]) == sorted(field.name for field in fields(Policy))
    assert list(SCORING_FIELDS) == [field.name for field in fields(Scoring)]


def test_an_empty_file_is_the_base():
    assert read_policy("") == Policy()
    assert read_policy("", "feed") == POLICIES["feed"]
    assert read_policy('preset = "digest"', "feed") == POLICIES["digest"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('widow = "14d"', r"no 'widow' \(did you mean window\?\)"),
        ("window = 14", 'window is 14: write a duration such as "14d"'),
        ('window = "soon"', "window: 'soon' is not a duration: write 14d"),
        ('title_window = "all"', "title_window: 'all' is not a duration"),
        ("near_bits = 61", "near_bits was renamed: write max_hamming, which is 64 - near_bits"),
        ('preset = "fed"', r"preset is 'fed' \(did you mean feed\?\): choose one of default"),
        ("preset = 3", "preset is 3"),
        ('duplicates = ["same_txt"]', r"contains 'same_txt' \(did you mean same_text\?\)"),
        ('duplicates = ["distinct"]', "distinct articles are no duplicates"),
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
def test_durations_are_a_number_and_a_unit(text, hours):
    assert parse_duration(text) == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["", "d", "14", "-3d", "3y", "٣d", "1e3d", "9" * 15 + "w", "all"])
def test_other_durations_are_refused(text):
    with pytest.raises(BadPolicy):
        parse_duration(text)


@given(DURATIONS)
def test_a_written_duration_reads_back_the_same(length):
    assert parse_duration(format_duration(length)) == length
    assert parse_window(format_duration(None)) is None


def test_the_error_for_a_field_below_the_scoring_table_says_where_it_belongs():
    with pytest.raises(BadPolicy, match=r"no 'near_overlap': write it above \[scoring\]"):
        read_policy("[scoring]\nnear_overlap = 0.9\n", "default")
