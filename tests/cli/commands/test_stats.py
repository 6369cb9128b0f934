"""`nearcopy stats`: numbers for readers, and for machines."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nearcopy.cli import app
from nearcopy.cli.commands.stats import draw_bar, format_share

WIRE = str(Path(__file__).parents[3] / "examples" / "wire.jsonl")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NEARCOPY_STORE", "seen.db")
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *words: CliRunner().invoke(app, list(words))


def test_json_has_all_counts(run):
    run("add", WIRE)
    run("check", WIRE)
    run("feedback", "en-01", "en-03", "--different")
    result = run("stats", "--json")
    assert result.exit_code == 0, result.stderr
    counts = json.loads(result.stdout)
    assert (counts["articles"], counts["stories"]) == (66, 41)
    assert (counts["feedback"], counts["false_alarms"], counts["misses"]) == (1, 1, 0)
    reports = counts["relations"]["same_event"]
    assert sum(counts["relations"].values()) - reports == counts["duplicates"] == 22
    assert sum(source["articles"] for source in counts["sources"]) == 66
    assert sum(size["articles"] * size["stories"] for size in counts["sizes"]) == 66
    assert {work: timing["times"] for work, timing in counts["times"].items()} == {
        "add": 66,
        "check": 66,
    }
    (day,) = counts["times_by_day"]
    assert day["check"] == counts["times"]["check"]
    assert 0 < counts["times"]["check"]["median_ms"] <= counts["times"]["check"]["p99_ms"]


def test_tables_have_bars(run):
    run("add", WIRE)
    result = run("stats", "--days", "2")
    assert result.exit_code == 0
    for shown in ("duplicate rate", "34.8%", "near_text", "████", "median ms", "false alarms"):
        assert shown in result.stdout
    assert "showing 15 of 46 sources" in result.stderr


def test_an_empty_store_is_no_error(run):
    Path("none.jsonl").write_text("")
    run("add", "none.jsonl")
    shown = run("stats")
    assert shown.exit_code == 0
    assert "no article is in a story with another" in shown.stdout
    assert "relation" not in shown.stdout
    assert json.loads(run("stats", "--json").stdout)["duplicate_rate"] is None


def test_the_store_must_exist_and_days_be_positive(run):
    assert run("stats").exit_code == 2
    assert run("stats", "--days", "0").exit_code == 2


@pytest.mark.parametrize(
    ("count", "most", "shown"), [(0, 0, ""), (0, 9, ""), (4, 4, "█" * 20), (1, 16, "█▎")]
)
def test_a_bar_is_as_long_as_its_share(count, most, shown):
    assert draw_bar(count, most) == shown


def test_a_share_is_shown_in_percent():
    assert (format_share(None), format_share(0.348)) == ("", "34.8%")
