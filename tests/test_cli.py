"""The command line: data on stdout, errors on stderr, exit codes that mean something."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nearcopy.cli import app

WIRE = Path(__file__).parents[1] / "examples" / "wire.jsonl"


@pytest.fixture
def run():
    return lambda *words, **more: CliRunner().invoke(app, list(words), **more)


def test_fingerprints_as_json(run):
    result = run("fingerprint", "--json", str(WIRE))
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert len(rows) == len(WIRE.read_text(encoding="utf-8").splitlines())
    assert all(len(row["simhash"]) == 16 and len(row["minhash"]) == 1024 for row in rows)


def test_fingerprints_from_stdin_as_a_table(run):
    result = run("fingerprint", "-", "--preset", "crawler", input='{"id": "a", "text": "b c"}\n')
    assert result.exit_code == 0
    assert "simhash" in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fingerprint", "no-such-file"], "no-such-file"),
        (["fingerprint", "-", "--preset", "odd"], "choose one of default, feed"),
        (["fingerprint", "-"], "line 1"),
    ],
)
def test_errors_go_to_stderr_with_code_2(run, words, message):
    result = run(*words, input="not json\n")
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_help_and_version(run):
    assert "published before" in run("--help").stdout
    assert run("--version").stdout.startswith("nearcopy 0.")
