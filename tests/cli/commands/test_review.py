"""`nearcopy review`: pairs near a line, listed, and asked about on a terminal."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nearcopy.cli import app
from nearcopy.cli.commands import review

WIRE = str(Path(__file__).parents[3] / "examples" / "wire.jsonl")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NEARCOPY_STORE", "seen.db")
    monkeypatch.setenv("COLUMNS", "160")
    assert CliRunner().invoke(app, ["add", WIRE]).exit_code == 0
    return lambda *words, said="": CliRunner().invoke(app, ["review", *words], input=said)


@pytest.fixture
def somebody(monkeypatch):
    monkeypatch.setattr(review, "_can_ask", lambda: True)


def lines(result):
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def told():
    result = CliRunner().invoke(app, ["feedback", "--list", "--json"])
    return {(row["a"], row["b"]): row for row in map(json.loads, result.stdout.splitlines())}


def test_pairs_are_listed_by_margin(run):
    pairs = lines(run("--json"))
    assert [pair["margin"] for pair in pairs] == sorted(pair["margin"] for pair in pairs)
    assert {"a", "b", "relation", "rule", "margin", "threshold"} <= set(pairs[0])
    assert lines(run("--json", "--limit", "2")) == pairs[:2]
    shown = run()
    assert f"{pairs[0]['a']} │ {pairs[0]['b']}" in shown.stdout
    assert f"{len(pairs)} pairs; `nearcopy review` on a terminal asks about each" in shown.stderr


@pytest.mark.usefixtures("somebody")
def test_list_asks_nothing_on_a_terminal(run):
    result = run("--list", said="s\n")
    assert result.exit_code == 0
    assert told() == {}


@pytest.mark.usefixtures("somebody")
@pytest.mark.parametrize(
    ("key", "same", "relation"),
    [("s", True, None), ("D", False, "distinct"), ("u", True, "revision")],
)
def test_a_key_records_feedback(run, key, same, relation):
    (first,) = lines(run("--json", "--limit", "1"))
    result = run("--limit", "1", said=f"{key}\n")
    assert result.exit_code == 0, result.output
    said = told()[first["a"], first["b"]]
    assert said["same"] is same
    assert relation in (None, said["relation"])
    assert "feedback on 1 pair" in result.stderr


@pytest.mark.usefixtures("somebody")
def test_enter_skips_z_undoes_and_q_quits(run):
    (one, other) = lines(run("--json", "--limit", "2"))
    result = run(said="\nd\nz\nx\nq\n")
    assert result.exit_code == 0
    assert "\n2. " in result.stdout
    assert f"retracted: {other['a']} and {other['b']}" in result.stderr
    assert "feedback on 0 pairs" in result.stderr
    assert told() == {}
    assert lines(run("--json", "--limit", "1")) == [one]


@pytest.mark.usefixtures("somebody")
def test_undo_without_feedback_is_no_error(run):
    assert "there is nothing to undo" in run(said="z\nq\n").stderr


@pytest.mark.usefixtures("somebody")
def test_end_of_input_quits(run):
    assert run(said="").exit_code == 0


@pytest.mark.usefixtures("somebody")
def test_contradicting_feedback_is_reported_and_asked_again(run):
    pairs = lines(run("--json"))
    pair = pairs[0]["a"], pairs[0]["b"]
    for other in pair:
        CliRunner().invoke(app, ["feedback", other, "en-01", "--same"])
    assert pair not in told()
    result = run("--limit", "1", said="d\nq\n")
    assert result.exit_code == 0
    assert "error: " in result.stderr
    assert pair not in told()


@pytest.mark.usefixtures("somebody")
def test_no_borderline_pair_is_reported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one.jsonl").write_text('{"id": "a", "title": "A heron nests on the weir"}\n', "utf-8")
    CliRunner().invoke(app, ["add", "one.jsonl", "--store", "seen.db"])
    result = CliRunner().invoke(app, ["review", "--store", "seen.db"])
    assert result.exit_code == 0
    assert "no borderline pair is without feedback" in result.stderr
    assert CliRunner().invoke(app, ["review", "--store", "other.db"]).exit_code == 2
