"""The command line: data on stdout, errors on stderr, exit codes that mean something."""

import json
import subprocess
import sys
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


@pytest.mark.parametrize("name", ["[bold]x[/bold]", "a[/red]b", "\ud800", "موقع"])
def test_ids_are_shown_as_they_are(run, name):
    row = json.dumps({"id": name, "text": "words"}) + "\n"
    assert json.loads(run("fingerprint", "-", "--json", input=row).stdout)["id"] == name
    table = run("fingerprint", "-", input=row)
    assert name.isprintable() <= (name in table.stdout)


def test_stdin_is_utf8_whatever_the_locale(run):
    plain = '{"id": "a", "text": "café"}\n'
    with_mark = run("fingerprint", "-", "--json", input=b"\xef\xbb\xbf" + plain.encode())
    assert with_mark.stdout == run("fingerprint", "-", "--json", input=plain.encode()).stdout
    assert run("fingerprint", "-", input=plain.encode("latin-1")).exit_code == 2


def test_a_reader_that_leaves_is_no_error():
    command = f"{sys.executable} -m nearcopy.cli fingerprint --json {WIRE} | head -c 10"
    shown = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert len(shown.stdout) == 10
    assert shown.stderr == ""


def test_help_and_version(run):
    assert "published before" in run("--help").stdout
    assert run("--version").stdout.startswith("nearcopy 0.")
