"""Settings of the service: where they come from, and what is refused."""

import json
import socket
from dataclasses import fields

import pytest
from typer.testing import CliRunner

from nearcopy import BadPolicy
from nearcopy.cli import app
from nearcopy.service.settings import Settings, settings_to_json, load_settings, settings_from_json


def command(*words, **environment):
    return CliRunner().invoke(app, words, env=environment)


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path):
    file = tmp_path / "serve.toml"
    file.write_text('port = 1\nworkers = 2\nmax_batch = 3\nstore = "a.db"')
    environment = {"NEARCOPY_SETTINGS": str(file), "NEARCOPY_PORT": "11", "NEARCOPY_WORKERS": "12"}
    found = load_settings({"port": 21, "workers": None}, environment)
    assert (found.port, found.workers, found.max_batch, found.store) == (21, 12, 3, "a.db")
    assert found.address == "sqlite:///a.db"


def test_without_any_it_is_this_machine_and_a_file_in_the_folder():
    found = load_settings({}, {"PATH": "/bin"})
    assert found == Settings()
    assert (found.host, found.local, found.address) == ("127.0.0.1", True, "sqlite:///nearcopy.db")


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("NEARCOPY_PROT", "1", "did you mean NEARCOPY_PORT"),
        ("NEARCOPY_PORT", "many", "whole number"),
        ("NEARCOPY_PORT", "70000", "1 to 65,535"),
        ("NEARCOPY_LOG_JSON", "perhaps", "true or false"),
        ("NEARCOPY_LOG_LEVEL", "loud", "debug"),
        ("NEARCOPY_MAX_BATCH", "0", "from 1"),
    ],
)
def test_a_wrong_variable_says_so(variable, value, said):
    with pytest.raises(BadPolicy, match=said):
        load_settings({}, {variable: value})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prot = 1", "did you mean port"),
        ('port = "1"', "give int"),
        ("workers = true", "give int"),
        ("port = ", "not TOML"),
        ("[limits]\nmax_batch = 1", "no setting 'limits'"),
    ],
)
def test_a_wrong_line_of_the_file_says_so(tmp_path, text, said):
    file = tmp_path / "serve.toml"
    file.write_text(text)
    with pytest.raises(BadPolicy, match=said):
        load_settings({"settings": file}, {})


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.0.0.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("news.example", False),
        ("localhost.example", False),
    ],
)
def test_which_addresses_only_this_machine_can_reach(host, local):
    assert Settings(host=host).local is local


def test_workers_are_handed_the_same_settings():
    settings = Settings(port=1, pool="sport", log_json=True)
    assert settings_from_json(settings_to_json(settings)) == settings


def test_every_setting_is_a_flag_a_variable_and_has_a_meaning():
    text = " ".join(command("serve", "--help", COLUMNS="300", TERM="dumb").output.split())
    for each in fields(Settings):
        flag = f"--{each.name.replace('_', '-')}" if each.name != "log_json" else "--json"
        assert flag in text
        assert each.metadata["means"]


def test_the_settings_in_force_can_be_looked_at():
    result = command("serve", "--show", "--json", "--port", "9", NEARCOPY_STORE="memory://")
    found = json.loads(result.output)
    assert (found["port"], found["store"], found["log_json"]) == (9, "memory://", True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "0.0.0.0"], "nearcopy token add"),
        (["--store", "memory://", "--workers", "2"], "one process"),
        (["--preset", "fed"], "did you mean feed"),
        (["--settings", "none.toml"], "No such file"),
        (["--store", "none/seen.db"], "no folder"),
    ],
)
def test_what_must_not_run_says_why_and_does_not(tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    result = command("serve", *words)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())


def test_a_port_that_is_taken_is_told_of_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = command("serve", "--port", str(port))
    assert result.exit_code == 2
    assert f"cannot listen at 127.0.0.1 port {port}" in result.stderr
    assert "--port" in result.stderr
    assert list(tmp_path.iterdir()) == []


# Tokens.


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_secret_is_shown_once_and_kept_as_a_hash(here):
    added = json.loads(
        command("token", "add", "reader", "--scope", "read", "--json").stdout.splitlines()[0]
    )
    file = here / "nearcopy-tokens.db"
    assert added["token"].split("_", 2)[2].encode() not in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    (listed,) = map(json.loads, command("token", "list", "--json").stdout.splitlines())
    assert (listed["name"], listed["scopes"], listed["pool"]) == ("reader", ["read"], None)
    assert "token" not in listed


@pytest.mark.usefixtures("here")
def test_a_token_is_revoked_by_its_name():
    command("token", "add", "one")
    assert command("token", "revoke", "one").exit_code == 0
    assert command("token", "revoke", "one").exit_code == 1
    assert command("token", "list", "--json").stdout == ""


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "a", "--scope", "write,all"], "read,write,admin"),
        (["add", "a", "--scope", ","], "read,write,admin"),
        (["add", "a", "--pool", "No Pool"], "pool"),
        (["add", ""], "give a name"),
        (["add"], "name one"),
        (["list", "a"], "none"),
        (["ad", "a"], "did you mean add"),
    ],
)
def test_what_is_no_token_says_so(words, said):
    result = command("token", *words)
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.usefixtures("here")
def test_a_name_is_given_once():
    command("token", "add", "one")
    assert command("token", "add", "one").exit_code == 2
