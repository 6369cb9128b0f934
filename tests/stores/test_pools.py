"""Pools: sets of articles in one store that never see each other."""

import json

import pytest
from typer.testing import CliRunner

from nearcopy import RECIPES, Article, Deduper, NotStored, RecipeMismatch, StoreError
from nearcopy.cli import app
from nearcopy.stores import list_pools

BODY = "the council voted on tuesday to close the old harbour for the whole winter season " * 6


def test_pools_never_see_each_other(lasting_address):
    with (
        Deduper(lasting_address) as main,
        Deduper(lasting_address, pool="sport") as sport,
        Deduper(lasting_address, pool="sport-2") as other,
    ):
        assert not main.add(Article(id="a", text=BODY)).is_duplicate
        assert not sport.add(Article(id="b", text=BODY)).is_duplicate
        assert not other.check(Article(id="c", text=BODY)).is_duplicate
        assert sport.add(Article(id="a", text=BODY)).duplicate_of == "b"
        assert main.forget(["b"]) == 0
        with pytest.raises(NotStored):
            main.article("b")
        assert [len(story.members) for story in sport.stories()] == [2]
        for deduper in (main, sport, other):
            assert all(check.passed for check in deduper.verify())


def test_each_pool_has_its_own_recipe(lasting_address):
    Deduper(lasting_address, RECIPES["feed"]).close()
    Deduper(lasting_address, RECIPES["default"], pool="sport").close()
    with Deduper(lasting_address) as main, Deduper(lasting_address, pool="sport") as sport:
        assert (main.recipe, sport.recipe) == (RECIPES["feed"], RECIPES["default"])
    with pytest.raises(RecipeMismatch):
        Deduper(lasting_address, RECIPES["feed"], pool="sport")


def test_pools_are_kept_across_sessions(lasting_address):
    with Deduper(lasting_address, pool="sport") as today:
        today.add(Article(id="a", text=BODY))
    with Deduper(lasting_address, pool="sport") as tomorrow:
        assert tomorrow.check(Article(id="b", text=BODY)).duplicate_of == "a"


def test_the_default_pool_has_a_name(any_address):
    with Deduper(any_address, pool="default") as deduper:
        deduper.add(Article(id="a", text=BODY))
    if not any_address.startswith("memory"):
        with Deduper(any_address) as same:
            assert same.article("a").text == BODY


def test_pools_are_listed(lasting_address):
    assert list_pools(lasting_address) == []
    for pool in ("sport", None, "arts"):
        Deduper(lasting_address, pool=pool).close()
    assert list_pools(lasting_address) == ["arts", "default", "sport"]


@pytest.mark.parametrize("pool", ["", "Sport", "a b", "a@b", "-a", "_a", "a" * 33, "ö", 'a"b', 7])
def test_an_invalid_name_is_refused(any_address, pool):
    with pytest.raises(StoreError, match="a pool cannot be called"):
        Deduper(any_address, pool=pool)


@pytest.fixture
def run(lasting_address, tmp_path, monkeypatch):
    monkeypatch.setenv("NEARCOPY_STORE", lasting_address)
    rows = [{"id": name, "text": BODY} for name in "ab"]
    file = tmp_path / "in.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def invoke(*words: str):
        return CliRunner().invoke(app, [word.replace("IN", str(file)) for word in words])

    return invoke


def test_commands_take_a_pool(run):
    assert run("add", "IN", "--pool", "sport").exit_code == 0
    story = json.loads(run("stories", "--pool", "sport", "--json").stdout)
    assert story["kept"] == "a"
    assert run("explain", "a", "b", "--pool", "sport", "--json").exit_code == 0
    assert run("verify", "--pool", "sport").exit_code == 0
    assert run("dedupe", "IN", "--pool", "arts").exit_code == 0
    assert run("add", "IN").exit_code == 0
    listed = [json.loads(line) for line in run("stats", "--pools", "--json").stdout.splitlines()]
    assert [row["pool"] for row in listed] == ["arts", "default", "sport"]
    assert listed[2] == {"pool": "sport", "articles": 2, "duplicates": 1, "stories": 1}
    assert "sport" in run("stats", "--pools").stdout


def test_a_mistyped_pool_is_an_error_and_not_a_new_one(run, lasting_address):
    assert run("add", "IN", "--pool", "sport").exit_code == 0
    result = run("check", "IN", "--pool", "sprot")
    assert result.exit_code == 2
    assert "it has sport" in result.stderr
    assert list_pools(lasting_address) == ["sport"]


def test_a_query_does_not_create_a_store(run, lasting_address):
    result = run("stats")
    assert result.exit_code == 2
    assert "no store at" in result.stderr
    assert list_pools(lasting_address) == []
