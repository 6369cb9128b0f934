"""The page on the service: every setting and address is on it, and its examples run."""

import doctest
import re
import shlex
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest
from tests.support.service_client import free_port, serving
from typer.testing import CliRunner

from nearcopy.cli import app
from nearcopy.service.app import make_app
from nearcopy.service.settings import Settings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.M)


def examples():
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.M | re.S):
        yield from EXAMPLE.findall(block)


@pytest.mark.parametrize("setting", fields(Settings), ids=lambda each: each.name)
def test_every_setting_is_on_the_page(setting):
    rows = (line for line in PAGE.splitlines() if line.startswith("| `"))
    row = next(line for line in rows if f"`{setting.name}`" in line)
    if setting.default not in (None, ""):
        shown = (
            str(setting.default).lower() if isinstance(setting.default, bool) else setting.default
        )
        assert f"`{shown}`" in row


def test_every_address_is_on_the_page(tmp_path):
    document = make_app(Settings(store=f"{tmp_path}/s.db")).openapi()
    for path, methods in document["paths"].items():
        assert path in PAGE, path
        for method in methods:
            assert method.upper() in PAGE


@pytest.mark.skipif(shutil.which("curl") is None, reason="the examples take curl")
def test_the_service_answers_what_the_page_shows(tmp_path, monkeypatch):
    """In order, on a service of its own; "..." matches anything."""
    monkeypatch.chdir(tmp_path)
    settings = Settings(port=free_port())
    same, token = doctest.OutputChecker().check_output, ""
    with serving(settings):
        for command, shown in examples():
            expected = shown.replace("localhost:8000", f"localhost:{settings.port}")
            if command == "nearcopy serve":
                continue
            if command.startswith("cat "):
                Path(command.split()[1]).write_text(shown, encoding="utf-8")
                continue
            if command.startswith("nearcopy "):
                result = CliRunner().invoke(app, shlex.split(command)[1:])
                output = result.output
                token = result.stdout.strip() if "token add" in command else token
            else:
                output = _curled(command, settings.port, token)
            assert same(expected, output, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), (
                f"{command}\n{output}"
            )


def _curled(command, port, token):
    words = shlex.split(command.replace("localhost:8000", f"localhost:{port}"))
    words = [word.replace("$TOKEN", token) for word in words]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return done.stdout + "\n"
