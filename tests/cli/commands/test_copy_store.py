"""The commands that move stores."""

import json

import pytest
from tests.support import aged_store as lives
from typer.testing import CliRunner

from nearcopy import Deduper
from nearcopy.cli import app
from nearcopy.maintenance.store_records import KINDS
from nearcopy.stores import list_pools


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NEARCOPY_STORE", raising=False)

    def invoke(*words: str, fails: bool = False):
        result = CliRunner().invoke(app, list(words))
        assert result.exit_code == (2 if fails else 0), result.output
        return result

    return invoke


@pytest.fixture
def filled(run, tmp_path):
    """A file with three pools, one of which has lived."""
    lives.live(f"sqlite:///{tmp_path}/lived.db")
    for pool in ("sport", "arts"):
        with Deduper(f"sqlite:///{tmp_path}/lived.db", pool=pool) as deduper:
            deduper.add(lives.harbour(f"of {pool}"))
    return run


def rows(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_all_pools_are_copied(filled, lasting_address):
    pools = rows(filled("copy-store", "lived.db", lasting_address, "--json"))
    assert [(row["pool"], row["to_pool"]) for row in pools] == [
        ("arts", "arts"),
        ("default", "default"),
        ("sport", "sport"),
    ]
    assert [(row["copied"], row["skipped"], row["verified"]) for row in pools] == [
        (1, 0, True),
        (70, 0, True),
        (1, 0, True),
    ]
    assert list(pools[1]["records"]) == list(KINDS)
    assert pools[1]["records"]["articles"]["count"] == 70
    assert len(pools[1]["records"]["articles"]["sha256"]) == 64
    assert list_pools(lasting_address) == ["arts", "default", "sport"]


def test_one_pool_is_copied_under_the_same_or_another_name(filled):
    filled("copy-store", "lived.db", "a.db", "--pool", "sport")
    filled("copy-store", "lived.db", "b.db", "--pool", "sport", "--to-pool", "games")
    filled("copy-store", "lived.db", "lived.db", "--pool", "sport", "--to-pool", "games")
    assert list_pools("sqlite:///a.db") == ["sport"]
    assert list_pools("sqlite:///b.db") == ["games"]
    assert list_pools("sqlite:///lived.db") == ["arts", "default", "games", "sport"]


def test_to_pool_requires_one_pool(filled):
    result = filled("copy-store", "lived.db", "a.db", "--to-pool", "games", fails=True)
    assert "say which with --pool, of arts, default, sport" in result.stderr


def test_a_table_lists_the_records(filled):
    result = filled("copy-store", "lived.db", "a.db", "--pool", "default")
    assert "fingerprints" in result.stdout
    assert "copied 70 articles; verified" in result.stderr
    second_run = filled("copy-store", "lived.db", "a.db", "--pool", "default")
    assert "copied 0 articles, 70 already there; verified" in second_run.stderr


def test_articles_expire_in_redis_with_a_window(filled, redis_address):
    result = filled("copy-store", "lived.db", redis_address, "--pool", "sport")
    assert "nothing expires in TO" in result.stderr
    words = ("--pool", "sport", "--to-pool", "games", "--window", "3d")
    assert "expires" not in filled("copy-store", "lived.db", redis_address, *words).stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lived.db", "lived.db"), "is read and written"),
        (("lived.db", "./x/../lived.db"), "is read and written"),
        (("nowhere.db", "a.db"), "no store at nowhere.db"),
        (("lived.db", "mysql://host"), "'mysql://host' is not the address of a store"),
        (("lived.db", "memory://"), "lost when the command ends"),
        (("memory://", "a.db"), "lost when the command ends"),
        (("lived.db", "none/a.db"), "there is no folder none"),
        (("lived.db", "."), "is a folder: name a file"),
        (("lived.db", "a.db", "--pool", "sprot"), "no pool sprot"),
        (("lived.db", "redis://127.0.0.1:1/0"), "127.0.0.1:1"),
        (("lived.db", "a.db", "--window", "soon"), "soon"),
    ],
)
def test_what_cannot_be_copied_is_reported(filled, tmp_path, words, said):
    (tmp_path / "x").mkdir()
    assert said in filled("copy-store", *words, fails=True).stderr
    assert not (tmp_path / "a.db").exists()


def test_missing_permissions_on_the_target_are_reported(filled, postgres_server, postgres_address):
    stranger = postgres_server.fresh()
    schema = stranger.rpartition("%3D")[2]
    closed = postgres_address.rpartition("%3D")[0] + f"%3D{schema}"
    result = filled("copy-store", "lived.db", closed, fails=True)
    assert "schema" in result.stderr or "permission" in result.stderr


def test_a_store_is_rebuilt_with_another_preset(filled, lasting_address):
    words = ("rebuild", "--store", "lived.db", "--to", lasting_address, "--preset", "feed")
    (row,) = rows(filled(*words, "--json"))
    assert (row["added"], row["skipped"], row["verified"]) == (70, 0, True)
    assert row["recipe"]["from"] != row["recipe"]["to"]
    assert row["records"]["runs"]["count"] == 70
    wire = str(lives.WIRE)
    filled("check", wire, "--store", lasting_address, "--preset", "feed")
    filled("check", wire, "--store", lasting_address, "--preset", "default", fails=True)


def test_a_pool_is_rebuilt_into_another_pool(filled):
    filled("rebuild", "--store", "lived.db", "--to", "lived.db", fails=True)
    words = ("rebuild", "--store", "lived.db", "--to", "lived.db", "--to-pool", "anew")
    assert "70 articles fingerprinted" in filled(*words).stderr
    assert "holds other things already" in filled(*words, fails=True).stderr


def test_another_pool_is_one_of_the_same_store(filled):
    (row,) = rows(filled("rebuild", "--store", "lived.db", "--to-pool", "anew", "--json"))
    assert row["to"].startswith(row["store"])
    assert row["added"] == 70


def test_missing_options_of_rebuild_are_reported(filled):
    assert "no store at" in filled("rebuild", "--store", "x.db", "--to", "a.db", fails=True).stderr
    nowhere = filled("rebuild", "--store", "lived.db", fails=True)
    assert nowhere.exit_code == 2
    assert "where to? Give --to rebuilt.db, or --to-pool NAME" in nowhere.stderr
