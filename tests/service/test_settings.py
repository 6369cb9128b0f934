"""Settings of the service: precedence of their sources, validation; and tokens."""

import json
import socket
from dataclasses import fields

import pytest
from typer.testing import CliRunner

from nearcopy import BadPolicy
from nearcopy.cli import app
from nearcopy.service.settings import Settings, load_settings, settings_from_json, settings_to_json


def command(*words, **environment):
    return CliRunner().invoke(app, words, env=environment)


def test_flags_override_the_environment_and_that_the_file(tmp_path):
    file = tmp_path / "serve.toml"
    file.write_text('port = 1\nworkers = 2\nmax_batch = 3\nstore = "a.db"')
    environment = {"NEARCOPY_SETTINGS": str(file), "NEARCOPY_PORT": "11", "NEARCOPY_WORKERS": "12"}
    settings = load_settings({"port": 21, "workers": None}, environment)
    assert (settings.port, settings.workers, settings.max_batch, settings.store) == (
        21,
        12,
        3,
        "a.db",
    )
    assert settings.address == "sqlite:///a.db"


def test_defaults_are_loopback_and_a_file_in_the_working_directory():
    settings = load_settings({}, {"PATH": "/bin"})
    assert settings == Settings()
    assert (settings.host, settings.local, settings.address) == (
        "127.0.0.1",
        True,
        "sqlite:///nearcopy.db",
    )


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("NEARCOPY_PROT", "1", "did you mean NEARCOPY_PORT"),
        ("NEARCOPY_PORT", "many", "whole number"),
        ("NEARCOPY_PORT", "70000", "1 to 65,535"),
        ("NEARCOPY_LOG_JSON", "perhaps", "true or false"),
        ("NEARCOPY_LOG_LEVEL", "loud", "debug"),
        ("NEARCOPY_MAX_BATCH", "0", "from 1"),
    ],
)
def test_an_invalid_variable_is_reported(variable, value, message):
    with pytest.raises(BadPolicy, match=message):
        load_settings({}, {variable: value})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prot = 1", "did you mean port"),
        ('port = "1"', "give int"),
        ("workers = true", "give int"),
        ("port = ", "not TOML"),
        ("[limits]\nmax_batch = 1", "unknown setting 'limits'"),
    ],
)
def test_an_invalid_line_of_the_file_is_reported(tmp_path, text, message):
    file = tmp_path / "serve.toml"
    file.write_text(text)
    with pytest.raises(BadPolicy, match=message):
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
def test_loopback_addresses_are_local(host, local):
    assert Settings(host=host).local is local


def test_workers_get_the_same_settings():
    settings = Settings(port=1, pool="sport", log_json=True)
    assert settings_from_json(settings_to_json(settings)) == settings


def test_every_setting_has_a_flag_and_a_help_text():
    text = " ".join(command("serve", "--help", COLUMNS="300", TERM="dumb").output.split())
    for setting in fields(Settings):
        flag = f"--{setting.name.replace('_', '-')}" if setting.name != "log_json" else "--json"
        assert flag in text
        assert setting.metadata["help"]


def test_the_effective_settings_are_shown():
    result = command("serve", "--show", "--json", "--port", "9", NEARCOPY_STORE="memory://")
    settings = json.loads(result.output)
    assert (settings["port"], settings["store"], settings["log_json"]) == (9, "memory://", True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host", "0.0.0.0"], "nearcopy token add"),
        (["--store", "memory://", "--workers", "2"], "cannot share a store in memory"),
        (["--preset", "fed"], "did you mean feed"),
        (["--settings", "none.toml"], "No such file"),
        (["--store", "none/seen.db"], "no folder"),
    ],
)
def test_settings_that_cannot_run_are_refused(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    result = command("serve", *words)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_a_used_port_is_reported_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        result = command("serve", "--port", str(port))
    assert result.exit_code == 2
    assert f"cannot listen on 127.0.0.1 port {port}" in result.stderr
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
    ("words", "message"),
    [
        (["add", "a", "--scope", "write,all"], "read,write,admin"),
        (["add", "a", "--scope", ","], "read,write,admin"),
        (["add", "a", "--pool", "No Pool"], "pool"),
        (["add", ""], "give a name"),
        (["add"], "take a NAME"),
        (["list", "a"], "none"),
        (["ad", "a"], "did you mean add"),
    ],
)
def test_an_invalid_token_command_is_reported(words, message):
    result = command("token", *words)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.usefixtures("here")
def test_token_names_are_unique():
    command("token", "add", "one")
    assert command("token", "add", "one").exit_code == 2
