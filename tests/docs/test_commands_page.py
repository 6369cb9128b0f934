"""The page on the command line: every command and option is on it, and it shows what they print."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from nearcopy.cli import app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
COMMANDS = {
    name: command.imported for name, command in typer.main.get_command(app).commands.items()
}
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
EXAMPLE = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.M)


def examples():
    """Each command of the page's console blocks with what it prints, in order."""
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.M | re.S):
        yield from EXAMPLE.findall(block)


def documented(option, section):
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", section)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_section_with_an_example(name):
    assert f"$ nearcopy {name}" in SECTIONS[f"`nearcopy {name}`"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(name):
    text = SECTIONS[f"`nearcopy {name}`"] + SECTIONS["Shared options"]
    options = {
        option for param in COMMANDS[name].params for option in param.opts if option[0] == "-"
    }
    assert [option for option in sorted(options) if not documented(option, text)] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_short_help_and_data_as_json(name):
    assert len(COMMANDS[name].get_short_help_str(limit=200)) <= 60
    assert "--json" in [option for param in COMMANDS[name].params for option in param.opts]


def test_the_page_names_no_command_that_is_not_there():
    named = set(re.findall(r"^## `nearcopy (.+)`$", PAGE, re.M))
    assert named == set(COMMANDS)


def test_the_commands_print_what_the_page_shows(tmp_path, monkeypatch):
    """In order and in one folder; `$ cat FILE` gives the file. "..." matches anything."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NEARCOPY_STORE", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    same = doctest.OutputChecker().check_output
    for command, shown in examples():
        name, *words = shlex.split(command)
        if name == "cat":
            Path(words[0]).write_text(shown, encoding="utf-8")
            continue
        result = CliRunner().invoke(app, words)
        assert same(shown, result.output, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), (
            f"{command}\n{result.output}"
        )
