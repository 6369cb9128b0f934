"""`nearcopy corpus`: the summary, and what it refuses."""

import json
from pathlib import Path

import pytest
from tests.support.corpora import ARTICLES, COUNT, lines
from typer.testing import CliRunner

from nearcopy.cli import app


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "wire.jsonl"
    path.write_text("".join(lines(ARTICLES)), encoding="utf-8")
    return path


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, ["corpus", *map(str, words)])


def test_the_summary_accounts_for_every_row(run, wire):
    result = run(wire, "-o", "out", "--json", "-j", 1)
    assert result.exit_code == 0, result.stderr
    summary = json.loads(result.stderr.splitlines()[-1])
    assert summary["rows"] == summary["kept"] + summary["duplicates"] == COUNT
    assert sum(summary["relations"].values()) == COUNT


def test_an_existing_output_is_not_replaced(run, wire):
    Path("out").mkdir()
    Path("out/mine").write_text("")
    assert "already exists" in run(wire, "-o", "out").stderr
    assert run(wire, "-o", "out", "--yes", "--quiet", "-j", 1).exit_code == 0
    assert run(wire, "-o", "one.jsonl", "--quiet", "-j", 1).exit_code == 0
    assert Path("one.jsonl").read_bytes() == Path("out/wire.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "odd"), "choose one of annotations, clean"),
        (("--memory", "much"), "is not a size"),
        (("--memory", "1MB"), "at least 256 MB"),
        (("--sample", "2"), "above 0, at most 1"),
        (("--reference", "none.jsonl"), "none.jsonl does not exist"),
        (("--preset", "copis"), "did you mean copies?"),
    ],
)
def test_errors_say_what_is_wrong(run, wire, words, said):
    result = run(wire, "-o", "out", *words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_large_removal_is_to_be_confirmed(run):
    text = " ".join(f"The harbour office counted {n} ships on day {n}." for n in range(12))
    rows = (json.dumps({"id": str(number), "text": text}) + "\n" for number in range(9))
    Path("in.jsonl").write_text("".join(rows))
    words = ["in.jsonl", "-o", "out.jsonl", "--quiet", "-j", 1]
    assert "8 of 9 articles are duplicates" in run(*words).stderr
    Path("out.jsonl").unlink()
    words += ["--format", "clean", "--removed", "removed.jsonl"]
    guarded = run(*words)
    assert guarded.exit_code == 3
    assert "8 of 9 articles are duplicates (89%): nothing was written" in guarded.stderr
    assert run(*words, "--yes").exit_code == 0
    assert [
        len(Path(name).read_text().splitlines()) for name in ("out.jsonl", "removed.jsonl")
    ] == [*(1, 8)]
