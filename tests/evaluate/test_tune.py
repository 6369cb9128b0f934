"""Tuning: thresholds learn from labels, are tried on held-out pairs, and nothing else changes."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from nearcopy import POLICIES, Article, BadFeedback, Deduper, Evidence, Policy, Recipe, decide
from nearcopy.cli import app
from nearcopy.config import read_policy
from nearcopy.deduper.review_queue import Example
from nearcopy.evaluate.labels import LabelledPair
from nearcopy.evaluate.tune import (
    FOLDS,
    Tuning,
    active_thresholds,
    fit_thresholds,
    measure_labels,
    tune,
)
from nearcopy.evaluate.tune import _split_folds as folds_of

ROOT = Path(__file__).parents[2]
WIRE = str(ROOT / "examples" / "wire.jsonl")
RELATIONS = str(ROOT / "examples" / "wire_relations.csv")


def example(number: int, overlap: float, duplicate: bool, **given) -> Example:
    evidence = Evidence(words=200, overlap=overlap, exact=True, same_text=False, **given)
    return Example(f"a{number}", f"b{number}", evidence, duplicate)


def overlapping(line: float, count: int = 60) -> list[Example]:
    """Pairs that are duplicates where they share at least so much."""
    return [example(n, n / count, n / count >= line) for n in range(count)]


class TestFitting:
    @pytest.mark.parametrize(("line", "folds"), [(0.4, 2), (0.6, FOLDS), (0.65, 3)])
    def test_a_threshold_goes_where_the_labels_put_it(self, line, folds):
        tuning = tune(overlapping(line), Policy(), folds=folds)
        assert tuning.worth_it
        assert tuning.policy.near_overlap == pytest.approx(line, abs=0.03)
        assert [shift.name for shift in tuning.shifts] == ["near_overlap"]
        assert tuning.after.f1 > tuning.before.f1

    def test_what_is_right_stays_as_it_is(self):
        tuning = tune(overlapping(0.5), Policy(), folds=3)
        assert (tuning.policy, tuning.shifts, tuning.gain) == (Policy(), (), 0.0)
        assert not tuning.worth_it

    def test_the_same_event_has_its_own_line(self):
        examples = [
            Example(
                f"a{n}",
                f"b{n}",
                Evidence(words=200, profile=n / 40, event_score=n / 40),
                False,
                n / 40 >= 0.4,
            )
            for n in range(40)
        ]
        both = examples + [
            example._replace(a=f"x{example.a}", one_story=None) for example in overlapping(0.5, 40)
        ]
        tuning = tune(both, Policy(), folds=2)
        assert tuning.policy.event_score == pytest.approx(0.4, abs=0.03)
        assert tuning.after.story_f1 > tuning.before.story_f1

    def test_rules_that_are_off_stay_off(self):
        assert set(active_thresholds(POLICIES["feed"])) <= {"title_ratio", "body_overlap"}
        fitted = fit_thresholds(overlapping(0.7), POLICIES["feed"])
        assert fitted.near_overlap is None

    def test_noise_gains_nothing_on_held_out_pairs(self):
        noise = [example(n, (n * 37 % 60) / 60, n % 2 == 0) for n in range(60)]
        tuning = tune(noise, Policy(), folds=3)
        assert tuning.gain < 0.1

    def test_the_order_of_the_labels_does_not_matter(self):
        examples = overlapping(0.6, 30)
        tuning = tune(examples, Policy(), folds=3)
        assert tuning.shifts
        assert tune(examples[::-1], Policy(), folds=3) == tuning


def doubtful(count: int) -> list[Example]:
    """Near copies of which three in five are duplicates, however much they share."""
    return [example(n, 0.6 + 0.4 * (n * 37 % count) / count, n % 5 < 3) for n in range(count)]


@cache
def calibrated() -> Tuning:
    """What doubtful pairs teach, computed once."""
    return tune(doubtful(100), Policy(), folds=3)


class TestConfidence:
    def test_it_is_fitted_where_that_helps_and_thresholds_stay_where_they_are(self):
        tuning = calibrated()
        assert tuning.calibrated
        assert tuning.worth_it
        assert tuning.after.confidence_error < 0.1 < 0.3 < tuning.before.confidence_error
        assert tuning.policy == replace(Policy(), calibration=tuning.policy.calibration)
        sure = decide(doubtful(100)[0].evidence, tuning.policy).confidence
        assert sure == pytest.approx(0.6, abs=0.05)

    def test_it_is_left_alone_where_it_is_right(self):
        right = [example(n, 0.3 + 0.7 * n / 100, n >= 29 and n % 25 > 0) for n in range(100)]
        tuning = tune(right, Policy(), folds=3)
        assert not tuning.calibrated
        assert tuning.policy.calibration == ()

    def test_few_duplicates_teach_none(self):
        tuning = tune(doubtful(39), Policy(), folds=3)
        assert not tuning.calibrated
        assert tuning.policy.calibration == ()

    def test_a_calibration_that_was_there_gives_way_to_a_truer_one(self):
        start = Policy(calibration=((0.0, 0.1), (1.0, 0.1)))
        tuning = tune(doubtful(100), start, folds=3)
        assert tuning.policy.calibration == calibrated().policy.calibration


class TestTooLittle:
    def test_few_labels_are_too_few(self):
        with pytest.raises(BadFeedback, match="too few labels: 19 of at least 20"):
            tune(overlapping(0.5, 19), Policy())

    @pytest.mark.parametrize(
        ("duplicate", "kind"), [(True, "duplicates"), (False, "no duplicates")]
    )
    def test_labels_of_one_kind_teach_nothing(self, duplicate, kind):
        with pytest.raises(BadFeedback, match=f"are {kind}"):
            tune([example(n, 0.5, duplicate) for n in range(30)], Policy())

    def test_labels_that_all_share_an_article_cannot_be_held_out(self):
        hub = [example._replace(a="hub") for example in overlapping(0.5)]
        with pytest.raises(BadFeedback, match="none can be held out"):
            tune(hub, Policy())


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(31, 60), st.booleans()), min_size=2),
    st.integers(2, 8),
)
def test_an_article_is_in_one_fold_and_every_pair_in_one(pairs, wanted):
    examples = [Example(str(a), str(b), Evidence(), same) for a, b, same in pairs]
    try:
        parts = folds_of(examples, wanted)
    except BadFeedback:
        return
    assert sorted(example for part in parts for example in part) == sorted(examples)
    homes: dict[str, set[int]] = {}
    for place, part in enumerate(parts):
        for example in part:
            homes.setdefault(example.a, set()).add(place)
            homes.setdefault(example.b, set()).add(place)
    assert all(len(home) == 1 for home in homes.values())
    assert 2 <= len(parts) <= wanted


def test_what_people_said_is_measured_anew_or_as_it_was_then():
    words = [f"word{n}" for n in range(200)]
    with Deduper() as deduper:
        for name, cut in (("a", 200), ("b", 160), ("c", 120)):
            deduper.add(Article(id=name, text=" ".join(words[:cut])))
        deduper.feedback("a", "b", same=False)
        deduper.feedback("a", "c", same=True, relation="same_event")
        before = deduper.examples()
        deduper.forget("b")
        after = deduper.examples()
    assert [(example.duplicate, example.one_story) for example in before] == [
        (False, False),
        (False, True),
    ]
    assert [example.evidence.overlap for example in after] == [
        example.evidence.overlap for example in before
    ]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("near_text", "same_event", "distinct"), [True, True, False]),
        (("same", "no", "no"), [None] * 3),
    ],
)
def test_labels_tell_what_is_one_story_where_they_are_relations(names, told):
    articles = [Article(id=str(n), text=f"report {n}") for n in range(4)]
    pairs = [
        LabelledPair(n, articles[0], articles[n + 1], name, name in ("near_text", "same"))
        for n, name in enumerate(names)
    ]
    examples = list(measure_labels(pairs, Recipe(), Policy()))
    assert [example.one_story for example in examples] == told
    assert [example.duplicate for example in examples] == [True, False, False]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NEARCOPY_STORE", raising=False)
    return lambda *words: CliRunner().invoke(app, ["tune", *words])


def labels(tmp_path: Path) -> str:
    """Texts that share ever more words, called duplicates from a high overlap on."""
    rows = []
    for n in range(40):
        words = [f"story{n}word{i}" for i in range(200)]
        other = words[: 60 + 3 * n] + [f"else{n}x{i}" for i in range(140 - 3 * n)]
        sides = {"a": {"text": " ".join(words)}, "b": {"text": " ".join(other)}}
        rows.append(json.dumps({**sides, "label": "same" if n >= 35 else "different"}))
    (tmp_path / "labels.jsonl").write_text("\n".join(rows))
    return "labels.jsonl"


class TestTheCommand:
    def test_it_writes_a_policy_that_is_read_again(self, run, tmp_path):
        result = run("--from", labels(tmp_path), "-o", "policy.toml", "--json")
        assert result.exit_code == 0, result.stderr
        report = json.loads(result.stdout)
        assert report["worth_it"]
        policy = read_policy((tmp_path / "policy.toml").read_text())
        changed = {shift["name"]: shift["after"] for shift in report["shifts"]}
        assert changed
        assert all(getattr(policy, name) == value for name, value in changed.items())
        assert "use it with --policy policy.toml" in result.stderr
        second_run = run("--from", "labels.jsonl", "--policy", "policy.toml")
        assert second_run.exit_code in (0, 1)

    def test_a_confidence_that_was_fitted_is_shown_written_and_read(self, run, tmp_path):
        rows = []
        for n in range(100):
            words = [f"story{n}word{i}" for i in range(200)]
            other = words[: 180 + n % 20] + [f"else{n}x{i}" for i in range(20 - n % 20)]
            sides = {"a": {"text": " ".join(words)}, "b": {"text": " ".join(other)}}
            rows.append(json.dumps({**sides, "label": "same" if n % 7 % 2 else "different"}))
        (tmp_path / "pairs.jsonl").write_text("\n".join(rows))
        result = run("--from", "pairs.jsonl", "-o", "policy.toml")
        assert result.exit_code == 0, result.stderr
        assert "calibrated" in result.stdout
        policy = read_policy((tmp_path / "policy.toml").read_text())
        assert 0.3 < dict(policy.calibration)[0.95] < 0.6
        (tmp_path / "a.txt").write_text(" ".join(f"word{n}" for n in range(200)))
        (tmp_path / "b.txt").write_text(" ".join(f"word{n}" for n in range(195)))
        seen = CliRunner().invoke(
            app, ["compare", "a.txt", "b.txt", "--policy", "policy.toml", "--json"]
        )
        assert json.loads(seen.stdout)["confidence"] < 0.6

    def test_without_a_gain_nothing_is_written_unless_forced(self, run, tmp_path):
        words = ("--from", RELATIONS, "--articles", WIRE, "--preset", "feed", "-o", "p.toml")
        result = run(*words)
        assert result.exit_code == 1
        assert "no gain on held-out pairs" in result.stderr
        assert not (tmp_path / "p.toml").exists()
        assert run(*words, "--force").exit_code == 0
        assert 'preset = "feed"' in (tmp_path / "p.toml").read_text()

    def test_people_see_before_and_after(self, run):
        shown = run("--from", RELATIONS, "--articles", WIRE)
        assert shown.exit_code in (0, 1)
        assert "F1 of duplicates" in shown.stdout
        assert "61 pairs, 34 duplicates, 5 folds" in shown.stdout

    def test_feedback_that_is_too_little_says_so(self, run):
        CliRunner().invoke(app, ["add", WIRE, "--store", "seen.db"])
        CliRunner().invoke(app, ["feedback", "en-01", "en-03", "--different", "--store", "seen.db"])
        result = run("--from", "feedback", "--store", "seen.db")
        assert result.exit_code == 2
        assert "too few labels: 1" in result.stderr

    def test_it_does_not_write_over_what_it_reads(self, run, tmp_path):
        result = run("--from", labels(tmp_path), "-o", "labels.jsonl")
        assert result.exit_code == 2
        assert "is also read" in result.stderr
