"""No command writes over a file that it reads."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nearcopy.cli import app

TEXT = "The ferry ran onto a sandbank off Port Calder on Monday and was towed free at high water."
ROWS = [{"id": letter, "title": "Ferry runs aground", "text": TEXT} for letter in "ab"]
PAIRS = [{"a": ROWS[0], "b": ROWS[1]}]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NEARCOPY_STORE", raising=False)
    for name, rows in (("in.jsonl", ROWS), ("pairs.jsonl", PAIRS)):
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("a.txt").write_text(f"Ferry runs aground\n\n{TEXT}")
    Path("link.jsonl").symlink_to("in.jsonl")
    Path("hard.jsonl").hardlink_to("in.jsonl")
    assert CliRunner().invoke(app, ["add", "in.jsonl", "--store", "seen.db"]).exit_code == 0
    return lambda words: CliRunner().invoke(app, words.split())


@pytest.mark.parametrize(
    "words",
    [
        "dedupe in.jsonl -o out.jsonl --rejected in.jsonl",
        "dedupe in.jsonl -o out.jsonl --rejected link.jsonl",
        "dedupe in.jsonl -o out.jsonl --rejected hard.jsonl",
        "dedupe in.jsonl --apply --yes -o out.jsonl --removed ./in.jsonl",
        "dedupe in.jsonl --store seen.db -o seen.db",
        "dedupe in.jsonl --store sqlite:///seen.db -o out.jsonl --rejected seen.db",
        "check in.jsonl --store seen.db --rejected in.jsonl",
        "add in.jsonl --store seen.db --rejected in.jsonl",
        "pairs in.jsonl --rejected in.jsonl",
        "search-results in.jsonl --removed in.jsonl",
        "search-results in.jsonl --rejected in.jsonl",
        "search-results in.jsonl --rejected x.jsonl --removed x.jsonl",
        "compare --pairs pairs.jsonl --rejected pairs.jsonl",
        "explain a.txt in.jsonl --html a.txt",
        "explain a b --in in.jsonl --html in.jsonl",
        "explain a b --store seen.db --html seen.db",
        "eval --articles in.jsonl --pairs pairs.jsonl --html in.jsonl",
        "eval --articles in.jsonl --pairs pairs.jsonl --html pairs.jsonl",
        "eval --articles in.jsonl --clusters pairs.jsonl --html ./pairs.jsonl",
        "eval --articles in.jsonl --near-pairs pairs.jsonl --rejected pairs.jsonl",
    ],
)
def test_input_files_are_not_overwritten(run, words):
    before = {path: path.read_bytes() for path in Path().iterdir()}
    result = run(words)
    assert result.exit_code == 2
    assert "write to another file" in result.stderr or "files of their own" in result.stderr
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_rejected_rows_can_be_written_to_dev_null(run):
    assert run("search-results in.jsonl --rejected /dev/null").exit_code == 0


def test_search_results_set_rejected_rows_aside(run):
    with Path("in.jsonl").open("a") as file:
        file.write("no JSON\n")
    result = run("search-results in.jsonl --rejected bad.jsonl")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["duplicates"] == ["b"]
    assert json.loads(Path("bad.jsonl").read_text())["line"] == 3
