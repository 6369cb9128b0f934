"""The options that commands share: what they mean, and what they say when they are wrong."""

from datetime import timedelta

import pytest

from nearcopy import POLICIES, RECIPES, BadPolicy, Policy
from nearcopy.cli.options import store_address
from nearcopy.io.policy_choice import settings
from nearcopy.service.settings import HELP, Settings


@pytest.fixture
def policy(tmp_path):
    def written(text):
        file = tmp_path / "policy.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return written


def test_without_options_the_default_policy_and_the_store_recipe_apply():
    assert settings() == (None, Policy())


@pytest.mark.parametrize("name", POLICIES)
def test_a_preset_is_a_recipe_and_a_policy(name):
    assert settings(name) == (RECIPES[name], POLICIES[name])


def test_a_policy_file_overrides_thresholds_of_a_preset(policy):
    recipe, judged = settings(policy=policy('preset = "feed"\ntitle_ratio = 0.95'))
    assert recipe == RECIPES["feed"]
    assert judged.title_ratio == 0.95
    assert settings("feed", policy("title_ratio = 0.95")) == (recipe, judged)


def test_window_and_keep_override_the_policy_file(policy):
    _, judged = settings(None, policy('window = "2d"'), "36h", "longest, earliest")
    assert judged.window == timedelta(hours=36)
    assert judged.keep == ("longest", "earliest")
    assert settings(window="all")[1].window is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"preset": "crawlr"}, r"no preset 'crawlr' \(did you mean crawler\?\): choose one of"),
        ({"window": "soon"}, "'soon' is not a duration"),
        ({"window": "0d"}, "a window of '0d' is empty"),
        ({"keep": "newest"}, "--keep 'newest'.*best"),
        ({"keep": ","}, "--keep names no rule"),
    ],
)
def test_an_invalid_option_says_what_to_give(given, message):
    with pytest.raises(BadPolicy, match=message):
        settings(**given)


def test_a_mistake_in_a_policy_names_the_file(policy):
    with pytest.raises(BadPolicy, match=r"policy\.toml: a policy has no 'widow'"):
        settings(policy=policy('widow = "2d"'))


def test_conflicting_presets_are_refused(policy):
    with pytest.raises(BadPolicy, match=r"--preset is digest, but .* is made for feed"):
        settings("digest", policy('preset = "feed"'))


@pytest.mark.parametrize(
    ("store", "address"),
    [
        ("seen.db", "sqlite:///seen.db"),
        ("/var/seen.db", "sqlite:////var/seen.db"),
        ("sqlite:///seen.db", "sqlite:///seen.db"),
        ("memory://", "memory://"),
        ("C:/seen.db", "sqlite:///C:/seen.db"),
        ("./redis:seen.db", "sqlite:///./redis:seen.db"),
        ("2026-03-04T12:00.db", "sqlite:///2026-03-04T12:00.db"),
    ],
)
def test_a_bare_path_is_a_sqlite_store(store, address):
    assert store_address(store) == address


@pytest.mark.parametrize("store", [None, ""])
def test_without_a_store_it_says_how_to_name_one(store):
    with pytest.raises(BadPolicy, match=r"Give --store seen\.db, or set NEARCOPY_STORE"):
        store_address(store)


@pytest.mark.parametrize(
    ("store", "meant"),
    [
        ("redis:localhost:6379", "redis://localhost:6379"),
        ("redis:/localhost", "redis://localhost"),
        ("redis:me:secret@host", r"redis://me:\*\*\*@host"),
        ("postgresql:host/base", "postgresql://host/base"),
        ("unix:/run/redis.sock", "unix:///run/redis.sock"),
        ("sqlite:colon.db", "sqlite:///colon.db"),
        ("sqlite:/var/seen.db", "sqlite:////var/seen.db"),
        ("memory:", "memory://"),
        ("mysql:/host", "mysql://host"),
    ],
)
@pytest.mark.parametrize("opened", [store_address, lambda store: Settings(store=store)])
def test_a_scheme_without_slashes_suggests_the_address_and_creates_no_file(opened, store, meant):
    with pytest.raises(BadPolicy, match=f"write {meant}, or put ./ before it"):
        opened(store)


def test_the_token_setting_says_that_requests_need_a_token():
    assert HELP["tokens"].endswith("every request needs a token")
