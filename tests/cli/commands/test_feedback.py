"""`nearcopy feedback`: feedback recorded and listed."""

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nearcopy.cli import app

WIRE = str(Path(__file__).parents[3] / "examples" / "wire.jsonl")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NEARCOPY_STORE", "seen.db")
    monkeypatch.setenv("COLUMNS", "160")
    assert CliRunner().invoke(app, ["add", WIRE]).exit_code == 0
    return lambda *words: CliRunner().invoke(app, ["feedback", *words])


def row(result):
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def story(name):
    shown = CliRunner().invoke(app, ["stories", name, "--json"])
    return {member["id"] for member in json.loads(shown.stdout)["members"]}


def test_different_splits_a_story_and_reports_moved_articles(run):
    entry = row(run("en-03", "en-01", "--different", "--note", "two crossings", "--json"))
    assert (entry["a"], entry["b"], entry["same"]) == ("en-01", "en-03", False)
    assert (entry["relation"], entry["mistake"]) == ("distinct", "false alarm")
    assert (entry["predicted_relation"], entry["predicted_duplicate"]) == ("near_text", True)
    assert entry["evidence"]["overlap"] > 0.9
    assert {change["id"] for change in entry["changes"]} >= {"en-01"}
    assert "en-01" not in story("en-03")


def test_same_merges_two_stories(run):
    entry = row(run("en-24", "en-25", "--same", "--relation", "same_event", "--json"))
    assert (entry["relation"], entry["mistake"]) == ("same_event", "miss")
    assert story("en-24") == {"en-24", "en-25"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("en-01", "en-01", "--same"), "'en-01' twice: name two articles"),
        (("en-01", "en-01", "--undo"), "'en-01' twice: name two articles"),
        (("--list", "--json", "--csv"), "--json and --csv: choose one"),
        (("en-01", "-x", "--same"), "a name that begins with - comes last, after --"),
        (("--same", "--", "en-01", "-x"), "not in sqlite:///seen.db: -x"),
        (("en-01", "\udcff", "--same"), "not in sqlite:///seen.db: \\udcff"),
    ],
)
def test_usage_errors_are_explained(run, words, said):
    result = run(*words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_misspelt_option_is_corrected(run):
    result = run("en-01", "en-02", "--sme")
    assert "--same" in result.stderr
    assert "after --" not in result.stderr


def test_feedback_can_be_retracted(run):
    before = story("en-01")
    assert run("en-01", "en-03", "--different").exit_code == 0
    entry = row(run("en-03", "en-01", "--undo", "--json"))
    assert entry["retracted"]
    assert story("en-01") == before
    refused = run("en-03", "en-01", "--undo")
    assert refused.exit_code == 2
    assert "nothing to retract" in refused.stderr


def test_feedback_is_shown_as_a_table(run):
    shown = run("en-01", "en-03", "--different", "--note", "two [b]crossings")
    assert "two [b]crossings" in shown.stdout
    assert "the policy had decided near_text, a duplicate" in shown.stdout
    assert "a false alarm" in shown.stdout
    assert "articles moved" in shown.stderr
    assert "retracted" in run("en-01", "en-03", "--undo").stdout


def test_feedback_is_listed_as_a_table_as_json_and_as_csv(run):
    run("en-01", "en-03", "--different", "--note", "two, not one")
    run("en-24", "en-25", "--same")
    shown = run("--list")
    assert "two, not one" in shown.stdout
    assert "2 in all" in shown.stderr
    lines = [json.loads(line) for line in run("--list", "--json").stdout.splitlines()]
    assert [entry["mistake"] for entry in lines] == ["false alarm", "miss"]
    table = list(csv.DictReader(io.StringIO(run("--list", "--csv").stdout)))
    assert [entry["note"] for entry in table] == ["two, not one", ""]
    assert list(table[0]) == list(lines[0])
    assert json.loads(table[0]["evidence"]) == lines[0]["evidence"]


def test_an_empty_list_as_csv_has_its_columns(run):
    assert run("--list", "--csv").stdout.startswith("a,b,same,relation,note,when,mistake,")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("en-01", "en-03"), "give one of --same"),
        (("en-01", "en-03", "--same", "--undo"), "give one of --same"),
        (("en-01", "en-03", "--list"), "takes no articles"),
        (("en-01", "--same"), "take two"),
        ((), "give one of --same"),
        (("en-01", "nowhere", "--same"), "not in sqlite:///seen.db: nowhere"),
        (("en-01", "en-03", "--same", "--relation", "distinct"), "choose from same_url"),
        (("en-01", "en-03", "--different", "--relation", "near_text"), "choose from related"),
    ],
)
def test_invalid_feedback_is_refused(run, words, message):
    result = run(*words)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.lower().split())
