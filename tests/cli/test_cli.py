"""The command line: data on stdout, errors on stderr, exit codes that mean something."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from rich.cells import cell_len
from typer.testing import CliRunner

from nearcopy import NearcopyError, cli
from nearcopy.cli import app
from nearcopy.cli.terminal import json_line, printable, report_errors

LISTED = typer.main.get_command(app).commands
NAMES = list(LISTED)
WIRE = Path(__file__).parents[2] / "examples" / "wire.jsonl"


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
        (["fingerprint", "-"], "line 1: not JSON"),
    ],
)
def test_errors_go_to_stderr_with_code_2(run, words, message):
    result = run(*words, input="not json\n")
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("name", ["[bold]x[/bold]", "a[/red]b", "\ud800", "موقع", ":smile:"])
def test_ids_are_shown_as_they_are(run, name):
    row = json.dumps({"id": name, "text": "words"}) + "\n"
    assert json.loads(run("fingerprint", "-", "--json", input=row).stdout)["id"] == name
    table = run("fingerprint", "-", input=row, env={"COLUMNS": "140"})
    assert name.isprintable() <= (name in table.stdout)


def test_stdin_is_utf8_whatever_the_locale(run):
    plain = '{"id": "a", "text": "café"}\n'
    with_mark = run("fingerprint", "-", "--json", input=b"\xef\xbb\xbf" + plain.encode())
    assert with_mark.stdout == run("fingerprint", "-", "--json", input=plain.encode()).stdout
    assert run("fingerprint", "-", input=plain.encode("latin-1")).exit_code == 2


@pytest.mark.parametrize("how", ["--json", "--preset=feed"])
def test_a_closed_pipe_is_no_error(how):
    command = f"{sys.executable} -m nearcopy fingerprint {how} {WIRE} | head -c 10 | wc -c"
    shown = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert shown.stdout.strip() == "10"
    assert shown.stderr == ""
    assert shown.returncode == 0


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (NearcopyError("odd [red]thing[/red]"), 2, "error: odd [red]thing[/red]\n"),
        (
            FileNotFoundError(2, "No such file", "x.csv"),
            2,
            "error: x.csv: No such file: is the name right?\n",
        ),
        (
            UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
            2,
            "invalid start byte at 0: write it in UTF-8",
        ),
        (KeyboardInterrupt(), 130, ""),
        (typer.Abort(), 130, ""),
    ],
)
def test_each_error_has_its_exit_code(error, code, told):
    def fails() -> None:
        raise error

    single = typer.Typer()
    single.command()(report_errors(fails))
    result = CliRunner().invoke(single, [])
    assert result.exit_code == code
    assert told in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("words", [["--help"], ["-h"], []])
def test_help_fits_eighty_columns_with_one_line_per_command(run, words):
    result = run(*words, env={"COLUMNS": "80"})
    assert "published before" in result.output
    assert all(cell_len(line) <= 80 for line in result.output.splitlines())
    for name in NAMES:
        assert re.search(rf"^│ {name} +\w[^│]+\. +│$", result.output, re.M), name
    panels = ["Find duplicates", "Query a store", "Maintain a store", "Settings"]
    places = [result.output.index(f"─ {panel} ─") for panel in panels]
    assert places == sorted(places)
    assert "Exit codes" in result.output


def test_every_command_has_help(run):
    for name in NAMES:
        result = run(name, "--help", env={"COLUMNS": "80"})
        assert result.exit_code == 0
        assert "--json" in result.stdout


@pytest.mark.parametrize("name", NAMES)
def test_a_command_is_listed_with_the_first_line_of_its_help(name):
    assert LISTED[name].help == LISTED[name].imported.help.partition("\n")[0]


def test_listing_the_commands_imports_none_of_them():
    code = "import sys; from nearcopy.cli import app; app(['--help'], standalone_mode=False)"
    run = subprocess.run(
        [sys.executable, "-c", f"{code}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    imported = set(run.stdout.splitlines()[-1].split())
    own = {name for name in imported if name.startswith("nearcopy")}
    assert own == {"nearcopy", "nearcopy.cli", "nearcopy.cli.commands"}
    assert not imported & {"numpy", "pydantic", "publicsuffixlist", "tomllib", "sqlite3", "asyncio"}


def test_help_is_also_a_command(run):
    assert run("help").stdout == run("--help").stdout
    assert run("help", "dedupe").stdout == run("dedupe", "--help").stdout
    assert run("help", "nothing").exit_code == 2


def test_the_environment_is_read_in_one_place():
    files = sorted((Path(cli.__file__).parent).rglob("*.py"))
    readers = [
        f.name for f in files if re.search(r"os\.environ|getenv|envvar=", f.read_text("utf-8"))
    ]
    assert readers == ["options.py"]


def test_the_version(run):
    assert run("--version").stdout.startswith("nearcopy 0.")


def test_an_unknown_command_or_option_is_bad_usage(run):
    assert run("dedup").exit_code == 2
    assert run("presets", "--wrong").exit_code == 2


def test_a_preset_is_a_policy_file_to_edit(run, tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text(run("presets", "digest").stdout, encoding="utf-8")
    ids = ("zt-01", "zt-03", "--in", str(WIRE), "--json")
    one = run("compare", *ids, "--policy", str(file))
    assert one.exit_code == 0
    assert one.stdout == run("compare", *ids, "--preset", "digest").stdout


def test_presets_as_a_table_and_as_data(run):
    rows = [json.loads(line) for line in run("presets", "--json").stdout.splitlines()]
    assert [row["preset"] for row in rows][:2] == ["default", "feed"]
    table = run("presets").stdout
    assert all(row["preset"] in table for row in rows)
    assert json.loads(run("presets", "feed", "--json").stdout) == rows[1]
    assert run("presets", "fed").exit_code == 2


@pytest.mark.parametrize("text", ["plain", "發布", "\ud800", "tab\there", "\u2028"])
def test_a_json_line_is_one_line_of_utf8(text):
    line = json_line({"text": text})
    assert line.encode().count(b"\n") == 0
    assert json.loads(line) == {"text": text}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred", "\ufffd[31mred"),
        ("a\u202eb", "ab"),
        ("हिन्दी क्\u200dष", "हिन्दी क्\u200dष"),
        ("a\u3000b\u00a0c", "a\u3000b\u00a0c"),
        ("\ud800", "?"),
        ("one\ntwo", "one\ntwo"),
    ],
)
def test_control_characters_are_not_printed(text, shown):
    assert printable(text) == shown


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_standard_stream_is_no_error(closed, tmp_path):
    rows = tmp_path / "a.jsonl"
    rows.write_text('{"id": "a", "title": "Ferry runs aground"}\n')
    command = f'"$0" -m nearcopy dedupe - "$1" --json {closed}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, str(rows)],
        input=b"",
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
