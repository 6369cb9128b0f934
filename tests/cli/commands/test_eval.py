"""`nearcopy eval`: tables for readers, one object for machines, a page to open, clear errors."""

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nearcopy.cli import app

EXAMPLES = Path(__file__).parents[3] / "examples"
WIRE, RELATIONS = str(EXAMPLES / "wire.jsonl"), str(EXAMPLES / "wire_relations.csv")
PAIRS = ("--articles", WIRE, "--pairs", RELATIONS)
KEYS = [
    *("kind", "about", "settings", "counts", "scores", "resampled", "best_threshold", "lines"),
    *("by_relation", "confusion", "by_language"),
    *("calibration", "histogram", "mistakes", "unknown_ids"),
]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words, **more: CliRunner().invoke(app, ["eval", *words], **more)


def data(result):
    assert result.exit_code == 0, result.stderr
    (line,) = result.stdout.splitlines()
    return json.loads(line)


def write(path, text):
    Path(path).write_text(text, encoding="utf-8")
    return str(path)


def test_pairs_as_one_object(run):
    report = data(run(*PAIRS, "--json"))
    assert list(report) == KEYS
    assert report["settings"] == {"preset": "default", "window": "all"}
    assert report["counts"]["pairs"] == 61
    assert report["scores"]["f1"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert {row["relation"]: row["pairs"] for row in report["by_relation"]}["near_text"] == 10
    assert report["mistakes"] == []


def test_pairs_as_tables(run):
    result = run(*PAIRS)
    assert result.exit_code == 0
    for what in ("precision", "By relation", "near_text", "By language", "one language"):
        assert what in result.stdout
    assert result.stderr == ""


def test_another_preset_makes_mistakes_that_come_with_evidence(run):
    report = data(run(*PAIRS, "--preset", "feed", "--mistakes", "2", "--json"))
    assert report["settings"]["preset"] == "feed"
    assert len(report["mistakes"]) == 4
    first = report["mistakes"][0]
    assert first["kind"] == "false alarm"
    assert first["evidence"]
    assert first["rule"]
    assert first["line"] > 1
    shown = run(*PAIRS, "--preset", "feed", "--mistakes", "2").stdout
    assert "The worst mistakes" in shown
    assert "false alarm" in shown


def test_policy_and_window_are_applied(run, tmp_path):
    policy = write(tmp_path / "p.toml", 'duplicates = ["same_url"]\n')
    report = data(run(*PAIRS, "--policy", policy, "--json"))
    assert report["settings"] == {"policy": policy, "window": "all"}
    assert report["about"].startswith("positive where relation is same_url;")
    narrow = data(run(*PAIRS, "--window", "90m", "--json"))
    assert narrow["scores"]["recall"]["value"] < 1.0


def test_the_target_changes_what_counts_as_a_match(run):
    report = data(run(*PAIRS, "--target", "event", "--json"))
    assert report["counts"]["same"] == 48
    assert report["scores"]["recall"]["value"] < 1.0


def test_the_report_is_written_in_addition_to_the_tables(run, tmp_path):
    result = run(*PAIRS, "--html", "report.html")
    assert "wrote report.html" in result.stderr
    assert "precision" in result.stdout
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!doctype html>")


def test_articles_can_be_inline_in_the_pairs(run, tmp_path):
    rows = [
        ("Fire destroys the old mill at Corrin", "Old mill at Corrin destroyed by fire", "same"),
        ("Corrin mayor resigns over budget", "Old mill at Corrin destroyed by fire", "different"),
    ]
    with (tmp_path / "p.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("title_a", "title_b", "label"), *rows])
    report = data(run("--pairs", "p.csv", "--json"))
    assert report["counts"] == {
        "pairs": 2,
        "same": 1,
        "called_same": 1,
        "ignored": 0,
        "with_unknown_ids": 0,
    }
    assert report["scores"]["f1"]["value"] == 1.0


def test_pairs_may_be_json_lines(run, tmp_path):
    row = {"a": {"title": "Fire destroys mill"}, "b": {"title": "Rain floods town"}, "same": True}
    file = write(tmp_path / "p.jsonl", json.dumps(row) + "\n")
    report = data(run("--pairs", file, "--json"))
    assert [mistake["kind"] for mistake in report["mistakes"]] == ["miss"]


def test_clusters_are_measured(run, tmp_path):
    file = write(tmp_path / "c.csv", "id,cluster\nen-01,ferry\nen-02,ferry\nen-24,loom\nno,loom\n")
    result = run("--articles", WIRE, "--clusters", file, "--json")
    report = data(result)
    assert report["kind"] == "clusters"
    assert report["scores"]["bcubed_f1"]["value"] == 1.0
    assert report["counts"]["with_unknown_ids"] == 1
    assert report["unknown_ids"] == ["no"]
    assert "left out 1: 1 articles are missing: no" in result.stderr


def test_near_pairs_are_measured(run, tmp_path):
    file = write(tmp_path / "n.csv", "a,b,jaccard5\nen-01,en-02,0.9\nen-01,en-24,0.6\n")
    report = data(run("--articles", WIRE, "--near-pairs", file, "--json"))
    assert report["kind"] == "near_pairs"
    assert report["scores"]["recall"]["value"] == 0.5
    assert report["mistakes"][-1]["label"] == "overlap 0.6; no candidate"
    assert report["by_overlap"][0]["overlap_from"] == "0.9"


def test_unknown_ids_are_listed(run, tmp_path):
    rows = "".join(f"en-01,none-{number},same\n" for number in range(30))
    file = write(tmp_path / "p.csv", f"a,b,label\nen-01,en-02,same\nen-01,en-24,other\n{rows}")
    result = run("--articles", WIRE, "--pairs", file, "--json")
    assert data(result)["counts"]["with_unknown_ids"] == 30
    assert "left out 30: 30 articles are missing: none-0, none-1," in result.stderr
    assert "and 10 more" in result.stderr


ERRORS = [
    ([], "give one of --pairs FILE, --clusters FILE and --near-pairs FILE"),
    (["--pairs", "p.csv", "--clusters", "c.csv"], "give one of --pairs FILE"),
    (["--clusters", "c.csv"], "which articles? Give --articles FILE"),
    (["--pairs", "p.csv"], "give these with --articles FILE"),
    (["--pairs", "none.csv"], "none.csv: No such file"),
    (["--articles", WIRE, "--pairs", "empty.csv"], "empty.csv has no rows"),
    (["--articles", WIRE, "--pairs", "lost.csv"], "no article has the ids x, y"),
    (["--articles", WIRE, "--pairs", "broken.csv"], "broken.csv:2: 3 fields in a table of 2"),
    (["--articles", WIRE, "--clusters", "p.csv"], "has the columns a, b, label: give id and"),
    (["--articles", WIRE, "--clusters", "two.csv"], "two.csv:3: en-01 is in x and in y"),
    (["--articles", WIRE, "--clusters", "gone.csv"], "gone.csv has no labelled articles"),
    (["--articles", WIRE, "--near-pairs", "p.csv"], "need the columns a, b and jaccard"),
    ([*PAIRS, "--html", "no/where.html"], "there is no folder no"),
    ([*PAIRS, "--label", "lable"], "--label lable: no such column, there are a, b, relation"),
    ([*PAIRS, "--preset", "fed"], "did you mean feed?"),
    ([*PAIRS, "--window", "soon"], "soon"),
]


@pytest.mark.parametrize(("words", "message"), ERRORS)
def test_usage_errors_exit_with_2_and_say_what_to_do(run, tmp_path, words, message):
    write(tmp_path / "p.csv", "a,b,label\nen-01,en-02,same\n")
    write(tmp_path / "lost.csv", "a,b,label\nx,y,same\n")
    write(tmp_path / "empty.csv", "a,b,label\n")
    write(tmp_path / "broken.csv", "a,b\n1,2,3\n")
    write(tmp_path / "two.csv", "id,cluster\nen-01,x\nen-01,y\n")
    write(tmp_path / "gone.csv", "id,cluster\nx,y\n")
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""
